; Namespaces, types and protocols

(list_lit . (sym_lit (sym_name) @_form) . (sym_lit (sym_name) @name)
  (#any-of? @_form "ns" "in-ns")) @definition.module @rest
(list_lit . (sym_lit (sym_name) @_form) . (sym_lit (sym_name) @name) . (str_lit) @doc
  (#eq? @_form "ns")) @definition.module
(list_lit . (sym_lit (sym_name) @_form) . (sym_lit) . (str_lit)? . (list_lit) @body
  (#any-of? @_form "ns" "defprotocol")) @definition.module
(list_lit . (sym_lit (sym_name) @_form) . (sym_lit (sym_name) @name)
  (#any-of? @_form "defprotocol" "definterface")) @definition.interface
(list_lit . (sym_lit (sym_name) @_form) . (sym_lit (sym_name) @name) . (str_lit) @doc
  (#eq? @_form "defprotocol")) @definition.interface
(list_lit . (sym_lit (sym_name) @_form) . (sym_lit (sym_name) @name)
  (#any-of? @_form "defrecord" "deftype" "defstruct" "gen-class")) @definition.class
(list_lit . (sym_lit (sym_name) @_form) . (sym_lit (sym_name) @name)
  (#any-of? @_form "extend-type" "extend-protocol" "extend")) @definition.extension

; Functions, macros, multimethods, tests

(list_lit . (sym_lit (sym_name) @_form) . (sym_lit (sym_name) @name)
  (#any-of? @_form "defn" "defn-" "defmulti" "deftest" "defspec" "defn-spec" "defnp" "defun" "deftest-" "defcomponent" "defui" "defhandler" "defendpoint")) @definition.function
(list_lit . (sym_lit (sym_name) @_form) . (sym_lit (sym_name) @name) . (str_lit) @doc
  (#any-of? @_form "defn" "defn-" "defmacro" "defmulti")) @definition.function
(list_lit . (sym_lit (sym_name) @_form) . (sym_lit) . (_)? . (vec_lit) . (_) @body
  (#match? @_form "^def(?:n-?|macro|test)$")) @definition.function
(list_lit . (sym_lit (sym_name) @_form @access.private) . (sym_lit (sym_name) @name)
  (#any-of? @_form "defn-")) @definition.function
(list_lit . (sym_lit (sym_name) @_form) . (sym_lit (sym_name) @name)
  (#any-of? @_form "defmacro" "defmacro-" "definline")) @definition.macro
(list_lit . (sym_lit (sym_name) @_form) . (sym_lit (sym_name) @name)
  (#eq? @_form "defmethod")) @definition.function
(list_lit . (sym_lit (sym_name) @_form) . (sym_lit (sym_name) @name)
  (#any-of? @_form "def" "defonce" "def-" "defparameter")) @definition.variable
(source (list_lit . (sym_lit (sym_name) @_form) . (sym_lit (sym_name) @name)
  (#match? @_form "^>?def[a-z]")
  (#not-eq? @_form "default")) @definition.function)

; Members of protocols, records and extensions

(list_lit . (sym_lit (sym_name) @_form)
  (list_lit . (sym_lit (sym_name) @name) . (vec_lit)) @definition.method
  (#any-of? @_form "defprotocol" "definterface" "defrecord" "deftype" "extend-type" "extend-protocol"))
(list_lit . (sym_lit (sym_name) @_form) . (sym_lit) . (vec_lit) (sym_lit (sym_name) @name)
  (#any-of? @_form "defrecord" "deftype")) @implement
(list_lit . (sym_lit (sym_name) @_form) . (sym_lit) (sym_lit (sym_name) @name)
  (#eq? @_form "extend-type")) @implement

; Calls: what stands first in a list, in a threading form, or is handed on

(list_lit . (sym_lit !namespace (sym_name) @name)
  (#not-match? @name "^[-+*/=<>]+$|[^.][.][^.]|^(?:ns|in-ns|def.*|let|letfn|if|if-let|if-not|when|when-let|when-not|do|fn|loop|recur|for|doseq|dotimes|cond|condp|case|try|catch|finally|throw|quote|var|new|set!|and|or|->>?|some->>?|cond->>?|as->|binding|with-open|comment|declare|extend.*|reify|proxy|require|import|use|is|are|testing)$"))
  @call
(list_lit . (sym_lit namespace: (sym_ns) @receiver name: (sym_name) @name)) @call
(list_lit . (sym_lit (sym_name) @_thread) . (_) (sym_lit !namespace (sym_name) @name)
  (#match? @_thread "^(?:some)?->>?$")) @call
(list_lit . (sym_lit (sym_name) @_higher) . (sym_lit !namespace (sym_name) @name)
  (#any-of? @_higher "map" "mapv" "filter" "remove" "reduce" "apply" "partial" "comp" "mapcat" "keep" "some" "every?" "swap!" "update" "sort-by" "group-by")) @call

; Functions that are handed on, and names that hide them

(list_lit . (sym_lit (sym_name) @_f) (sym_lit !namespace) @handed
  (#not-match? @_f "^(?:ns|declare|import|require|use|extend-.*|def(?:record|type|protocol|method))$|[a-z][.][a-z]"))
(list_lit . (sym_lit (sym_name) @_f)
  (sym_lit namespace: (sym_ns) @receiver name: (sym_name) @read))
(var_quoting_lit (sym_lit !namespace) @handed)
(list_lit . (sym_lit (sym_name) @_binds) (vec_lit (sym_lit) @local)
  (#match? @_binds "^(?:defn-?|fn|defmethod|defmacro|let|loop|for|doseq|dotimes|binding|with-open|(?:when|if)-(?:let|some))$"))
(list_lit . (vec_lit (sym_lit) @local))
(vec_lit [(vec_lit (sym_lit) @local) (map_lit (sym_lit) @local)])
(map_lit (vec_lit (sym_lit) @local))

; Imports

(list_lit . (kwd_lit (kwd_name) @_require)
  (vec_lit . (sym_lit) @module) @import
  (#any-of? @_require "require" "use" "require-macros"))
(list_lit . (kwd_lit (kwd_name) @_require)
  (vec_lit . (sym_lit) @module (kwd_lit (kwd_name) @_as) . (sym_lit) @alias) @import
  (#any-of? @_require "require" "require-macros") (#any-of? @_as "as" "as-alias"))
(list_lit . (kwd_lit (kwd_name) @_require)
  (vec_lit . (sym_lit) @module (kwd_lit (kwd_name) @_refer) . (vec_lit (sym_lit (sym_name) @name))) @import
  (#any-of? @_require "require" "use") (#any-of? @_refer "refer" "only"))
(list_lit . (kwd_lit (kwd_name) @_require)
  (vec_lit . (sym_lit) @module (kwd_lit (kwd_name) @_refer) . (kwd_lit (kwd_name) @_all)) @import @wildcard
  (#eq? @_require "require") (#eq? @_refer "refer") (#eq? @_all "all"))
(list_lit . (kwd_lit (kwd_name) @_require) (sym_lit) @module @import
  (#any-of? @_require "require" "use" "import"))
(list_lit . (kwd_lit (kwd_name) @_import)
  (list_lit . (sym_lit) @module (sym_lit (sym_name) @name)) @import
  (#eq? @_import "import"))

(comment) @comment
