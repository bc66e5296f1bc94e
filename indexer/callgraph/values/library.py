"""Results of standard library functions: copies, views and parts of their arguments.

Nothing of them is in a tree. Each is known by the name it is called by, which counts where the tree
has nothing of that name, and by what it does with its arguments.
"""

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


def _first_argument(given: _Given) -> Expression:
    return given[0].value


def _any_argument(given: _Given) -> Expression:
    return either([each.value for each in given])


def _cast_value(given: _Given) -> Expression:
    """`cast(Type, value)`: a value of that type, or the value itself where the type is unknown."""
    declared = given[0].value
    instance = parse_type(declared.text) if type(declared) is Text else InstanceOf(declared)
    return either((instance, _second_argument(given)))


def _call_with_rest(given: _Given) -> Expression:
    return Call(given[0].value, given[1:])


def _second_argument(given: _Given) -> Expression:
    return given[1].value if len(given) > 1 else NOTHING


def _call_of_first(given: _Given) -> Expression:
    return Call(given[0].value, ())


def _list_of_elements(given: _Given) -> Expression:
    return ListLiteral((ElementOf(given[0].value),))


def _list_of_nested_elements(given: _Given) -> Expression:
    return ListLiteral((ElementOf(ElementOf(given[0].value)),))


def _list_of_pairs(given: _Given) -> Expression:
    return ListLiteral((ListLiteral((NOTHING, ElementOf(given[0].value))),))


def _one_element(given: _Given) -> Expression:
    return ElementOf(given[0].value)


def _list_of_arguments(given: _Given) -> Expression:
    return ListLiteral(tuple(each.value for each in given))


def _list_of_tuples(given: _Given) -> Expression:
    return ListLiteral((ListLiteral(tuple(ElementOf(each.value) for each in given)),))


def _list_of_results(given: _Given) -> Expression:
    arguments = tuple(Argument("", ElementOf(each.value)) for each in given[1:])
    return ListLiteral((Call(given[0].value, arguments),))


def _list_of_starred_results(given: _Given) -> Expression:
    return ListLiteral((Call(given[0].value, ()),))


def _list_of_filtered(given: _Given) -> Expression:
    return ListLiteral((ElementOf(_second_argument(given)),))


def _entered_context(given: _Given) -> Expression:
    return Entered(given[0].value)


def _dict_of_arguments(given: _Given) -> Expression:
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


def _dict_of_defaults(given: _Given) -> Expression:
    """A mapping that makes what it lacks: `defaultdict(make)`."""
    return DictLiteral(((NOTHING, _call_of_first(given)),))


def _member_by_name(given: _Given) -> Expression:
    """`getattr(owner, "name")`, and what it gives where there is none."""
    if len(given) < 2:
        return NOTHING
    found = MemberByKey(given[0].value, given[1].value)
    return Either((found, given[2].value)) if len(given) > 2 else found


