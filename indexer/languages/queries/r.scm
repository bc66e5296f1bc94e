; Functions: what is assigned to a name, in whichever direction

(binary_operator
  lhs: [(identifier) (string)] @name
  operator: ["<-" "=" "<<-" ":="]
  rhs: (function_definition body: (_) @body)) @definition.function
(binary_operator
  lhs: (function_definition body: (_) @body)
  operator: ["->" "->>"]
  rhs: (identifier) @name) @definition.function
(binary_operator
  lhs: (extract_operator rhs: (identifier) @name)
  operator: ["<-" "=" "<<-"]
  rhs: (function_definition body: (_) @body)) @definition.function

; Classes of R6, S4 and reference classes, with the functions in their lists

(binary_operator
  lhs: (identifier) @name
  rhs: (call
    function: [(identifier) @_class (namespace_operator rhs: (identifier) @_class)]
    arguments: (_) @body)
  (#any-of? @_class "R6Class" "setRefClass" "ggproto" "new_class")) @definition.class
(binary_operator rhs: (call function: (identifier) @_class) @same
  (#eq? @_class "setRefClass"))
(call
  function: (identifier) @_class
  arguments: (arguments . argument: (argument value: (string (string_content) @name)))
  (#any-of? @_class "setClass" "setClassUnion" "setRefClass")) @definition.class
(call
  function: (identifier) @_generic
  arguments: (arguments . argument: (argument value: (string (string_content) @name)))
  (#any-of? @_generic "setGeneric" "setValidity")) @definition.function
(call
  function: (identifier) @_method
  arguments: (arguments
    . argument: (argument value: (string (string_content) @name))
    argument: (argument value: (function_definition body: (_) @body)))
  (#any-of? @_method "setMethod" "setReplaceMethod")) @definition.function
(call
  function: (identifier) @_list
  arguments: (arguments argument: (argument
    name: (identifier) @name
    value: (function_definition body: (_) @body)) @definition.function)
  (#match? @_list "^(?:list|setRefClass|ggproto)$"))

; Tests

(call
  function: (identifier) @_test
  arguments: (arguments . argument: (argument value: (string) @name)) @body
  (#any-of? @_test "test_that" "describe" "it")) @definition.function

; Variables of the file

(program (binary_operator
  lhs: (identifier) @name
  operator: ["<-" "=" "<<-"]
  rhs: (_) @_value
  (#not-match? @_value "^(?:function|\\\\\\(|(?:R6::)?R6Class|setRefClass|ggproto)"))
  @definition.variable)

; Inheritance

(argument name: (identifier) @_inherit value: (identifier) @name
  (#any-of? @_inherit "inherit" "contains" "parent")) @inherit
(argument name: (identifier) @_inherit value: (namespace_operator rhs: (identifier) @name)
  (#eq? @_inherit "inherit")) @inherit
(argument name: (identifier) @_contains value: (string (string_content) @name)
  (#any-of? @_contains "contains" "inherit")) @inherit

; Calls, also through a package or an object

(call function: (identifier) @name
  (#not-match? @name "^(?:library|require|source|R6Class|set(?:Class|Generic|Method|RefClass|Validity)|test_that|c|list)$"))
  @call
(call function: (namespace_operator lhs: (identifier) @receiver rhs: (identifier) @name)) @call
(call function: (extract_operator lhs: (_) @receiver rhs: (identifier) @name)) @call

; Functions that are handed on, and what a variable of the file holds

(argument value: (identifier) @handed)
(binary_operator operator: ["<-" "="] rhs: (identifier) @handed)
(binary_operator lhs: (identifier) @local operator: ["<-" "=" "<<-"])
(parameter name: (identifier) @local)
(for_statement variable: (identifier) @local)
(program (binary_operator lhs: (identifier) @to operator: ["<-" "="] rhs: (identifier) @from))
(program (binary_operator lhs: (identifier) @to operator: ["<-" "="]
  rhs: (call function: (identifier) @_list) @from) (#eq? @_list "list"))
(binary_operator lhs: (identifier) @to operator: ["<-" "="]
  rhs: (call function: (extract_operator)) @from)
(binary_operator operator: "special" @name) @call

; Imports

(call
  function: (identifier) @_library
  arguments: (arguments . argument: (argument value: [(identifier) (string)] @module))
  (#any-of? @_library "library" "require" "requireNamespace")) @import @wildcard
(call
  function: (identifier) @_source
  arguments: (arguments . argument: (argument value: (string) @module))
  (#any-of? @_source "source" "sys.source")) @import @wildcard

(comment) @comment
