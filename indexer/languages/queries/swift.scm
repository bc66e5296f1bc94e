; Types

(class_declaration
  declaration_kind: "class" name: (type_identifier) @name body: (_) @body) @definition.class
(class_declaration
  declaration_kind: "actor" name: (type_identifier) @name body: (_) @body) @definition.class
(class_declaration
  declaration_kind: "struct" name: (type_identifier) @name body: (_) @body) @definition.struct
(class_declaration
  declaration_kind: "enum" name: (type_identifier) @name body: (_) @body) @definition.enum
(class_declaration
  declaration_kind: "extension" name: (_) @name body: (_) @body) @definition.extension
(protocol_declaration name: (type_identifier) @name body: (_) @body) @definition.interface
(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type

; Functions; `deinit` and `subscript` are named by their keyword

(function_declaration
  name: (simple_identifier) @name
  body: (_)? @body) @definition.function
(function_declaration
  name: [(custom_operator) (bang) "==" "!=" "===" "<" ">" "<=" ">=" "+" "-" "*" "/" "%" "++" "--"
    "+=" "-=" "*=" "/=" "%=" "&" "|" "^" "~" "<<" ">>"] @name
  body: (_)? @body) @definition.function
(protocol_function_declaration name: (simple_identifier) @name) @definition.method
(init_declaration name: "init" @name body: (_)? @body) @definition.constructor
(deinit_declaration "deinit" @name body: (_) @body) @definition.method
(subscript_declaration "subscript" @name (computed_property)? @body) @definition.method
(macro_declaration (simple_identifier) @name definition: (_)? @body) @definition.macro

; Properties, cases, globals

(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  computed_value: (_) @body) @definition.property @global
(source_file (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)) @definition.variable)
(class_body (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)) @definition.field)
(enum_class_body (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)) @definition.field)
(protocol_property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property
(enum_entry name: (simple_identifier) @name) @definition.constant

; `open` is as public as it gets

(class_declaration (modifiers (visibility_modifier "open") @access.public)) @definition.class
(function_declaration
  (modifiers (visibility_modifier "open") @access.public)) @definition.function
(property_declaration
  (modifiers (visibility_modifier "open") @access.public)) @definition.field

; Superclasses and protocols look alike, except where only one is possible

(class_declaration declaration_kind: "class" (inheritance_specifier
  inherits_from: (user_type (type_identifier) @name .)) @inherit)
(class_declaration declaration_kind: ["struct" "enum" "actor" "extension"] (inheritance_specifier
  inherits_from: (user_type (type_identifier) @name .)) @implement)
(class_declaration declaration_kind: ["struct" "enum" "actor" "extension"] (inheritance_specifier
  inherits_from: (user_type (type_identifier) @name . (type_arguments))) @implement)
(class_declaration declaration_kind: "class" (inheritance_specifier
  inherits_from: (user_type (type_identifier) @name . (type_arguments))) @inherit)
(protocol_declaration (inheritance_specifier
  inherits_from: (user_type (type_identifier) @name .)) @inherit)

; Calls; an initializer call is a call of its type, a subscript is none

(call_expression . [
  (simple_identifier) @name
  (navigation_expression
    target: (_) @receiver
    suffix: (navigation_suffix suffix: (simple_identifier) @name))
  (prefix_expression target: (simple_identifier) @name)]
  (call_suffix [(value_arguments "(") (lambda_literal)])) @call
(infix_expression op: (custom_operator) @name) @call
(constructor_expression
  constructed_type: (user_type (type_identifier) @name . (type_arguments))) @call
(macro_invocation (simple_identifier) @name) @call

; What is published, and who listens

(call_expression
  (navigation_expression target: (_) @receiver suffix: (navigation_suffix suffix: (_) @name))
  (call_suffix (value_arguments) @arguments)
  (#any-of? @name "post" "addObserver" "publish" "subscribe" "send"))

; Types as they are named in declarations

([
  (parameter (user_type (type_identifier) @name .))
  (function_declaration (user_type (type_identifier) @name .))
  (protocol_function_declaration (user_type (type_identifier) @name .))
  (type_annotation (user_type (type_identifier) @name .))
  (optional_type (user_type (type_identifier) @name .))
  (array_type (user_type (type_identifier) @name .))
  (dictionary_type (user_type (type_identifier) @name .))
  (enum_type_parameters (user_type (type_identifier) @name .))
  (type_arguments (user_type (type_identifier) @name .))
  (type_constraint (inheritance_constraint (user_type (type_identifier) @name .)))
] @type
  (#not-match? @name "^(?:[A-Z]|U?Int[0-9]*|String|Bool|Double|Float|Any|Void|Self)$"))

; What is read may be a property, or a function that is handed on
(navigation_expression) @read
(value_argument value: (simple_identifier) @handed)
[
  (navigation_expression target: (simple_identifier) @read)
  (property_declaration value: (simple_identifier) @read)
  (statements (simple_identifier) @read)
  (comparison_expression (simple_identifier) @read)
  (equality_expression (simple_identifier) @read)
  (additive_expression (simple_identifier) @read)
  (multiplicative_expression (simple_identifier) @read)
  (conjunction_expression (simple_identifier) @read)
  (disjunction_expression (simple_identifier) @read)
  (nil_coalescing_expression (simple_identifier) @read)
  (prefix_expression target: (simple_identifier) @read)
  (if_statement condition: (simple_identifier) @read)
  (guard_statement condition: (simple_identifier) @read)
  (control_transfer_statement result: (simple_identifier) @read)
  (interpolated_expression value: (simple_identifier) @read)
  (assignment result: (simple_identifier) @read)]
(selector_expression (_) @handed)
(attribute ":" . (simple_identifier) @handed)

; `if let name = name` reads the property
(pattern bound_identifier: (simple_identifier) @local)
(pattern (pattern (simple_identifier) @local))
(lambda_parameter name: (simple_identifier) @local)
((if_statement bound_identifier: (simple_identifier) @local . "=" . (_) @_value)
  (#not-eq? @_value @local))
((guard_statement bound_identifier: (simple_identifier) @local . "=" . (_) @_value)
  (#not-eq? @_value @local))

; What names and results may hold
(property_declaration name: (pattern bound_identifier: (simple_identifier) @to)
  (type_annotation (_) @is))
(property_declaration name: (pattern bound_identifier: (simple_identifier) @to)
  value: (_) @from (#type? @from call_expression simple_identifier await_expression try_expression
  navigation_expression nil_coalescing_expression postfix_expression ternary_expression))
(property_declaration name: (pattern (pattern)) @to value: (_) @from)
(property_declaration name: (pattern bound_identifier: (simple_identifier) @to) value: [
  (if_statement (statements . (_) @from .))
  (switch_statement (switch_entry (statements . (_) @from .)))])
(switch_pattern (pattern (value_binding_pattern) (pattern bound_identifier: (simple_identifier) @to)
  name: (_) @is))
(parameter name: (simple_identifier) @to . ":" [(user_type) (optional_type) (array_type)
  (dictionary_type) (tuple_type) (opaque_type) (existential_type)] @is)
(function_declaration "->" . [(user_type) (optional_type) (array_type) (dictionary_type)
  (tuple_type) (opaque_type) (existential_type)] @result)
(if_statement bound_identifier: (simple_identifier) @to
  . "=" . (as_expression (as_operator) . (_) @is))
(guard_statement bound_identifier: (simple_identifier) @to
  . "=" . (as_expression (as_operator) . (_) @is))
(property_declaration name: (pattern bound_identifier: (simple_identifier) @to)
  value: (as_expression (as_operator) . (_) @is))
(switch_pattern (pattern (simple_identifier) (pattern)) @apart)
([
  (if_statement "." . (simple_identifier) @apart . "(" (pattern)+ @parts . ")")
  (guard_statement "." . (simple_identifier) @apart . "(" (pattern)+ @parts . ")")])
(protocol_function_declaration "->" . [(user_type) (optional_type)] @result)
(for_statement item: (pattern bound_identifier: (simple_identifier) @to) collection: (_) @each)

([(if_statement bound_identifier: (simple_identifier) @to . "=" . (_) @from)
  (guard_statement bound_identifier: (simple_identifier) @to . "=" . (_) @from)]
  (#not-eq? @from @to))
(for_statement item: (pattern (pattern) . (pattern (simple_identifier) @to)) collection: (_) @each)
(lambda_parameter name: (simple_identifier) @to . ":" . (_) @is)
(assignment target: (directly_assignable_expression (navigation_expression)) @to
  result: [(simple_identifier) (navigation_expression)] @from)
; … and what a function without a name is handed
(call_expression
  (navigation_expression target: (_) @of suffix: (navigation_suffix suffix: (_) @handing))
  (call_suffix [
    (lambda_literal type: (_ (lambda_function_type_parameters
      . (lambda_parameter . name: (_) @first .) . (lambda_parameter . name: (_) @second .)?)))
    (value_arguments (value_argument (lambda_literal type: (_ (lambda_function_type_parameters
      . (lambda_parameter . name: (_) @first .) . (lambda_parameter . name: (_) @second .)?)))))]))
(call_expression
  (navigation_expression target: (_) @of suffix: (navigation_suffix suffix: (_) @handing))
  (call_suffix [
    (lambda_literal . "{" @implied . (statements))
    (value_arguments (value_argument (lambda_literal . "{" @implied . (statements))))]))

(import_declaration (identifier) @module) @import

(comment) @comment
(multiline_comment) @comment

; Operators
(additive_expression lhs: [(simple_identifier) (navigation_expression) (call_expression)] @operated op: _ @operator)
(multiplicative_expression lhs: [(simple_identifier) (navigation_expression) (call_expression)] @operated op: _ @operator)
(equality_expression lhs: [(simple_identifier) (navigation_expression) (call_expression)] @operated op: _ @operator)
(comparison_expression lhs: [(simple_identifier) (navigation_expression) (call_expression)] @operated op: _ @operator)
(assignment target: (directly_assignable_expression [(simple_identifier) (navigation_expression)]) @operated
  operator: ["+=" "-=" "*=" "/="] @operator)
(call_expression . [(simple_identifier) (navigation_expression) (call_expression)] @operated
  (call_suffix (value_arguments "[" @operator)))
(infix_expression lhs: [(simple_identifier) (navigation_expression)] @operated op: _ @operator)
(prefix_expression operation: _ @operator target: [(simple_identifier) (navigation_expression)] @signed)
(for_statement "for" @operator collection: [(simple_identifier) (navigation_expression) (call_expression)] @operated)

; Members of what is handed over: `map(\\.owner.name)`
((call_expression (call_suffix (value_arguments (value_argument value: (navigation_expression
  target: (key_path_expression "\\" .) suffix: (_ suffix: (_) @handed)))))) @receiver)
((call_expression (call_suffix (value_arguments (value_argument value: (navigation_expression
  target: (navigation_expression target: (key_path_expression "\\" .) suffix: (_ suffix: (_) @handed))))))) @receiver)
((call_expression (call_suffix (value_arguments (value_argument value: (navigation_expression
  target: (navigation_expression target: (key_path_expression "\\" .))
  suffix: (_ suffix: (_) @handed)))))) @receiver)

; What is assigned to
(directly_assignable_expression . (simple_identifier) @read .)
