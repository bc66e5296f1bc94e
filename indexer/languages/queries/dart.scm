; Types; members of an extension belong to what it extends

(class_definition name: (identifier) @name body: (_) @body) @definition.class
(class_definition (mixin_application_class . (identifier) @name)) @definition.class
(mixin_declaration (identifier) @name (class_body) @body) @definition.trait
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
(extension_declaration class: (type_identifier) @name body: (_) @body) @definition.extension
; … and is found by its own name
(extension_declaration name: (identifier) @name @definition.extension @whole)
(extension_type_declaration name: (identifier) @name body: (_) @body) @definition.class
(type_alias (type_identifier) @name . [
  "="
  (type_parameters)
  (formal_parameter_list)]) @definition.type
(enum_constant name: (identifier) @name) @definition.constant

; Functions and members: a signature, with its body beside it

((function_signature name: (identifier) @name) @definition.function
  . (function_body) @definition.function @body)
((getter_signature name: (identifier) @name) @definition.function
  . (function_body) @definition.function @body)
((setter_signature name: (identifier) @name) @definition.function
  . (function_body) @definition.function @body)
(program "external" . (function_signature name: (identifier) @name) @definition.function)
((method_signature (function_signature name: (identifier) @name)) @definition.method
  . (function_body) @definition.method @body)
((method_signature [
    (getter_signature name: (identifier) @name)
    (setter_signature name: (identifier) @name)]) @definition.property
  . (function_body) @definition.property @body)
((method_signature (operator_signature [(binary_operator) "==" "[]" "[]=" "~"] @name))
    @definition.method
  . (function_body) @definition.method @body)
((method_signature [
    (constructor_signature name: (identifier) @name . parameters: (_))
    (factory_constructor_signature (identifier) @name . (formal_parameter_list))])
    @definition.constructor
  . (function_body) @definition.constructor @body)
(declaration [
  (constructor_signature name: (identifier) @name . parameters: (_))
  (factory_constructor_signature (identifier) @name . (formal_parameter_list))
  (redirecting_factory_constructor_signature (identifier) @name . (formal_parameter_list))
  (constant_constructor_signature (identifier) @name . (formal_parameter_list))])
  @definition.constructor
(declaration (function_signature name: (identifier) @name)) @definition.method
(declaration [
  (getter_signature name: (identifier) @name)
  (setter_signature name: (identifier) @name)]) @definition.property
(local_function_declaration (lambda_expression
  parameters: (function_signature name: (identifier) @name)
  body: (_) @body)) @definition.function

; Fields and variables

(declaration [
  (initialized_identifier_list (initialized_identifier . (identifier) @name))
  (static_final_declaration_list (static_final_declaration . (identifier) @name))])
  @definition.field
(program (static_final_declaration_list
  (static_final_declaration . (identifier) @name) @definition.variable))
(program (initialized_identifier_list
  (initialized_identifier . (identifier) @name) @definition.variable))

; What types are made of

(superclass (type_identifier) @name) @inherit
(mixin_application . (type_identifier) @name) @inherit
(mixins (type_identifier) @name) @implement
(interfaces (type_identifier) @name) @implement
(mixin_declaration (mixin) . (identifier) (type_identifier) @name) @inherit

; Calls

((identifier) @name . (selector (argument_part (arguments) @arguments)))
((_) @receiver . (selector [
    (unconditional_assignable_selector (identifier) @name)
    (conditional_assignable_selector (identifier) @name)])
  . (selector (argument_part (arguments) @arguments)))
((super) @receiver . (unconditional_assignable_selector (identifier) @name)
  . (selector (argument_part (arguments) @arguments)))
((_) @receiver . (cascade_section
  (cascade_selector (identifier) @name) . (argument_part (arguments) @arguments)))
(new_expression (type_identifier) @name) @call
(const_object_expression (type_identifier) @name) @call

; What is read may be a getter, or a function that is handed on
((_) @receiver . (selector [
  (unconditional_assignable_selector (identifier) @read)
  (conditional_assignable_selector (identifier) @read)]))
(assignable_expression (_) @receiver . (unconditional_assignable_selector (identifier) @read))
((identifier) @read . (selector (unconditional_assignable_selector)))
(named_argument (label) . (identifier) @handed .)
(argument . (identifier) @handed .)
(list_literal (identifier) @handed)
(pair value: (identifier) @handed)
(assignment_expression right: (identifier) @handed)
[
  (function_body (identifier) @read)
  (return_statement (identifier) @read)
  (relational_expression (identifier) @read)
  (equality_expression (identifier) @read)
  (additive_expression (identifier) @read)
  (multiplicative_expression (identifier) @read)
  (logical_and_expression (identifier) @read)
  (logical_or_expression (identifier) @read)
  (if_statement . (identifier) @read)
  (initialized_variable_definition value: (identifier) @read)
  (template_substitution (identifier_dollar_escaped) @read)
  (template_substitution . (identifier) @read .)]
