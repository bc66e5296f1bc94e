; Functions: `function M.f`, `function M:f`, `local function f`

(function_declaration
  name: [(identifier) (dot_index_expression)] @name
  parameters: (_) body: (_)? @body) @definition.function
(function_declaration
  name: (method_index_expression table: (_) @owner method: (identifier) @name)
  parameters: (_) body: (_)? @body) @definition.method
(function_declaration "local" @access.private) @definition.function

; Functions as values: `M.f = function`, `local f = function`, fields of a table

(assignment_statement
  (variable_list . name: [(identifier) (dot_index_expression)] @name .)
  (expression_list . value: (function_definition
    parameters: (_) body: (_)? @body) .)) @definition.function
(variable_declaration (assignment_statement
  (variable_list . name: (identifier) @name . (attribute)? .)
  (expression_list . value: (function_definition) .)) @definition.function @access.private) @wrap
(assignment_statement
  (variable_list . name: (bracket_index_expression table: (_) @owner field: (string) @name) .)
  (expression_list . value: (function_definition
    parameters: (_) body: (_)? @body) .)) @definition.function
(field
  name: [(identifier) (string)] @name
  value: (function_definition parameters: (_) body: (_)? @body)) @definition.function
(field name: (identifier) @_name value: (function_definition)
  (#match? @_name "^__")) @definition.function @access.public

; Variables of the file: literals, tables and made objects

(chunk (assignment_statement
  (variable_list . name: [(identifier) (dot_index_expression)] @name .)
  (expression_list . value: [
    (table_constructor) @body
    (string)
    (number)
    (true)
    (false)
    (nil)
    (binary_expression)
    (unary_expression)] .)) @definition.variable)
(chunk (variable_declaration (assignment_statement
  (variable_list . name: (identifier) @name . (attribute)? .)
  (expression_list . value: [
    (table_constructor) @body
    (string)
    (number)
    (true)
    (false)
    (nil)
    (binary_expression)
    (unary_expression)] .)) @definition.variable @access.private) @wrap)
(chunk (assignment_statement
  (variable_list . name: [(identifier) (dot_index_expression)] @name .)
  (expression_list . value: (function_call name: (_) @_maker) .)
  (#not-match? @_maker "^(?:require|pcall|import)$")) @definition.variable)
(chunk (variable_declaration (assignment_statement
  (variable_list . name: (identifier) @name . (attribute)? .)
  (expression_list . value: (function_call name: (_) @_maker) .)
  (#not-match? @_maker "^(?:require|pcall|import)$")) @definition.variable @access.private) @wrap)

; Calls

(function_call name: (identifier) @name
  (#not-match? @name "^(?:require)$")) @call
(function_call name: (dot_index_expression table: (_) @receiver field: (identifier) @name)) @call
(function_call name: (method_index_expression
  table: (_) @receiver method: (identifier) @name)) @call

; Inheritance as metatables say it

(function_call
  name: (identifier) @_set
  arguments: (arguments (_) (table_constructor (field
    name: (identifier) @_index
    value: (identifier) @name)))
  (#eq? @_set "setmetatable") (#eq? @_index "__index")) @inherit

; Functions that are handed on
(variable_declaration (assignment_statement (variable_list name: (identifier) @local)))
(for_generic_clause (variable_list name: (identifier) @local))
(for_numeric_clause name: (identifier) @local)
(function_definition parameters: (parameters name: (identifier) @local))
(arguments [(identifier) (dot_index_expression)] @handed)
(field value: [(identifier) (dot_index_expression)] @handed)
(assignment_statement (expression_list value: [(identifier) (dot_index_expression)] @handed))

; What a variable, or a field of a table, holds
(assignment_statement (variable_list . name: (_) @to .)
  (expression_list . value: [(identifier) (dot_index_expression) (function_call)] @from .))

(chunk (return_statement (expression_list . (_) @returned)))
(function_declaration body: (block (return_statement (expression_list . (_) @returned)))
  (#type? @returned identifier dot_index_expression function_call))
(function_declaration body: (block (_ (block (return_statement (expression_list . (_) @returned)))))
  (#type? @returned identifier dot_index_expression function_call))

; Imports: `require`, kept in a local, or a field of what it returns

(function_call name: (identifier) @_require
  arguments: (arguments . (string content: (string_content) @module))
  (#any-of? @_require "require" "dofile" "loadfile")) @import
(function_call name: (identifier) @_pcall
  arguments: (arguments . (identifier) @_require . (string content: (string_content) @module))
  (#eq? @_pcall "pcall") (#eq? @_require "require")) @import
(assignment_statement
  (variable_list . name: (_) . name: (_) @alias .)
  (expression_list . value: (function_call name: (identifier) @_pcall
    arguments: (arguments . (identifier) @_require . (string content: (string_content) @module)))
    @import .)
  (#any-of? @_pcall "pcall" "xpcall") (#eq? @_require "require"))
(assignment_statement
  (variable_list . name: (_) @alias .)
  (expression_list . value: (function_call name: (identifier) @_require
    arguments: (arguments . (string content: (string_content) @module))) @import .)
  (#eq? @_require "require"))
(assignment_statement
  (variable_list . name: (identifier) @alias .)
  (expression_list . value: (dot_index_expression
    table: (function_call name: (identifier) @_require
      arguments: (arguments . (string content: (string_content) @module))) @import
    field: (identifier) @name) .)
  (#eq? @_require "require"))

; Operators
(binary_expression left: [(identifier) (dot_index_expression) (function_call)] @operated . _ @operator)
(unary_expression ["-" "#"] @operator operand: [(identifier) (dot_index_expression)] @signed)
(function_call name: (identifier) @operator arguments: (arguments . (identifier) @operated .)
  (#eq? @operator "tostring"))

(comment) @comment
