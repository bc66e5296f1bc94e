; What the markup of a component uses: `languages.embedded.components` leaves the name of a tag, and
; that of what listens to an event, as statements

(program (expression_statement . (identifier) @name) @call)
(program (expression_statement
  . (member_expression object: (_) @receiver property: (_) @name)) @call)

(program (expression_statement (parenthesized_expression [
  (identifier) @handed
  (_ (identifier) @handed)])))

; What the options of a component compute is read and not called

(pair key: (property_identifier) @_option value: (object [
    (method_definition name: (property_identifier) @name body: (_) @body) @definition.property
    (pair key: (property_identifier) @name value: (_ body: (_) @body)) @definition.property
    (pair key: (property_identifier) @name value: (object)) @definition.property])
  (#eq? @_option "computed"))
