; Namespaces; one without a block holds the rest of the file
(namespace_declaration "namespace" @access.public name: (_) @name body: (_) @body) @definition.module
(file_scoped_namespace_declaration "namespace" @access.public name: (_) @name ";" @body) @definition.module @rest

; Types
(class_declaration name: (identifier) @name body: (_)? @body) @definition.class
(record_declaration "struct" name: (identifier) @name body: (_)? @body) @definition.struct
(record_declaration name: (identifier) @name body: (_)? @body) @definition.class
(struct_declaration name: (identifier) @name body: (_)? @body) @definition.struct
(interface_declaration name: (identifier) @name body: (_) @body) @definition.interface
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
(delegate_declaration name: (identifier) @name ";" @body) @definition.type

; Members
(method_declaration name: (identifier) @name body: (_) @body) @definition.method
(method_declaration name: (identifier) @name ";" @body) @definition.method
(local_function_statement name: (identifier) @name body: (_)? @body) @definition.function
(constructor_declaration name: (identifier) @name
  (constructor_initializer)? @body body: (_)? @body) @definition.constructor
(destructor_declaration name: (identifier) @name body: (_)? @body) @definition.method
(operator_declaration operator: _ @name body: (_)? @body) @definition.method
(conversion_operator_declaration "operator" @name body: (_)? @body) @definition.method
(indexer_declaration "this" @name accessors: (_)? @body value: (_)? @body) @definition.property
(property_declaration name: (identifier) @name
  accessors: (_)? @body value: (_)? @body) @definition.property
(event_declaration name: (identifier) @name accessors: (_)? @body) @definition.property
(event_field_declaration
  (variable_declaration (variable_declarator name: (identifier) @name))) @definition.property
(field_declaration (modifier "const")
  (variable_declaration (variable_declarator name: (identifier) @name))) @definition.constant
