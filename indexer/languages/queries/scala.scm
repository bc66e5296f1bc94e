; Packages with a body, and package objects
(package_clause name: (_) @name body: (_) @body) @definition.module
(package_object name: (_) @name body: (_) @body) @definition.module

; Types
(class_definition name: (identifier) @name
  body: (_)? @body) @definition.class
(object_definition name: (identifier) @name body: (_)? @body) @definition.class
(trait_definition name: (identifier) @name body: (_)? @body) @definition.trait
(enum_definition name: (identifier) @name body: (_)? @body) @definition.enum
(simple_enum_case name: (identifier) @name) @definition.constant
(full_enum_case name: (identifier) @name) @definition.class
(type_definition name: (type_identifier) @name) @definition.type

; Instances: a given with members is a class of its own; one without a name has its type for it
(given_definition name: (identifier) @name
  body: (with_template_body) @body) @definition.class
(given_definition name: (identifier) @name body: (_)? @body) @definition.variable
(given_definition !name . return_type: (_) @name
  body: (with_template_body) @body) @definition.class
(given_definition !name . return_type: (_) @name body: (_)? @body) @definition.variable
(extension_definition parameters: (parameters . (parameter type: [
  (type_identifier) @name
  (generic_type type: (_) @name)
  (stable_type_identifier (type_identifier) @name)]))
  body: (_) @body) @definition.extension

; Functions
(function_definition name: (_) @name body: (_) @body) @definition.function
(function_declaration name: (_) @name) @definition.function

; Values, not those inside of functions
(compilation_unit (val_definition pattern: (identifier) @name) @definition.variable)
(compilation_unit (var_definition pattern: (identifier) @name) @definition.variable)
(template_body (val_definition pattern: [
  (identifier) @name
  (identifiers (identifier) @name)
  (tuple_pattern (identifier) @name)]) @definition.field)
(template_body (var_definition pattern: [
  (identifier) @name
  (identifiers (identifier) @name)]) @definition.field)
(template_body (val_declaration name: (identifier) @name) @definition.field)
(template_body (var_declaration name: (identifier) @name) @definition.field)
(enum_body (val_definition pattern: (identifier) @name) @definition.field)
(with_template_body (val_definition pattern: (identifier) @name) @definition.field)
(class_parameter ["val" "var"] name: (identifier) @name) @definition.property
(class_definition "case" class_parameters: (class_parameters
  (class_parameter name: (identifier) @name) @definition.property))
(full_enum_case class_parameters: (class_parameters
  (class_parameter name: (identifier) @name) @definition.property))

; What types are made of
(extends_clause . type: [
  (type_identifier) @name
  (generic_type type: [(type_identifier) @name (stable_type_identifier (type_identifier) @name)])
  (stable_type_identifier (type_identifier) @name)]) @inherit
(extends_clause ["with" ","] . type: [
  (type_identifier) @name
  (generic_type type: [(type_identifier) @name (stable_type_identifier (type_identifier) @name)])
  (stable_type_identifier (type_identifier) @name)]) @implement
(derives_clause type: (type_identifier) @name) @implement

; Calls
(call_expression function: [
  (identifier) @name
  (field_expression value: (_) @receiver field: (identifier) @name)]) @call
(generic_function function: [
  (identifier) @name
  (field_expression value: (_) @receiver field: (identifier) @name)]) @call
(instance_expression . [
  (type_identifier) @name
  (generic_type type: [(type_identifier) @name (stable_type_identifier (type_identifier) @name)])
  (stable_type_identifier (type_identifier) @name)]) @call
