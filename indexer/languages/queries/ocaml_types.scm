; What structures and signatures share: modules, types, values without a body

(module_definition (module_binding (module_name) @name body: (_)? @body)) @definition.module
(module_type_definition (module_type_name) @name body: (_)? @body) @definition.interface
(type_definition
  (type_binding name: (type_constructor) @name body: (_)? @body) @definition.type) @wrap
(exception_definition (constructor_declaration (constructor_name) @name)) @definition.type
(variant_declaration (constructor_declaration (constructor_name) @name) @definition.constant)
(field_declaration (field_name) @name) @definition.field
(class_type_definition
  (class_type_binding (class_type_name) @name body: (_)? @body) @definition.interface) @wrap
(value_specification [(value_name) @name (parenthesized_operator (_) @name)]) @definition.function
(external [(value_name) @name (parenthesized_operator (_) @name)]) @definition.function
(method_specification (method_name) @name) @definition.method

; Inheritance, types, imports

(module_binding module_type: (module_type_path (module_type_name) @name)) @implement
(module_parameter module_type: (module_type_path (module_type_name) @name)) @type
(include_module_type module_type: (module_type_path (module_type_name) @name)) @inherit
(type_constructor_path . (type_constructor) @name
  (#not-match? @name "^(?:int|string|unit|bool|float|list|option|array|char|bytes|result|exn)$")) @type
(type_constructor_path (_) @receiver (type_constructor) @name) @type
(open_module module: (_) @module) @import @wildcard
(module_definition (module_binding
  (module_name) @alias body: (module_path) @module)) @import

(comment) @comment