(initialized_variable_definition name: (identifier) @local)
(for_loop_parts name: (identifier) @local)
(formal_parameter name: (identifier) @local)
(catch_parameters (identifier) @local)
(variable_pattern (identifier) @local)

; Types as they are named in declarations

([
  (formal_parameter (type_identifier) @name)
  (declaration (type_identifier) @name)
  (function_signature (type_identifier) @name)
  (getter_signature (type_identifier) @name)
  (initialized_variable_definition (type_identifier) @name)
  (type_arguments (type_identifier) @name)
  (typed_identifier (type_identifier) @name)
] @type
  (#not-match? @name "^(?:String|bool|int|double|num|Object|dynamic|List|Map|Set|Future|T|K|V)$"))

; What names and results may hold

(formal_parameter (type_identifier) @is . (type_arguments)? @is_of name: (identifier) @to)
(initialized_variable_definition
  (type_identifier) @is . (type_arguments)? @is_of name: (identifier) @to)
(declaration (type_identifier) @is . (type_arguments)? @is_of (initialized_identifier_list
  (initialized_identifier . (identifier) @to)))
(function_signature (type_identifier) @result . (type_arguments)? @is_of . name: (_))
(getter_signature (type_identifier) @result . name: (_))
([
  (initialized_identifier . (identifier) @to (_) @from .)
  (static_final_declaration . (identifier) @to (_) @from .)
  (initialized_variable_definition name: (identifier) @to (_) @from .)
  (pattern_variable_declaration . (_) @to (_) @from .)]
  (#type? @from identifier selector unary_expression type_cast_expression if_null_expression
  conditional_expression cascade_section new_expression const_object_expression list_literal))
([
  (return_statement (_) @returned .)
  (function_body "=>" (_) @returned .)]
  (#type? @returned identifier selector unary_expression type_cast_expression if_null_expression
  conditional_expression cascade_section new_expression const_object_expression))
(type_test_expression (identifier) @to (type_test (is_operator) . (type_identifier) @narrowed))
(variable_pattern (type_identifier) @is (identifier) @to)
((object_pattern) @apart)

(for_loop_parts name: (identifier) @to value: (_) @each .)
(assignment_expression left: (assignable_expression) @to right: (_) @from .
  (#type? @from identifier selector unary_expression new_expression))
; … and what a function without a name is handed
((_) @of . (selector [
    (unconditional_assignable_selector (identifier) @handing)
    (conditional_assignable_selector (identifier) @handing)])
  . (selector (argument_part (arguments (argument (function_expression parameters: (_
    . (formal_parameter . (identifier) @first .) . (formal_parameter . (identifier) @second .)?)))))))

; Imports

(import_specification (configurable_uri (uri) @module)) @import @wildcard
(import_specification (configurable_uri (uri) @module)
  (combinator "show" (identifier) @name)) @import
(import_specification (configurable_uri (uri) @module) "as" . (identifier) @alias) @import
(library_export (configurable_uri (uri) @module)) @import @wildcard
(part_directive (uri) @module) @import @wildcard

(comment) @comment
(documentation_comment) @comment
(annotation) @decoration

; What is assigned to
(assignable_expression . (identifier) @read .)
((identifier) @receiver . (cascade_section)* . (cascade_section . (cascade_selector (identifier) @handed)))

; Operators
(additive_expression . (identifier) @operated . (additive_operator) @operator)
(additive_expression (selector) @operated . (additive_operator) @operator)
(multiplicative_expression . (identifier) @operated . (multiplicative_operator) @operator)
(multiplicative_expression (selector) @operated . (multiplicative_operator) @operator)
(relational_expression . (identifier) @operated . (relational_operator) @operator)
(relational_expression (selector) @operated . (relational_operator) @operator)
(equality_expression . (identifier) @operated . (equality_operator) @operator)
(equality_expression (selector) @operated . (equality_operator) @operator)
(assignment_expression left: (assignable_expression . (identifier) @operated .)
  operator: ["+=" "-=" "*="] @operator)
((identifier) @operated . (selector (unconditional_assignable_selector (index_selector "[" @operator))))
((selector) @operated . (selector (unconditional_assignable_selector (index_selector "[" @operator))))
(assignable_expression . (identifier) @operated . (_ (index_selector "[" @operator @stored)))
(for_loop_parts "in" @operator . value: (identifier) @operated .)
(for_loop_parts "in" @operator . value: (_) value: (selector) @operated .)
