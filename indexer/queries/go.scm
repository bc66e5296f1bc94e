(function_declaration name: (identifier) @name body: (block)? @body) @definition.function

(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @owner
    (pointer_type (type_identifier) @owner)
    (generic_type type: (type_identifier) @owner)
    (pointer_type (generic_type type: (type_identifier) @owner))]))
  name: (field_identifier) @name
  body: (block)? @body) @definition.method

(type_declaration (type_spec name: (type_identifier) @name
  type: (struct_type (field_declaration_list) @body)) @definition.struct) @wrap
(type_declaration (type_spec name: (type_identifier) @name
  type: (interface_type) @body) @definition.interface) @wrap
(type_declaration (type_spec name: (type_identifier) @name) @definition.type) @wrap
(type_declaration (type_alias name: (type_identifier) @name) @definition.type) @wrap

(source_file (const_declaration (const_spec name: (identifier) @name) @definition.constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @definition.variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @definition.variable)))
(method_elem name: (field_identifier) @name) @definition.method
(field_declaration name: (field_identifier) @name) @definition.field

(field_declaration !name type: (type_identifier) @name) @inherit
(field_declaration !name type: (pointer_type (type_identifier) @name)) @inherit
(field_declaration !name type: (qualified_type package: (_) @receiver name: (_) @name)) @inherit

(call_expression function: (identifier) @name) @call
(call_expression function: (selector_expression operand: (_) @receiver field: (field_identifier) @name)) @call
(composite_literal type: (type_identifier) @name) @type
(parameter_declaration type: (type_identifier) @name) @type
(parameter_declaration type: (pointer_type (type_identifier) @name)) @type

(import_spec name: [(package_identifier) (blank_identifier)]? @alias path: (_) @module) @import
(import_spec name: (dot) @wildcard path: (_) @module) @import

(comment) @comment
