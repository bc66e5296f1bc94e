; Types and their members

(struct_item name: (_) @name body: (field_declaration_list) @body) @definition.struct
(struct_item name: (_) @name) @definition.struct
(union_item name: (_) @name body: (_) @body) @definition.struct
(enum_item name: (_) @name body: (_) @body) @definition.enum
(trait_item name: (_) @name body: (_) @body) @definition.trait
(type_item name: (_) @name) @definition.type
(associated_type name: (_) @name) @definition.type

(field_declaration name: (_) @name) @definition.field
(enum_variant name: (_) @name) @definition.constant @access.public
(enum_variant body: (field_declaration_list (field_declaration) @definition.field @access.public))
(trait_item body: (declaration_list (_) @definition.function @access.public))

; `impl` blocks are called as their type

(impl_item type: [
    (type_identifier) @name
    (primitive_type) @name
    (_ name: (_) @name)
    (_ type: [(type_identifier) @name (_ name: (_) @name)] type_arguments: (_))
    (dynamic_type trait: [
      (type_identifier) @name
      (_ type: (type_identifier) @name type_arguments: (_))])
    (reference_type type: [
      (type_identifier) @name
      (primitive_type) @name
      (_ name: (_) @name)
      (_ type: (type_identifier) @name type_arguments: (_))
      (array_type) @name
      (tuple_type) @name
      (dynamic_type) @name])
    (array_type) @name
    (tuple_type) @name
    (unit_type) @name
    (pointer_type) @name
    (function_type) @name
    (never_type) @name
    (macro_invocation) @name]
  body: (_) @body) @definition.extension @access.public
(impl_item trait: (_) body: (declaration_list (_) @definition.function @access.public))

; Functions, modules, constants and macros

