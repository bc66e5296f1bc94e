; Functions: a binding with parameters or of a function; other bindings of a structure are values

(value_definition (let_binding pattern: [
    (value_name) @name
    (parenthesized_operator (_) @name)]
  . (parameter)) @definition.function)
(value_definition (let_binding pattern: [
    (value_name) @name
    (parenthesized_operator (_) @name)]
  body: [(fun_expression) (function_expression)]) @definition.function)
(value_definition (attribute_id) @_test (let_binding pattern: (string) @name)
  (#match? @_test "test")) @definition.function
(compilation_unit (value_definition (let_binding pattern: (value_name) @name) @definition.variable))
(structure (value_definition (let_binding pattern: (value_name) @name) @definition.variable))
(value_definition "let" . (let_binding) @definition.function . ) @wrap
(class_definition (class_binding (class_name) @name body: (_)? @body) @definition.class)
(class_definition . (class_binding) @definition.class .) @wrap
(method_definition (method_name) @name) @definition.method
(method_definition "private" @access.private) @definition.method
(instance_variable_definition (instance_variable_name) @name) @definition.field

; Inheritance, and what a module includes or must be

(inheritance_definition class: (class_application class: (class_path (class_name) @name))) @inherit
(inheritance_definition class: (class_path (class_name) @name)) @inherit
(include_module module: (module_path (module_name) @name .)) @inherit

; Calls: applied, piped, composed, or handed on

(application_expression function: (value_path . (value_name) @name)) @call
(application_expression function: (value_path
  (module_path) @receiver (value_name) @name)) @call
(application_expression function: (method_invocation object: (_) @receiver method: (_) @name)) @call
(method_invocation object: (_) @receiver method: (_) @name) @call
(infix_expression operator: (rel_operator) @_pipe right: (value_path . (value_name) @name)
  (#eq? @_pipe "|>")) @call
(infix_expression operator: (rel_operator) @_pipe
  right: (value_path (module_path) @receiver (value_name) @name)
  (#eq? @_pipe "|>")) @call
(infix_expression left: (value_path . (value_name) @name) operator: (concat_operator) @_apply
  (#eq? @_apply "@@")) @call
(infix_expression
  left: (value_path (module_path) @receiver (value_name) @name) operator: (concat_operator) @_apply
  (#eq? @_apply "@@")) @call
(application_expression argument: [
  (value_path) @handed
  (labeled_argument expression: (value_path) @handed)
  (value_path (parenthesized_operator (_) @handed))])
(infix_expression operator: (_) @name (#match? @name "^[^\\w]{3,}$")) @call
(value_pattern) @local
(let_expression (value_definition (let_binding pattern: (value_name) @local)))
(let_binding pattern: (value_name) @to . body: (value_path . (value_name) .) @from)
(local_open_expression (module_path) @module) @import @wildcard
(new_expression (class_path (class_name) @name .)) @call
(module_application functor: (module_path (module_name) @name .)) @call

; Imports

(include_module module: (module_path) @module) @import @wildcard
