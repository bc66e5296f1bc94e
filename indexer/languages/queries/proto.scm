; Messages, enums, services and what is in them

(message (message_name (identifier) @name) (message_body) @body) @definition.struct
(enum (enum_name (identifier) @name) (enum_body) @body) @definition.enum
(service (service_name (identifier) @name)) @definition.interface
(rpc (rpc_name (identifier) @name)) @definition.method
(extend (full_ident) @name (message_body) @body) @definition.extension

(field (identifier) @name) @definition.field
(map_field (identifier) @name) @definition.field
(oneof_field (identifier) @name) @definition.field
(oneof . "oneof" . (identifier) @name) @definition.field
(enum_field (identifier) @name) @definition.constant

; Types: of fields, requests and results

([
  (field (type (message_or_enum_type . (identifier) @name .)))
  (map_field (type (message_or_enum_type . (identifier) @name .)))
  (oneof_field (type (message_or_enum_type . (identifier) @name .)))
  (rpc (message_or_enum_type . (identifier) @name .))
] @type)
([
  (field (type (message_or_enum_type (identifier) . (identifier) @name .)))
  (map_field (type (message_or_enum_type (identifier) . (identifier) @name .)))
  (oneof_field (type (message_or_enum_type (identifier) . (identifier) @name .)))
  (rpc (message_or_enum_type (identifier) . (identifier) @name .))
] @type)

(import path: (string) @module) @import

(comment) @comment
