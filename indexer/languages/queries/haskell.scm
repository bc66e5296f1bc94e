; What a module exports is public, and the rest is not; without a list all of it is

(header exports: (exports) @access.internal)
(exports (export [
  variable: (variable) @name
  operator: (prefix_id (operator) @name)
  type: (name) @name]) @export)
(exports (export children: (children element: [
  (variable) @name
  (constructor) @name])) @export)

; Data, with constructors and fields; classes and their instances

(data_type name: (name) @name constructors: (_)? @body) @definition.type
(newtype name: (name) @name constructor: (_) @body) @definition.type
(type_synomym name: (name) @name) @definition.type
(declarations (type_family name: (name) @name closed_family: (_)? @body) @definition.type)
(declarations (data_family name: (name) @name) @definition.type)
(class_declarations (type_family name: (name) @name) @definition.type)
(class_declarations (data_family name: (name) @name) @definition.type)

(data_constructor constructor: (prefix name: (_) @name)) @definition.constructor
(data_constructor constructor: (infix operator: (_) @name)) @definition.constructor
(data_constructor constructor: (record name: (constructor) @name @definition.constructor))
(newtype_constructor name: (constructor) @name @definition.constructor)
(gadt_constructor name: (constructor) @name) @definition.constructor
(field name: (field_name (variable) @name)) @definition.field

(class name: (name) @name declarations: (_)? @body) @definition.class
(instance
  name: (name) @access.public
  patterns: (type_patterns . [
    (name) @name
    (qualified id: (name) @name)
    (list) @name
    (tuple) @name
    (unit) @name
    (parens type: [
      (name) @name
      (function) @name
      (qualified id: (name) @name)
      (apply constructor: [
        (name) @name
        (qualified id: (name) @name)
        (apply constructor: [
          (name) @name
          (qualified id: (name) @name)
          (apply constructor: (name) @name)])])])])
  declarations: (_)? @body) @definition.extension
(deriving_instance
  name: (name) @access.public
  patterns: (type_patterns . [
    (name) @name
    (qualified id: (name) @name)
    (list) @name
    (tuple) @name
    (parens type: [
      (name) @name
      (apply constructor: [
        (name) @name
        (qualified id: (name) @name)
        (apply constructor: (name) @name)])])])) @definition.extension

; Functions: the type signature and all equations are one definition

(declarations (signature name: [
  (variable) @name
  (prefix_id (_) @name)]) @definition.function @clause)
(class_declarations (signature name: [
  (variable) @name
  (prefix_id (_) @name)]) @definition.method @clause)
(class_declarations (signature names: (binding_list [
  (variable) @name
  (prefix_id (_) @name)])) @definition.method)
(instance_declarations (signature name: [
  (variable) @name
  (prefix_id (_) @name)]) @definition.method @clause)

(declarations (function name: (variable) @name match: (_) @body) @definition.function @clause)
(declarations (bind name: (variable) @name match: (_) @body) @definition.function @clause)
(class_declarations (function name: (variable) @name match: (_) @body) @definition.method @clause)
(class_declarations (bind name: (variable) @name match: (_) @body) @definition.method @clause)
(instance_declarations
  (function name: (variable) @name match: (_) @body) @definition.method @clause)
(instance_declarations (bind name: (variable) @name match: (_) @body) @definition.method @clause)
([
  (declarations (function [
    (prefix_id (operator) @name)
    (infix operator: [(operator) @name (infix_id (variable) @name)])
    parens: (function_head_parens (infix operator: [
      (operator) @name
      (infix_id (variable) @name)]))] match: (_) @body) @definition.function @clause)
  (declarations (bind name: (prefix_id (operator) @name) match: (_) @body)
    @definition.function @clause)
])
([
  (class_declarations (function [
    (prefix_id (operator) @name)
    (infix operator: [(operator) @name (infix_id (variable) @name)])] match: (_) @body)
    @definition.method @clause)
  (instance_declarations (function [
    (prefix_id (operator) @name)
    (infix operator: [(operator) @name (infix_id (variable) @name)])] match: (_) @body)
    @definition.method @clause)
  (instance_declarations (bind name: (prefix_id (operator) @name) match: (_) @body)
    @definition.method @clause)
])
(declarations (bind pattern: (tuple element: (variable) @name)) @definition.variable)
(foreign_import signature: (signature name: (variable) @name)) @definition.function
(pattern_synonym (equation synonym: [
  (apply function: (constructor) @name)
  (apply function: (apply function: (constructor) @name))
  (apply function: (apply function: (apply function: (constructor) @name)))
  (record . (constructor) @name)
  (infix operator: (constructor_operator) @name)
  (constructor) @name])) @definition.constructor

