"""What collections hold: literals, what is put into them, generators, declared element types."""

import re

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.expressions.nodes import (
    NOTHING,
    Argument,
    Attribute,
    Call,
    CollectionOf,
    DictLiteral,
    Either,
    ElementOf,
    Entered,
    Expression,
    Found,
    Item,
    ListLiteral,
    Name,
    Number,
    Slice,
    Spread,
    Text,
    Written,
)
from satchel.indexer.callgraph.values.components import component_of
from satchel.indexer.callgraph.values.keys import keys
from satchel.indexer.callgraph.values.model import (
    EMPTY,
    HOLDERS_OF_VALUES,
    UNKNOWN,
    BoundMethod,
    Collection,
    Def,
    Elements,
    Instance,
    Interpreter,
    Module,
    TypedCollection,
    Value,
    Values,
    in_order,
    union,
    weakened,
)
from satchel.indexer.extract.references import LOOP
from satchel.indexer.languages.name_rules import Library
from satchel.store.model import CLASS_LIKE

_SECOND = Number("1")
"""What a loop over a map of JavaScript gives are pairs: the element behind the key."""
_LOADED_MODULES, _OWN_MODULE = Attribute(Name("sys"), "modules"), Name("__name__")
"""`sys.modules[__name__]` is the module itself."""
_RETURN_ELEMENT = frozenset(
    "get pop setdefault popleft first last at shift get_nowait firstOrNull lastOrNull single"
    " singleOrNull getValue getOrNull elementAt ElementAt front back head headOption lastOption"
    " getOrElse apply First FirstOrDefault Last LastOrDefault Single SingleOrDefault Find get_mut"
    " first_mut last_mut pop_front pop_back peek".split()
)
_WITH_DEFAULT = frozenset({"get", "pop", "setdefault"})
"""Those that give their second argument where there is nothing."""
_RETURN_COLLECTION = frozenset(
    "values copy keys iter into_iter iter_mut filter reversed slice sort reverse splice flat concat"
    " toSorted toReversed stream toList collect asList asSequence filterNot filterNotNull sorted"
    " sortedBy sortedByDescending sortedWith distinct distinctBy take takeWhile takeLast drop"
    " dropWhile dropLast skip skipWhile skip_while take_while toSet toMutableList toTypedArray"
    " orEmpty onEach onEachIndexed shuffled parallelStream limit peekable rev enumerate cloned"
    " copied by_ref lazy dropFirst prefix suffix select reject compact uniq sort_by to_a where"
    " whereType iterator listIterator entrySet each_with_index with_index Where OrderBy"
    " OrderByDescending ThenBy Distinct Skip Take Reverse ToList ToArray"
    " AsEnumerable AsParallel ToHashSet Concat tail init".split()
)
_COLLECTION_READ = frozenset({"Values", "indices", "entries"})
"""Properties, beside these methods, that are collections of the same elements."""
_FILTERING = "filter"
"""That of them whose argument may say of which type the elements are."""
_JOINING = frozenset({"concat"})
"""Those of them whose arguments are collections that the result holds as well."""
_RETURN_ELEMENT_OF = frozenset(
    "find findLast next findFirst orElse computeIfAbsent computeIfPresent getOrDefault merge peek"
    " poll pollFirst pollLast getFirst getLast peekFirst peekLast removeFirst removeLast findAny"
    " find_map detect maxBy minBy max_by min_by maxByOrNull minByOrNull MaxBy MinBy firstWhere"
    " lastWhere singleWhere randomElement removeAt random sample".split()
)
"""Methods that return an element, whatever their arguments are."""
_RETURN_PAIRS = frozenset({"items", "entries"})
_RETURN_CALLED = frozenset(
    "map Select collect mapNotNull compactMap filter_map mapIndexed parMap mapValues".split()
)
"""Methods that return what their argument makes of the elements."""
_RETURN_ALL_CALLED = frozenset("flatMap SelectMany flat_map collect_concat expand".split())
"""Those whose argument makes a collection of each, and that return what all of them hold."""


_COLLECTIONS = frozenset({Collection, TypedCollection})
_OF_MANY = frozenset({Spread, ElementOf})
_WHOLE = re.compile(r"-?\d+").fullmatch
_RETURN_MADE = _RETURN_PAIRS | _RETURN_CALLED | _RETURN_ALL_CALLED
_OF_COLLECTIONS = _RETURN_ELEMENT | _RETURN_COLLECTION | _RETURN_ELEMENT_OF | _RETURN_MADE


