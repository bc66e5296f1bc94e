; An element of a component is a call of it; lower-case names are elements of the page

((jsx_opening_element name: (identifier) @name) @call (#match? @name "^[A-Z]"))
((jsx_self_closing_element name: (identifier) @name) @call (#match? @name "^[A-Z]"))
(jsx_opening_element name: (member_expression object: (_) @receiver property: (_) @name)) @call
(jsx_self_closing_element name: (member_expression object: (_) @receiver property: (_) @name)) @call
(jsx_attribute (jsx_expression (identifier) @handed))