(field_declaration
  (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
(enum_member_declaration name: (identifier) @name) @definition.constant
(record_declaration (parameter_list
  (parameter name: (identifier) @name @access.public) @definition.property))

; Who may use members that do not say so
(class_declaration "class" @access.private)
(record_declaration "record" @access.private)
(struct_declaration "struct" @access.private)
(interface_declaration "interface" @access.public)
(enum_declaration "enum" @access.public)

; What types are made of; only the custom of naming tells an interface
(base_list [
  (identifier) @name
  (generic_name (identifier) @name)
  (qualified_name qualifier: (_) @receiver name: [
    (identifier) @name
    (generic_name (identifier) @name)])]
  (#match? @name "^I[A-Z]")) @implement
(base_list [
  (identifier) @name
  (generic_name (identifier) @name)
  (primary_constructor_base_type type: [(identifier) @name (generic_name (identifier) @name)])
  (qualified_name qualifier: (_) @receiver name: [
    (identifier) @name
    (generic_name (identifier) @name)])]
  (#not-match? @name "^I[A-Z]")) @inherit

; Calls
(invocation_expression function: [
  (identifier) @name
  (generic_name (identifier) @name)
  (member_access_expression expression: _ @receiver name: [
    (identifier) @name
    (generic_name (identifier) @name)])
  (conditional_access_expression condition: (_) @receiver
    (member_binding_expression name: [
      (identifier) @name
      (generic_name (identifier) @name)]))]) @call
(object_creation_expression type: [
  (identifier) @name
  (generic_name (identifier) @name)
  (qualified_name qualifier: (_) @receiver name: [
    (identifier) @name
    (generic_name (identifier) @name)])]) @call

; What is published
(invocation_expression
  function: (member_access_expression expression: _ @receiver name: (identifier) @name)
  arguments: (_) @arguments
  (#any-of? @name "Publish" "PublishAsync" "Send" "SendAsync" "Dispatch" "DispatchAsync" "Execute"
    "Emit" "RaiseEvent" "Handle"))

; Types in signatures, fields and arguments of generics
(parameter type: [
  (identifier) @name
  (generic_name (identifier) @name)
  (nullable_type type: (identifier) @name)
  (array_type type: (identifier) @name)]) @type
(property_declaration type: [
  (identifier) @name
  (generic_name (identifier) @name)
  (nullable_type type: (identifier) @name)
  (array_type type: (identifier) @name)]) @type
(method_declaration returns: [
  (identifier) @name
  (generic_name (identifier) @name)
  (nullable_type type: (identifier) @name)
  (array_type type: (identifier) @name)]) @type
(variable_declaration type: [
  (identifier) @name
  (generic_name (identifier) @name)
  (nullable_type type: (identifier) @name)
  (array_type type: (identifier) @name)]) @type
(type_argument_list (identifier) @name) @type
(typeof_expression type: (identifier) @name) @type
(cast_expression type: (identifier) @name) @type
(declaration_pattern type: (identifier) @name) @type
(type_parameter_constraint type: (identifier) @name) @type
(catch_declaration type: (identifier) @name) @type
(attribute name: [
  (identifier) @name
  (qualified_name qualifier: (_) @receiver name: (identifier) @name)]) @type

; What is read may be a property, or a method that is handed on
[(member_access_expression) (conditional_access_expression (member_binding_expression))] @read
(argument (identifier) @handed)
(assignment_expression right: (identifier) @handed)
(variable_declarator (identifier) . (identifier) @handed)
[
  (binary_expression (identifier) @read)
  (return_statement (identifier) @read)
  (arrow_expression_clause (identifier) @read)
  (if_statement condition: (identifier) @read)
  (interpolation (identifier) @read)
  (conditional_expression (identifier) @read)
  (member_access_expression expression: (identifier) @read)
  (prefix_unary_expression (identifier) @read)
  (parenthesized_expression (identifier) @read)
  (foreach_statement right: (identifier) @read)]

; Where tests get their data from
(attribute name: (_) @_provider (attribute_argument_list (attribute_argument [
    (string_literal (string_literal_content) @provided)
    (invocation_expression function: (identifier) @_nameof
      arguments: (argument_list (argument [
        (identifier) @provided
        (member_access_expression) @provided])))]))
  (#any-of? @_provider "TestCaseSource" "MemberData" "DynamicData" "ValueSource"
    "TestFixtureSource" "MethodDataSource"))
(attribute name: (identifier) @mark
  (attribute_argument_list (attribute_argument (typeof_expression type: (_) @run)))) @call

(lambda_expression parameters: [
  (implicit_parameter) @local
  (parameter_list (parameter name: (identifier) @local))])
(declaration_expression name: (identifier) @local)
(tuple_pattern name: (identifier) @local)
(declaration_pattern name: (identifier) @local)
(catch_declaration name: (identifier) @local)

; What names and results may hold
((variable_declaration type: (_) @is (variable_declarator name: (identifier) @to))
  (#not-eq? @is "var"))
(variable_declaration type: (implicit_type) (variable_declarator name: (identifier) @to (_) @from)
  (#type? @from object_creation_expression invocation_expression await_expression as_expression
  conditional_expression member_access_expression cast_expression element_access_expression
  identifier postfix_unary_expression conditional_access_expression))
(variable_declaration type: (implicit_type) (variable_declarator name: (identifier) @to
  (binary_expression operator: "??") @from))
(variable_declaration type: (implicit_type) (variable_declarator (tuple_pattern) @to . (_) @from))
(variable_declaration type: (implicit_type) (variable_declarator name: (identifier) @to
  (switch_expression (switch_expression_arm (_) . (_) @from))))
(field_declaration (variable_declaration
  (variable_declarator name: (identifier) @to . (identifier) @from)))
(property_declaration name: (identifier) @to value: (identifier) @from)
(parameter type: (_) @is name: (identifier) @to)
(property_declaration type: (_) @is name: (identifier) @to)
(recursive_pattern type: (_) @is name: (identifier) @to)
((recursive_pattern type: (_)) @apart)
(method_declaration returns: (_) @result)
((foreach_statement type: (_) @is left: (identifier) @to) (#not-eq? @is "var"))
(foreach_statement type: (implicit_type) left: [
  (identifier) @to
  (tuple_pattern name: (_) . name: (_) @to .)] right: (_) @each)

((declaration_pattern type: (_) @is name: (identifier) @to) (#not-eq? @is "var"))
(from_clause name: (identifier) @to "in" . (_) @each)
((declaration_expression type: (_) @is name: (identifier) @to) (#not-eq? @is "var"))
(invocation_expression function: (_) @filling
  arguments: (_ (argument (declaration_expression type: (implicit_type) name: (_) @filled))))
(is_pattern_expression expression: (_) @from pattern: [
  (declaration_pattern type: (implicit_type) name: (identifier) @to)
  (recursive_pattern !type name: (identifier) @to)])
(invocation_expression function: (member_access_expression expression: (_) @each name: (_) @_getting)
  arguments: (_ (argument (declaration_expression type: (implicit_type) name: (identifier) @to)))
  (#match? @_getting "^Try(?:Get|Remove|Dequeue|Peek|Pop|Take)"))
(assignment_expression left: [(identifier) (member_access_expression)] @to
  right: [(identifier) (member_access_expression)] @from)
(assignment_expression left: [(identifier) (member_access_expression)] @to operator: "+="
  right: (object_creation_expression arguments: (_ . (argument (_) @from) .)))
; … and what a function without a name is handed
(invocation_expression
  function: [
    (member_access_expression expression: (_) @of name: (identifier) @handing)
    (conditional_access_expression condition: (_) @of (member_binding_expression name: (_) @handing))]
  arguments: (_ (argument (lambda_expression parameters: [
    (implicit_parameter) @first
    (parameter_list . (parameter !type name: (_) @first) . (parameter !type name: (_) @second)?)]))))

; Imports: all of a namespace, all of a class, or one thing under another name
(using_directive "using" @wildcard !name
  [(identifier) (qualified_name) (alias_qualified_name)] @module) @import
(using_directive name: (identifier) @alias (_) @module .) @import
(extern_alias_directive name: (identifier) @module) @import

(comment) @comment

; What is assigned to
(object_creation_expression type: (identifier) @receiver
  initializer: (_ (assignment_expression left: (identifier) @handed)))
(expression_statement (assignment_expression left: (identifier) @read))

; Operators
(binary_expression left: [
  (identifier) (member_access_expression) (invocation_expression)] @operated operator: _ @operator)
(assignment_expression left: [(identifier) (member_access_expression)] @operated
  operator: ["+=" "-=" "*=" "/="] @operator)
(prefix_unary_expression ["-" "!" "~" "++" "--"] @operator [(identifier) (member_access_expression)] @signed)
(postfix_unary_expression [(identifier) (member_access_expression)] @signed ["++" "--"] @operator)
(foreach_statement "foreach" @operator right: [
  (identifier) (member_access_expression) (invocation_expression)] @operated)
(using_statement "using" @operator (identifier) @operated)
(using_statement "using" @operator (variable_declaration (variable_declarator name: (_) @operated)))
(local_declaration_statement "using" @operator (variable_declaration (variable_declarator name: (_) @operated)))
(variable_declarator (tuple_pattern "(" @operator) "=" . [(identifier) (member_access_expression)] @operated)
(assignment_expression left: (tuple_expression "(" @operator)
  right: [(identifier) (member_access_expression)] @operated)
(element_access_expression expression: [
  (identifier) (member_access_expression) (invocation_expression)] @operated
  subscript: (_ "[" @operator))