def evaluate_collection(
    interpreter: Interpreter, file_id: int, scope: int, expression: Expression
) -> Values:
    """What a literal of a collection, or a part of a collection, may stand for."""
    # Tests of the type one by one: `match` takes several times as long.
    if type(expression) is Item or type(expression) is ElementOf:
        return _part_of_collection(interpreter, file_id, scope, expression)
    if type(expression) is ListLiteral or type(expression) is DictLiteral:
        return _literal(file_id, scope, expression)
    if type(expression) is CollectionOf:
        what = TypedCollection(file_id, scope, expression.element)
        return frozenset({Value(what, rules.DECLARED)})
    if type(expression) is Written:
        table = interpreter.tables.table_at(file_id, scope)
        inside = table.children.get((scope, expression.name), ())
        return frozenset(
            Value(Def(d.id), rules.LOCAL) for d in inside if d.kind not in HOLDERS_OF_VALUES
        )
    if type(expression) is Slice:
        containers = interpreter.evaluate(file_id, scope, expression.of)
        return frozenset(_slice(value, expression.first, expression.end) for value in containers)
    if type(expression) is Entered:
        containers = interpreter.evaluate(file_id, scope, expression.of)
        # Most context managers return themselves. A generator function that is decorated as a
        # context manager gives what it yields.
        return containers | union([_enter(interpreter, value) for value in in_order(containers)])
    return EMPTY


def _part_of_collection(
    interpreter: Interpreter, file_id: int, scope: int, expression: Item | ElementOf
) -> Values:
    """The values under a key of a collection, or its elements."""
    of, key = expression.of, expression.key if type(expression) is Item else None
    containers = interpreter.evaluate(file_id, scope, of)
    found = keys(interpreter, file_id, scope, key) if containers and key else (None,)
    parts = union(
        [element(interpreter, value, index) for index in found for value in in_order(containers)]
    )
    if parts or key is None:
        return parts
    if of == _LOADED_MODULES and key == _OWN_MODULE:  # `sys.modules[__name__]`
        return frozenset({Value(Module(file_id), rules.LOCAL)})
    if type(of) is ElementOf and key == _SECOND:
        return frozenset(v for v in containers if isinstance(v.what, Def | BoundMethod | Instance))
    parts = union(_subscripted_class(interpreter, value) for value in containers)
    if parts or not (type(key) is Name or type(key) is Attribute):
        return parts
    # A member may be written under the name that holds its key: `[kState]() {}`.
    return union(
        _member_by_key(interpreter, value, Text(key.name))
        for value in in_order(containers)
        if isinstance(value.what, Def | Instance)
    )


def element(interpreter: Interpreter, value: Value, index: Expression | None) -> Values:
    """What a collection holds at an index, or anywhere where that is None."""
    # An element is no surer than its collection.
    what = value.what
    found: Values = EMPTY
    if type(what) is Collection:
        # A question, since a collection may hold itself, or what is computed from its own parts.
        found = interpreter.ask(Elements(what, index))
    elif type(what) is TypedCollection:
        found = interpreter.evaluate(what.file_id, what.scope, what.element)
    elif type(what) is Def or type(what) is Module:
        found = _member_by_key(interpreter, value, index)
    elif type(what) is Instance:
        if index is not None:
            found = _call_method(interpreter, value, "__getitem__")
            found = found or _member_by_key(interpreter, value, index)
            if not found and type(index) is Number:  # a record that is taken apart
                holder = interpreter.tables.definition(what.class_id)
                found = component_of(interpreter, holder, index)
        else:
            # What a loop over an instance gives, by Python's protocol of iterators.
            found = union(
                _next_values(interpreter, iterator)
                for name in ("__iter__", LOOP)
                for iterator in _call_method(interpreter, value, name)
            )
    elif type(what) in UNKNOWN:
        found = frozenset({value})
    return weakened(found, value.rule)


def _subscripted_class(interpreter: Interpreter, value: Value) -> Values:
    """`Class[Type]` of Python, which is the class itself; of an enum a constant."""
    if type(value.what) is not Def:
        return EMPTY
    holder = interpreter.tables.definition(value.what.symbol_id)
    if holder.file.rules.library is not Library.PYTHON or holder.kind not in CLASS_LIKE:
        return EMPTY
    # Only an enum is indexed by its constants; elsewhere brackets hold types.
    is_enum = interpreter.classes.is_enum(holder)
    return frozenset({Value(Instance(holder.id), value.rule) if is_enum else value})


def _next_values(interpreter: Interpreter, iterator: Value) -> Values:
    """What an iterator gives at each step: as Python's `__next__` does, or as the `value` of what
    JavaScript's `next` returns."""
    what = iterator.what
    if type(what) is Instance:
        found = _call_method(interpreter, iterator, "__next__")
        if found:
            return found
    elif not (type(what) is Collection and has_key(what.literal, "next")):
        return element(interpreter, iterator, None)
    steps = _call_method(interpreter, iterator, "next")
    return union(interpreter.member(step, "value") for step in in_order(steps))