(infix_expression left: (_) @receiver operator: (identifier) @name) @call
(infix_expression left: (_) @receiver operator: (operator_identifier) @name
  (#not-match? @name "^(?:[=!<>]=|&&|[|][|]|[<>]|->)$|:$")) @call
(infix_expression operator: (operator_identifier) @name right: (_) @receiver
  (#match? @name "[^:+]:$")) @call

; Types in signatures and annotations
(parameter type: [(type_identifier) @name (generic_type type: (type_identifier) @name)]) @type
(class_parameter type: [
  (type_identifier) @name (generic_type type: (type_identifier) @name)]) @type
(function_definition return_type: [
  (type_identifier) @name (generic_type type: (type_identifier) @name)]) @type
(function_declaration return_type: [
  (type_identifier) @name (generic_type type: (type_identifier) @name)]) @type
(val_definition type: [
  (type_identifier) @name (generic_type type: (type_identifier) @name)]) @type
(given_definition return_type: [
  (type_identifier) @name (generic_type type: (type_identifier) @name)]) @type
(type_definition type: [
  (type_identifier) @name (generic_type type: (type_identifier) @name)]) @type
(type_arguments (type_identifier) @name) @type
(context_bound type: (type_identifier) @name) @type
(upper_bound type: (type_identifier) @name) @type
(self_type (type_identifier) @name) @type
(annotation name: (type_identifier) @name) @type

; What is read may be a function without parentheses, or one that is handed on
(field_expression) @read
(arguments (identifier) @handed)
(infix_expression right: (identifier) @handed)
(postfix_expression . (identifier) @handed)
[
  (field_expression value: (identifier) @read)
  (val_definition value: (identifier) @read)
  (function_definition body: (identifier) @read)
  (block (identifier) @read)
  (indented_block (identifier) @read)
  (infix_expression left: (identifier) @read)
  (prefix_expression (identifier) @read)
  (parenthesized_expression (identifier) @read)
  (interpolation (identifier) @read)
  (case_block (case_clause body: (identifier) @read))]

(val_definition pattern: [(identifier) @local (tuple_pattern (identifier) @local)])
(var_definition pattern: (identifier) @local)
(enumerator . [(identifier) @local (tuple_pattern (identifier) @local)])
(lambda_expression parameters: (identifier) @local)
(binding name: (identifier) @local)
(case_clause pattern: [(identifier) @local (_ (identifier) @local)])

; What is published, and who listens
(call_expression
  function: (field_expression value: (_) @receiver field: (_) @name)
  arguments: (_) @arguments
  (#any-of? @name "publish" "publishEvent" "post" "emit" "dispatch" "subscribe"))

; What names and results may hold
(val_definition pattern: (identifier) @to type: (_) @is)
(val_definition pattern: (identifier) @to !type value: [
  (call_expression) (instance_expression) (field_expression)] @from)
(val_definition pattern: (identifier) @to value: [(identifier) (postfix_expression)] @from)
(val_definition pattern: (tuple_pattern) @to value: (_) @from)
((case_class_pattern) @apart)
(function_definition !return_type body: (_) @returned
  (#type? @returned call_expression instance_expression field_expression identifier))
(function_definition !return_type body: (_ (_) @returned .) @_block
  (#type? @_block block indented_block))
(var_definition pattern: (identifier) @to type: (_) @is)
(enumerator . (identifier) @to . (_) @each)
(parameter name: (_) @to type: (_) @is)
(class_parameter name: (_) @to type: (_) @is)
(function_definition return_type: (_) @result)
(function_declaration return_type: (_) @result)

(typed_pattern pattern: (identifier) @to type: (_) @is)
(binding name: (_) @to type: (_) @is)
(enumerator . (tuple_pattern (_) . (identifier) @to .) . (_) @each)
(match_expression value: (_) @from body: (case_block (case_clause
  pattern: (case_class_pattern type: (_) @_holds pattern: (identifier) @to)))
  (#any-of? @_holds "Some" "Right" "Success"))
(assignment_expression left: (field_expression) @to right: (identifier) @from)
; … and what a function without a name is handed
(call_expression function: (field_expression value: (_) @of field: (identifier) @handing)
  arguments: (_ [
    (lambda_expression parameters: (identifier) @first)
    (lambda_expression parameters: (bindings
      . (binding . name: (_) @first .) . (binding . name: (_) @second .)?))
    (case_clause pattern: (identifier) @first)
    (case_clause pattern: (tuple_pattern (_) . (identifier) @second .))
    (field_expression value: (wildcard) @implied)
    (call_expression function: (field_expression value: (wildcard) @implied))]))
(infix_expression left: (_) @of operator: (identifier) @handing right: (_ [
  (lambda_expression parameters: (identifier) @first)
  (field_expression value: (wildcard) @implied)
  (call_expression function: (field_expression value: (wildcard) @implied))]))

; Imports: the path is one node a word
(import_declaration . path: (identifier) @module .) @import
(import_declaration path: _+ @module . "." . path: (identifier) @name .) @import
(import_declaration path: _+ @module . "."
  . (as_renamed_identifier name: (_) @name alias: (_) @alias) .) @import
(import_declaration path: _+ @module . (namespace_wildcard) @wildcard) @import
(import_declaration path: _+ @module (namespace_selectors [
  (identifier) @name
  (arrow_renamed_identifier name: (identifier) @name alias: (_) @alias)
  (as_renamed_identifier name: (identifier) @name alias: (_) @alias)
  (namespace_wildcard) @wildcard])) @import

(comment) @comment
(block_comment) @comment

; Operators
(call_expression function: [(identifier) (generic_function function: (identifier))] @operated
  arguments: (arguments "(" @operator)
  (#match? @operated "^[A-Z]"))
(case_class_pattern type: (_) @operated "(" @operator @stored)
(assignment_expression left: (call_expression function: (identifier) @operated) @uncalled "=" @operator)
(assignment_expression left: (field_expression value: (_) @operated field: (_) @setting) "=" @operator)
(infix_expression left: [(identifier) (field_expression)] @operated operator: (operator_identifier) @operator
  (#any-of? @operator "<" ">" "<=" ">="))
(infix_expression operator: (operator_identifier) @operator right: [(identifier) (field_expression)] @operated
  (#any-of? @operator "::" ":::" "+:"))
(prefix_expression ["-" "+" "!" "~"] @operator . [(identifier) (field_expression)] @signed)
(for_expression "for" @operator
  enumerators: (enumerators (enumerator "<-" . [(identifier) (field_expression) (call_expression)] @operated))
  enumerators: [")" "}"] . body: (_))
(for_expression
  enumerators: (enumerators (enumerator "<-" . [(identifier) (field_expression) (call_expression)] @operated) .)
  "yield" @operator)
(for_expression
  enumerators: (enumerators (enumerator "<-" . [(identifier) (field_expression) (call_expression)] @operated) . (enumerator))
  "yield" @operator @stored)
(enumerator "<-" . [(identifier) (field_expression) (call_expression)] @operated . (guard "if" @operator))
