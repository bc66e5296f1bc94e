; The class of the file, and classes inside of it

(class_name_statement name: (name) @name) @definition.class @rest
(class_name_statement name: (name) @exported)
(class_definition name: (name) @name body: (_) @body) @definition.class
(enum_definition name: (name) @name body: (_) @body) @definition.enum
(enumerator left: (identifier) @name) @definition.constant

; Functions, signals, variables

(function_definition name: (name) @name body: (_)? @body) @definition.function
(constructor_definition "_init" @name body: (_) @body) @definition.constructor
(signal_statement name: (name) @name) @definition.property
(const_statement name: (name) @name) @definition.constant @global
(variable_statement name: (name) @name) @definition.variable @global

; Inheritance

(extends_statement (type (identifier) @name)) @inherit

; Calls

(call . (identifier) @name (#not-match? @name "^(?:pre)?load$")) @call
(attribute ((_) @receiver . ".")+ . (attribute_call . (identifier) @name)) @call

; Functions that are handed on, to a signal or with arguments

(arguments [(identifier) (attribute . (identifier) . (identifier) .)] @handed)
(arguments (attribute . (identifier) @handed . (attribute_call)))
(assignment right: (identifier) @handed)
(setget [(setter) (getter)] @handed)
(call (identifier) @_named arguments: (arguments (string) @provided)
  (#any-of? @_named "call" "call_deferred" "Callable" "emit_signal"))
(attribute (attribute_call (identifier) @_named arguments: (arguments (string) @provided))
  (#any-of? @_named "call" "call_deferred" "connect" "rpc" "emit_signal"))
(attribute . (identifier) @read . (attribute_call (identifier) @_signal)
  (#any-of? @_signal "emit" "connect" "disconnect"))
(variable_statement name: (name) @local)
(for_statement left: (identifier) @local)

; Types, and what names may hold

(variable_statement name: (name) @to value: [(attribute) (call) (identifier)] @from)
(assignment left: (identifier) @to right: [(attribute) (call) (identifier)] @from)
(for_statement left: (identifier) @to right: [(attribute) (call) (identifier)] @each)
(return_statement [(attribute) (call) (identifier)] @returned)
(typed_parameter type: (type (identifier) @name)) @type
(variable_statement type: (type (identifier) @name)) @type
(function_definition return_type: (type (identifier) @name)) @type
(typed_parameter . (identifier) @to type: (type) @is)
(variable_statement name: (name) @to type: (type) @is)
(function_definition return_type: (type) @result)

; Imports: scripts that are loaded under a name

(const_statement name: (name) @alias value: (call (identifier) @_load
  arguments: (arguments (string) @module)) @import
  (#match? @_load "^(?:pre)?load$"))
(call (identifier) @_load arguments: (arguments (string) @module)
  (#match? @_load "^(?:pre)?load$")) @import
(extends_statement (string) @module) @import @wildcard

(comment) @comment
