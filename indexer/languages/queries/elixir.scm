; Modules, protocols, implementations

(call target: (identifier) @_keyword
  (arguments . (alias) @name) (do_block)? @body
  (#eq? @_keyword "defmodule")) @definition.module
(call target: (identifier) @_keyword
  (arguments . (alias) @name) (do_block)? @body
  (#eq? @_keyword "defprotocol")) @definition.interface
(call target: (identifier) @_keyword
  (arguments . (alias) (keywords (pair key: (keyword) @_for value: [
    (alias) @name
    (list . (alias) @name)])))
  (do_block)? @body
  (#eq? @_keyword "defimpl")) @definition.extension
(call target: (identifier) @_keyword
  (arguments . (alias) @name .) (do_block)? @body
  (#eq? @_keyword "defimpl")) @definition.extension
(call target: (identifier) @_keyword
  (do_block (unary_operator operand: (call target: (identifier) @_attribute
    (arguments [(string) (sigil)] @doc))))
  (#any-of? @_keyword "defmodule" "defprotocol" "defimpl")
  (#eq? @_attribute "moduledoc")) @definition.module

(call target: (identifier) @name (arguments)
  (#any-of? @name "defstruct" "defexception")) @definition.struct

; Functions and macros: `def f(x)`, `def f`, with `when`, and operators

(call target: (identifier) @_keyword
  (arguments . [
    (call target: (identifier) @name)
    (call target: (call) @name)
    (identifier) @name
    (binary_operator left: (call target: (identifier) @name) operator: "when")
    (binary_operator left: (identifier) @name operator: "when")])
  (do_block)? @body
  (#any-of? @_keyword "def" "defp" "defdelegate" "defn" "defnp")) @definition.function @clause
(call target: (identifier) @_keyword
  (arguments . [
    (call target: (identifier) @name)
    (identifier) @name
    (binary_operator left: (call target: (identifier) @name) operator: "when")
    (binary_operator left: (identifier) @name operator: "when")])
  (do_block)? @body
  (#any-of? @_keyword "defmacro" "defmacrop" "defguard" "defguardp")) @definition.macro @clause
(call target: (identifier) @_keyword
  (arguments . [
    (binary_operator operator: _ @name)
    (binary_operator left: (binary_operator operator: _ @name) operator: "when")
    (unary_operator operator: _ @name)])
  (do_block)? @body
  (#any-of? @_keyword "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp")
  (#not-match? @name "^(?:when|@|::)$")) @definition.function @clause
(call target: (identifier) @_keyword @access.private
  (#any-of? @_keyword "defp" "defmacrop" "defguardp" "defnp")) @definition.function

; Tests

(call target: (identifier) @_keyword
  (arguments . (string) @name) (do_block)? @body
  (#any-of? @_keyword "test" "describe" "property" "feature")) @definition.function

; Types, callbacks, other attributes

(unary_operator operator: "@" operand: (call target: (identifier) @_attribute
  (arguments (binary_operator left: [
    (identifier) @name
    (call target: (identifier) @name)] operator: "::"))
  (#any-of? @_attribute "type" "typep" "opaque")) @definition.type) @wrap
(unary_operator operator: "@" operand: (call target: (identifier) @_attribute @access.private
  (#eq? @_attribute "typep")) @definition.type)
(unary_operator operator: "@" operand: (call target: (identifier) @_attribute
  (arguments [
    (binary_operator left: (call target: (identifier) @name) operator: "::")
    (binary_operator
      left: (binary_operator left: (call target: (identifier) @name) operator: "::")
      operator: "when")])
  (#any-of? @_attribute "callback" "macrocallback")) @definition.method) @wrap
(do_block (unary_operator operator: "@" operand: (call target: (identifier) @name (arguments)
  (#not-match? @name "^(?:(?:module|type|short)?doc|spec|typep?|opaque|(?:macro)?callback|optional_callbacks|impl|behaviour|derive|enforce_keys|deprecated|dialyzer|compile|before_compile|after_compile|on_definition|on_load|external_resource|(?:module|describe)?tag|since|vsn|attr)$"))
  @definition.constant) @wrap)

; Docs and attributes above a definition

(unary_operator operator: "@" operand: (call target: (identifier) @_attribute
  (arguments [(string) (sigil)]))
  (#any-of? @_attribute "doc" "typedoc")) @comment
(unary_operator operator: "@" operand: (call target: (identifier) @_attribute)
  (#any-of? @_attribute "doc" "typedoc" "spec" "impl" "deprecated" "dialyzer" "tag" "since"
    "attr" "slot")) @decoration

; Functions that are handed on: `&name/1`
(unary_operator operand: (binary_operator left: [
  (identifier) @handed
  (call target: (dot) @handed .)] right: (integer)))
(call target: (identifier) @_plug (arguments . (atom) @handed) (#any-of? @_plug "plug" "setup" "on_mount"))
(call target: (identifier) @_setup (arguments . (list (atom) @handed)) (#eq? @_setup "setup"))
; … as a module and a name
(arguments [(alias) (identifier)] @receiver . (atom) @handed (#match? @receiver "^[A-Z_]"))

(comment) @comment

; Behaviour: `use` and `@behaviour`, protocols implemented

(call target: (identifier) @_keyword (arguments . (alias) @name)
  (#any-of? @_keyword "use" "defimpl")) @implement
(unary_operator operand: (call target: (identifier) @_attribute (arguments . (alias) @name)
  (#eq? @_attribute "behaviour"))) @implement

; Calls, also without parentheses after a pipe and as captures; structs

(call target: (identifier) @name
  (#not-match? @name "^(?:def[a-z]*|alias|import|use|require|if|unless|case|cond|with|for|quote|unquote|unquote_splicing|test|describe|property|and|or|not|in|when)$")) @call
(call target: (dot left: (alias) @receiver right: (identifier) @name)
  (#not-eq? @name "t")) @call
(call target: (dot left: [(atom) (identifier) (call) (dot) (unary_operator)] @receiver
  right: (identifier) @name) (arguments)) @call
(binary_operator operator: "|>" right: (identifier) @name) @call
(binary_operator left: (_) operator: _ @name right: (_)
  (#match? @name "^(?:<~>?|~>|<<~|~>>|<<<|>>>|<[|]>|[|]{3}|&&&|[+]{3}|-{3}|\\^\\^\\^)$")) @call
(unary_operator operator: "&" operand: (binary_operator
  left: (identifier) @name operator: "/" right: (integer))) @call
(struct (alias) @name) @type
(call target: (dot left: (alias) @name right: (identifier) @_type) (#eq? @_type "t")) @type
(unary_operator operator: "@" operand: (call)) @uncalled

; Imports

(call target: (identifier) @_keyword (arguments . (alias) @module .)
  (#any-of? @_keyword "alias" "require" "use")) @import
(call target: (identifier) @_keyword (arguments . (alias) @module (keywords))
  (#any-of? @_keyword "use" "require" "alias")) @import
(call target: (identifier) @_keyword (arguments . (alias) @module
  (keywords (pair key: (keyword) @_as value: (alias) @alias)))
  (#any-of? @_keyword "alias" "require") (#match? @_as "^as:")) @import
(call target: (identifier) @_keyword
  (arguments . (dot left: (alias) @module right: (tuple (alias) @name)))
  (#any-of? @_keyword "alias" "require" "import" "use")) @import
(call target: (identifier) @_keyword . (arguments . (alias) @module .) @wildcard
  (#eq? @_keyword "import")) @import
(call target: (identifier) @_keyword
  (arguments . (alias) @module (keywords (pair key: (keyword) @_only value: (list
    (keywords (pair key: (keyword) @name))))))
  (#eq? @_keyword "import") (#match? @_only "^only:")) @import
(call target: (identifier) @_keyword
  (arguments . (alias) @module (keywords (pair key: (keyword) @_only) @wildcard))
  (#eq? @_keyword "import") (#match? @_only "^(?:except|warn):")) @import
(call target: (identifier) @_keyword
  (arguments . (alias) @module (keywords (pair value: (atom) @wildcard)))
  (#eq? @_keyword "import")) @import
