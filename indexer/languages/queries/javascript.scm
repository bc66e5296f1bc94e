; What only JavaScript's grammar has: fields and base classes

(field_definition property: [(property_identifier) (private_property_identifier)] @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)]) @definition.method
(field_definition property: [
  (property_identifier) @name
  (private_property_identifier) @name
  (string (string_fragment) @name)]) @definition.field

(class_heritage (identifier) @name) @inherit
(class_heritage (member_expression object: (_) @receiver property: (_) @name)) @inherit
(class_heritage (call_expression arguments: (_ (identifier) @name))) @inherit
(class_heritage (call_expression function: (identifier) @name)) @inherit
(class_heritage (call_expression arguments: (_ (call_expression [
  function: (identifier) @name
  arguments: (_ (identifier) @name)])))) @inherit

(field_definition property: (_) @to value: [
  (new_expression) (call_expression) (identifier) (object (_)) (array (_))] @from)
