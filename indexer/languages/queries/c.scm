; Macros; an include guard is none
(preproc_def name: (identifier) @name) @definition.constant
(preproc_ifdef "#ifndef" name: (identifier) @_guard
  . (preproc_def name: (identifier) @_name !value) @same (#eq? @_name @_guard))
(preproc_function_def name: (identifier) @name value: (_)? @body) @definition.macro

; Functions; one that returns a pointer hides its name under as many pointer declarators
(function_definition declarator: (function_declarator declarator: (identifier) @name)
  body: (_) @body) @definition.function
(function_definition declarator: (pointer_declarator
  declarator: (function_declarator declarator: (identifier) @name))
  body: (_) @body) @definition.function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator
  declarator: (function_declarator declarator: (identifier) @name)))
  body: (_) @body) @definition.function
(function_definition declarator: (function_declarator declarator: (parenthesized_declarator
  [(function_declarator declarator: (identifier) @name)
   (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))]))
  body: (_) @body) @definition.function

; Prototypes
(declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (pointer_declarator
    declarator: (function_declarator declarator: (identifier) @name)))
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator
    declarator: (function_declarator declarator: (identifier) @name))))]
  ";" @body) @definition.function @global

; Types; `typedef struct tag { … } name` is one definition called `name`, with `tag` inside
(type_definition type: (struct_specifier body: (_) @body) @same
  declarator: (type_identifier) @name) @definition.struct
(type_definition type: (union_specifier body: (_) @body) @same
  declarator: (type_identifier) @name) @definition.struct
(type_definition type: (enum_specifier body: (_) @body) @same
  declarator: (type_identifier) @name) @definition.enum
(type_definition
  type: [(struct_specifier name: (_) @name @definition.struct body: (_))
         (union_specifier name: (_) @name @definition.struct body: (_))]
  declarator: (type_identifier) @_name (#not-eq? @name @_name))
(type_definition type: (enum_specifier name: (_) @name @definition.enum body: (_))
  declarator: (type_identifier) @_name (#not-eq? @name @_name))

(struct_specifier name: (type_identifier) @name body: (_) @body) @definition.struct
(union_specifier name: (type_identifier) @name body: (_) @body) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_) @body) @definition.enum
(enumerator name: (identifier) @name) @definition.constant

(type_definition declarator: [
  (type_identifier) @name
  (pointer_declarator declarator: (type_identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: [
    (type_identifier) @name
    (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name))]))
  (array_declarator declarator: (type_identifier) @name)
  (function_declarator declarator: [
    (type_identifier) @name
    (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name))])]
  ";" @body) @definition.type

; Fields
(field_declaration declarator: [
  (field_identifier) @name
  (array_declarator declarator: (field_identifier) @name)
  (pointer_declarator declarator: [
    (field_identifier) @name
    (array_declarator declarator: (field_identifier) @name)
    (pointer_declarator declarator: [
      (field_identifier) @name
      (array_declarator declarator: (field_identifier) @name)])])
  (function_declarator declarator: (parenthesized_declarator
    (pointer_declarator declarator: (field_identifier) @name)))
  (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator
    (pointer_declarator declarator: (field_identifier) @name))))]) @definition.field

; Variables of the file
(declaration declarator: [
  (identifier) @name
  (array_declarator declarator: (identifier) @name)
  (array_declarator declarator: (array_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (identifier) @name)])
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)])))
  (init_declarator declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)
    (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    (pointer_declarator declarator: [
      (identifier) @name
      (array_declarator declarator: (identifier) @name)
      (pointer_declarator declarator: (identifier) @name)])
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: [
      (identifier) @name
      (array_declarator declarator: (identifier) @name)])))])])
  @definition.variable @global

; `static` keeps a function or variable to its file
(function_definition (storage_class_specifier "static" @access.private)) @definition.function
(declaration (storage_class_specifier "static" @access.private)) @definition.variable

; Uses
(call_expression function: (identifier) @name) @call
(call_expression function: (field_expression
  argument: (_) @receiver field: (field_identifier) @name)) @call
(call_expression function: (parenthesized_expression (pointer_expression
  argument: (identifier) @name))) @call
(call_expression function: (parenthesized_expression (pointer_expression
  argument: (field_expression argument: (_) @receiver field: (field_identifier) @name)))) @call

(parameter_declaration type: (type_identifier) @name) @type
(field_declaration type: (type_identifier) @name) @type
(function_definition type: (type_identifier) @name) @type
(type_definition type: (type_identifier) @name) @type
(cast_expression type: (type_descriptor type: (type_identifier) @name)) @type
(struct_specifier name: (type_identifier) @name !body) @type
(union_specifier name: (type_identifier) @name !body) @type
(enum_specifier name: (type_identifier) @name !body) @type

(preproc_include path: (_) @module) @import

; Functions in fields of structs, and what has such a type
(initializer_pair designator: (field_designator (field_identifier) @name) value: [
  (identifier) @held (pointer_expression "&" argument: (identifier) @held)])
(assignment_expression left: (field_expression field: (_) @name) right: [
  (identifier) @held (pointer_expression "&" argument: (identifier) @held)])
([
  (declaration type: (struct_specifier name: (_) @is) declarator: [
    (pointer_declarator declarator: (identifier) @to)
    (init_declarator declarator: [
      (identifier) @to
      (pointer_declarator declarator: (identifier) @to)])])
  (field_declaration type: [(struct_specifier name: (_) @is) (type_identifier) @is]
    declarator: (pointer_declarator declarator: (field_identifier) @to))])

; What a pointer to a function holds
(init_declarator declarator: (function_declarator declarator: (parenthesized_declarator
  (pointer_declarator declarator: (identifier) @to))) value: (identifier) @from)

; Functions that are handed on
(init_declarator declarator: [(identifier) @local (_ declarator: (identifier) @local)])
(declaration declarator: [(identifier) @local (_ declarator: (identifier) @local)])
(call_expression function: (_) @by arguments: (argument_list [
  (identifier) @handed (pointer_expression "&" argument: (identifier) @handed)]))
((preproc_function_def name: (identifier) @pasting value: (_) @_body) (#match? @_body "##"))
(initializer_pair value: [(identifier) @handed (pointer_expression "&" argument: (identifier) @handed)])
(initializer_list [(identifier) @handed (pointer_expression "&" argument: (identifier) @handed)])
(init_declarator value: (identifier) @handed)
(assignment_expression right: [(identifier) @handed (pointer_expression "&" argument: (identifier) @handed)])

(comment) @comment
