(class_definition
  name: (identifier) @name
  body: (block . (string)? @doc) @body) @definition.class

(function_definition
  name: (identifier) @name
  body: (block . (string)? @doc) @body) @definition.function

(decorated_definition definition: (class_definition) @definition.class) @wrap
(decorated_definition definition: (function_definition) @definition.function) @wrap

(module (assignment left: (identifier) @name) @definition.variable)

(class_definition body: (block (assignment left: (identifier) @name) @definition.field))

(type_alias_statement left: (type (identifier) @name)) @definition.type

(class_definition superclasses: (argument_list (identifier) @name) @inherit)
(class_definition superclasses: (argument_list
  (attribute object: (_) @receiver attribute: (identifier) @name)) @inherit)
(class_definition superclasses: (argument_list
  (subscript value: (identifier) @name)) @inherit)

(call function: (identifier) @name) @call
(call function: (attribute object: (_) @receiver attribute: (identifier) @name)) @call
(decorator (identifier) @name) @call
(decorator (attribute object: (_) @receiver attribute: (identifier) @name)) @call

(typed_parameter type: (type (identifier) @name) @type)
(typed_default_parameter type: (type (identifier) @name) @type)
(function_definition return_type: (type (identifier) @name) @type)

(import_statement name: (dotted_name) @module) @import
(import_statement name: (aliased_import name: (dotted_name) @module alias: (identifier) @alias)) @import
(import_from_statement module_name: (_) @module name: (dotted_name) @name) @import
(import_from_statement module_name: (_) @module
  name: (aliased_import name: (dotted_name) @name alias: (identifier) @alias)) @import
(import_from_statement module_name: (_) @module (wildcard_import) @wildcard) @import

(comment) @comment
