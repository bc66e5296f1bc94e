; Packages: with a block, or all that follows in theirs; their names are whole

(package_statement name: (package) @name (block) @body) @definition.class @whole
(package_statement name: (package) @name ";") @definition.class @rest @whole
(class_statement name: (package) @name (block) @body) @definition.class @whole
(class_statement name: (package) @name ";") @definition.class @rest @whole
(role_statement name: (package) @name (block) @body) @definition.trait @whole
(role_statement name: (package) @name ";") @definition.trait @rest @whole

; Subs, methods, attributes, constants

(subroutine_declaration_statement name: (bareword) @name body: (_) @body) @definition.function
(expression_statement (assignment_expression
  left: (variable_declaration variable: (scalar (varname) @name))
  right: (anonymous_subroutine_expression body: (_) @body))) @definition.function @global
(method_declaration_statement name: (bareword) @name body: (_) @body) @definition.function
(expression_statement (ambiguous_function_call_expression
  function: (function) @_has arguments: [(autoquoted_bareword) (string_literal) (interpolated_string_literal)] @name)
  (#any-of? @_has "has" "subtest")) @definition.property
(expression_statement (ambiguous_function_call_expression
  function: (function) @_has arguments: (list_expression
    . [(autoquoted_bareword) (string_literal) (interpolated_string_literal)] @name))
  (#any-of? @_has "has" "subtest")) @definition.property
(expression_statement (ambiguous_function_call_expression
  function: (function) @_modifier
  . [(autoquoted_bareword) (string_literal) (interpolated_string_literal)] @name
  (anonymous_subroutine_expression body: (_) @body))
  (#any-of? @_modifier "around" "before" "after" "override" "augment")) @definition.function
(use_statement module: (package) @_constant
  (list_expression . (autoquoted_bareword) @name)
  (#eq? @_constant "constant")) @definition.constant
(use_statement module: (package) @_constant
  (anonymous_hash_expression (list_expression (autoquoted_bareword) @name))
  (#eq? @_constant "constant")) @definition.constant
(expression_statement (assignment_expression
  left: (variable_declaration "our" variable: (_ (varname) @name)))) @definition.variable

; Inheritance

(use_statement module: (package) @_parent
  [(string_literal content: (_) @name) (quoted_word_list content: (_) @name)]
  (#any-of? @_parent "parent" "base")) @inherit
(use_statement module: (package) @_parent
  (list_expression (string_literal content: (_) @name))
  (#any-of? @_parent "parent" "base")) @inherit
(ambiguous_function_call_expression
  function: (function) @_with arguments: [
    (string_literal content: (_) @name)
    (list_expression (string_literal content: (_) @name))]
  (#any-of? @_with "extends" "with")) @inherit
(class_statement attributes: (attrlist (attribute
  name: (attribute_name) @_isa value: (attribute_value) @name))
  (#eq? @_isa "isa")) @inherit
(assignment_expression
  left: (variable_declaration variable: (array (varname) @_isa))
  right: [
    (string_literal content: (_) @name)
    (interpolated_string_literal content: (_) @name)
    (quoted_word_list content: (_) @name)]
  (#eq? @_isa "ISA")) @inherit

; Calls

(function_call_expression function: (function) @name) @call
(ambiguous_function_call_expression function: (function) @name
  (#not-match? @name "^(?:has|subtest|extends|with|push|pop|shift|unshift|bless|return|die|print|defined|ref|keys|values|map|grep|sort|join|split|exists|delete|scalar|local|open|close|printf|sprintf|uc|lc|length|substr|ok|is)$")) @call
(method_call_expression invocant: (_) @receiver method: (method) @name) @call
(refgen_expression (function (varname) @name)) @call

; What names may hold

(assignment_expression left: (variable_declaration variable: (scalar) @to)
  right: (method_call_expression invocant: (bareword)) @from)

; Imports

(use_statement module: (package) @module
  (#not-match? @module "^(?:strict|warnings|parent|base|constant|utf8|feature|lib|vars|Mojo::Base)$")) @import @wildcard
(require_expression (bareword) @module) @import
(use_statement module: (package) @module (string_literal content: (_) @name)
  (#eq? @module "Mojo::Base")) @inherit

(comment) @comment
(pod) @comment
