; Classes, categories and protocols; a category belongs to its class

(class_interface . (identifier) @name . "(") @definition.extension
(class_interface . (identifier) @name !category) @definition.class
(class_interface . (identifier) @name category: (_)) @definition.extension
(class_implementation . (identifier) @name !category) @definition.class
(class_implementation . (identifier) @name category: (_)) @definition.extension
(protocol_declaration . (identifier) @name) @definition.interface

; Methods by the first word of their selector, properties

(method_declaration . (method_type) . (identifier) @name) @definition.method
(method_definition . (method_type) . (identifier) @name (compound_statement) @body) @definition.method
(method_declaration . (identifier) @name) @definition.method
(method_definition . (identifier) @name (compound_statement) @body) @definition.method
(property_declaration (struct_declaration (struct_declarator [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)]))) @definition.property
(property_declaration (struct_declaration (struct_declarator
  (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @name))))) @definition.property

; What is C

(function_definition declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))]
  body: (_) @body (#not-eq? @name "if")) @definition.function
(declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))]
  ";" @body) @definition.function @global
(struct_specifier name: (type_identifier) @name body: (_) @body) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_) @body) @definition.enum
(type_definition declarator: (type_identifier) @name) @definition.type
(type_definition declarator: (function_declarator
  declarator: (parenthesized_declarator (_ declarator: (type_identifier) @name)))) @definition.type
(preproc_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name) @definition.macro
([
  (translation_unit (declaration declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (init_declarator declarator: [
      (identifier) @name
      (pointer_declarator declarator: (identifier) @name)])]) @definition.variable)
  (implementation_definition (declaration declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (init_declarator declarator: [
      (identifier) @name
      (pointer_declarator declarator: (identifier) @name)])]) @definition.variable)])
(enumerator name: (identifier) @name) @definition.constant

; Inheritance

(class_interface superclass: (identifier) @name) @inherit
(class_interface (parameterized_arguments (type_name (type_identifier) @name))) @implement
(protocol_declaration (protocol_reference_list (identifier) @name)) @inherit

; Calls: messages by the first word of their selector, functions, selectors

(message_expression receiver: (_) @receiver . method: (identifier) @name) @call
(call_expression function: (identifier) @name) @call
(selector_expression) @provided

; Types, and what names may hold

([
  (method_type (type_name (type_identifier) @name))
  (struct_declaration (type_identifier) @name)
  (declaration type: (type_identifier) @name)
] @type
  (#not-match? @name "^(?:NS|CG|UI)|^(?:instancetype|id|BOOL|void)$"))
(property_declaration (struct_declaration (type_identifier) @is (struct_declarator
  (pointer_declarator declarator: (identifier) @to))))
(declaration type: (type_identifier) @is declarator: (init_declarator
  declarator: (pointer_declarator declarator: (identifier) @to)))
(method_parameter (method_type (type_name (type_identifier) @is)) (identifier) @to)
(block_literal (parameter_list (parameter_declaration type: (type_identifier) @is
  declarator: (pointer_declarator declarator: (identifier) @to))))
(method_definition (method_type (type_name (type_identifier) @result)))
(method_declaration (method_type (type_name (type_identifier) @result)))

; What is read with a dot is a property or a method without arguments

((field_expression argument: (_) @receiver "." field: (field_identifier) @read)
  (#not-match? @receiver "->"))

; Imports

(preproc_include path: (_) @module) @import @wildcard
(module_import path: (_) @module) @import @wildcard

(comment) @comment
