; Functions and filters, types and their members

(function_statement (function_name) @name (script_block)? @body) @definition.function
(class_statement . (simple_name) @name) @definition.class
(enum_statement (simple_name) @name) @definition.enum
(enum_member . (simple_name) @name) @definition.constant
(class_statement . (simple_name) @_class
  (class_method_definition (simple_name) @name (script_block)? @body) @definition.constructor
  (#eq? @name @_class))
(class_method_definition (simple_name) @name (script_block)? @body) @definition.method
(class_method_definition (class_attribute) @access.private (#eq? @access.private "hidden"))
  @definition.method
(class_property_definition (variable) @name) @definition.property

; Variables of the script, and tests of Pester

(program (statement_list (pipeline (assignment_expression (left_assignment_expression) @name)
  (#match? @name "^\\$(?:(?:script|global):)?\\w+$")) @definition.variable))
(command
  command_name: (command_name) @_test
  command_elements: (command_elements (array_literal_expression (unary_expression (string_literal) @name)))
  (#match? @_test "^(?:Describe|Context|It)$")) @definition.function

; What a class is made of

(class_statement . (simple_name) . (simple_name) @name) @inherit
(class_statement . (simple_name) . (simple_name) . (simple_name) @name) @implement

; Calls: commands, methods and constructors

(command command_name: (command_name) @name
  (#not-match? @name "^(?:using|[iI]mport-[mM]odule|Describe|Context|It|return|throw)$|[./\\\\]")) @call
(command command_name: (command_name_expr (path_command_name (path_command_name_token) @name))
  (#not-match? @name "[./\\\\]")) @call
(invokation_expression . (_) @receiver (member_name (simple_name) @name)) @call
(invokation_expression
  (type_literal (type_spec (type_name (type_identifier) @receiver)))
  (member_name (simple_name) @name)
  (#not-match? @name "^[nN]ew$")) @call
(invokation_expression
  (type_literal (type_spec (type_name (type_identifier) @name)))
  (member_name (simple_name) @_new)
  (#match? @_new "^[nN]ew$")) @call

; Types

(script_parameter (attribute_list (attribute
  (type_literal (type_spec (type_name (type_identifier) @name))))
  (#not-match? @name "^(?i:string|int|bool|switch|object|hashtable|scriptblock|psobject)$"))) @type
(class_property_definition (type_literal (type_spec (type_name (type_identifier) @name)))
  (#not-match? @name "^(?i:string|int|bool|switch|object|hashtable|scriptblock|psobject)$")) @type

; Imports

(command
  command_name: (command_name) @_using
  command_elements: (command_elements (generic_token) @_what (generic_token) @module)
  (#match? @_using "^using$") (#match? @_what "^module$")) @import @wildcard
(command
  command_name: (command_name) @_import
  command_elements: (command_elements [(generic_token) (array_literal_expression)] @module .)
  (#match? @_import "^[iI]mport-[mM]odule$")) @import @wildcard
(command
  (command_invokation_operator) @_dot
  command_name: (_) @module
  (#eq? @_dot ".")) @import @wildcard

(comment) @comment
