"""Results of standard library functions: copies, views and parts of their arguments.

Nothing of them is in a tree. Each is known by the name it is called by, which counts where the tree
has nothing of that name, and by what it does with its arguments.
"""

from __future__ import annotations

from collections.abc import Callable

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.expressions.nodes import (
    NOTHING,
    Argument,
    Attribute,
    Call,
    DictLiteral,
    Either,
    ElementOf,
    Entered,
    Expression,
    InstanceOf,
    Item,
    ListLiteral,
    MemberByKey,
    Name,
    Spread,
    Text,
    either,
    last_part,
)
from satchel.indexer.callgraph.expressions.parser import parse_arguments
from satchel.indexer.callgraph.expressions.type_parser import parse_type
from satchel.indexer.callgraph.values.model import EMPTY, Collection, Interpreter, Value, Values
from satchel.indexer.languages.name_rules import Library

_PARSING = "parse_args"
_SETTING = "set_defaults"
_MAX_DEFAULTS = 24
"""Of calls that set defaults in the tree; with more of them there are several command lines."""
_Given = tuple[Argument, ...]


def _first(given: _Given) -> Expression:
    return given[0].value


def _all(given: _Given) -> Expression:
    return either([each.value for each in given])


def _cast(given: _Given) -> Expression:
    """`cast(Type, value)`: a value of that type, or the value itself where the type is unknown."""
    declared = given[0].value
    told = parse_type(declared.text) if type(declared) is Text else InstanceOf(declared)
    return either((told, _second(given)))


def _started(given: _Given) -> Expression:
    return Call(given[0].value, given[1:])


def _second(given: _Given) -> Expression:
    return given[1].value if len(given) > 1 else NOTHING


def _called(given: _Given) -> Expression:
    return Call(given[0].value, ())


def _elements(given: _Given) -> Expression:
    return ListLiteral((ElementOf(given[0].value),))


def _flattened(given: _Given) -> Expression:
    return ListLiteral((ElementOf(ElementOf(given[0].value)),))


def _pairs(given: _Given) -> Expression:
    return ListLiteral((ListLiteral((NOTHING, ElementOf(given[0].value))),))


def _element(given: _Given) -> Expression:
    return ElementOf(given[0].value)


def _list(given: _Given) -> Expression:
    return ListLiteral(tuple(each.value for each in given))


def _zipped(given: _Given) -> Expression:
    return ListLiteral((ListLiteral(tuple(ElementOf(each.value) for each in given)),))


def _mapped(given: _Given) -> Expression:
    arguments = tuple(Argument("", ElementOf(each.value)) for each in given[1:])
    return ListLiteral((Call(given[0].value, arguments),))


def _starred(given: _Given) -> Expression:
    return ListLiteral((Call(given[0].value, ()),))


def _filtered(given: _Given) -> Expression:
    return ListLiteral((ElementOf(_second(given)),))


def _entered(given: _Given) -> Expression:
    return Entered(given[0].value)


def _mapping(given: _Given) -> Expression:
    """A mapping made of pairs, of another mapping, or of keywords."""
    pairs: list[tuple[Expression, Expression]] = []
    for each in given:
        if each.keyword and each.keyword != "**":
            pairs.append((Text(each.keyword), each.value))
        # A list of pairs is taken apart where it is written out; else its elements are the pairs.
        elif type(each.value) is ListLiteral:
            pairs += [
                (pair.values[0], pair.values[1])
                for pair in each.value.values
                if type(pair) is ListLiteral and len(pair.values) == 2
            ]
        else:
            pairs.append((Spread(each.value), Spread(each.value)))
    return DictLiteral(tuple(pairs))


def _defaulting(given: _Given) -> Expression:
    """A mapping that makes what it lacks: `defaultdict(make)`."""
    return DictLiteral(((NOTHING, _called(given)),))


def _member(given: _Given) -> Expression:
    """`getattr(owner, "name")`, and what it gives where there is none."""
    if len(given) < 2:
        return NOTHING
    found = MemberByKey(given[0].value, given[1].value)
    return Either((found, given[2].value)) if len(given) > 2 else found


