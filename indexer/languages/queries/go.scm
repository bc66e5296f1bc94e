; Functions and methods

(function_declaration name: (identifier) @name body: (block)? @body) @definition.function

(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @owner
    (pointer_type (type_identifier) @owner)
    (generic_type type: (type_identifier) @owner)
    (pointer_type (generic_type type: (type_identifier) @owner))
    (parenthesized_type (pointer_type (type_identifier) @owner))]))
  name: (field_identifier) @name
  body: (block)? @body) @definition.method

(source_file (var_declaration (var_spec name: (identifier) @name
  value: (expression_list . (func_literal body: (_) @body) .)) @definition.function) @wrap)

; Types and their members

(type_declaration (type_spec name: (type_identifier) @name
  type: (struct_type (field_declaration_list) @body)) @definition.struct) @wrap
(type_declaration (type_spec name: (type_identifier) @name
  type: (interface_type "{" @body)) @definition.interface) @wrap
(type_declaration (type_spec name: (type_identifier) @name) @definition.type) @wrap
(type_declaration (type_alias name: (type_identifier) @name) @definition.type) @wrap

(type_spec type: (struct_type (field_declaration_list
  (field_declaration name: (field_identifier) @name) @definition.field)))
(type_spec type: (interface_type (method_elem name: (field_identifier) @name) @definition.method))

; Package constants and variables

(source_file (const_declaration (const_spec (identifier) @name
  (#not-eq? @name "_")) @definition.constant) @wrap)
(source_file (var_declaration (var_spec name: (identifier) @name
  (#not-eq? @name "_")) @definition.variable) @wrap)
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name
  (#not-eq? @name "_")) @definition.variable)))

; Embedding

(field_declaration !name type: [
  (type_identifier) @name
  (qualified_type package: (_) @receiver name: (_) @name)
  (generic_type type: (type_identifier) @name)
  (generic_type type: (qualified_type package: (_) @receiver name: (_) @name))]) @inherit
(interface_type (type_elem . [
  (type_identifier) @name
  (qualified_type package: (_) @receiver name: (_) @name)
  (generic_type type: (type_identifier) @name)] .)) @inherit

; Calls; an instantiated generic function looks like a conversion

(call_expression function: (identifier) @name) @call
(call_expression function: (selector_expression
  operand: (_) @receiver field: (field_identifier) @name)) @call
(call_expression function: (index_expression operand: (identifier) @name)) @call
(call_expression function: (index_expression operand: (selector_expression
  operand: (_) @receiver field: (field_identifier) @name))) @call
(type_conversion_expression type: (generic_type type: [
  (type_identifier) @name
  (qualified_type package: (_) @receiver name: (_) @name)])) @call

; Types in literals, parameters, results and fields

([
  (composite_literal type: (type_identifier) @name)
  (parameter_declaration type: (type_identifier) @name)
  (variadic_parameter_declaration type: (type_identifier) @name)
  (function_declaration result: (type_identifier) @name)
  (method_declaration result: (type_identifier) @name)
  (method_elem result: (type_identifier) @name)
  (field_declaration name: (_) type: (type_identifier) @name)
  (var_spec type: (type_identifier) @name)
  (const_spec type: (type_identifier) @name)
  (type_spec type: (type_identifier) @name)
  (type_alias type: (type_identifier) @name)
  (pointer_type (type_identifier) @name)
  (slice_type element: (type_identifier) @name)
  (array_type element: (type_identifier) @name)
  (map_type value: (type_identifier) @name)
  (channel_type value: (type_identifier) @name)
  (type_assertion_expression type: (type_identifier) @name)
  (type_case type: (type_identifier) @name)
  (generic_type type: (type_identifier) @name)
  (argument_list . (type_identifier) @name)
] @type
  (#not-match? @name
    "^(?:any|bool|byte|error|rune|string|uintptr|u?int(?:8|16|32|64)?|float(?:32|64))$"))
(qualified_type package: (_) @receiver name: (_) @name) @type

; Functions that are handed on
(argument_list [(identifier) (selector_expression)] @handed)
(literal_element [(identifier) (selector_expression)] @handed)
(assignment_statement right: (expression_list [(identifier) (selector_expression)] @handed))
(short_var_declaration left: (expression_list (identifier) @local))
(range_clause left: (expression_list (identifier) @local))
(receive_statement left: (expression_list (identifier) @local))
(type_switch_statement alias: (expression_list (identifier) @local))
(const_spec name: (identifier) @local)
(short_var_declaration right: (expression_list [(identifier) (selector_expression)] @handed))
(var_spec value: (expression_list [(identifier) (selector_expression)] @handed))
(return_statement (expression_list [(identifier) (selector_expression)] @handed))

; What is published, and who listens

(call_expression
  function: (selector_expression operand: (_) @receiver field: (_) @name)
  arguments: (_) @arguments
  (#any-of? @name "Publish" "Subscribe" "Emit" "Dispatch" "Fire"))

; What names and results may hold; of several results the first

(short_var_declaration left: (expression_list . (_) @to) right: (expression_list . [
  (call_expression) (unary_expression) (composite_literal) (identifier) (selector_expression)
  (index_expression) (type_assertion_expression)] @from .))
(assignment_statement left: (expression_list . (_) @to) right: (expression_list . [
  (call_expression) (unary_expression) (composite_literal) (identifier)] @from .))
(var_spec name: (_) @to type: (_) @is)
(var_spec name: (_) @to !type value: (expression_list . [
  (call_expression) (unary_expression) (composite_literal) (identifier)
  (selector_expression)] @from .))
(var_spec name: (_) @to type: (function_type)
  value: (expression_list . [(identifier) (selector_expression)] @from .))
(composite_literal type: (type_identifier) @of body: (literal_value (keyed_element
  . (literal_element (identifier) @to) . (literal_element (identifier) @from))))
(parameter_declaration name: (_) @to type: (_) @is)
(field_declaration name: (_) @to type: (_) @is)
(function_declaration result: [
  (type_identifier) (pointer_type) (qualified_type) (slice_type) (map_type) (generic_type)] @result)
(function_declaration result: (parameter_list . (parameter_declaration type: (_) @result)))
(method_declaration result: [
  (type_identifier) (pointer_type) (qualified_type) (slice_type) (map_type) (generic_type)] @result)
(method_declaration result: (parameter_list . (parameter_declaration type: (_) @result)))
(method_elem result: [
  (type_identifier) (pointer_type) (qualified_type) (slice_type) (map_type) (generic_type)] @result)
(method_elem result: (parameter_list . (parameter_declaration type: (_) @result)))
(range_clause left: (expression_list (_) (_) @to) right: (_) @each)
(range_clause left: (expression_list . (identifier) @to .) right: (_) @each)
(receive_statement left: (expression_list . (identifier) @to)
  right: (unary_expression "<-" operand: (_) @each))
(type_switch_statement alias: (expression_list (identifier) @to) (type_case type: (_) @is))

; Imports

(import_spec name: [(package_identifier) (blank_identifier)]? @alias path: (_) @module) @import
(import_spec name: (dot) @wildcard path: (_) @module) @import

; Comments; compiler directives are not prose

((comment) @comment (#not-match? @comment "^//(?:go:|nolint|export |line )"))
((comment) @decoration (#match? @decoration "^//(?:go:|nolint|export |line )"))
