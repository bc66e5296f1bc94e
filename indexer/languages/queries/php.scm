; Namespaces; one without a block holds the rest of the file
(namespace_definition name: (namespace_name) @name body: (_) @body) @definition.module
(namespace_definition name: (namespace_name) @name !body ";" @body) @definition.module @rest

; Types
(class_declaration name: (name) @name body: (_) @body) @definition.class
(interface_declaration name: (name) @name body: (_) @body) @definition.interface
(trait_declaration name: (name) @name body: (_) @body) @definition.trait
(enum_declaration name: (name) @name body: (_) @body) @definition.enum
(enum_case name: (name) @name) @definition.constant

; Functions
(function_definition name: (name) @name body: (_) @body) @definition.function
(method_declaration name: (name) @name body: (_) @body) @definition.method
(method_declaration name: (name) @name ";" @body) @definition.method

; Constants, properties, and properties that a constructor declares with its parameters
(const_declaration (const_element . (name) @name)) @definition.constant
(expression_statement (function_call_expression function: (name) @_define
  arguments: (arguments . (argument (string (string_content) @name))))
  (#eq? @_define "define")) @definition.constant
(property_declaration
  (property_element name: (variable_name (name) @name))
  (property_hook_list)? @body) @definition.property
(property_promotion_parameter name: (variable_name (name) @name)) @definition.property

; What types are made of
(base_clause [(name) @name (qualified_name (name) @name)]) @inherit
(class_interface_clause [(name) @name (qualified_name (name) @name)]) @implement
(use_declaration [(name) @name (qualified_name (name) @name)]) @implement

; Calls
(function_call_expression function: [
  (name) @name
  (qualified_name prefix: (namespace_name) @receiver (name) @name)]) @call
(function_call_expression function: _ @callee
  (#type? @callee variable_name parenthesized_expression subscript_expression)) @call
(member_call_expression object: (_) @receiver name: (name) @name) @call
(nullsafe_member_call_expression object: (_) @receiver name: (name) @name) @call
(scoped_call_expression scope: (_) @receiver name: (name) @name) @call
(object_creation_expression [(name) @name (qualified_name (name) @name)]) @call

; What is published, and who listens
(function_call_expression function: (name) @name arguments: (_) @arguments
  (#any-of? @name "event" "dispatch" "broadcast" "do_action" "apply_filters" "add_action" "add_filter"))
; … in a list of Laravel, which names events by `::class`
(property_declaration (property_element name: (variable_name (name) @_listen)
  default_value: (array_creation_expression (array_element_initializer
    . (class_constant_access_expression (name) . (name) @name)) @arguments))
  (#eq? @_listen "listen"))
; … in what a subscriber of Symfony returns, which names its methods in texts
(method_declaration name: (name) @_subscribed body: (_ (return_statement "return" @name
  (array_creation_expression (array_element_initializer (_) . (_)) @arguments)))
  (#eq? @_subscribed "getSubscribedEvents"))
(member_call_expression object: (_) @receiver name: (name) @name arguments: (_) @arguments
  (#any-of? @name "dispatch" "dispatchSync" "publish" "fire" "send" "handle" "execute" "notify"
    "addListener" "listen"))
(scoped_call_expression scope: (_) @receiver name: (name) @name arguments: (_) @arguments
  (#any-of? @name "dispatch" "dispatchSync" "fire" "listen"))

; Types in signatures, attributes and tests
(named_type [(name) @name (qualified_name (name) @name)]
  (#not-match? @name "^(self|static|parent)$")) @type
(attribute [(name) @name (qualified_name (name) @name)]) @type
(catch_clause type: (type_list (named_type [(name) @name (qualified_name (name) @name)]))) @type
(binary_expression operator: "instanceof"
  right: [(name) @name (qualified_name (name) @name)]) @type

; Functions that are handed on: `name(...)` is a call; else their name is a text
(argument [(string (string_content) @handed) (encapsed_string (string_content) @handed)])
(array_creation_expression
  . (array_element_initializer [
    (variable_name) @receiver
    (class_constant_access_expression . (_) @receiver)])
  . (array_element_initializer [(string (string_content) @handed) (encapsed_string (string_content) @handed)]) .)
; Where tests get their data from
((comment) @provided . (method_declaration name: (name) @at) (#match? @provided "@dataProvider"))
(attribute (name) @mark parameters: (_ (_ [
  (class_constant_access_expression . (name) @run)
  (_ (_ (class_constant_access_expression . (name) @run)))]))) @call
(attribute (name) @_provider parameters: (arguments) @provided
  (#eq? @_provider "DataProviderExternal"))
; What is read may have a hook
[(member_access_expression) (nullsafe_member_access_expression)] @read

; What names and results may hold
(assignment_expression left: (_) @to right: (_) @from
  (#type? @to variable_name member_access_expression list_literal scoped_property_access_expression))
(assignment_expression left: (_) @to right: (_ operator: "??") @from
  (#type? @to variable_name member_access_expression))
(augmented_assignment_expression left: (_) @to operator: "??=" right: (_) @from)
(assignment_expression left: (variable_name) @to right: (match_expression body: (_ [
  (match_conditional_expression return_expression: (_) @from)
  (match_default_expression return_expression: (_) @from)])))
(binary_expression left: (variable_name) @to operator: "instanceof"
  right: [(name) (qualified_name)] @narrowed)
(return_statement (_) @returned
  (#type? @returned object_creation_expression function_call_expression member_call_expression
  scoped_call_expression nullsafe_member_call_expression variable_name member_access_expression
  scoped_property_access_expression clone_expression conditional_expression
  array_creation_expression subscript_expression))
(simple_parameter type: (_) @is name: (variable_name) @to)
(property_promotion_parameter type: (_) @is name: (variable_name) @field)
(property_declaration type: (_) @is (property_element name: (variable_name (name) @to)))
(expression_statement (assignment_expression left: (variable_name) @to right: [
  (string (string_content) @from)
  (encapsed_string . (string_content) @from .)]))
(property_declaration (property_element name: (variable_name (name) @to)
  default_value: (string (string_content) @from)))
((comment) @told . [
  (property_declaration (property_element name: (variable_name (name) @to)))
  (expression_statement (assignment_expression left: (variable_name) @to))] (#match? @told "@var"))
((comment) @told . [(method_declaration name: (name) @at) (function_definition name: (name) @at)]
  (#match? @told "@(?:param|return)"))
(method_declaration return_type: (_) @result)
(function_definition return_type: (_) @result)

(foreach_statement . (_) @each . [
  (variable_name) @to
  (by_ref (variable_name) @to)
  (pair (_) . (variable_name) @to)])
(function_call_expression function: (name) @_taking arguments: (_
  . (argument (_ parameters: (_ . (simple_parameter !type name: (_) @to)))) . (argument (_) @each))
  (#any-of? @_taking "array_map"))
(function_call_expression function: (name) @_taking arguments: (_
  . (argument (_) @each) . (argument (_ parameters: (_ . (simple_parameter !type name: (_) @to)))))
  (#any-of? @_taking "array_filter" "array_walk" "usort" "uasort" "array_find" "array_any" "array_all"))
; … and what a function without a name is handed
(member_call_expression object: (_) @of name: (name) @handing arguments: (_
  . (argument (_ parameters: (_ . (simple_parameter !type name: (_) @first) . (simple_parameter !type name: (_) @second)?)))))

; Imports: `use a\b\C` brings C from a\b
(namespace_use_declaration
  (namespace_use_clause . (name) @module alias: (name)? @alias) @import)
(namespace_use_declaration (namespace_use_clause
  (qualified_name prefix: (namespace_name) @module (name) @name) alias: (name)? @alias) @import)
(namespace_use_declaration (namespace_use_clause
  (qualified_name . "\\" . (name) @module .) alias: (name)? @alias) @import)
(namespace_use_declaration (namespace_name) @module
  body: (namespace_use_group (namespace_use_clause . [(name) (qualified_name)] @name
    alias: (name)? @alias))) @import
(namespace_use_declaration (namespace_name) @module
  body: (namespace_use_group (namespace_use_clause type: _ . [(name) (qualified_name)] @name
    alias: (name)? @alias))) @import
([
  (require_expression (string) @module) (require_once_expression (string) @module)
  (include_expression (string) @module) (include_once_expression (string) @module)] @import)
([
  (require_expression [(_ right: (string) @module) @_from (parenthesized_expression (_ right: (string) @module) @_from)])
  (require_once_expression [(_ right: (string) @module) @_from (parenthesized_expression (_ right: (string) @module) @_from)])
  (include_expression [(_ right: (string) @module) @_from (parenthesized_expression (_ right: (string) @module) @_from)])
  (include_once_expression [(_ right: (string) @module) @_from (parenthesized_expression (_ right: (string) @module) @_from)])]
  @import (#type? @_from binary_expression))

; Operators
(subscript_expression . [(variable_name) (member_access_expression)] @operated . "[" @operator)
(assignment_expression left: (subscript_expression
  . [(variable_name) (member_access_expression)] @operated . "[" @operator @stored))
(unset_statement "unset" @operator (subscript_expression . [(variable_name) (member_access_expression)] @operated))
(foreach_statement "foreach" @operator "(" . [
  (variable_name) (member_access_expression) (member_call_expression) (object_creation_expression)] @operated)
(cast_expression type: _ @operator value: [(variable_name) (member_access_expression)] @operated)
(clone_expression "clone" @operator . [(variable_name) (member_access_expression)] @operated)
(encapsed_string "\"" @operator [(variable_name) (member_access_expression)] @operated)
(function_call_expression function: (name) @operator
  arguments: (arguments . (argument [(variable_name) (member_access_expression)] @operated))
  (#any-of? @operator "count" "strval" "json_encode" "iterator_to_array"))

(comment) @comment
