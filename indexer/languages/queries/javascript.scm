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

; Types that a comment tells
((comment) @told . [
  (function_declaration name: (_) @at)
  (method_definition name: (_) @at)
  (export_statement declaration: (function_declaration name: (_) @at))
  (expression_statement (assignment_expression left: (member_expression property: (_) @at)
    right: (function_expression)))
  (lexical_declaration (variable_declarator name: (identifier) @at
    value: [(arrow_function) (function_expression)]))]
  (#match? @told "@(?:param|returns?) +\\{"))
((comment) @told . [
  (lexical_declaration (variable_declarator name: (identifier) @to))
  (variable_declaration (variable_declarator name: (identifier) @to))
  (expression_statement (assignment_expression left: (member_expression) @to))]
  (#match? @told "@type +\\{"))
