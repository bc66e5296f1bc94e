; Addresses: what a block is called, as it is used elsewhere

(config_file (body (block . (identifier) @_kind . (string_lit (template_literal) @name @owner.var)
  (#eq? @_kind "variable")) @definition.variable))
(config_file (body (block . (identifier) @_kind . (string_lit (template_literal) @name @owner.output)
  (#eq? @_kind "output")) @definition.variable))
(config_file (body (block . (identifier) @_kind . (string_lit (template_literal) @name @owner.module)
  (#eq? @_kind "module")) @definition.module))
(config_file (body (block . (identifier) @_kind
    . (string_lit (template_literal) @owner) . (string_lit (template_literal) @name)
  (#eq? @_kind "resource")) @definition.struct))
(config_file (body (block . (identifier) @_kind @owner
    . (string_lit (template_literal) @owner) . (string_lit (template_literal) @name)
  (#not-eq? @_kind "resource")) @definition.struct))
(config_file (body (block . (identifier) @_kind
    . (string_lit (template_literal) @name) . (block_start)
  (#not-match? @_kind "^(?:variable|output|module|resource|data)$")) @definition.section))
(config_file (body (block . (identifier) @name . (block_start)
  (#not-eq? @name "locals")) @definition.section))
(config_file (body (block . (identifier) @_locals
  (body (attribute . (identifier) @name @owner.local) @definition.variable)
  (#eq? @_locals "locals"))))
(config_file (body (attribute . (identifier) @name) @definition.variable))

; Uses: `var.x`, `local.x`, `module.x`, `aws_s3_bucket.books`, `data.aws_ami.x`, functions; what a
; module gives, `module.x.y`, and what it is given: there its name has quotes

((variable_expr (identifier) @receiver) . (get_attr (identifier) @name)
  (#not-match? @receiver "^(?:each|self|count|path|data|ephemeral|terraform)$")) @call
((variable_expr (identifier) @_data @receiver) . (get_attr (identifier) @receiver)
  . (get_attr (identifier) @name)
  (#any-of? @_data "data" "ephemeral")) @call
((variable_expr (identifier) @_module @receiver) . (get_attr (identifier) @receiver)
  . (get_attr (identifier) @name)
  (#eq? @_module "module")) @call
(block . (identifier) @_module @receiver . (string_lit) @receiver
  (body (attribute . (identifier) @name))
  (#eq? @_module "module")
  (#not-match? @name "^(?:source|version|count|for_each|providers|depends_on)$")) @call
(function_call (identifier) @name) @call

; Imports: where a module lies

(block . (identifier) @_module . (string_lit (template_literal) @alias)
  (body (attribute . (identifier) @_source . (expression (literal_value (string_lit) @module))))
  (#eq? @_module "module") (#eq? @_source "source")) @import

(comment) @comment
