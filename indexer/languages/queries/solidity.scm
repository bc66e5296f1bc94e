; Types

(contract_declaration name: (identifier) @name body: (_) @body) @definition.class
(interface_declaration name: (identifier) @name body: (_) @body) @definition.interface
(library_declaration name: (identifier) @name body: (_) @body) @definition.class
(struct_declaration name: (identifier) @name body: (_) @body) @definition.struct
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
(user_defined_type_definition name: (identifier) @name) @definition.type
(enum_value) @name @definition.constant
(struct_member name: (identifier) @name) @definition.field

; Functions, modifiers, events and errors

(function_definition name: (identifier) @name body: (_)? @body) @definition.function
(constructor_definition "constructor" @name body: (_)? @body) @definition.constructor
(fallback_receive_definition ["receive" "fallback"] @name body: (_)? @body) @definition.method
(modifier_definition name: (identifier) @name body: (_)? @body) @definition.function
(event_definition name: (identifier) @name) @definition.type
(error_declaration name: (identifier) @name) @definition.type
(state_variable_declaration name: (identifier) @name) @definition.field
(constant_variable_declaration name: (identifier) @name) @definition.constant
(function_definition (visibility) @access.private (#eq? @access.private "private")) @definition.function
(function_definition (visibility) @access.internal (#eq? @access.internal "internal")) @definition.function

; Inheritance

(inheritance_specifier ancestor: (user_defined_type (identifier) @name .)) @inherit
(using_directive (type_alias (identifier) @name)) @type

; Calls: also of modifiers, of constructors, and what is emitted or reverted with

(call_expression function: (expression (identifier) @name)) @call
(call_expression function: (expression
  (member_expression object: (_) @receiver property: (identifier) @name))) @call
(call_expression function: (expression
  (new_expression name: (type_name (user_defined_type (identifier) @name .))))) @call
(call_expression function: (expression (struct_expression type: (expression [
  (identifier) @name
  (member_expression object: (_) @receiver property: (identifier) @name)])))) @call
(emit_statement name: (expression [
  (identifier) @name
  (member_expression object: (_) @receiver property: (identifier) @name)])) @call
(revert_statement error: (expression [
  (identifier) @name
  (member_expression object: (_) @receiver property: (identifier) @name)])) @call
(modifier_invocation (identifier) @name .) @call
(modifier_invocation (identifier) @name . (call_argument)) @call

; Types, and what names may hold

(type_name (user_defined_type (identifier) @name .)) @type
(parameter type: (type_name) @is name: (identifier) @to)
(variable_declaration type: (type_name) @is name: (identifier) @to)
(state_variable_declaration type: (type_name) @is name: (identifier) @to)

; Imports

(import_directive !import_name source: (string) @module) @import @wildcard
(import_directive !import_name alias: (identifier) @alias source: (string) @module) @import
(import_directive import_name: (identifier) @name source: (string) @module) @import
(import_directive import_name: (identifier) @name . alias: (identifier) @alias
  source: (string) @module) @import

; Functions of an assembly block

(yul_function_definition . (yul_identifier) @name (yul_block) @body) @definition.function
(yul_function_call . (yul_identifier) @name) @call

; Functions that are handed on

(call_argument (expression (identifier) @handed))

(comment) @comment
