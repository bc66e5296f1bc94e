; Classes and functions

(class_definition
  name: (identifier) @name
  body: (_ . (string)? @doc) @body) @definition.class

(decorated_definition
  (decorator (identifier) @_decorator)
  definition: (function_definition name: (identifier) @name) @definition.property
  (#any-of? @_decorator "property" "cached_property" "abstractproperty"))
(decorated_definition
  (decorator (_ attribute: (identifier) @_decorator))
  definition: (function_definition name: (identifier) @name) @definition.property
  (#any-of? @_decorator "cached_property" "getter" "setter" "deleter"))

(function_definition
  name: (identifier) @name
  body: (_ . (string)? @doc) @body) @definition.function

(decorated_definition definition: (class_definition) @definition.class) @wrap
(decorated_definition definition: (function_definition) @definition.function) @wrap

; Module variables, also below `if` and `try`; class fields

(module (assignment left: (identifier) @name
  right: (lambda body: (_) @body)) @definition.function)
(module (assignment left: (identifier) @name right: (_ function: (identifier) @_maker)
  (#any-of? @_maker "TypeVar" "ParamSpec" "TypeVarTuple" "NewType" "namedtuple" "NamedTuple"
    "TypedDict")) @definition.type)
(module (assignment left: (identifier) @name
  type: (type (identifier) @_annotation) (#eq? @_annotation "TypeAlias")) @definition.type)

(module (assignment left: (identifier) @name) @definition.variable)
(module (assignment left: (pattern_list (identifier) @name)) @definition.variable)
(module (if_statement consequence:
  (_ (assignment left: (identifier) @name) @definition.variable)))
(module (if_statement (else_clause body:
  (_ (assignment left: (identifier) @name) @definition.variable))))
(module (try_statement body:
  (_ (assignment left: (identifier) @name) @definition.variable)))
(module (try_statement (except_clause
  (_ (assignment left: (identifier) @name) @definition.variable))))

(class_definition body: (_ (assignment left: (identifier) @name
  right: (lambda body: (_) @body)) @definition.method))
(class_definition body: (_ (assignment
  left: [(identifier) @name (pattern_list (identifier) @name)]) @definition.variable))

(type_alias_statement left: (type [
  (identifier) @name
  (generic_type . (identifier) @name)])) @definition.type

; Base classes

(class_definition superclasses: (argument_list [
  (identifier) @name
  (_ object: (_) @receiver attribute: (identifier) @name)
  (subscript value: (identifier) @name)
  (subscript value: (_ object: (_) @receiver attribute: (identifier) @name))]) @inherit)

; Calls; a decorator is one

(call function: (identifier) @name arguments: (_) @arguments)
(call function: (_ object: (_) @receiver attribute: (identifier) @name)
  arguments: (_) @arguments)
(call function: [(call) (subscript)] @callee arguments: (_) @arguments)
(call function: (parenthesized_expression [
  (conditional_expression) (boolean_operator) (named_expression)]) @callee
  arguments: (_) @arguments)
(decorator (call) @callee) @call
(for_statement right: [(identifier) (attribute) (call)] @iterated) @call
(for_in_clause right: [(identifier) (attribute) (call)] @iterated) @call
(binary_operator
  left: [(identifier) (attribute) (call) (subscript) (parenthesized_expression)] @operated
  operator: _ @operator) @call
(binary_operator left: [(integer) (float)] operator: _ @operator
  right: [(identifier) (attribute) (call)] @reflected) @call
(unary_operator operator: _ @operator argument: [(identifier) (attribute) (call)] @signed) @call
(comparison_operator . [(identifier) (attribute) (call)] @operated
  operators: ["==" "!=" "<" "<=" ">" ">="] @operator
  . [(identifier) (attribute) (call) (subscript)] .) @call
(comparison_operator operators: ["in" "not in"] @operator
  . [(identifier) (attribute) (call)] @operated .) @call
(augmented_assignment left: [(identifier) (attribute)] @operated operator: _ @operator) @call
(subscript value: [(identifier) (attribute) (call)] @operated "[" @operator) @call
(call function: (_
    function: [(identifier) @_by (_ attribute: (identifier) @_by)]
    arguments: (argument_list . (string (string_content) @name)))
  arguments: (argument_list . (_) @receiver)
  (#eq? @_by "methodcaller")) @call
(raise_statement . (identifier) @name) @call
(raise_statement . (_ object: (_) @receiver attribute: (identifier) @name)) @call
(decorator (identifier) @name) @call
(decorator (_ object: (_) @receiver attribute: (identifier) @name)) @call
(call function: (identifier) @operator arguments: (_ . [(identifier) (attribute)] @operated .)
  (#any-of? @operator "len" "str" "repr" "bool" "iter" "next" "hash" "reversed" "int" "float" "abs"
    "round" "list" "tuple" "set" "sorted" "sum" "enumerate" "dict" "bytes" "dir"))
(with_statement ["with" "async"] @operator
  (with_clause (with_item value: [(identifier) (attribute) (call)] @operated)))
(with_statement ["with" "async"] @operator
  (with_clause (with_item value: (as_pattern . [(identifier) (attribute) (call)] @operated))))
(for_statement "async" @operator @stored right: [(identifier) (attribute) (call)] @operated)
(for_in_clause "async" @operator @stored right: [(identifier) (attribute) (call)] @operated)
(await "await" @operator . [(identifier) (attribute)] @operated)
(yield "from" @operator . [(identifier) (attribute)] @operated)
(assignment left: (pattern_list "," @operator) right: [(identifier) (attribute)] @operated)
(delete_statement "del" @operator (subscript value: [(identifier) (attribute)] @operated))

; Parameters of tests and of fixtures are given what the fixtures of their names give

(function_definition
  name: (identifier) @_test
  parameters: (_ [(identifier) @name @call (typed_parameter . (identifier) @name @call)])
  (#match? @_test "^test") (#not-eq? @name "self") (#not-eq? @name "cls"))
(decorated_definition
  (decorator [
    (identifier) @_fixture
    (_ attribute: (identifier) @_fixture)
    (_ function: [(identifier) @_fixture (_ attribute: (identifier) @_fixture)])])
  definition: (_
    parameters: (_ [(identifier) @name @call (typed_parameter . (identifier) @name @call)]))
  (#eq? @_fixture "fixture") (#not-eq? @name "self") (#not-eq? @name "cls"))
(call
  function: (_ attribute: (identifier) @_asking)
  arguments: (argument_list (string (string_content) @name @call))
  (#any-of? @_asking "usefixtures" "getfixturevalue"))

; What is read may be a property

(attribute) @read

; Types: annotations and what is raised or caught

(type (identifier) @name
  (#not-match? @name "^(?:str|int|bool|float|bytes|object|Any|Self)$")) @type
(type (_ object: (_) @receiver attribute: (identifier) @name)) @type
(type (binary_operator [
  (identifier) @name
  (_ object: (_) @receiver attribute: (identifier) @name)
  (subscript value: (identifier) @name)
  (binary_operator [
    (identifier) @name
    (_ object: (_) @receiver attribute: (identifier) @name)])]
  (#not-match? @name "^(?:str|int|bool|float|bytes|object|list|dict|tuple|set)$"))) @type
(generic_type . (identifier) @name
  (#not-match? @name "^(?:list|dict|tuple|set|type|Optional|Union|Literal|Annotated)$")) @type
(except_clause value: [
  (identifier) @name
  (tuple (identifier) @name)
  (as_pattern . (identifier) @name)
  (as_pattern . (tuple (identifier) @name))]) @type

; What names, attributes and results may hold

(assignment left: (_) @to right: (_) @from (#type? @from identifier attribute call subscript
  dictionary list tuple set expression_list conditional_expression boolean_operator await
  parenthesized_expression assignment list_comprehension dictionary_comprehension
  set_comprehension generator_expression))
(assignment left: (_) @to
  right: (binary_operator left: [(list) (dictionary) (list_comprehension)]) @from)
(assignment left: (_) @to right: (binary_operator
  left: [(identifier) (attribute) (call) (binary_operator) (parenthesized_expression)]
  right: [(identifier) (attribute) (call) (string) (parenthesized_expression)]) @from)
(assignment left: (_) @to right: (yield "from" (_) @from))
(assignment left: (_) @to right: (_ function: (_) arguments: (argument_list
  (keyword_argument name: (identifier) @_key value: (lambda body: (_) @from))))
  (#eq? @_key "default_factory"))
(augmented_assignment left: (_) @to right: [(list) (tuple) (list_comprehension)] @from)
(assignment left: (identifier) @to right: [(string) (integer)] @constant)
(default_parameter name: (identifier) @to value: [(string) (integer)] @constant)
(subscript subscript: (identifier) @keyed)
(global_statement (identifier) @outer)
(nonlocal_statement (identifier) @outer)
(named_expression name: (_) @to value: (_) @from)
(assignment left: (_) @to type: (type) @is)
(typed_parameter . (identifier) @to type: (type) @is)
(typed_default_parameter name: (_) @to type: (type) @is)
(default_parameter name: (_) @to value: [(identifier) (attribute) (call)] @from)
(function_definition return_type: (type) @result)
(return_statement (_) @returned (#type? @returned identifier attribute call subscript dictionary
  list tuple expression_list conditional_expression boolean_operator await
  parenthesized_expression))
(return_statement (binary_operator
  left: [(identifier) (attribute) (call)]
  right: [(identifier) (attribute) (call) (string)]) @returned)
(module (assignment right: (lambda body: [(identifier) (attribute) (call) (subscript)] @returned)))
(yield [(identifier) (attribute) (call) (subscript) (tuple)] @yielded)
(for_statement left: (_) @to right: (_) @each)
(for_in_clause left: (_) @to right: (_) @each)
(call function: (identifier) @_taking
  arguments: (argument_list . (lambda parameters: (lambda_parameters . (identifier) @to)) . (_) @each)
  (#any-of? @_taking "map" "filter"))
(call function: [(identifier) @_taking (_ attribute: (identifier) @_taking)]
  arguments: (argument_list
    . (lambda parameters: (lambda_parameters . (_) . (identifier) @to)) . (_) @each)
  (#eq? @_taking "reduce"))
(call function: (identifier) @_taking
  arguments: (argument_list . (_) @each
    (keyword_argument value: (lambda parameters: (lambda_parameters . (identifier) @to))))
  (#any-of? @_taking "sorted" "min" "max"))
(call function: (_ object: (_) @each attribute: (identifier) @_taking)
  arguments: (argument_list
    (keyword_argument value: (lambda parameters: (lambda_parameters . (identifier) @to))))
  (#eq? @_taking "sort"))
(call function: (identifier) @_asked
  arguments: (argument_list . (identifier) @to . [
    (identifier) @narrowed
    (attribute) @narrowed
    (binary_operator) @narrowed
    (tuple [(identifier) (attribute)] @narrowed)] .)
  (#eq? @_asked "isinstance"))
(match_statement subject: (_) @from body: (_ (case_clause
  (case_pattern [(list_pattern) (tuple_pattern) (dict_pattern) (class_pattern)] @to))))
(match_statement subject: (_) @from body: (_ (case_clause (case_pattern (as_pattern
  (case_pattern [(list_pattern) (tuple_pattern) (dict_pattern) (class_pattern)] @to))))))
(match_statement subject: (identifier) @to body: (_ (case_clause (case_pattern [
  (class_pattern . (dotted_name) @narrowed)
  (as_pattern (case_pattern (class_pattern . (dotted_name) @narrowed)))]))))
(case_pattern (as_pattern (case_pattern (class_pattern . (dotted_name) @is)) . (identifier) @to))
(with_item value: (as_pattern (_) @entered alias: (as_pattern_target (_) @to)))
(decorator (_) @decorator)

; Imports

(import_statement name: (dotted_name) @module) @import
(import_statement name: (aliased_import name: (dotted_name) @module alias: (identifier) @alias)) @import
(import_from_statement module_name: (_) @module name: (dotted_name) @name) @import
(import_from_statement module_name: (_) @module
  name: (aliased_import name: (dotted_name) @name alias: (identifier) @alias)) @import
(import_from_statement module_name: (_) @module (wildcard_import) @wildcard) @import
(future_import_statement "__future__" @module name: (dotted_name) @name) @import

(comment) @comment
