; Macros; an include guard is none
(preproc_def name: (identifier) @name) @definition.constant
(preproc_ifdef "#ifndef" name: (identifier) @_guard
  . (preproc_def name: (identifier) @_name !value) @same (#eq? @_name @_guard))
(preproc_function_def name: (identifier) @name value: (_)? @body) @definition.macro

; Namespaces
(namespace_definition name: (_) @name body: (_) @body) @definition.module

; Tests of googletest: TEST_F(Suite, Name) { … }
(function_definition !type
  declarator: (function_declarator declarator: (identifier) @_macro
    parameters: (parameter_list
      . (parameter_declaration type: (type_identifier) @owner !declarator)
      . (parameter_declaration type: (type_identifier) @name !declarator) .))
  body: (_) @body
  (#any-of? @_macro "TEST" "TEST_F" "TEST_P" "TYPED_TEST")) @definition.function

; Constructors: functions without a type in a class, or called as what qualifies them
(_ name: [(type_identifier) @_class (template_type name: (_) @_class)
          (qualified_identifier name: (type_identifier) @_class)]
  body: (field_declaration_list [
    (function_definition !type declarator: (function_declarator declarator: (identifier) @name)
      (field_initializer_list)? @body body: (_)? @body) @definition.constructor
    (declaration !type declarator: (function_declarator declarator: (identifier) @name)
      ";" @body) @definition.constructor
    (template_declaration [
      (function_definition !type declarator: (function_declarator declarator: (identifier) @name)
        (field_initializer_list)? @body body: (_)? @body) @definition.constructor
      (declaration !type declarator: (function_declarator declarator: (identifier) @name)
        ";" @body) @definition.constructor])])
  (#eq? @_class @name))
(function_definition !type
  declarator: (function_declarator declarator: (qualified_identifier
    scope: [(_) @owner (template_type name: (_) @owner)] name: (identifier) @name))
  (field_initializer_list)? @body body: (_)? @body
  (#eq? @owner @name)) @definition.constructor
(function_definition !type
  declarator: (function_declarator declarator: (qualified_identifier scope: (_) @owner
    name: (qualified_identifier scope: (_) @owner name: (identifier) @name)))
  (field_initializer_list)? @body body: (_)? @body
  (#eq? @owner @name)) @definition.constructor

; Functions, members and operators; `(_ …)` is a pointer or reference they return
(function_definition declarator: [
    (function_declarator declarator: [
      (identifier) @name (field_identifier) @name (destructor_name) @name (operator_name) @name
      (template_function name: (_) @name)])
    (_ (function_declarator declarator: [
      (identifier) @name (field_identifier) @name (operator_name) @name
      (template_function name: (_) @name)]))
    (_ (_ (function_declarator declarator: [
      (identifier) @name (field_identifier) @name (operator_name) @name])))]
  body: (_)? @body
  (#not-match? @name "^(TYPED_)?TEST(_[FP])?$")) @definition.function
(function_definition declarator: (operator_cast) @name body: (_)? @body) @definition.function
(function_definition declarator: (function_declarator declarator: (parenthesized_declarator
  (_ (function_declarator declarator: (identifier) @name)))) body: (_) @body) @definition.function

; … defined outside their class
(function_definition declarator: [
    (function_declarator declarator: (qualified_identifier
      scope: [(namespace_identifier) @owner (template_type name: (_) @owner)]
      name: [(identifier) @name (destructor_name) @name (operator_name) @name
             (template_function name: (_) @name)]))
    (_ (function_declarator declarator: (qualified_identifier
      scope: [(namespace_identifier) @owner (template_type name: (_) @owner)]
      name: [(identifier) @name (operator_name) @name (template_function name: (_) @name)])))
    (_ (_ (function_declarator declarator: (qualified_identifier
      scope: [(namespace_identifier) @owner (template_type name: (_) @owner)]
      name: [(identifier) @name (operator_name) @name]))))
    (qualified_identifier scope: [(namespace_identifier) @owner (template_type name: (_) @owner)]
      name: (operator_cast) @name)]
  body: (_)? @body) @definition.method
(function_definition declarator: [
    (function_declarator declarator: (qualified_identifier
      scope: [(namespace_identifier) @owner (template_type name: (_) @owner)]
      name: (qualified_identifier
        scope: [(namespace_identifier) @owner (template_type name: (_) @owner)]
        name: [(identifier) @name (destructor_name) @name (operator_name) @name
               (template_function name: (_) @name)])))
    (_ (function_declarator declarator: (qualified_identifier
      scope: [(namespace_identifier) @owner (template_type name: (_) @owner)]
      name: (qualified_identifier
        scope: [(namespace_identifier) @owner (template_type name: (_) @owner)]
        name: [(identifier) @name (operator_name) @name (template_function name: (_) @name)]))))]
  body: (_)? @body) @definition.method
(function_definition declarator: (function_declarator declarator: (qualified_identifier
    scope: (_) @owner name: (qualified_identifier
      scope: (_) @owner name: (qualified_identifier
        scope: (_) @owner name: (_) @name))))
  body: (_)? @body) @definition.method

; Prototypes
(declaration type: (_) declarator: (function_declarator declarator: (identifier) @name)
  ";" @body) @definition.function @global
; … of a constructor in a branch of an `#if`; a macro is in capitals
(declaration !type declarator: (function_declarator declarator: (identifier) @name)
  ";" @body (#match? @name "[a-z]")) @definition.function @global
(declaration declarator: [
    (function_declarator declarator: [(destructor_name) @name (operator_name) @name])
    (_ (function_declarator declarator: [(identifier) @name (operator_name) @name]))
    (_ (_ (function_declarator declarator: [(identifier) @name (operator_name) @name])))
    (operator_cast) @name]
  ";" @body) @definition.function @global
(field_declaration declarator: [
    (function_declarator declarator: [(field_identifier) @name (operator_name) @name])
    (_ (function_declarator declarator: [(field_identifier) @name (operator_name) @name]))
    (_ (_ (function_declarator declarator: [(field_identifier) @name (operator_name) @name])))]
  ";" @body) @definition.method

; Types; `typedef struct tag { … } name` is one definition called `name`, with `tag` inside
(type_definition type: [(struct_specifier body: (_) @body) (union_specifier body: (_) @body)] @same
  declarator: (type_identifier) @name) @definition.struct
(type_definition type: (enum_specifier body: (_) @body) @same
  declarator: (type_identifier) @name) @definition.enum
(type_definition
  type: [(struct_specifier name: (type_identifier) @name @definition.struct body: (_))
         (union_specifier name: (type_identifier) @name @definition.struct body: (_))]
  declarator: (type_identifier) @_name (#not-eq? @name @_name))
(type_definition type: (enum_specifier name: (type_identifier) @name @definition.enum body: (_))
  declarator: (type_identifier) @_name (#not-eq? @name @_name))

(class_specifier name: [
  (type_identifier) @name
  (template_type name: (_) @name)
  (qualified_identifier scope: (_) @owner name: (type_identifier) @name)]
  body: (_) @body) @definition.class
(struct_specifier name: [
  (type_identifier) @name
  (template_type name: (_) @name)
  (qualified_identifier scope: (_) @owner name: (type_identifier) @name)]
  body: (_) @body) @definition.struct
(union_specifier name: (type_identifier) @name body: (_) @body) @definition.struct
(enum_specifier name: [
  (type_identifier) @name
  (qualified_identifier scope: (_) @owner name: (type_identifier) @name)]
  body: (_) @body) @definition.enum
(enumerator name: (identifier) @name) @definition.constant

(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.type
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

(template_declaration (_) @definition.class) @wrap

; Fields
(field_declaration declarator: [
  (field_identifier) @name
  (array_declarator declarator: (field_identifier) @name)
  (array_declarator declarator: (array_declarator declarator: (field_identifier) @name))
  (reference_declarator (field_identifier) @name)
  (pointer_declarator declarator: [
    (field_identifier) @name
    (array_declarator declarator: (field_identifier) @name)
    (pointer_declarator declarator: (field_identifier) @name)])
  (function_declarator declarator: (parenthesized_declarator
    (pointer_declarator declarator: (field_identifier) @name)))]) @definition.field

; Variables of the file or a namespace
(declaration declarator: [
  (identifier) @name
  (array_declarator declarator: (identifier) @name)
  (reference_declarator (identifier) @name)
  (pointer_declarator declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)])
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)])))
  (init_declarator declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)
    (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    (reference_declarator (identifier) @name)
    (qualified_identifier scope: (_) @owner name: (identifier) @name)
    (array_declarator declarator: (qualified_identifier
      scope: (_) @owner name: (identifier) @name))
    (pointer_declarator declarator: [
      (identifier) @name
      (qualified_identifier scope: (_) @owner name: (identifier) @name)
      (array_declarator declarator: (identifier) @name)
      (pointer_declarator declarator: (identifier) @name)])
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: [
      (identifier) @name
      (array_declarator declarator: (identifier) @name)])))])])
  @definition.variable @global

; Who may use them
(translation_unit
  (function_definition (storage_class_specifier "static" @access.private)) @definition.function)
(translation_unit
  (declaration (storage_class_specifier "static" @access.private)) @definition.variable)
(declaration_list
  (function_definition (storage_class_specifier "static" @access.private)) @definition.function)
(declaration_list
  (declaration (storage_class_specifier "static" @access.private)) @definition.variable)
(class_specifier "class" @access.private body: (_))
(field_declaration_list (access_specifier "public" @access.public))
(field_declaration_list (access_specifier "protected" @access.protected))
(field_declaration_list (access_specifier "private" @access.private))

; What types are made of
(base_class_clause [
  (type_identifier) @name
  (template_type name: (_) @name)
  (qualified_identifier scope: (_) @receiver name: [
    (type_identifier) @name
    (template_type name: (_) @name)])]) @inherit

; Calls
(call_expression function: [
  (identifier) @name
  (template_function name: (identifier) @name)
  (field_expression argument: (_) @receiver field: [
    (field_identifier) @name
    (template_method name: (_) @name)
    (dependent_name (template_method name: (_) @name))])
  (qualified_identifier scope: (_) @receiver name: [
    (identifier) @name
    (template_function name: (_) @name)])
  (qualified_identifier name: (qualified_identifier scope: (_) @receiver name: [
    (identifier) @name
    (template_function name: (_) @name)]))
  (qualified_identifier name: (qualified_identifier name: (qualified_identifier
    scope: (_) @receiver name: [
      (identifier) @name
      (template_function name: (_) @name)])))]) @call
(new_expression type: [
  (type_identifier) @name
  (template_type name: (_) @name)
  (qualified_identifier scope: (_) @receiver name: [
    (type_identifier) @name
    (template_type name: (_) @name)])]) @call
(compound_literal_expression type: [
  (type_identifier) @name
  (template_type name: (_) @name)
  (qualified_identifier scope: (_) @receiver name: [
    (type_identifier) @name
    (template_type name: (_) @name)])]) @call
(declaration
  type: [
    (type_identifier) @name
    (template_type name: (_) @name)
    (qualified_identifier scope: (_) @receiver name: [
      (type_identifier) @name
      (template_type name: (_) @name)])]
  declarator: (init_declarator value: [(argument_list) (initializer_list)])) @call

; Types in signatures and fields
(parameter_declaration type: [
  (type_identifier) @name
  (qualified_identifier scope: (_) @receiver name: (type_identifier) @name)]) @type
(optional_parameter_declaration type: [
  (type_identifier) @name
  (qualified_identifier scope: (_) @receiver name: (type_identifier) @name)]) @type
(field_declaration type: [
  (type_identifier) @name
  (qualified_identifier scope: (_) @receiver name: (type_identifier) @name)]) @type
(function_definition type: [
  (type_identifier) @name
  (qualified_identifier scope: (_) @receiver name: (type_identifier) @name)]) @type
(template_argument_list (type_descriptor type: [
  (type_identifier) @name
  (qualified_identifier scope: (_) @receiver name: (type_identifier) @name)])) @type
(trailing_return_type (type_descriptor type: (type_identifier) @name)) @type
(struct_specifier name: (type_identifier) @name !body) @type

; Functions that are handed on
(for_range_loop declarator: [(identifier) @local (_ (identifier) @local)])
(structured_binding_declarator (identifier) @local)
(init_declarator declarator: [(identifier) @local (_ declarator: (identifier) @local)])
(declaration declarator: [(identifier) @local (_ declarator: (identifier) @local)])
(argument_list [
  [(identifier) (qualified_identifier)] @handed
  (pointer_expression "&" argument: [(identifier) (qualified_identifier)] @handed)])
(initializer_pair value: [
  [(identifier) (qualified_identifier)] @handed
  (pointer_expression "&" argument: [(identifier) (qualified_identifier)] @handed)])
(initializer_list [
  [(identifier) (qualified_identifier)] @handed
  (pointer_expression "&" argument: [(identifier) (qualified_identifier)] @handed)])
(init_declarator value: [
  [(identifier) (qualified_identifier)] @handed
  (pointer_expression "&" argument: [(identifier) (qualified_identifier)] @handed)])
(assignment_expression right: [
  [(identifier) (qualified_identifier)] @handed
  (pointer_expression "&" argument: [(identifier) (qualified_identifier)] @handed)])

; What names and results may hold
((declaration type: (_) @is declarator: [
  (identifier) @to
  (reference_declarator (identifier) @to)
  (pointer_declarator declarator: (identifier) @to)
  (init_declarator declarator: [
    (identifier) @to
    (reference_declarator (identifier) @to)
    (pointer_declarator declarator: (identifier) @to)])]) (#not-match? @is "^auto"))
(declaration type: (placeholder_type_specifier) declarator: (init_declarator declarator: [
    (identifier) @to
    (reference_declarator (identifier) @to)
    (pointer_declarator declarator: (identifier) @to)]
  value: [(call_expression) (new_expression)] @from))
(translation_unit (declaration declarator: (init_declarator declarator: (identifier) @to
  value: [(identifier) @from (pointer_expression "&" argument: (identifier) @from)])))
(for_range_loop type: (placeholder_type_specifier) declarator: [
  (identifier) @to
  (pointer_declarator declarator: (identifier) @to)
  (reference_declarator [
    (identifier) @to
    (structured_binding_declarator (_) . (identifier) @to .)])
  (structured_binding_declarator (_) . (identifier) @to .)] right: (_) @each)
(for_range_loop type: (_) @is declarator: [(identifier) @to (_ (identifier) @to)]
  (#not-match? @is "^auto"))
(call_expression function: (_) @_taking arguments: (_
  . (call_expression function: (field_expression argument: (_) @each))
  (lambda_expression declarator: (_ (_ . (parameter_declaration
    type: (placeholder_type_specifier) declarator: [(identifier) @to (_ (identifier) @to)])))))
  (#match? @_taking "(?:for_each|find_if|any_of|all_of|none_of|count_if|sort|remove_if)$"))
(initializer_pair designator: (field_designator (field_identifier) @name) value: [
  (identifier) @held
  (qualified_identifier) @held
  (pointer_expression "&" argument: [(identifier) (qualified_identifier)] @held)])
(assignment_expression left: (field_expression) @to right: [
  (identifier) @from
  (pointer_expression "&" argument: [(identifier) (qualified_identifier)] @from)])
((declaration type: (placeholder_type_specifier) declarator: (init_declarator declarator: [
    (identifier) @to
    (pointer_declarator declarator: (identifier) @to)]
  value: (call_expression function: [
    (template_function name: (_) @_made
      arguments: (template_argument_list . (type_descriptor type: (_) @is)))
    (qualified_identifier name: (template_function name: (_) @_made
      arguments: (template_argument_list . (type_descriptor type: (_) @is))))])))
  (#match? @_made "^(?:make_(?:unique|shared)|(?:static|dynamic|reinterpret|const)_cast)$"))
(parameter_declaration type: (_) @is declarator: [
  (identifier) @to
  (reference_declarator (identifier) @to)
  (pointer_declarator declarator: (identifier) @to)])
(field_declaration type: (_) @is declarator: [
  (field_identifier) @to
  (reference_declarator (field_identifier) @to)
  (pointer_declarator declarator: (field_identifier) @to)])
(function_definition type: (_) @result)
(field_declaration type: (_) @result declarator: [
  (function_declarator declarator: (field_identifier))
  (_ (function_declarator declarator: (field_identifier)))])

; Imports
(preproc_include path: (_) @module) @import
(import_declaration name: (_) @module) @import
(translation_unit (using_declaration "namespace" @wildcard (_) @module) @import)
(declaration_list (using_declaration "namespace" @wildcard (_) @module) @import)
(translation_unit (using_declaration
  (qualified_identifier scope: (_) @module name: (_) @name)) @import
  (#not-match? @import "^using\\s+namespace"))
(declaration_list (using_declaration
  (qualified_identifier scope: (_) @module name: (_) @name)) @import
  (#not-match? @import "^using\\s+namespace"))
(namespace_alias_definition name: (_) @alias (_) @module .) @import

(comment) @comment

; Operators
(binary_expression left: [(identifier) (field_expression) (call_expression)] @operated operator: _ @operator)
(assignment_expression left: [(identifier) (field_expression)] @operated
  operator: ["+=" "-=" "*=" "/="] @operator)
(subscript_expression argument: [(identifier) (field_expression) (call_expression)] @operated
  indices: (_ "[" @operator))
(unary_expression operator: ["-" "!" "~"] @operator argument: [(identifier) (field_expression)] @signed)
(update_expression operator: _ @operator argument: [(identifier) (field_expression)] @signed)
(binary_expression left: (number_literal) operator: ["+" "-" "*" "/"] @operator right: [(identifier) (field_expression)] @operated)
(binary_expression operator: ["<<" ">>"] @operator
  right: [(identifier) (field_expression) (call_expression) (compound_literal_expression)] @operated)
(for_range_loop ":" @operator right: [(identifier) (field_expression) (call_expression)] @operated)
