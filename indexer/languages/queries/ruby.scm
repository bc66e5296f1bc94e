; Types
(module name: (_) @name body: (_)? @body "end" @body) @definition.module
(class name: (_) @name body: (_)? @body "end" @body) @definition.class
(assignment left: [(constant) (scope_resolution)] @name
  right: (_ receiver: (constant) @_factory method: (identifier) @_new block: (_)? @body)
  (#any-of? @_factory "Class" "Struct" "Data") (#any-of? @_new "new" "define"))
  @definition.class

; Methods; only those of the file itself are functions
(module body: (_
  (method name: (_) @name body: (_)? @body "end"? @body) @definition.method))
(singleton_class body: (_
  (method name: (_) @name body: (_)? @body "end"? @body) @definition.method))
(method name: (_) @name body: (_)? @body "end"? @body) @definition.function
(singleton_method name: (_) @name body: (_)? @body "end"? @body) @definition.method
(alias name: (_) @name) @definition.method
(call !receiver method: (identifier) @_define arguments: (_ . (simple_symbol) @name)
  block: (_)? @body (#any-of? @_define "define_method" "alias_method")) @definition.method

; Constants and attributes
(assignment left: [(constant) (scope_resolution)] @name) @definition.constant
(operator_assignment left: (constant) @name) @definition.constant
(call !receiver method: (identifier) @_attribute arguments: (_ (simple_symbol) @name)
  (#any-of? @_attribute "attr_reader" "attr_writer" "attr_accessor")) @definition.property

; What models of Rails declare: scopes, which take a lambda, and associations
(call !receiver method: (identifier) @_scope
  arguments: (argument_list . (simple_symbol) @name . [
    (lambda body: (_)? @body)
    (call method: (identifier) @_lambda block: (_)? @body)])
  (#eq? @_scope "scope")) @definition.method
(call !receiver method: (identifier) @_association
  arguments: (argument_list . (simple_symbol) @name)
  (#any-of? @_association "belongs_to" "has_one" "has_many" "has_and_belongs_to_many"))
  @definition.property

; Who may call them: from a bare `private` on, or of one definition; `class << self` keeps its own
(body_statement (identifier) @access.private (#eq? @access.private "private"))
(body_statement (identifier) @access.protected (#eq? @access.protected "protected"))
(body_statement (identifier) @access.public (#eq? @access.public "public"))
(singleton_class value: (_) @access.public)
(singleton_class "end" @access.public)
(call !receiver method: (identifier) @access.private
  arguments: (_ [(method) (singleton_method) (call)] @definition.method)
  (#any-of? @access.private "private" "private_class_method")) @wrap
(call !receiver method: (identifier) @access.protected
  arguments: (_ [(method) (call)] @definition.method)
  (#eq? @access.protected "protected")) @wrap

; What types are made of
(superclass [
  (constant) @name
  (_ scope: (_) @receiver name: (constant) @name)
  (_ receiver: (constant) @name)]) @inherit
(assignment left: (constant) right: (_ receiver: (constant) @_class method: (identifier)
  arguments: (_ . (constant) @name)) (#eq? @_class "Class")) @inherit
(call !receiver method: (identifier) @_mix arguments: (_ [
    (constant) @name
    (_ scope: (_) @receiver name: (constant) @name)])
  (#any-of? @_mix "include" "extend" "prepend")) @implement

; Calls; `Foo.new` calls Foo
(call receiver: (_) @receiver method: [(identifier) (constant)] @name
  (#not-eq? @name "new")) @call
(call receiver: [
    (constant) @name
    (_ scope: (_) @receiver name: (constant) @name)]
  method: (identifier) @_new (#eq? @_new "new")) @call
(call !receiver method: (identifier) @name
  (#not-match? @name
    "^(require|include|extend|load|autoload|prepend|private|public|protected|attr|alias)(_|$)"))
  @call
; … a word alone, unless it stands last and may be a variable that is returned
((body_statement (identifier) @name . (_)) @call
  (#not-match? @name "^(private|public|protected|module_function|super|yield)$"))
((body_statement . (identifier) @name .) @call
  (#not-match? @name "^(private|public|protected|module_function|super|yield)$"))

; … of the class itself, in a method of it
([
  (body_statement (identifier) @name)
  (assignment right: (identifier) @name)
  (call receiver: (identifier) @name)
  (argument_list (identifier) @name)] @call (#eq? @name "new"))

; Constants that stand for types
(exceptions [
  (constant) @name
  (_ scope: (_) @receiver name: (constant) @name)]) @type
(argument_list [
  (constant) @name
  (_ scope: (_) @receiver name: (constant) @name)]) @type

; A word alone is a call of a method of self where it is no variable
((_ (identifier) @handed)
  (#not-match? @handed
    "^(new|super|yield|raise|require|include|extend|load|autoload|prepend|private|public|protected|attr|alias)(_|$)"))
((call arguments: (argument_list (block_argument (simple_symbol) @handed) .)) @receiver)
(call method: (identifier) @_method arguments: (argument_list . (simple_symbol) @handed .)
  (#any-of? @_method "method" "instance_method" "public_method"))
(call !receiver method: (identifier) @_callback arguments: (argument_list (simple_symbol) @handed)
  (#match? @_callback "^(?:(?:prepend_|append_|skip_)?(?:before|after|around)_|(?:validate|helper_method|set_callback)$)"))
(call !receiver method: (identifier) @_send arguments: (argument_list . (simple_symbol) @handed)
  (#any-of? @_send "send" "public_send" "__send__" "try" "method"))
(pair key: (hash_key_symbol) @_when value: (simple_symbol) @handed
  (#any-of? @_when "if" "unless" "with"))
(pair key: (hash_key_symbol) @handed !value)
(assignment left: (identifier) @local)
(left_assignment_list (identifier) @local)
(operator_assignment left: (identifier) @local)
(method_parameters (_) @local)
(block_parameters [(identifier) @local (_ name: (identifier) @local)])
(exception_variable (identifier) @local)
(destructured_parameter (identifier) @local)
(keyword_pattern key: (hash_key_symbol) @local)
([
  (keyword_pattern value: (identifier) @local)
  (array_pattern (identifier) @local)
  (find_pattern (identifier) @local)
  (in_clause pattern: (identifier) @local)
  (as_pattern name: (identifier) @local)])
(for pattern: (_) @local)

; What names and results may hold
(assignment left: [(identifier) (instance_variable) (constant)] @to right: (_) @from
  (#type? @from call array identifier instance_variable binary conditional element_reference constant
  scope_resolution parenthesized_statements))
(assignment left: [(identifier) (instance_variable)] @to right: [
  (if [consequence: (_ (_) @from .) alternative: (_ (_) @from .)])
  (case [(when body: (_ (_) @from .)) (else (_) @from .)])
  (begin (_) @from .)])
(operator_assignment left: [(identifier) (instance_variable)] @to right: (_) @from
  (#type? @from call identifier instance_variable constant))
(method body: (_) @returned (#type? @returned call identifier instance_variable))
([
  (method body: (body_statement (_) @returned .))
  (singleton_method body: (body_statement (_) @returned .))
  (return (argument_list . (_) @returned .))]
  (#type? @returned call identifier instance_variable constant operator_assignment assignment binary
  conditional element_reference array scope_resolution self))
(case value: (identifier) @to
  (when pattern: (pattern [(constant) (scope_resolution)] @narrowed)))
(call receiver: (identifier) @to method: (identifier) @_is
  arguments: (argument_list . [(constant) (scope_resolution)] @narrowed)
  (#any-of? @_is "is_a?" "kind_of?" "instance_of?"))
(case_match value: (identifier) @to
  clauses: (in_clause pattern: [(constant) (scope_resolution)] @narrowed))
(in_clause pattern: (as_pattern value: [(constant) (scope_resolution)] @narrowed name: (_) @to))
(optional_parameter name: (identifier) @to value: (call) @from)
(keyword_parameter name: (identifier) @to value: (call) @from)

; … and what a block is handed
(call receiver: (_) @of method: (identifier) @handing block: (_ parameters: (block_parameters
  . (identifier) @first . (identifier)? @second)))
(call receiver: (_) @of method: (identifier) @handing block: (_ . ["{" "do"] @implied . body: (_)))

; … which may run on the instance that is made
(call receiver: [(constant) (scope_resolution)] @of method: (identifier) @handing
  block: (_ . ["{" "do"] @receiving) (#eq? @handing "new"))

; Imports
(call !receiver method: (identifier) @_require
  arguments: (_ . (string (string_content) @module) .)
  (#any-of? @_require "require" "require_relative" "load")) @import
(call method: (identifier) @_autoload
  arguments: (_ . (simple_symbol) @name . (string (string_content) @module))
  (#eq? @_autoload "autoload")) @import

(comment) @comment

; Operators
(binary left: [(identifier) (instance_variable) (call)] @operated operator: _ @operator)
(operator_assignment left: [(identifier) (instance_variable)] @operated operator: _ @operator)
(element_reference object: [(identifier) (instance_variable) (call) (constant)] @operated "[" @operator)
(assignment left: (element_reference
  object: [(identifier) (instance_variable) (call) (constant)] @operated "[" @operator @stored))
(for "for" @operator value: (in [(identifier) (instance_variable) (call)] @operated))
(interpolation "#{" @operator . [(identifier) (instance_variable)] @operated .)
(unary operator: ["-" "+" "!" "~"] @operator operand: [(identifier) (instance_variable) (call)] @signed)
(assignment left: (call receiver: (_) @operated method: (_) @setting) "=" @operator)
(operator_assignment left: (call receiver: (_) @operated method: (_) @setting) operator: _ @operator)
