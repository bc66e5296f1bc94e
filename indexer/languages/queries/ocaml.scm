; Modules, types, classes

(module_definition (module_binding (module_name) @name body: (_)? @body)) @definition.module
(module_type_definition (module_type_name) @name body: (_)? @body) @definition.interface
(type_definition
  (type_binding name: (type_constructor) @name body: (_)? @body) @definition.type) @wrap
(exception_definition (constructor_declaration (constructor_name) @name)) @definition.type
(variant_declaration (constructor_declaration (constructor_name) @name) @definition.constant)
(field_declaration (field_name) @name) @definition.field
(class_definition (class_binding (class_name) @name body: (_)? @body)) @definition.class
(class_type_definition (class_type_binding (class_type_name) @name)) @definition.interface

; Functions: a binding with parameters or of a function; other bindings of a structure are values

(value_definition (let_binding pattern: [
    (value_name) @name
    (parenthesized_operator (_) @name)]
  . (parameter)) @definition.function)
(value_definition (let_binding pattern: [
    (value_name) @name
    (parenthesized_operator (_) @name)]
  body: [(fun_expression) (function_expression)]) @definition.function)
(compilation_unit (value_definition (let_binding pattern: (value_name) @name) @definition.variable))
(structure (value_definition (let_binding pattern: (value_name) @name) @definition.variable))
(value_definition "let" . (let_binding) @definition.function . ) @wrap
(value_specification [(value_name) @name (parenthesized_operator (_) @name)]) @definition.function
(external [(value_name) @name (parenthesized_operator (_) @name)]) @definition.function
(method_definition (method_name) @name) @definition.method
(method_specification (method_name) @name) @definition.method
(method_definition "private" @access.private) @definition.method
(instance_variable_definition (instance_variable_name) @name) @definition.field

; Inheritance, and what a module includes or must be

(inheritance_definition class: (class_application class: (class_path (class_name) @name))) @inherit
(inheritance_definition class: (class_path (class_name) @name)) @inherit
(include_module module: (module_path (module_name) @name .)) @inherit
(module_binding module_type: (module_type_path (module_type_name) @name)) @implement
(module_parameter module_type: (module_type_path (module_type_name) @name)) @type

; Calls: applied, piped, composed, or handed on

(application_expression function: (value_path . (value_name) @name)) @call
(application_expression function: (value_path
  (module_path (module_name) @receiver .) (value_name) @name)) @call
(application_expression function: (method_invocation object: (_) @receiver method: (_) @name)) @call
(method_invocation object: (_) @receiver method: (_) @name) @call
(infix_expression operator: (rel_operator) @_pipe right: (value_path . (value_name) @name)
  (#eq? @_pipe "|>")) @call
(infix_expression operator: (rel_operator) @_pipe
  right: (value_path (module_path (module_name) @receiver .) (value_name) @name)
  (#eq? @_pipe "|>")) @call
(infix_expression left: (value_path . (value_name) @name) operator: (concat_operator) @_apply
  (#eq? @_apply "@@")) @call
(infix_expression
  left: (value_path (module_path (module_name) @receiver .) (value_name) @name) operator: (concat_operator) @_apply
  (#eq? @_apply "@@")) @call
(application_expression argument: [
  (value_path) @handed
  (labeled_argument expression: (value_path) @handed)
  (value_path (parenthesized_operator (_) @handed))])
(infix_expression operator: (_) @name (#match? @name "^[^\\w]{3,}$")) @call
(value_pattern) @local
(let_expression (value_definition (let_binding pattern: (value_name) @local)))
(let_binding pattern: (value_name) @to . body: (value_path . (value_name) .) @from)
(new_expression (class_path (class_name) @name)) @call
(module_application functor: (module_path (module_name) @name .)) @call
(type_constructor_path . (type_constructor) @name
  (#not-match? @name "^(?:int|string|unit|bool|float|list|option|array|char|bytes|result|exn)$")) @type
(type_constructor_path (_) @receiver (type_constructor) @name) @type

; Imports

(open_module module: (_) @module) @import @wildcard
(include_module module: (module_path) @module) @import @wildcard
(module_definition (module_binding
  (module_name) @alias body: (module_path) @module)) @import

(comment) @comment