_OF_SCRIPT: dict[str, Callable[[_Given], Expression]] = {
    "Object.values": _elements,
    "Object.entries": _pairs,
    "Object.assign": _all,
    "Object.freeze": _first,
    "Object.seal": _first,
    "Object.create": _first,
    "Object.fromEntries": _mapping,
    "Object.setPrototypeOf": _all,
    "Array.from": _elements,
    "Array.of": _list,
    "Map": _mapping,
    "WeakMap": _mapping,
    "Set": _elements,
    "Promise.resolve": _first,
    "Promise.all": _elements,
    "Promise.race": _element,
    "Promise.any": _element,
    "Proxy": _first,
    "structuredClone": _first,
    "Reflect.get": _member,
}
# A name that begins with a dot is that of a method, whatever it is called on.
_OF_PYTHON: dict[str, Callable[[_Given], Expression]] = {
    "list": _elements,
    "tuple": _elements,
    "set": _elements,
    "frozenset": _elements,
    "sorted": _elements,
    "reversed": _elements,
    "iter": _first,
    "deque": _elements,
    "dict": _mapping,
    "OrderedDict": _mapping,
    "defaultdict": _defaulting,
    "collections.defaultdict": _defaulting,
    "MappingProxyType": _first,
    "enumerate": _pairs,
    "zip": _zipped,
    "map": _mapped,
    "filter": _filtered,
    "next": _element,
    "min": _element,
    "max": _element,
    "heappop": _element,
    "heapq.heappop": _element,
    "copy": _first,
    "deepcopy": _first,
    "copy.copy": _first,
    "copy.deepcopy": _first,
    "getattr": _member,
    "partial": _first,
    "functools.partial": _first,
    "partialmethod": _first,
    "property": _called,
    "cached_property": _called,
    "staticmethod": _first,
    "classmethod": _first,
    "cast": _cast,
    "typing.cast": _cast,
    ".submit": _started,
    ".map": _mapped,
    "as_completed": _elements,
    "futures.as_completed": _elements,
    "islice": _first,
    "itertools.islice": _first,
    "starmap": _starred,
    "itertools.starmap": _starred,
    "chain": _all,
    "itertools.chain": _all,
    ".from_iterable": _flattened,
    "replace": _first,
    "dataclasses.replace": _first,
    "closing": _first,
    "contextlib.closing": _first,
    "aclosing": _first,
    "nullcontext": _first,
    "weakref.proxy": _first,
    ".enter_context": _entered,
    ".enter_async_context": _entered,
    "asyncio.run": _first,
    "asyncio.create_task": _first,
    "asyncio.wait_for": _first,
    "asyncio.gather": _list,
}
_HANDED_ON = frozenset({"result"})
"""Methods of Python's futures and tasks that return their result: here a future is its result."""
_GETTERS = frozenset({"attrgetter", "itemgetter", "methodcaller"})
"""What `operator` makes functions with."""
_FUNCTIONS = {Library.SCRIPT: _OF_SCRIPT, Library.PYTHON: _OF_PYTHON}


def what_library_gives(library: Library, call: Call) -> Expression | None:
    """An expression for the result of a call of a library function; None for every other call."""
    known = _FUNCTIONS.get(library)
    if known is None:
        return None
    if library is Library.PYTHON and (given := _by_python(call)) is not None:
        return given
    if not call.arguments:
        return None
    # Which module a name comes from is not asked: whatever is called `deepcopy` copies.
    callee = call.callee
    if type(callee) is Name:
        name = callee.name
    elif type(callee) is Attribute and type(callee.of) is Name:
        name = f"{callee.of.name}.{callee.name}"
    else:
        return None
    made = known.get(name) or known.get(name[name.find(".") :])
    return made(call.arguments) if made else None


def _by_python(call: Call) -> Expression | None:
    """The result of a future, or of a function that `operator` made: `attrgetter("name")(of)`."""
    callee = call.callee
    if type(callee) is Attribute and callee.name in _HANDED_ON:
        return callee.of
    if type(callee) is not Call or last_part(callee.callee) not in _GETTERS:
        return None
    if not callee.arguments or not call.arguments:
        return None
    of, key = call.arguments[0].value, callee.arguments[0].value
    name = last_part(callee.callee)
    if name == "itemgetter":
        return Item(of, key)
    if type(key) is not Text:
        return None
    # `attrgetter("a.b")` goes from one attribute to the next.
    found: Expression = of
    for part in key.text.split("."):
        found = Attribute(found, part)
    return Call(found, callee.arguments[1:]) if name == "methodcaller" else found


# Where subcommands say which function runs them; followed as objects with those members.
def parsed_arguments(interpreter: Interpreter, call: Call) -> Values:
    """The result of `parser.parse_args()`: objects with the values of `set_defaults(run=f)`."""
    if last_part(call.callee) != _PARSING:
        return EMPTY
    # Which parser the defaults belong to is not asked: most trees have one command line.
    sites = interpreter.tables.call_sites(_SETTING, _MAX_DEFAULTS)
    found: set[Value] = set()
    for site in sites if len(sites) <= _MAX_DEFAULTS else ():
        given = [each for each in parse_arguments(site.arguments) if each.keyword]
        pairs = tuple((Text(each.keyword), each.value) for each in given)
        made = Collection(site.file_id, site.scope, DictLiteral(pairs, is_part=True))
        found.add(Value(made, rules.RETURNED))
    return frozenset(found)
