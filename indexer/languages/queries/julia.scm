; Modules and types; a supertype stands behind `<:`

(module_definition name: (identifier) @name) @definition.module
(struct_definition (type_head [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (binary_expression . (identifier) @name . (operator))
  (binary_expression . (parametrized_type_expression . (identifier) @name) . (operator))]))
  @definition.struct
(abstract_definition (type_head [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (binary_expression . (identifier) @name . (operator))
  (binary_expression . (parametrized_type_expression . (identifier) @name) . (operator))]))
  @definition.interface
(primitive_definition (type_head (_) @name)) @definition.type
(struct_definition (block [
  (identifier) @name
  (typed_expression . (identifier) @name)
  (assignment . [(identifier) @name (typed_expression . (identifier) @name)])
  (const_statement [(identifier) @name (typed_expression . (identifier) @name)])]
  @definition.field))
(macrocall_expression (macro_identifier (identifier) @_enum)
  (macro_argument_list . [(identifier) @name (typed_expression . (identifier) @name)])
  (#any-of? @_enum "enum" "enumx")) @definition.enum
(macrocall_expression (macro_identifier (identifier) @_enum)
  (macro_argument_list . (_) [
    (identifier) @name
    (assignment . (identifier) @name)
    (compound_statement (block [(identifier) @name (assignment . (identifier) @name)]))]
    @definition.constant)
  (#any-of? @_enum "enum" "enumx"))

; Functions, in long and short form, those of another module, macros

(function_definition (signature [
  (identifier) @name
  (call_expression . (identifier) @name)
  (call_expression . (parametrized_type_expression . (identifier) @name))
  (call_expression . (field_expression . (_) @owner (identifier) @name .))
  (typed_expression . (call_expression . (identifier) @name))
  (typed_expression . (call_expression . (field_expression . (_) @owner (identifier) @name .)))
  (where_expression . (call_expression . (identifier) @name))
  (where_expression . (call_expression . (parametrized_type_expression . (identifier) @name)))
  (where_expression . (call_expression . (field_expression . (_) @owner (identifier) @name .)))
  (where_expression . (where_expression . (call_expression . (identifier) @name)))
  (where_expression . (typed_expression . (call_expression . (identifier) @name)))
  (where_expression . (typed_expression
    . (call_expression . (field_expression . (_) @owner (identifier) @name .))))])) @definition.function
(assignment . [
  (call_expression . (identifier) @name)
  (call_expression . (parametrized_type_expression . (identifier) @name))
  (call_expression . (field_expression . (_) @owner (identifier) @name .))
  (typed_expression . (call_expression . (identifier) @name))
  (typed_expression . (call_expression . (field_expression . (_) @owner (identifier) @name .)))
  (where_expression . (call_expression . (identifier) @name))
  (where_expression . (call_expression . (parametrized_type_expression . (identifier) @name)))
  (where_expression . (call_expression . (field_expression . (_) @owner (identifier) @name .)))
  (where_expression . (typed_expression . (call_expression . (identifier) @name)))]
  (operator) @_is
  (#eq? @_is "=")) @definition.function
(assignment . (binary_expression . (_) . (operator) @name) . (operator) @_is
  (#eq? @_is "=")) @definition.function
(assignment . (call_expression . (operator) @name) . (operator) @_is
  (#eq? @_is "=")) @definition.function
(function_definition (signature (call_expression . (operator) @name))) @definition.function
(macro_definition (signature (call_expression . (identifier) @name))) @definition.macro
(assignment . (identifier) @name . (operator) . [
  (arrow_function_expression)
  (function_definition)]) @definition.function

; Constants and variables of a module

(const_statement (assignment . [
  (identifier) @name
  (open_tuple (identifier) @name)
  (parametrized_type_expression . (identifier) @name)])) @definition.constant
(const_statement (assignment . (typed_expression . (identifier) @name))) @definition.constant
(source_file (assignment . (identifier) @name . (operator) . (_) @_value
  (#not-match? @_value "->")) @definition.variable)

; Tests

(macrocall_expression (macro_identifier (identifier) @_test)
  (macro_argument_list . (string_literal) @name)
  (#any-of? @_test "testset" "testitem")) @definition.function

; Supertypes

(type_head (binary_expression (operator) . [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (field_expression (identifier) @name .)
  (parametrized_type_expression . (field_expression (identifier) @name .))])) @inherit

; Calls

(call_expression . (identifier) @name (#not-match? @name "^(?:include|new)$")) @call
(call_expression . (field_expression . (_) @receiver (identifier) @name .)) @call
(call_expression . (parametrized_type_expression . (identifier) @name)) @call
(broadcast_call_expression . (identifier) @name) @call
(broadcast_call_expression . (field_expression . (_) @receiver (identifier) @name .)) @call
(macrocall_expression (macro_identifier (identifier) @name)) @call
(binary_expression (operator) @_pipe . (identifier) @name (#any-of? @_pipe "|>" ".|>")) @call

; Functions that are handed on

(argument_list (identifier) @handed)
(argument_list (assignment (operator) . (identifier) @handed))
(binary_expression (operator) @_pair . (identifier) @handed (#eq? @_pair "=>"))
(assignment . (identifier) @local)
(for_binding . (identifier) @local)
(arrow_function_expression . (identifier) @local)
(arrow_function_expression . (argument_list (identifier) @local))
(assignment . (identifier) @to . (operator) . (identifier) @from)

; Types, and what names may hold

([
  (typed_expression (_) . (identifier) @name)
  (typed_expression (_) . (parametrized_type_expression . (identifier) @name))
  (curly_expression (identifier) @name)
] @type
  (#not-match? @name "^(?:[A-Z]|Int[0-9]*|UInt[0-9]*|Float[0-9]*|String|Bool|Any|Symbol|Vector|Dict|Nothing|IO)$"))
(typed_expression . (identifier) @to . [(identifier) (parametrized_type_expression)] @is)

; Imports

(using_statement [(identifier) (import_path)] @module) @import @wildcard
(using_statement (selected_import . (_) @module . (_)* (identifier) @name)) @import
(import_statement [(identifier) (import_path)] @module) @import
(import_statement (selected_import . (_) @module . (_)* (identifier) @name)) @import
(call_expression . (identifier) @_include (argument_list . (string_literal) @module)
  (#eq? @_include "include")) @import @wildcard

(line_comment) @comment
(block_comment) @comment
(string_literal) @comment
