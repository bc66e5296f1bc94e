; What CommonJS modules export: `exports.f = …` and `module.exports = …`. TypeScript exports by
; keywords, so its query is spared these patterns, which take a while to compile.

; Definitions

(assignment_expression
  left: [
    (_ object: (identifier) @_exports property: (_) @name)
    (_
      object: (_ object: (identifier) @_module property: (property_identifier) @_exports)
      property: (_) @name)]
  right: (_ body: (_) @body) @_made
  (#eq? @_module "module") (#eq? @_exports "exports")
  (#type? @_made arrow_function function_expression generator_function)) @definition.function @export
(assignment_expression
  left: [
    (_ object: (identifier) @_exports property: (_) @name)
    (_
      object: (_ object: (identifier) @_module property: (property_identifier) @_exports)
      property: (_) @name)]
  right: (class body: (_) @body)
  (#eq? @_module "module") (#eq? @_exports "exports")) @definition.class @export

; What a module exports as a whole has its own name, or is called `exports` where it has none
(assignment_expression
  left: (_ object: (identifier) @_module property: (_) @_exports)
  right: (class name: (_) @name body: (_) @body)
  (#eq? @_module "module") (#eq? @_exports "exports")) @definition.class @export
(assignment_expression
  left: (_ object: (identifier) @_module property: (_) @_exports)
  right: (function_expression name: (_) @name body: (_) @body)
  (#eq? @_module "module") (#eq? @_exports "exports")) @definition.function @export
(assignment_expression
  left: (_ object: (identifier) @_module property: (_) @name)
  right: (class !name body: (_) @body)
  (#eq? @_module "module") (#eq? @name "exports")) @definition.class @export
(assignment_expression
  left: (_ object: (identifier) @_module property: (_) @name)
  right: [(function_expression !name body: (_) @body) (arrow_function body: (_) @body)]
  (#eq? @_module "module")) @definition.function @export

; What is exported

(assignment_expression
  left: (member_expression object: (identifier) @_module)
  right: [
    (identifier) @name
    (object [
      (shorthand_property_identifier) @name
      (pair key: (property_identifier) @name)
      (pair value: (identifier) @name)
      (method_definition name: (property_identifier) @name)])]
  (#any-of? @_module "module" "exports")) @export

; What the module is when it is imported

(assignment_expression
  left: (_ object: (identifier) @_module property: (_) @_exports)
  right: [(function_expression name: (_) @exported) (class name: (_) @exported)]
  (#eq? @_module "module") (#eq? @_exports "exports"))
(assignment_expression
  left: (_ object: (identifier) @_module property: (_) @exported)
  right: [(function_expression !name) (arrow_function) (class !name)]
  (#eq? @_module "module") (#eq? @exported "exports"))