_SCRIPT_FUNCTIONS: dict[str, Callable[[_Given], Expression]] = {
    "Object.values": _list_of_elements,
    "Object.entries": _list_of_pairs,
    "Object.assign": _any_argument,
    "Object.freeze": _first_argument,
    "Object.seal": _first_argument,
    "Object.create": _first_argument,
    "Object.fromEntries": _dict_of_arguments,
    "Object.setPrototypeOf": _any_argument,
    "Array.from": _list_of_elements,
    "Array.of": _list_of_arguments,
    "Map": _dict_of_arguments,
    "WeakMap": _dict_of_arguments,
    "Set": _list_of_elements,
    "Promise.resolve": _first_argument,
    "Promise.all": _list_of_elements,
    "Promise.race": _one_element,
    "Promise.any": _one_element,
    "Proxy": _first_argument,
    "structuredClone": _first_argument,
    "Reflect.get": _member_by_name,
}
# A name that begins with a dot is that of a method, whatever it is called on.
_PYTHON_FUNCTIONS: dict[str, Callable[[_Given], Expression]] = {
    "list": _list_of_elements,
    "tuple": _list_of_elements,
    "set": _list_of_elements,
    "frozenset": _list_of_elements,
    "sorted": _list_of_elements,
    "reversed": _list_of_elements,
    "iter": _first_argument,
    "deque": _list_of_elements,
    "dict": _dict_of_arguments,
    "OrderedDict": _dict_of_arguments,
    "defaultdict": _dict_of_defaults,
    "collections.defaultdict": _dict_of_defaults,
    "MappingProxyType": _first_argument,
    "enumerate": _list_of_pairs,
    "zip": _list_of_tuples,
    "map": _list_of_results,
    "filter": _list_of_filtered,
    "next": _one_element,
    "min": _one_element,
    "max": _one_element,
    "heappop": _one_element,
    "heapq.heappop": _one_element,
    "copy": _first_argument,
    "deepcopy": _first_argument,
    "copy.copy": _first_argument,
    "copy.deepcopy": _first_argument,
    "getattr": _member_by_name,
    "partial": _first_argument,
    "functools.partial": _first_argument,
    "partialmethod": _first_argument,
    "property": _call_of_first,
    "cached_property": _call_of_first,
    "staticmethod": _first_argument,
    "classmethod": _first_argument,
    "cast": _cast_value,
    "typing.cast": _cast_value,
    ".submit": _call_with_rest,
    ".map": _list_of_results,
    "as_completed": _list_of_elements,
    "futures.as_completed": _list_of_elements,
    "islice": _first_argument,
    "itertools.islice": _first_argument,
    "starmap": _list_of_starred_results,
    "itertools.starmap": _list_of_starred_results,
    "chain": _any_argument,
    "itertools.chain": _any_argument,
    ".from_iterable": _list_of_nested_elements,
    "replace": _first_argument,
    "dataclasses.replace": _first_argument,
    "closing": _first_argument,
    "contextlib.closing": _first_argument,
    "aclosing": _first_argument,
    "nullcontext": _first_argument,
    "weakref.proxy": _first_argument,
    ".enter_context": _entered_context,
    ".enter_async_context": _entered_context,
    "asyncio.run": _first_argument,
    "asyncio.create_task": _first_argument,
    "asyncio.wait_for": _first_argument,
    "asyncio.gather": _list_of_arguments,
}
_RETURNING_RESULT = frozenset({"result"})
"""Methods of Python's futures and tasks that return their result: here a future is its result."""
_GETTERS = frozenset({"attrgetter", "itemgetter", "methodcaller"})
"""What `operator` makes functions with."""
_PYTHON = Library.PYTHON
_FUNCTIONS = {Library.SCRIPT: _SCRIPT_FUNCTIONS, Library.PYTHON: _PYTHON_FUNCTIONS}


def what_library_gives(library: Library, call: Call) -> Expression | None:
    """An expression for the result of a call of a library function; None for every other call."""
    known = _FUNCTIONS.get(library)
    if known is None:
        return None
    if library is _PYTHON and (given := _result_in_python(call)) is not None:
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


def _result_in_python(call: Call) -> Expression | None:
    """The result of a future, or of a function that `operator` made: `attrgetter("name")(of)`."""
    callee = call.callee
    if type(callee) is Attribute and callee.name in _RETURNING_RESULT:
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
def parsed_arguments(interpreter: Interpreter, call: Call, family: str) -> Values:
    """The result of `parser.parse_args()`: objects with the values of `set_defaults(run=f)`.

    `family` is that of the call's language.
    """
    if last_part(call.callee) != _PARSING:
        return EMPTY
    # Which parser the defaults belong to is not asked: most trees have one command line.
    sites = interpreter.tables.call_sites(_SETTING, family, _MAX_DEFAULTS)
    found: set[Value] = set()
    for site in sites if len(sites) <= _MAX_DEFAULTS else ():
        given = [each for each in parse_arguments(site.arguments) if each.keyword]
        pairs = tuple((Text(each.keyword), each.value) for each in given)
        made = Collection(site.file_id, site.scope, DictLiteral(pairs, is_part=True))
        found.add(Value(made, rules.RETURNED))
    return frozenset(found)
