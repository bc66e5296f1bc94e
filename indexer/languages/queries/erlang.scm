; Modules, records, types, macros

(module_attribute name: (atom) @name) @definition.module @rest
(record_decl name: (atom) @name) @definition.struct
(type_alias name: (type_name name: (atom) @name)) @definition.type
(opaque name: (type_name name: (atom) @name)) @definition.type
(callback fun: (atom) @name) @definition.function
(pp_define lhs: (macro_lhs name: (_) @name)) @definition.macro

; Functions: clauses of one name and number of arguments are one definition

(fun_decl clause: (function_clause name: (atom) @name body: (_) @body)) @definition.function @clause
(export_attribute) @access.private
(export_attribute funs: (fa fun: (atom) @name) @export)
(export_type_attribute types: (fa fun: (atom) @name) @export)

; What a module is

(behaviour_attribute name: (atom) @name) @implement

; Calls: of the module, of another one, and of what is handed on by name

(call expr: (atom) @name) @call
(call expr: (remote module: (remote_module module: (_) @receiver) fun: (atom) @name)) @call
(internal_fun fun: (atom) @name) @call
(external_fun module: (module (_) @receiver) fun: (atom) @name) @call
(macro_call_expr name: (_) @name
  (#not-match? @name "^(?:MODULE|FUNCTION_NAME|FUNCTION_ARITY|LINE|FILE|MACHINE|OTP_RELEASE)")) @call

; A module, a function and its arguments: of a process, of a child of a supervisor

(call expr: [(atom) @_apply (remote fun: (atom) @_apply)]
  args: (expr_args [(atom) (macro_call_expr)] @receiver . (atom) @name . [(list) (var)] .)
  (#match? @_apply "^(?:apply|spawn|start|call|cast|async|rpc|hibernate)")) @call
(tuple . [(atom) (macro_call_expr)] @receiver . (atom) @name . (list) .) @call
(record_expr name: (record_name name: (atom) @name)) @type
(spec) @uncalled
(callback) @uncalled
(type_alias) @uncalled
(opaque) @uncalled
(record_decl) @uncalled

; Imports

(import_attribute module: (atom) @module funs: (fa fun: (atom) @name)) @import
(pp_include file: (string) @module) @import @wildcard
(pp_include_lib file: (string) @module) @import @wildcard

(comment) @comment
(spec) @decoration