(function_item name: (_) @name body: (_) @body) @definition.function
(function_signature_item name: (_) @name) @definition.function
(mod_item name: (_) @name body: (_) @body) @definition.module
(const_item name: (identifier) @name (#not-eq? @name "_")) @definition.constant @global
(static_item name: (_) @name) @definition.variable @global
(macro_definition name: (_) @name (macro_rule) @body) @definition.macro @access.internal
((attribute_item (attribute (identifier) @_export)) . (macro_definition) @definition.macro @access.public
  (#eq? @_export "macro_export"))

; Traits that are implemented or required

(impl_item trait: [
  (type_identifier) @name
  (_ type: (type_identifier) @name type_arguments: (_))
  (_ path: (_) @receiver name: (_) @name)
  (_ type: (_ path: (_) @receiver name: (_) @name) type_arguments: (_))]) @implement
(attribute_item (attribute (identifier) @_derive arguments: (token_tree (identifier) @name))
  (#eq? @_derive "derive")) @implement
(trait_item bounds: (trait_bounds [
  (type_identifier) @name
  (generic_type type: (type_identifier) @name)
  (scoped_type_identifier path: (_) @receiver name: (_) @name)])) @inherit

; Calls; inside a macro's tokens a name before parentheses is taken for one

(call_expression function: [
  (identifier) @name
  (scoped_identifier path: (_) @receiver name: (_) @name)
  (scoped_identifier !path name: (_) @name)
  (field_expression value: (_) @receiver field: (field_identifier) @name)
  (generic_function function: [
    (identifier) @name
    (_ path: (_) @receiver name: (_) @name)
    (_ value: (_) @receiver field: (field_identifier) @name)])]) @call
(macro_invocation macro: (identifier) @name) @call
(macro_invocation macro: (_ path: (_) @receiver name: (_) @name)) @call
(token_tree (identifier) @name . (token_tree . "(")) @call
(token_tree [(identifier) (self)] @receiver . ["." "::"] . (identifier) @name
  . (token_tree . "(")) @call
((arguments (_ path: (_) @receiver name: (_) @name)) @call
  (#match? @name "^[a-z_]"))

; Fixtures of rstest: parameters are given what the functions of their names return
((attribute_item (attribute [(identifier) @_rstest (_ name: (identifier) @_rstest)])) .
  (attribute_item)* . (function_item
    parameters: (parameters (parameter . pattern: (identifier) @name @call)))
  (#any-of? @_rstest "rstest" "fixture"))
(parameters (attribute_item (attribute (identifier) @_from
    arguments: (token_tree . (identifier) @name @call .)))
  (#any-of? @_from "from" "with"))
((attribute_item (attribute (identifier) @_case arguments: (token_tree (identifier) @provided)))
  . (attribute_item)* . (function_item name: (_) @at)
  (#any-of? @_case "case" "values"))

; What is made by the type that is expected: `let x: Foo = Default::default()`
([
  (let_declaration type: (_) @receiver value: (_ function: (_ path: (_) @_trait name: (_) @name)))
  (function_item return_type: (_) @receiver
    body: (block (call_expression function: (_ path: (_) @_trait name: (_) @name)) .))
  (struct_expression name: (type_identifier) @receiver body: (_
    (field_initializer field: (_) @receiver value: (_ function: (_ path: (_) @_trait name: (_) @name)))))
  (struct_expression name: (_) @receiver body: (_
    (base_field_initializer (_ function: (_ path: (_) @_trait name: (_) @name)))))
  (scoped_identifier path: (bracketed_type (qualified_type type: (_) @receiver)) @_trait name: (_) @name)
] @call
  (#match? @_trait "^(?:Default|<.*)$"))

; … what a field holds
(call_expression function: (parenthesized_expression
  (field_expression value: (_) @receiver field: (_) @name))) @call

; Types

((type_identifier) @name @type (#not-match? @name "^(?:Self|_|[A-Z][0-9]?)$"))
((type_identifier) @bound (#match? @bound "^[A-Z][0-9]?$"))
(scoped_type_identifier path: (_) @receiver name: (type_identifier) @name) @type

; Functions that are handed on
(arguments [(identifier) (scoped_identifier)] @handed)
(field_initializer value: [(identifier) (scoped_identifier)] @handed)
(let_declaration value: [(identifier) (scoped_identifier)] @handed)
(tuple_expression [(identifier) (scoped_identifier)] @handed)
(array_expression [(identifier) (scoped_identifier)] @handed)
(let_declaration pattern: [(identifier) @local (_ (identifier) @local)])
(for_expression pattern: [(identifier) @local (_ (identifier) @local)])
(closure_parameters [(identifier) @local (_ (identifier) @local)])
(tuple_struct_pattern (identifier) @local)
(tuple_pattern (identifier) @local)
(field_pattern name: (shorthand_field_identifier) @local)
(match_pattern (identifier) @local)
(assignment_expression right: [(identifier) (scoped_identifier)] @handed)

; What names and results may hold

(let_declaration pattern: (identifier) @to type: (_) @is)
(let_declaration pattern: (mut_pattern (identifier) @to) type: (_) @is)
(let_declaration pattern: [(identifier) @to (mut_pattern (identifier) @to) (tuple_pattern) @to]
  value: (_) @from (#type? @from call_expression struct_expression reference_expression
  field_expression await_expression try_expression identifier scoped_identifier index_expression
  type_cast_expression unary_expression parenthesized_expression))
(let_declaration pattern: [(identifier) @to (mut_pattern (identifier) @to)] value: [
  (if_expression consequence: (block (_) @from .))
  (if_expression alternative: (else_clause (block (_) @from .)))
  (match_expression body: (match_block (match_arm value: (_) @from)))])
(parameter pattern: (tuple_pattern) @to type: (_) @is)
([(tuple_struct_pattern) (struct_pattern)] @apart)
(parameter pattern: (identifier) @to type: (_) @is)
(field_declaration name: (_) @to type: (_) @is)
(function_item return_type: (_) @result)
(function_signature_item return_type: (_) @result)
(for_expression pattern: (identifier) @to value: (_) @each)

(for_expression pattern: (tuple_pattern "," . [
  (identifier) @to (reference_pattern (identifier) @to)] .) value: (_) @each)
([
  (let_condition pattern: (tuple_struct_pattern type: (_) @_holds
    . [(identifier) @to (ref_pattern (identifier) @to) (mut_pattern (identifier) @to)] .) value: (_) @from)
  (let_declaration pattern: (tuple_struct_pattern type: (_) @_holds . (identifier) @to .) value: (_) @from)
  (match_expression value: (_) @from body: (_ (match_arm pattern: (match_pattern
    (tuple_struct_pattern type: (_) @_holds
      . [(identifier) @to (ref_pattern (identifier) @to) (mut_pattern (identifier) @to)] .)))))]
  (#any-of? @_holds "Some" "Ok"))
; … and what a function without a name is handed
(call_expression function: (field_expression value: (_) @of field: (field_identifier) @handing)
  arguments: (_ (closure_expression parameters: (closure_parameters . [
    (identifier) @first
    (reference_pattern (identifier) @first)
    (tuple_pattern "," . [(identifier) @first (reference_pattern (identifier) @first)] .)]
    . (identifier)? @second))))

(assignment_expression left: (field_expression) @to right: (identifier) @from)
; What a constant function holds
(static_item name: (identifier) @to value: (identifier) @from)
(const_item name: (identifier) @to value: (identifier) @from)
(static_item name: (identifier) @to value: (struct_expression) @from)
(struct_expression name: (type_identifier) @of body: (field_initializer_list
  (field_initializer field: (_) @to value: (identifier) @from)))

; Imports, with groups up to three deep

(use_declaration argument: [
  (identifier) @module
  (scoped_identifier path: (_) @module name: (_) @name)
  (use_as_clause path: [(identifier) (crate) (self) (super)] @module alias: (_) @alias)
  (use_as_clause path: (scoped_identifier path: (_) @module name: (_) @name) alias: (_) @alias)
  (use_wildcard (_) @module "*" @wildcard)
  (use_list [
    (identifier) @module
    (scoped_identifier path: (_) @module name: (_) @name)] @import)]) @import

(use_declaration argument: (scoped_use_list path: (_) @module list: (use_list [
  (identifier) @name @import
  (self) @import
  (scoped_identifier path: (_) @module name: (_) @name) @import
  (use_as_clause path: (identifier) @name alias: (_) @alias) @import
  (use_as_clause path: (self) alias: (_) @alias) @import
  (use_as_clause path: (scoped_identifier path: (_) @module name: (_) @name) alias: (_) @alias) @import
  (use_wildcard . "*" @wildcard) @import
  (use_wildcard (_) @module "*" @wildcard) @import])))

(use_declaration argument: [
  (scoped_use_list path: (_) @module list: (use_list
    (scoped_use_list path: (_) @module list: (use_list [
      (identifier) @name @import
      (self) @import
      (scoped_identifier path: (_) @module name: (_) @name) @import
      (use_as_clause path: (identifier) @name alias: (_) @alias) @import
      (use_as_clause path: (self) alias: (_) @alias) @import
      (use_as_clause path: (scoped_identifier path: (_) @module name: (_) @name) alias: (_) @alias) @import
      (use_wildcard . "*" @wildcard) @import
      (use_wildcard (_) @module "*" @wildcard) @import]))))
  (use_list
    (scoped_use_list path: (_) @module list: (use_list [
      (identifier) @name @import
      (self) @import
      (scoped_identifier path: (_) @module name: (_) @name) @import
      (use_as_clause path: (identifier) @name alias: (_) @alias) @import
      (use_wildcard (_) @module "*" @wildcard) @import])))])

(use_declaration argument: (scoped_use_list path: (_) @module list: (use_list
  (scoped_use_list path: (_) @module list: (use_list
    (scoped_use_list path: (_) @module list: (use_list [
      (identifier) @name @import
      (self) @import
      (scoped_identifier path: (_) @module name: (_) @name) @import
      (use_as_clause path: (identifier) @name alias: (_) @alias) @import
      (use_wildcard (_) @module "*" @wildcard) @import])))))))

(extern_crate_declaration name: (_) @module) @import
(extern_crate_declaration name: (_) @module alias: (_) @alias) @import
(mod_item name: (_) @module !body) @import

; Comments and attributes

(line_comment !inner) @comment
(block_comment !inner) @comment
(attribute_item) @decoration

; Operators
(binary_expression left: [(identifier) (field_expression) (call_expression)] @operated
  operator: ["+" "-" "*" "/" "%" "==" "!=" "<" ">" "<=" ">=" "|" "&" "<<" ">>"] @operator)
(compound_assignment_expr left: [(identifier) (field_expression)] @operated
  operator: ["+=" "-=" "*=" "/=" "|=" "&="] @operator)
(index_expression . [(identifier) (field_expression) (call_expression)] @operated "[" @operator)
; … that make what is expected: `let x: Foo = y.into()`
([
  (let_declaration type: (_) @operated value: (call_expression function: (field_expression field: (_) @operator)))
  (let_declaration type: (_) @operated value: (call_expression function: (field_expression
    value: (call_expression function: (field_expression field: (_) @operator)))))
  (let_declaration type: (_) @operated value: (try_expression
    (call_expression function: (field_expression field: (_) @operator))))
  (function_item return_type: (type_identifier) @operated
    body: (block (call_expression function: (field_expression field: (_) @operator)) .))
  (function_item return_type: (_ type_arguments: (type_arguments . (type_identifier) @operated))
    body: (block (call_expression function: (field_expression field: (_) @operator)) .))
  (struct_expression name: (type_identifier) @operated body: (_ (field_initializer
    field: (_) @operated value: (call_expression function: (field_expression field: (_) @operator)))))
  (generic_function function: (field_expression field: (_) @operator)
    type_arguments: (type_arguments . (_) @operated .))]
  (#any-of? @operator "into" "try_into" "parse"))
(unary_expression ["-" "!" "*"] @operator [(identifier) (field_expression)] @signed)
(for_expression "for" @operator value: [(identifier) (field_expression) (call_expression)] @operated)
(call_expression function: (field_expression
  value: [(identifier) (field_expression) (self)] @operated field: (_) @operator) (#eq? @operator "to_string"))

; What is published, and who listens
(call_expression
  function: (field_expression value: (_) @receiver field: (_) @name)
  arguments: (_) @arguments
  (#any-of? @name "publish" "subscribe" "emit" "dispatch"))