def _member_by_key(interpreter: Interpreter, value: Value, index: Expression | None) -> Values:
    """`owner["name"]`, where members are items: in JavaScript, for one."""
    what = value.what
    if type(what) is Def or type(what) is Instance:  # no module, as Python's `globals` gives
        owner = what.symbol_id if isinstance(what, Def) else what.class_id
        if not interpreter.tables.definition(owner).file.rules.members_are_items:
            return EMPTY
    if type(index) is Text:
        return interpreter.member(value, index.text)
    if index is not None or type(what) is not Def:
        return EMPTY
    # Any key of an object whose members are functions.
    holder = interpreter.tables.definition(what.symbol_id)
    inside = interpreter.tables.table_at(holder.file_id, holder.id).members_of(holder.id)
    is_object = holder.kind in HOLDERS_OF_VALUES
    return frozenset(Value(Def(d.id), rules.LOCAL) for d in inside) if is_object else EMPTY


def _enter(interpreter: Interpreter, value: Value) -> Values:
    if type(value.what) is Instance:
        return _call_method(interpreter, value, "__enter__")
    is_collection = type(value.what) in _COLLECTIONS
    return element(interpreter, value, None) if is_collection else EMPTY


def _call_method(interpreter: Interpreter, value: Value, method: str) -> Values:
    methods = in_order(interpreter.member(value, method))
    return union(interpreter.call(member) for member in methods)


def has_only_elements(value: Value) -> bool:
    """Whether a value is a collection whose keys are no members, as those of an object are."""
    what = value.what
    return type(what) is TypedCollection or (
        type(what) is Collection and type(what.literal) is ListLiteral
    )


def part_of_collection(interpreter: Interpreter, value: Value, name: str) -> Values:
    """What a property of a collection gives: `list.first`, `map.values`, `object.key`."""
    if type(value.what) is Collection and not has_only_elements(value):
        is_key = has_key(value.what.literal, name)  # an object of JavaScript
        return element(interpreter, value, Text(name)) if is_key else EMPTY
    if name in _RETURN_COLLECTION or name in _COLLECTION_READ:
        return frozenset({value})
    is_one = name in _RETURN_ELEMENT or name in _RETURN_ELEMENT_OF
    return element(interpreter, value, None) if is_one else EMPTY


def call_of_collection_method(
    interpreter: Interpreter, file_id: int, scope: int, call: Call, callee: Attribute
) -> Values:
    """The result of a method of a collection, where there is one; `callee` is that of the call."""
    method = callee.name
    if method not in _OF_COLLECTIONS:
        return EMPTY
    collections = _collections(interpreter, file_id, scope, call, callee)
    if not collections:
        return EMPTY
    if method in _JOINING:
        others = union(interpreter.evaluate(file_id, scope, a.value) for a in call.arguments)
        return collections | others
    if method in _RETURN_COLLECTION and not (method in _RETURN_CALLED and call.arguments):
        if method != "slice" or not call.arguments:
            return collections
        first, end = (*[each.value for each in call.arguments[:2]], NOTHING)[:2]
        return frozenset(_slice(value, first, end) for value in collections)
    if method in _RETURN_MADE:
        return _literal(file_id, scope, _derived_collection(callee.of, method, call.arguments))
    if method in _RETURN_ELEMENT_OF:
        found = union(element(interpreter, value, None) for value in in_order(collections))
        # A generator of JavaScript gives it as the `value` of an object.
        step = DictLiteral(((Text("value"), ElementOf(callee.of)),))
        return found | _literal(file_id, scope, step) if method == "next" else found
    key = call.arguments[0].value if call.arguments else None
    indices = keys(interpreter, file_id, scope, key) if key else (None,)
    default = call.arguments[1:2] if method in _WITH_DEFAULT else ()
    return union(
        [
            *(element(interpreter, v, each) for each in indices for v in in_order(collections)),
            *(interpreter.evaluate(file_id, scope, each.value) for each in default),
        ]
    )


def _collections(
    interpreter: Interpreter, file_id: int, scope: int, call: Call, callee: Attribute
) -> Values:
    """The collections that a method is called on; where it keeps what a function finds to be of a
    type, a collection of that."""
    if callee.name == _FILTERING and len(call.arguments) == 1:
        found = Found(call.arguments[0].value)
        if interpreter.evaluate(file_id, scope, found):
            return frozenset({Value(TypedCollection(file_id, scope, found), rules.RETURNED)})
    values = interpreter.evaluate(file_id, scope, callee.of)
    return frozenset(value for value in values if type(value.what) in _COLLECTIONS)


