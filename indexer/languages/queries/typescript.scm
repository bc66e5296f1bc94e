; What TypeScript adds to `ecmascript.scm`

; Classes

(abstract_class_declaration name: (_) @name body: (_) @body) @definition.class

(class_body (_ name: [(property_identifier) (private_property_identifier)] @name
  value: (_ body: (_) @body) @_made) @definition.method
  (#type? @_made arrow_function function_expression))
(class_body (_ name: [
    (property_identifier) @name
    (private_property_identifier) @name
    (_ (string_fragment) @name)]) @definition.field
  (#type? @definition.field public_field_definition))

(method_signature ["get" "set"] name: (_) @name) @definition.property
(abstract_method_signature ["get" "set"] name: (_) @name) @definition.property
(class_body (method_signature name: (_) @name) @definition.method)
(abstract_method_signature name: (_) @name) @definition.method

(class_body (decorator) @decoration)

; Interfaces, type aliases and enums

(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(interface_body (method_signature name: (property_identifier) @name) @definition.method)
(interface_body (property_signature name: [
  (property_identifier) @name
  (string (string_fragment) @name)]) @definition.field)

(type_alias_declaration name: (_) @name value: (object_type) @body) @definition.type
(type_alias_declaration name: (_) @name) @definition.type
(type_alias_declaration value: (object_type [
  (property_signature name: (property_identifier) @name) @definition.field
  (method_signature name: (property_identifier) @name) @definition.method]))
(type_alias_declaration value: (intersection_type (object_type [
  (property_signature name: (property_identifier) @name) @definition.field
  (method_signature name: (property_identifier) @name) @definition.method])))

(enum_declaration name: (_) @name body: (_) @body) @definition.enum
(enum_body name: (property_identifier) @name @definition.constant)
(enum_body (enum_assignment name: [
  (property_identifier) @name
  (string (string_fragment) @name)]) @definition.constant)

; Functions without a body, namespaces, what is only declared

(function_signature name: (_) @name) @definition.function
(internal_module name: [
  (identifier) @name
  (nested_identifier) @name
  (string (string_fragment) @name)] body: (_) @body) @definition.module
(module name: [
  (identifier) @name
  (nested_identifier) @name
  (string (string_fragment) @name)] body: (_) @body) @definition.module
(ambient_declaration (_) @definition.module) @wrap @export
(export_statement declaration: (ambient_declaration (_) @definition.module)) @wrap @export
(program (ambient_declaration (lexical_declaration
  (variable_declarator name: (identifier) @name) @definition.variable)) @wrap @export)
(program (ambient_declaration (variable_declaration
  (variable_declarator name: (identifier) @name) @definition.variable)) @wrap @export)
(export_statement "=" (identifier) @name) @export

; Base classes, interfaces and types

(extends_clause value: (identifier) @name) @inherit
(extends_clause value: (_ object: (_) @receiver property: (_) @name)) @inherit
(extends_clause value: (_ function: (_) arguments: (_ (identifier) @name))) @inherit
(extends_clause value: (_ function: (identifier) @name arguments: (_))) @inherit
(extends_type_clause type: [
  (type_identifier) @name
  (nested_type_identifier module: (_) @receiver name: (_) @name)
  (generic_type name: (type_identifier) @name)
  (generic_type name: (nested_type_identifier module: (_) @receiver name: (_) @name))]) @inherit
(implements_clause [
  (type_identifier) @name
  (nested_type_identifier module: (_) @receiver name: (_) @name)
  (generic_type name: (type_identifier) @name)
  (generic_type name: (nested_type_identifier module: (_) @receiver name: (_) @name))]) @implement

(nested_type_identifier module: (_) @receiver name: (type_identifier) @name) @type
((type_identifier) @name @type (#not-match? @name "^[A-Z][0-9]?$"))
((type_identifier) @bound (#match? @bound "^[A-Z][0-9]?$"))
((member_expression object: (identifier) @name property: (property_identifier) @_of) @type
  (#match? @name "^[A-Z]") (#match? @_of "^[A-Z]"))

; Calls that the grammar reads as calls of `await f` and `f!`

(call_expression function: [
  (await_expression [(identifier) @name (_ object: (_) @receiver property: (_) @name)])
  (non_null_expression [(identifier) @name (_ object: (_) @receiver property: (_) @name)])]) @call

; Declared types

; Parameters of a constructor that are fields
(required_parameter ["readonly" (accessibility_modifier)] pattern: (identifier) @name)
  @definition.field
(optional_parameter ["readonly" (accessibility_modifier)] pattern: (identifier) @name)
  @definition.field

(variable_declarator name: (_) @to type: (type_annotation (_) @is))
(variable_declarator name: (_) @to value: (_) @from
  (#type? @from satisfies_expression non_null_expression))
(required_parameter pattern: [(identifier) (object_pattern) (array_pattern)] @to
  type: (type_annotation (_) @is))
(optional_parameter pattern: (identifier) @to type: (type_annotation (_) @is))
(class_body (_ name: (_) @to type: (type_annotation (_) @is)) @_field
  (#type? @_field public_field_definition))
(class_body (_ name: (_) @to value: (_) @from)
  (#type? @from new_expression call_expression identifier object array))
(property_signature name: (_) @to type: (type_annotation (_) @is))
(required_parameter (accessibility_modifier) pattern: (identifier) @field
  type: (type_annotation (_) @is))
((_ return_type: (type_annotation (_) @result)) @_typed
  (#type? @_typed function_declaration method_definition arrow_function method_signature
  abstract_method_signature function_signature))
(variable_declarator name: (_) @to value: (as_expression (_) . (_) @is))

; Parameters whose type is that of the place where their function is written

(arrow_function parameters: (_
  (required_parameter pattern: (identifier) @contextual !type)))
(arrow_function parameter: (identifier) @contextual)
(function_expression !name parameters: (_
  (required_parameter pattern: (identifier) @contextual !type)))

; Imports

(import_statement (import_require_clause (identifier) @alias source: (string) @module)) @import
(import_alias (identifier) @alias [(identifier) (nested_identifier)] @module) @import
