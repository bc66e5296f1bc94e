; Types

(class_declaration name: (_) @name body: (_) @body) @definition.class
(record_declaration name: (_) @name body: (_) @body) @definition.class
(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(annotation_type_declaration name: (_) @name body: (_) @body) @definition.interface
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
(module_declaration name: (_) @name body: (_) @body) @definition.module

; Members

(constructor_declaration name: (_) @name body: (_) @body) @definition.constructor
(compact_constructor_declaration name: (_) @name body: (_) @body) @definition.constructor
(method_declaration name: (_) @name body: (_)? @body) @definition.method
(annotation_type_element_declaration name: (_) @name) @definition.method
; … of a file that is a class
(program (local_variable_declaration
  declarator: (variable_declarator name: (identifier) @name)) @definition.field)
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.variable
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(enum_constant name: (_) @name body: (class_body)? @body) @definition.constant @access.public
(record_declaration parameters: (formal_parameters
  (formal_parameter name: (_) @name) @definition.field @access.public))

(interface_body (_) @definition.method @access.public)
(interface_body (method_declaration (modifiers "private")) @definition.method @access.private)
(annotation_type_body (_) @definition.method @access.public)

; Base types

(superclass [
  (type_identifier) @name
  (scoped_type_identifier (_) @receiver . (type_identifier) @name)
  (generic_type . (type_identifier) @name)
  (generic_type . (scoped_type_identifier (_) @receiver . (type_identifier) @name))]) @inherit
(extends_interfaces (type_list [
  (type_identifier) @name
  (scoped_type_identifier (_) @receiver . (type_identifier) @name)
  (generic_type . (type_identifier) @name)
  (generic_type . (scoped_type_identifier (_) @receiver . (type_identifier) @name))])) @inherit
(super_interfaces (type_list [
  (type_identifier) @name
  (scoped_type_identifier (_) @receiver . (type_identifier) @name)
  (generic_type . (type_identifier) @name)
  (generic_type . (scoped_type_identifier (_) @receiver . (type_identifier) @name))])) @implement

(object_creation_expression type: [
  (type_identifier) @name
  (generic_type . (type_identifier) @name)] (class_body)) @inherit

; Calls, constructions and method references

(method_invocation !object name: (identifier) @name arguments: (_) @given) @call
(method_invocation object: (_) @receiver name: (identifier) @name arguments: (_) @given) @call
(object_creation_expression type: [
  (type_identifier) @name
  (scoped_type_identifier (_) @receiver . (type_identifier) @name)
  (generic_type . (type_identifier) @name)
  (generic_type . (scoped_type_identifier (_) @receiver . (type_identifier) @name))]
  arguments: (_) @given) @call
; What may call the methods of an instance that is made where it is handed over
(method_invocation object: (_) @receiver name: (identifier) @name
  arguments: (argument_list (object_creation_expression)) @arguments)
(object_creation_expression type: (type_identifier) @name
  arguments: (argument_list (object_creation_expression)) @arguments)
(explicit_constructor_invocation constructor: (_) @name arguments: (_) @given) @call
(method_reference . (_) @receiver "::" (identifier) @name) @call
(method_reference . (identifier) @name "::" "new") @call

; Where tests get their data from

(annotation name: (identifier) @_provider arguments: (_ [
    (string_literal (string_fragment) @provided)
    (element_value_array_initializer (string_literal (string_fragment) @provided))
    (element_value_pair value: (string_literal (string_fragment) @provided))
    (element_value_pair value: (element_value_array_initializer
      (string_literal (string_fragment) @provided)))])
  (#any-of? @_provider "MethodSource" "FieldSource"))
(annotation arguments: (_ (element_value_pair key: (identifier) @_key
    value: (string_literal (string_fragment) @provided)))
  (#any-of? @_key "dataProvider" "method"))

(annotation name: (identifier) @mark arguments: (_ [
  (class_literal (_) @run)
  (element_value_array_initializer (class_literal (_) @run))
  (element_value_pair value: (class_literal (_) @run))
  (element_value_pair value: (element_value_array_initializer (class_literal (_) @run)))])) @call

(annotation name: (identifier) @name arguments: (_) @arguments
  (#match? @name "Listener$"))

; Types

((type_identifier) @name @type (#not-match? @name "^(?:[a-z].*|[A-Z][0-9]?|String|Object)$"))
((type_identifier) @bound (#match? @bound "^[A-Z][0-9]?$"))
(scoped_type_identifier (_) @receiver . (type_identifier) @name) @type
((marker_annotation name: (identifier) @name) @type
  (#not-match? @name "^(?:Override|Deprecated|SafeVarargs|FunctionalInterface)$"))
((annotation name: (identifier) @name) @type (#not-match? @name "^(?:SuppressWarnings|Deprecated)$"))

; Declared types, and what `var` is given

((local_variable_declaration type: (_) @is declarator: (variable_declarator name: (_) @to))
  (#not-eq? @is "var"))
((local_variable_declaration type: (_) @_var declarator: (variable_declarator name: (_) @to
  value: (_) @from)) (#eq? @_var "var") (#type? @from object_creation_expression method_invocation
  identifier field_access array_access cast_expression ternary_expression))
(field_declaration type: (_) @is declarator: (variable_declarator name: (_) @to))

; What they hold where the type says little: another class, a function, something reflected

((local_variable_declaration type: (_) @_type declarator: (variable_declarator name: (_) @to
  value: (object_creation_expression type: (_) @_made) @from)) (#not-eq? @_type @_made)
  (#not-match? @_type "<|^var$"))
((field_declaration type: (_) @_type declarator: (variable_declarator name: (_) @to
  value: (object_creation_expression type: (_) @_made) @from)) (#not-eq? @_type @_made)
  (#not-match? @_type "<"))
(local_variable_declaration declarator: (variable_declarator name: (_) @to
  value: (method_reference) @from))
(field_declaration declarator: (variable_declarator name: (_) @to value: (method_reference) @from))
((local_variable_declaration type: (_) @_type declarator: (variable_declarator name: (_) @to
  value: [(method_invocation) (class_literal) (identifier)] @from))
  (#match? @_type "^(?:Object|Class|Method|Constructor|MethodHandle)(?:$|<)"))
(variable_declarator name: (_) @to value: (string_literal) @constant)
; Names of classes, which other files may find them by
((field_declaration declarator: (variable_declarator name: (_) @to value: (string_literal) @from))
  (#match? @from "^\"(?:[a-z]\\w*\\.)*[A-Z]\\w*[a-z]\\w*\"$"))
((method_invocation name: (identifier) @_named arguments: (argument_list [
    (identifier) @keyed
    (field_access field: (identifier) @keyed)]))
  (#match? @_named "^(?:forName|get(?:Declared)?Method|find(?:Static|Virtual))$"))
(method_invocation object: (_) @of name: (identifier) @handing arguments: (_
  (lambda_expression parameters: [
    (identifier) @first
    (inferred_parameters . (identifier) @first . (identifier)? @second)])))
(assignment_expression left: [(identifier) (field_access)] @to right: (method_reference) @from)
(formal_parameter type: (_) @is name: (_) @to)
((enhanced_for_statement type: (_) @is name: (_) @to) (#not-eq? @is "var"))
((enhanced_for_statement type: (_) @_var name: (_) @to value: (_) @each) (#eq? @_var "var"))
((resource type: (_) @is name: (_) @to) (#not-eq? @is "var"))
((resource type: (_) @_var name: (_) @to value: (_) @from) (#eq? @_var "var"))
(instanceof_expression right: (_) @is name: (identifier) @to)
(type_pattern . (_) @is . (identifier) @to)
((record_pattern_component . (_) @is . (identifier) @to) (#not-eq? @is "var"))
((record_pattern) @apart)
(resource name: (identifier) @closed) @call
(resource . (identifier) @closed .) @call
(method_declaration type: (_) @result)

; Imports

(import_declaration (scoped_identifier scope: (_) @module name: (_) @name) .) @import
(import_declaration (identifier) @module .) @import
(import_declaration (_) @module (asterisk) @wildcard) @import

; Operators
(enhanced_for_statement "for" @operator value: [(identifier) (field_access) (method_invocation)] @operated)

(line_comment) @comment
(block_comment) @comment