def _derived_collection(of: Expression, method: str, given: tuple[Argument, ...]) -> ListLiteral:
    """The collection that a method makes of the elements of another."""
    element_of = ElementOf(of)
    if method in _RETURN_PAIRS:  # of a key, which is not followed, and an element
        return ListLiteral((ListLiteral((NOTHING, element_of)),))
    called = Call(given[-1].value, (Argument("", element_of),)) if given else NOTHING
    return ListLiteral((Spread(called) if method in _RETURN_ALL_CALLED else called,))


def parts_at(
    interpreter: Interpreter, collection: Collection, index: Expression | None
) -> tuple[Expression, ...] | list[Expression]:
    """The parts of a literal that an index may mean; all of them where the index is not known."""
    literal = collection.literal
    known = index if type(index) is Text or type(index) is Number else None
    if isinstance(literal, DictLiteral):
        if known is not None and literal.pairs:
            is_script = interpreter.tables.file(collection.file_id).rules.members_are_items
            index = known = _as_key(known) if is_script else known
            literal = _with_known_keys(interpreter, collection, literal, is_script=is_script)
        same = [value for key, value in literal.pairs if index in (key, _as_text(key))]
        if known is not None and same:
            return same[-1:]
        # No such key is written: what is put under keys that are computed may be meant.
        return [
            _spread_values(v, known)
            for k, v in literal.pairs
            if known is None or not (type(k) is Text or type(k) is Number)
        ]
    values = literal.values
    n_fixed = next((i for i, value in enumerate(values) if type(value) in _OF_MANY), len(values))
    # A list with one value is as likely one that is filled elsewhere, by `append`.
    if type(known) is Number and _WHOLE(known.text) and len(values) > 1:
        position = int(known.text)
        if position < 0 and n_fixed == len(values):
            position += len(values)
        if 0 <= position < n_fixed or n_fixed == len(values):
            return values[position : position + 1]
        values = values[n_fixed:]
    return [ElementOf(value.of) if type(value) is Spread else value for value in values]


def _as_key(key: Text | Number) -> Text | Number:
    """A number as a text: JavaScript's keys are texts."""
    return Text(key.text) if type(key) is Number else key


def _with_known_keys(
    interpreter: Interpreter, collection: Collection, literal: DictLiteral, *, is_script: bool
) -> DictLiteral:
    """A literal with the texts and numbers that its computed keys are: `[Kind.A]`, `Kind.A`."""
    pairs: list[tuple[Expression, Expression]] = []
    for key, value in literal.pairs:
        computed = key.values[0] if type(key) is ListLiteral and len(key.values) == 1 else key
        if type(computed) is Attribute or computed is not key:
            found = keys(interpreter, collection.file_id, collection.scope, computed)
            key = found[0] if len(found) == 1 and found[0] is not None else key
        if is_script and type(key) is Number:
            key = _as_key(key)
        pairs.append((key, value))
    return DictLiteral(tuple(pairs), literal.is_part)


def _spread_values(value: Expression, key: Text | Number | None) -> Expression:
    """The values under a key of a collection that a literal spreads: `{...of}`."""
    if type(value) is not Spread:
        return value
    if type(key) is Text:
        return Either((Item(value.of, key), Attribute(value.of, key.text)))
    return ElementOf(value.of)


# JavaScript's objects are dictionaries here, and their members are items.
def has_key(literal: Expression, name: str) -> bool:
    """Whether a literal is a dictionary that has `name` as a key, so that `literal.name` reads it.

    A computed key that is not known matches no name.
    """
    if type(literal) is not DictLiteral:
        return False
    for key, _ in literal.pairs:
        if type(key) is Text:
            if key.text == name:
                return True
        elif type(key) is Spread or (type(key) is Name and key.name == name):
            return True
    return False


def _as_text(key: Expression) -> Expression:
    """A key without quotes, as it is in JavaScript, as the text that it is."""
    return Text(key.name) if type(key) is Name else key


def _slice(value: Value, first: Expression, end: Expression) -> Value:
    """Part of a list literal, where its bounds are numbers; else all of it."""
    what = value.what
    if type(what) is not Collection or type(what.literal) is not ListLiteral:
        return value
    bounds = [int(e.text) if type(e) is Number and _WHOLE(e.text) else None
              for e in (first, end)]  # fmt: skip
    if bounds == [None, None]:
        return value
    part = ListLiteral(what.literal.values[bounds[0] : bounds[1]])
    return Value(Collection(what.file_id, what.scope, part), value.rule)


def _literal(file_id: int, scope: int, literal: ListLiteral | DictLiteral) -> Values:
    return frozenset({Value(Collection(file_id, scope, literal), rules.LOCAL)})
