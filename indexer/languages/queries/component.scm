; What the markup of a component uses: `languages.embedded.components` leaves the name of a tag, and
; that of what listens to an event, as statements

(program (expression_statement . (identifier) @name) @call)
(program (expression_statement
  . (member_expression object: (_) @receiver property: (_) @name)) @call)

(program (expression_statement (parenthesized_expression [
  (identifier) @handed
  (_ (identifier) @handed)])))