(declarations (signature names: (_)) @decoration)
(pattern_synonym (signature)) @decoration
(pragma) @decoration

; Classes: superclasses, instances, deriving

(class context: (context [
  (apply constructor: (name) @name)
  (parens (apply constructor: (name) @name))
  (tuple (apply constructor: (name) @name))]) @inherit)
(instance name: (name) @name) @implement
(deriving_instance name: (name) @name) @implement
(deriving classes: [
  (name) @name
  (parens (name) @name)
  (tuple (name) @name)
  (tuple (qualified module: (_) @receiver id: (name) @name))]) @implement

; Calls: applied, composed, piped or run

(apply function: [
  (variable) @name
  (constructor) @name
  (qualified module: (_) @receiver id: (_) @name)]) @call
(infix
  left_operand: [
    (variable) @name
    (constructor) @name
    (qualified module: (_) @receiver id: (_) @name)]
  operator: (operator) @_operator
  (#any-of? @_operator "$" "$!" "." "<$>" "<$!>" "<$" ">>=" ">=>" "=<<" ">>" "<>" "<*>")) @call
(infix
  operator: (operator) @_operator
  right_operand: [
    (variable) @name
    (constructor) @name
    (qualified module: (_) @receiver id: (_) @name)]
  (#any-of? @_operator "." "&" "<&>" ">>=" ">=>" "=<<" "*>" ">>")) @call
(apply argument: (prefix_id (operator) @name)) @call
(apply function: (prefix_id (operator) @name)) @call
(right_section (operator) @name) @call
(left_section (operator) @name) @call
(infix operator: (infix_id [
  (variable) @name
  (qualified module: (_) @receiver id: (_) @name)])) @call
(infix operator: (operator) @name
  (#match? @name "^(?:[^-+*/.$<>=&|:!^%][^ ]*|[^ ]{3,})$")
  (#not-match? @name "^(?:<\\$>|<\\*>|<\\|>|>>=|=<<|<&>|<\\$!>|&&&)$")) @call
(exp [
  (variable) @name
  (qualified module: (_) @receiver id: (variable) @name)]) @call
(match expression: (qualified module: (_) @receiver id: (variable) @name)) @call

(patterns) @uncalled
(alternative pattern: (_) @uncalled)

; Types in signatures and fields

([
  (function parameter: (name) @name)
  (function result: (name) @name)
  (function parameter: (qualified module: (_) @receiver id: (name) @name))
  (function result: (qualified module: (_) @receiver id: (name) @name))
  (signature type: (name) @name)
  (apply constructor: (name) @name)
  (apply constructor: (qualified module: (_) @receiver id: (name) @name))
  (apply argument: (name) @name)
  (list element: (name) @name)
  (field type: (name) @name)
  (prefix field: (name) @name)
  (strict_field type: (name) @name)
] @type
  (#not-match? @name
    "^(?:Int|Integer|Word|Double|Float|Char|String|Bool|Maybe|Either|IO|Eq|Ord|Show|Monad)$"))

; Functions that are handed on, and values that a function gives
(apply argument: (variable) @handed)
(infix right_operand: (variable) @handed)
(infix left_operand: (variable) @handed)
(match expression: (variable) @handed)
(field_update expression: (variable) @handed)
(patterns [(variable) @local (_ (variable) @local) (_ (_ (variable) @local))])
(local_binds (bind name: (variable) @local))
(bind pattern: [(variable) @local (_ (variable) @local)])
(alternative pattern: [(variable) @local (_ (variable) @local)])
(generator pattern: [(variable) @local (_ (variable) @local)])

; Imports: all of it, a list, hiding a list, qualified

(import "qualified" module: (module) @module) @import
(import module: (module) @module names: (import_list
  name: (import_name [
    variable: (variable) @name
    operator: (prefix_id (_) @name)
    type: (name) @name]))) @import
(import module: (module) @module "hiding" @wildcard) @import
(import module: (module) @module alias: (module) @alias) @import
((import module: (module) @module alias: (module) @alias !names) @import @wildcard
  (#not-match? @import " qualified | hiding "))
((import module: (module) @module !names !alias) @import @wildcard
  (#not-match? @import " qualified\\b"))
((import module: (module) @module !names !alias) @import
  (#match? @import " qualified\\b"))

(comment) @comment
(haddock) @comment
