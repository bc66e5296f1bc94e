; What JavaScript and TypeScript share. Compiling a pattern costs a walk through the grammar for each
; node in it that is named and has others inside: of a call, a member, a binary expression or a field
; of a class as long a one as an empty query takes. So a node inside a pattern is named `_` where its
; fields are those of one kind of node alone, or `#type?` says its kind, or what it must hold is in no
; other kind there. A pattern that begins with `_` would cost as much. The arguments of a call may be
; a template, which holds text.

; What the options of a component of Vue compute is read and not called

(pair key: (property_identifier) @_option value: (object [
    (method_definition name: (property_identifier) @name body: (_) @body) @definition.property
    (pair key: (property_identifier) @name value: (_ body: (_) @body)) @definition.property
    (pair key: (property_identifier) @name value: (object)) @definition.property])
  (#eq? @_option "computed"))

; Classes and their methods

(class_declaration name: (_) @name body: (_) @body) @definition.class
(export_statement "default" @name value: (class body: (_) @body) @definition.class)
(lexical_declaration (variable_declarator name: (identifier) @name
  value: (class body: (_) @body)) @definition.class) @wrap
(variable_declaration (variable_declarator name: (identifier) @name
  value: (class body: (_) @body)) @definition.class) @wrap

(method_definition ["get" "set"]
  name: [(property_identifier) (private_property_identifier)] @name
  body: (_) @body) @definition.property
(method_definition name: [
    (property_identifier) @name
    (private_property_identifier) @name
    (_ (string_fragment) @name)
    (_ (string (string_fragment) @name))
    (_ (identifier) @name)
    (_ (_ object: (_) property: (_) @name))]
  body: (_) @body) @definition.method

; Functions, also as values of constants

(function_declaration name: (_) @name body: (_) @body) @definition.function
(generator_function_declaration name: (_) @name body: (_) @body) @definition.function
(export_statement "default" @name value: (_ body: (_) @body) @_made @definition.function
  (#type? @_made arrow_function function_expression generator_function))

(lexical_declaration (variable_declarator
    name: (identifier) @name value: (_ body: (_) @body) @_made) @definition.function
  (#type? @_made arrow_function function_expression generator_function)) @wrap
(variable_declaration (variable_declarator
    name: (identifier) @name value: (_ body: (_) @body) @_made) @definition.function
  (#type? @_made arrow_function function_expression generator_function)) @wrap
(lexical_declaration (variable_declarator name: (identifier) @name
  value: (_
    function: [(identifier) @_wrapper (_ object: (_) property: (_) @_wrapper)]
    arguments: (_ . [
      (arrow_function body: (_) @body)
      (function_expression body: (_) @body) @same]))
  (#any-of? @_wrapper "memo" "forwardRef" "observer" "lazy" "useCallback" "debounce" "throttle"))
  @definition.function) @wrap

(arguments (function_expression name: (identifier) @name body: (_) @body) @definition.function)
(return_statement (function_expression name: (identifier) @name body: (_) @body) @definition.function)
(array (function_expression name: (identifier) @name body: (_) @body) @definition.function)
(return_statement (class name: (_) @name body: (_) @body) @definition.class)

; Members of object literals

(pair key: [(property_identifier) @name (_ (string_fragment) @name)]
  value: (_ body: (statement_block) @body) @_made
  (#type? @_made arrow_function function_expression generator_function)) @definition.method
(variable_declarator value: (_ (_ key: (property_identifier) @name
  value: (_ body: (_) @body) @_made) @definition.method)
  (#type? @_made arrow_function))
(assignment_expression right: (_ (_ key: (property_identifier) @name
  value: (_ body: (_) @body) @_made) @definition.method)
  (#type? @_made arrow_function))
(export_statement value: (_ (_ key: (property_identifier) @name
  value: (_ body: (_) @body) @_made) @definition.method)
  (#type? @_made arrow_function))

; Definitions by assignment: `Type.prototype.f = …`, `object.f = …`

(assignment_expression
  left: (_
    object: (_ object: (_) @owner property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: (_ body: (_) @body) @_made
  (#eq? @_prototype "prototype")
  (#type? @_made arrow_function function_expression generator_function)) @definition.method
(assignment_expression
  left: (_
    object: (_ property: (property_identifier) @_last) @owner
    property: (property_identifier) @name)
  right: (_ body: (_) @body) @_made
  (#not-match? @_last "^(?:prototype|exports)$")
  (#type? @_made arrow_function function_expression generator_function)) @definition.method
(assignment_expression
  left: (_ object: (identifier) @owner property: (property_identifier) @name)
  right: (_ body: (_) @body) @_made
  (#not-match? @owner "^(?:exports|module)$")
  (#type? @_made arrow_function function_expression generator_function)) @definition.method
(assignment_expression
  left: (_ object: (this) property: (_) @name)
  right: (_ body: (_) @body) @_made
  (#type? @_made arrow_function function_expression generator_function)) @definition.method
(assignment_expression left: (identifier) @name right: (_ body: (_) @body) @_made
  (#type? @_made arrow_function function_expression generator_function)) @definition.function

; In `a.f = a.g = function` the function is called as the last name
(assignment_expression right: (assignment_expression
  right: [(function_expression) (arrow_function)]) @definition.method) @wrap

(call_expression
  function: (_ object: (identifier) @_object property: (_) @_function)
  arguments: (_
    . [(identifier) @owner (_ object: (identifier) @owner property: (_))]
    . (string (string_fragment) @name))
  (#eq? @_object "Object") (#eq? @_function "defineProperty")) @definition.property

; Variables of the module; what `require` gives is an import

(program [
  (lexical_declaration (variable_declarator name: (identifier) @name !value) @definition.variable)
  (variable_declaration (variable_declarator name: (identifier) @name !value) @definition.variable)
] @wrap)
(program [
  (lexical_declaration (variable_declarator name: (identifier) @name
    value: (_) @_value) @definition.variable)
  (variable_declaration (variable_declarator name: (identifier) @name
    value: (_) @_value) @definition.variable)
] @wrap
  (#not-match? @_value "^(?:await import|require)\\("))
(export_statement declaration: (lexical_declaration
  (variable_declarator name: (identifier) @name) @definition.variable)) @wrap @export
(export_statement declaration: (variable_declaration
  (variable_declarator name: (identifier) @name) @definition.variable)) @wrap @export
(export_statement declaration: (lexical_declaration
  (variable_declarator name: (object_pattern [
    (shorthand_property_identifier_pattern) @name
    (pair_pattern value: (identifier) @name)])) @definition.variable)) @wrap @export

; What is exported

(export_statement declaration: (_) @definition.function) @wrap @export
(export_statement value: [(class) (function_expression) (arrow_function)] @definition.function) @wrap @export
(export_statement value: (identifier) @name) @export
(export_statement value: (_ function: (_) arguments: (_ (identifier) @name))) @export
(export_statement (export_clause (export_specifier name: (identifier) @name)) !source) @export
; Calls

(call_expression function: [(identifier) (super)] @name arguments: (_) @arguments)
(call_expression function: (_ object: (_) @receiver property: (_) @name)
  arguments: (_) @arguments)
(call_expression function: [
  (call_expression) @callee
  (subscript_expression) @callee
  (parenthesized_expression [
    (ternary_expression) (binary_expression) (call_expression) (await_expression)
    (assignment_expression)]) @callee
  (parenthesized_expression (sequence_expression [(identifier) (member_expression)] @callee .))]
  arguments: (_) @arguments)
(for_in_statement operator: "of" right: [
  (identifier) (member_expression) (new_expression) (call_expression)] @looped) @call
(new_expression constructor: (identifier) @name) @call
(new_expression constructor: (identifier) @name arguments: (_) @arguments)
(new_expression constructor: (_ object: (_) @receiver property: (_) @name)) @call
(decorator (_ function: (identifier) @mark arguments: (_ (identifier) @run))) @call
(decorator (identifier) @name) @call
(decorator (_ object: (_) @receiver property: (_) @name)) @call

; What is read may be a getter
(member_expression) @read

; What names, attributes and results may hold

(variable_declarator name: (_) @to value: (_) @from (#type? @from identifier member_expression
  call_expression subscript_expression new_expression await_expression array object
  ternary_expression parenthesized_expression assignment_expression))
(assignment_expression left: [
    (identifier) @changed
    (member_expression) @to (subscript_expression) @to (array_pattern) @to (object_pattern) @to]
  right: (_) @from (#type? @from identifier member_expression call_expression subscript_expression
  new_expression await_expression array object ternary_expression parenthesized_expression
  assignment_expression))
(variable_declarator name: (_) @to value: (_ operator: ["||" "??" "&&"]) @from)
(assignment_expression left: [(identifier) (member_expression)] @to
  right: (_ operator: ["||" "??" "&&"]) @from)
(augmented_assignment_expression left: (_) @to operator: ["||=" "??=" "&&="] right: (_) @from
  (#type? @from identifier member_expression call_expression new_expression object array))
(assignment_pattern left: (identifier) @to right: (_) @from (#type? @from identifier
  member_expression call_expression new_expression object array))
(variable_declarator name: (identifier) @declared !value)
(return_statement . (_) @returned (#type? @returned identifier member_expression call_expression
  subscript_expression new_expression await_expression array object this ternary_expression
  function_expression class parenthesized_expression))
(return_statement . (_ operator: ["||" "??" "&&"]) @returned)
(arrow_function body: (_) @returned (#type? @returned identifier member_expression call_expression
  subscript_expression new_expression await_expression array ternary_expression
  parenthesized_expression))
(yield_expression (_) @yielded (#type? @yielded identifier member_expression call_expression
  subscript_expression new_expression await_expression array object))
(call_expression
  function: (_ object: (_) @each property: (_) @_method)
  arguments: (_ . [(_ parameter: (identifier) @to) (_ parameters: (_ . (_) @to))] @_passed)
  (#type? @_passed arrow_function function_expression)
  (#any-of? @_method "forEach" "map" "filter" "find" "findLast" "some" "every" "flatMap" "sort"
    "findIndex"))
(call_expression
  function: (_ object: (_) @from property: (_) @_method)
  arguments: (_ . [(_ parameter: (identifier) @to) (_ parameters: (_ . (_) @to))] @_passed)
  (#type? @_passed arrow_function function_expression)
  (#eq? @_method "then"))
(call_expression
  function: (_ object: (_) @each property: (_) @_method)
  arguments: (_ . (_ parameters: (_ . (_) . (_) @to)) @_passed)
  (#type? @_passed arrow_function function_expression)
  (#any-of? @_method "reduce" "reduceRight" "sort" "toSorted"))
(assignment_pattern left: (identifier) @to right: [(string) (number)] @constant)
(subscript_expression index: (identifier) @keyed)
(export_statement declaration: (lexical_declaration
  (variable_declarator name: (identifier) @keyed value: [(number) (string)])))
(variable_declarator name: (identifier) @to value: [(string) (number)] @constant)
(for_in_statement left: (_) @to right: (_) @each)
(binary_expression left: [(identifier) (member_expression object: (this))] @to
  operator: "instanceof" right: (_) @narrowed)
(export_statement (export_clause (export_specifier name: (_) @from alias: (_) @to)) !source)
(export_statement "default" value: (identifier) @exported)
(export_statement "default" declaration: (_ name: (_) @exported))
; Imports

(import_statement source: (string) @module) @import
(import_statement (import_clause (identifier) @alias @default) source: (string) @module) @import
(import_statement (import_clause (namespace_import (identifier) @alias)) source: (string) @module) @import

(export_statement "*" @wildcard source: (string) @module) @import
(export_statement (namespace_export (_) @alias) source: (string) @module) @import
; Members stand alone: in a long list every one of them would wait for the module that comes last
(import_specifier name: _ @name !alias) @member
(import_specifier name: _ @name alias: _ @alias) @member
(export_specifier name: _ @name !alias) @member
(export_specifier name: _ @name alias: _ @alias) @member

(call_expression function: [(import) (identifier) @_require] arguments: (_ . (string) @module)
  (#eq? @_require "require")) @import
(variable_declarator name: (identifier) @alias value: [
  (_ function: (identifier) @_require arguments: (_ . (string) @module)) @import
  (await_expression (_ function: (import) @_require arguments: (_ . (string) @module)) @import)
  (_ object: (_ function: (identifier) @_require
    arguments: (_ . (string) @module)) @import property: (_) @name)]
  (#any-of? @_require "require" "import"))
(variable_declarator
  name: (object_pattern [
    (shorthand_property_identifier_pattern) @name
    (pair_pattern key: (_) @name value: (identifier) @alias)
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)])
  value: [
    (_ function: (identifier) @_require arguments: (_ . (string) @module)) @import
    (await_expression (_ function: (import) @_require arguments: (_ . (string) @module)) @import)]
  (#any-of? @_require "require" "import"))

(comment) @comment
