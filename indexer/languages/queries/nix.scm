; Functions and values that have a name; those of options by their whole path

(binding attrpath: (attrpath) @name
  expression: (function_expression body: (_) @body)) @definition.function
(binding attrpath: (attrpath) @name
  expression: [
    (attrset_expression) @body
    (rec_attrset_expression) @body
    (let_expression) @body]) @definition.variable
(let_expression (binding_set (binding attrpath: (attrpath) @name) @definition.variable))
(binding attrpath: (attrpath) @name
  expression: (apply_expression function: (_) @_maker)
  (#match? @_maker "mk[A-Z]|[bB]uild|derivation|[oO]verride|import|callPackage|writeS")) @definition.variable

; Calls: of a curried function once

(apply_expression function: (variable_expression name: (identifier) @name)
  (#not-match? @name "^(?:import)$")) @call
(apply_expression function: (select_expression
  expression: (_) @receiver
  attrpath: (attrpath attr: (identifier) @name .))) @call
(inherit_from expression: (_) @receiver attrs: (inherited_attrs attr: (identifier) @name)) @type

; Functions that are handed on

(apply_expression argument: (variable_expression) @handed)
(list_expression element: (variable_expression) @handed)
(binding expression: (variable_expression) @handed)
(inherited_attrs attr: (identifier) @handed)
(function_expression universal: (identifier) @local)
(formal name: (identifier) @local)

; Imports: of files, and those that a module lists

(apply_expression function: (variable_expression name: (identifier) @_import)
  argument: (path_expression) @module
  (#eq? @_import "import")) @import
(binding attrpath: (attrpath) @alias expression: (apply_expression
  function: (variable_expression name: (identifier) @_import)
  argument: (path_expression) @module) @import
  (#eq? @_import "import"))
(binding attrpath: (attrpath) @alias expression: (apply_expression function: (apply_expression
  function: (variable_expression name: (identifier) @_import)
  argument: (path_expression) @module)) @import
  (#eq? @_import "import"))
(binding attrpath: (attrpath) @_imports
  expression: (list_expression element: (path_expression) @module) @import @wildcard
  (#eq? @_imports "imports"))
(apply_expression function: [(variable_expression) (select_expression)] @_call
  argument: (path_expression) @module
  (#match? @_call "callPackage")) @import @wildcard

(comment) @comment
