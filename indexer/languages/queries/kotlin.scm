; Types
(class_declaration "interface" (type_identifier) @name (class_body)? @body) @definition.interface
(class_declaration "enum" (type_identifier) @name (enum_class_body)? @body) @definition.enum
(class_declaration (type_identifier) @name (class_body)? @body) @definition.class
(object_declaration (type_identifier) @name (class_body)? @body) @definition.class
(companion_object (type_identifier) @name (class_body)? @body) @definition.class
(type_alias (type_identifier) @name) @definition.type
(enum_entry (simple_identifier) @name (class_body)? @body) @definition.constant

; Functions; one with a receiver belongs to the receiver's type
(class_body (function_declaration (simple_identifier) @name) @definition.method)
(function_declaration
  (receiver_type [
    (user_type (type_identifier) @owner . (type_arguments)? .)
    (nullable_type (user_type (type_identifier) @owner . (type_arguments)? .))])?
  (simple_identifier) @name (function_body)? @body) @definition.function
(secondary_constructor "constructor" @name (statements)? @body) @definition.constructor

; Properties
(property_declaration (modifiers (property_modifier) @_const)
  (variable_declaration . (simple_identifier) @name)
  (#eq? @_const "const")) @definition.constant @global
(property_declaration
  (receiver_type [
    (user_type (type_identifier) @owner . (type_arguments)? .)
    (nullable_type (user_type (type_identifier) @owner . (type_arguments)? .))])
  (variable_declaration . (simple_identifier) @name)) @definition.property @global
(class_body (property_declaration
  (variable_declaration . (simple_identifier) @name)) @definition.property)
(enum_class_body (property_declaration
  (variable_declaration . (simple_identifier) @name)) @definition.property)
(source_file (property_declaration
  (variable_declaration . (simple_identifier) @name)) @definition.variable)
(class_parameter (binding_pattern_kind) (simple_identifier) @name) @definition.property
(class_body (property_declaration) @definition.property
  . [(getter) (setter)] @wrap . [(getter) (setter)]? @wrap)

; What types are made of; a class is inherited by calling its constructor
(delegation_specifier (constructor_invocation
  (user_type (type_identifier) @name . (type_arguments)? .))) @inherit
(delegation_specifier
  (user_type (type_identifier) @name . (type_arguments)? .)) @implement
(delegation_specifier (explicit_delegation
  (user_type (type_identifier) @name . (type_arguments)? .))) @implement

; Calls
(call_expression . (simple_identifier) @name) @call
(call_expression . (navigation_expression
  . (_) @receiver (navigation_suffix (simple_identifier) @name) .)) @call
(call_expression . (simple_identifier) @name (call_suffix (value_arguments) @given)) @call
(call_expression . (navigation_expression
  . (_) @receiver (navigation_suffix (simple_identifier) @name) .)
  (call_suffix (value_arguments) @given)) @call
(infix_expression . (_) @receiver . (simple_identifier) @name) @call

; Types in signatures and annotations
(parameter [
  (user_type (type_identifier) @name . (type_arguments)? .)
  (nullable_type (user_type (type_identifier) @name . (type_arguments)? .))]) @type
(class_parameter [
  (user_type (type_identifier) @name . (type_arguments)? .)
  (nullable_type (user_type (type_identifier) @name . (type_arguments)? .))]) @type
(variable_declaration [
  (user_type (type_identifier) @name . (type_arguments)? .)
  (nullable_type (user_type (type_identifier) @name . (type_arguments)? .))]) @type
(function_declaration [
  (user_type (type_identifier) @name . (type_arguments)? .)
  (nullable_type (user_type (type_identifier) @name . (type_arguments)? .))]) @type
(receiver_type [
  (user_type (type_identifier) @name . (type_arguments)? .)
  (nullable_type (user_type (type_identifier) @name . (type_arguments)? .))]) @type
(type_projection (user_type (type_identifier) @name . (type_arguments)? .)) @type
(type_alias (user_type (type_identifier) @name . (type_arguments)? .)) @type
(type_parameter (user_type (type_identifier) @name . (type_arguments)? .)) @type
(annotation [
  (user_type (type_identifier) @name . (type_arguments)? .)
  (constructor_invocation (user_type (type_identifier) @name . (type_arguments)? .))]) @type

; What is read may be a property, or a function that is handed on
(navigation_expression) @read
(callable_reference) @handed
[
  (value_argument (simple_identifier) @read)
  (navigation_expression . (simple_identifier) @read)
  (function_body (simple_identifier) @read)
  (statements (simple_identifier) @read)
  (property_declaration (simple_identifier) @read)
  (if_expression condition: (simple_identifier) @read)
  (comparison_expression (simple_identifier) @read)
  (equality_expression (simple_identifier) @read)
  (additive_expression (simple_identifier) @read)
  (multiplicative_expression (simple_identifier) @read)
  (conjunction_expression (simple_identifier) @read)
  (disjunction_expression (simple_identifier) @read)
  (elvis_expression (simple_identifier) @read)
  (prefix_expression (simple_identifier) @read)
  (jump_expression (simple_identifier) @read)
  (when_subject (simple_identifier) @read)
  (indexing_expression . (simple_identifier) @read)
  (interpolated_expression (simple_identifier) @read)]
(interpolated_identifier) @read

; Where tests get their data from
(annotation (constructor_invocation (user_type (type_identifier) @_provider)
  (value_arguments (value_argument (string_literal (string_content) @provided))))
  (#any-of? @_provider "MethodSource" "FieldSource"))

(annotation (constructor_invocation (user_type (type_identifier) @mark)
  (value_arguments (value_argument (callable_reference . (type_identifier) @run))))) @call

(annotation (constructor_invocation
  (user_type (type_identifier) @name) (value_arguments) @arguments)
  (#match? @name "Listener$"))

(variable_declaration . (simple_identifier) @local)
(catch_block . (simple_identifier) @local)

; What names and results may hold
(variable_declaration (simple_identifier) @to [(user_type) (nullable_type)] @is)
(property_declaration (variable_declaration . (simple_identifier) @to .) (_) @from
  (#type? @from call_expression navigation_expression simple_identifier as_expression
  elvis_expression postfix_expression indexing_expression parenthesized_expression))
(property_declaration (variable_declaration . (simple_identifier) @to .) [
  (if_expression (control_structure_body . (_) @from .))
  (when_expression (when_entry (control_structure_body . (_) @from .)))])
(property_declaration (variable_declaration . (simple_identifier) @to) (callable_reference) @from)
(property_declaration (multi_variable_declaration) @to . (_) @from)
(function_declaration (function_value_parameters) . (function_body "=" (_) @returned
  (#type? @returned call_expression navigation_expression simple_identifier as_expression
  elvis_expression postfix_expression)))
(getter (function_body "=" (_) @returned
  (#type? @returned call_expression navigation_expression simple_identifier)))
; … and what a test finds
(check_expression (simple_identifier) @to . [(user_type) (nullable_type)] @narrowed)
(when_expression
  (when_subject [(simple_identifier) @to (variable_declaration (simple_identifier) @to)])
  (when_entry (when_condition (type_test (user_type) @narrowed))))
(property_declaration (variable_declaration . (simple_identifier) @to .) (property_delegate
  (call_expression (simple_identifier) @_lazy (call_suffix (annotated_lambda (lambda_literal
    (statements . (call_expression) @from .)))))) (#eq? @_lazy "lazy"))
; … of what is injected
(property_declaration (variable_declaration . (simple_identifier) @to .) (property_delegate
  (call_expression (simple_identifier)
    (call_suffix (type_arguments . (type_projection (user_type) @is) .)))))
(for_statement (variable_declaration . (simple_identifier) @to .) . (_) @each)
(parameter (simple_identifier) @to [(user_type) (nullable_type)] @is)
(class_parameter (binding_pattern_kind) (simple_identifier) @to [(user_type) (nullable_type)] @is)
(function_declaration (function_value_parameters) . [(user_type) (nullable_type)] @result)

(assignment (directly_assignable_expression) @to [
  (callable_reference) @from
  (navigation_expression (navigation_suffix "::")) @from])
; … and what a function without a name is handed
(call_expression . (navigation_expression . (_) @of (navigation_suffix (simple_identifier) @handing) .)
  (call_suffix (annotated_lambda (lambda_literal (lambda_parameters
    . (variable_declaration . (simple_identifier) @first)
    . (variable_declaration . (simple_identifier) @second)?)))))
(call_expression . (navigation_expression . (_) @of (navigation_suffix (simple_identifier) @handing) .)
  (call_suffix (annotated_lambda (lambda_literal (lambda_parameters . (multi_variable_declaration
    (variable_declaration) . (variable_declaration . (simple_identifier) @second) .) .)))))
(call_expression . (navigation_expression . (_) @of (navigation_suffix (simple_identifier) @handing) .)
  (call_suffix (annotated_lambda (lambda_literal . "{" @implied . (statements)))))
(call_expression . (navigation_expression . (_) @of (navigation_suffix (simple_identifier) @handing) .)
  (call_suffix (annotated_lambda (lambda_literal . "{" @receiving)))
  (#any-of? @handing "apply" "run"))
(call_expression . (simple_identifier) @handing (call_suffix
    (value_arguments . (value_argument (_) @of) .)
    (annotated_lambda (lambda_literal . "{" @receiving)))
  (#eq? @handing "with"))
(for_statement (multi_variable_declaration
  (variable_declaration) . (variable_declaration . (simple_identifier) @to .) .) . (_) @each)

; Imports: the last word of the path is what is imported
(import_header (identifier) @module (wildcard_import) @wildcard) @import
(import_header (identifier _+ @module . "." . (simple_identifier) @name .)
  (import_alias (type_identifier) @alias)?
  (#not-match? @import "^import\\s+[^*\\s]+[*]")) @import
(import_header (identifier . (simple_identifier) @module .)
  (import_alias (type_identifier) @alias)?) @import

(line_comment) @comment
(multiline_comment) @comment

; Operators
(additive_expression . [(simple_identifier) (navigation_expression)] @operated . ["+" "-"] @operator)
(multiplicative_expression . [(simple_identifier) (navigation_expression)] @operated
  . ["*" "/" "%"] @operator)
(comparison_expression . [(simple_identifier) (navigation_expression)] @operated . _ @operator)
(equality_expression . [(simple_identifier) (navigation_expression)] @operated . ["==" "!="] @operator)
(range_expression . [(simple_identifier) (navigation_expression)] @operated . ".." @operator)
(check_expression ["in" "!in"] @operator . [(simple_identifier) (navigation_expression)] @operated)
(assignment (directly_assignable_expression (simple_identifier) .) @operated
  . ["+=" "-=" "*=" "/=" "%="] @operator)
(prefix_expression ["-" "!" "++" "--"] @operator . [(simple_identifier) (navigation_expression)] @signed)
(postfix_expression . [(simple_identifier) (navigation_expression)] @signed . ["++" "--"] @operator)
(for_statement "for" @operator "in" . [(simple_identifier) (navigation_expression) (call_expression)] @operated)
(property_declaration (multi_variable_declaration "(" @operator)
  "=" . [(simple_identifier) (navigation_expression) (call_expression)] @operated)
(property_delegate "by" @operator . [(simple_identifier) (navigation_expression) (call_expression)] @operated)
(indexing_expression . [(simple_identifier) (navigation_expression) (call_expression)] @operated
  (indexing_suffix "[" @operator))
(directly_assignable_expression . [(simple_identifier) (navigation_expression)] @operated
  (indexing_suffix "[" @operator @stored))

; What is assigned to
(directly_assignable_expression) @read
