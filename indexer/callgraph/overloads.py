"""Overload resolution: which of several functions of one name a call means.

By number and types of the arguments, after Java (JLS 15.12.2) and, where a signature writes the
type behind the name, after Kotlin, whose parameters have defaults.

No type is inferred. The type of an argument is known where it can be read: of a literal, of `new`,
of a cast, of a name with a declared type. A type is a string: its simple name, with "[]" behind it
for each dimension of an array, and "" where it is not known. An argument of unknown type can be
passed to every parameter.
"""

import re
from functools import lru_cache

from msgspec import Struct

from satchel.indexer.callgraph.expressions.nodes import (
    Attribute,
    CollectionOf,
    Expression,
    InstanceOf,
    Name,
)
from satchel.indexer.callgraph.tables.bindings import Definition
from satchel.indexer.callgraph.tables.file_table import FileTable
from satchel.indexer.callgraph.tables.signatures import parameter_list
from satchel.store.model import FUNCTIONS
from satchel.store.reading.parameters import split_at_commas

_WIDENING_ORDER = ("byte", "short", "char", "int", "long", "float", "double")
"""A value of each can be passed where a later one is expected (JLS 5.1.2)."""
_BOXED = {
    "boolean": "Boolean", "byte": "Byte", "short": "Short", "char": "Character", "int": "Integer",
    "long": "Long", "float": "Float", "double": "Double",
}  # fmt: skip
_JAVA_NAMES = {
    "Boolean": "boolean", "Byte": "byte", "Short": "short", "Char": "char", "Int": "int",
    "Long": "long", "Float": "float", "Double": "double", "Any": "Object",
}  # fmt: skip
"""What Kotlin's types are called in Java."""
_PRIMITIVES = frozenset(_BOXED) | {"bool", "string", "decimal"}
_STRINGS = frozenset({"String", "string"})
_SUPERTYPES_OF_STRING = frozenset(
    {"CharSequence", "Comparable", "Serializable", "Object", "object"}
)
_SUPERTYPES_OF_BOXED = frozenset({"Object", "object", "Serializable", "Number", "Comparable"})
_NUMBER = re.compile(r"-?(?:0x[\da-fA-F_]+|[\d_]*\.?\d[\d_]*(?:[eE][-+]?\d+)?)([lLfFdDmM]?)")
_SUFFIXES = {"l": "long", "f": "float", "d": "double", "m": "decimal"}
_NEW = re.compile(r"new\s+([\w.]+)\s*(?:<[^()]*>)?\s*([\[(])")
_CAST = re.compile(r"\(([A-Za-z_][\w.]*)(?:<[^()]*>)?((?:\[\])*)\)\s*[\w\"'(]")
_STRING_LITERAL = re.compile(r"\"(?:[^\"\\]|\\.)*\"\s*(?:\+|$)")
_NAME = re.compile(r"[^\W\d]\w*")
_NAMED_LITERALS = {"true": "boolean", "false": "boolean", "null": "null"}
_MODIFIERS = re.compile(r"@\w+(?:\([^()]*\))?\s+|\b(?:final|ref|out|in|this|params)\s+")
_TYPE_PARAMETER = re.compile(r"[A-Z]\d?")
_VARIADIC = "..."
"""Ends the type of a parameter that takes all arguments that are left: `String...`, `vararg`."""
_ARRAY = "[]"
_COLLECTION = "[?]"
"""Ends the type of the elements of a collection of which it is not known whether it is an array."""

_IMPOSSIBLE, _POSSIBLE, _WIDENED, _IDENTICAL = range(4)
"""Conversions of an argument to the type of a parameter. A higher number is a better match."""


class _Match(Struct, frozen=True, order=True):
    """How well arguments match the parameters of a function; the best overload has the greatest.

    `is_exact` says that every parameter has one argument, none of them being variadic or left to
    its default: such an overload comes before all others. `conversions` is the sum over arguments.
    """

    is_exact: bool
    conversions: int


def matching_overloads(
    target: Definition, home: FileTable, table: FileTable, scope: int, name: str
) -> list[Definition]:
    """The overloads of `target`, which is defined in `home`, that calls of `name` may mean.

    The calls are those in a scope of the file of `table`. Several are returned where calls differ
    or their arguments do not tell; `target` alone where it has no overloads.
    """
    overloads = [
        d
        for d in home.children.get((target.parent, target.name), ())
        # Extensions of several types may stand beside each other.
        if d.kind in FUNCTIONS and d.scope == target.scope
    ]
    argument_lists = table.overloaded_calls.get((scope, name))
    # Most names have one definition, and then nothing is read of the arguments.
    if len(overloads) < 2 or not argument_lists:
        return [target]
    meant: dict[int, Definition] = {}
    for arguments in argument_lists:
        # A list that extraction cut has no parenthesis at its end: any overload may be meant.
        if not arguments.endswith(")"):
            meant |= {d.id: d for d in overloads}
            continue
        parts = split_at_commas(arguments[1:-1])
        types = tuple(_type_of_argument(part.strip(), table, scope) for part in parts)
        matches = [(_match(d, types), d) for d in overloads]
        best = max((match for match, _ in matches if match is not None), default=None)
        equal = [d for match, d in matches if match is not None and match == best]
        # Kotlin infers most types, so that equal matches are frequent: the first stands for them.
        equal = equal if table.imports.file.rules.type_before_name else equal[:1]
        meant |= {d.id: d for d in equal}
    return list(meant.values()) or [target]


def _match(function: Definition, arguments: tuple[str, ...]) -> _Match | None:
    """How well arguments of some types match a function; None if it cannot be called with them."""
    if function.file.rules.type_before_name:
        return _match_in_java(tuple(_types_in_java(function.signature).values()), arguments)
    return _match_in_kotlin(function.signature, arguments)


def _match_in_java(parameters: tuple[str, ...], arguments: tuple[str, ...]) -> _Match | None:
    """A match by fixed arity comes before one by variable arity (JLS 15.12.2.2 to 15.12.2.4)."""
    if not (parameters and parameters[-1].endswith(_VARIADIC)):
        return _sum_of_conversions(arguments, parameters, is_exact=True)
    *fixed, variadic = parameters
    element = variadic.removesuffix(_VARIADIC)
    n_variadic = len(arguments) - len(fixed)
    if n_variadic < 0:
        return None
    if n_variadic == 1 and arguments[-1].endswith("]"):  # an array is passed as it is
        return _sum_of_conversions(arguments, (*fixed, element + _ARRAY), is_exact=True)
    return _sum_of_conversions(arguments, (*fixed, *[element] * n_variadic), is_exact=False)


@lru_cache(maxsize=1 << 14)
def _match_in_kotlin(signature: str, arguments: tuple[str, ...]) -> _Match | None:
    """Parameters may have defaults, and one `vararg` takes any number of arguments.

    A lambda may stand behind the parentheses, and is then not among the arguments.
    """
    parameters = split_at_commas(parameter_list(signature))
    n_required = sum("=" not in parameter for parameter in parameters)
    is_variadic = any("vararg " in parameter for parameter in parameters)
    takes_lambda = bool(parameters) and "->" in parameters[-1]
    if len(arguments) < n_required - takes_lambda - is_variadic:
        return None
    # Which arguments go to the `vararg` is not told apart, so that their types say nothing.
    if is_variadic:
        return _Match(is_exact=False, conversions=0)
    types = tuple(_types_in_kotlin(signature).values())
    if len(arguments) > len(types):
        return None
    is_exact = len(arguments) == len(types)
    return _sum_of_conversions(arguments, types[: len(arguments)], is_exact=is_exact)


def _sum_of_conversions(
    arguments: tuple[str, ...], parameters: tuple[str, ...], *, is_exact: bool
) -> _Match | None:
    """The match of each argument with the parameter at its place; None if one is impossible."""
    if len(arguments) != len(parameters):
        return None
    # One argument that does not fit rules the overload out, however well the others do.
    conversions = [_conversion(*pair) for pair in zip(arguments, parameters, strict=True)]
    return None if _IMPOSSIBLE in conversions else _Match(is_exact, sum(conversions))


def _conversion(argument: str, parameter: str) -> int:
    """The conversion of one type to another, `_IMPOSSIBLE` to `_IDENTICAL`."""
    if not argument or not parameter:
        return _POSSIBLE
    if argument == parameter:
        return _IDENTICAL
    if argument == "null":
        return _IMPOSSIBLE if parameter in _BOXED else _POSSIBLE
    if argument.endswith("]") or parameter.endswith("]"):
        return _array_conversion(argument, parameter)
    if argument in _BOXED:
        return _primitive_conversion(argument, parameter)
    if argument in _STRINGS:
        other = _POSSIBLE if _is_type_parameter(parameter) else _IMPOSSIBLE
        return _WIDENED if parameter in _SUPERTYPES_OF_STRING else other
    if parameter in _BOXED:
        is_unboxed = argument == _BOXED[parameter] or _is_type_parameter(argument)
        return _POSSIBLE if is_unboxed else _IMPOSSIBLE
    # Of classes nothing is known but their names: one may inherit from any other.
    return _IMPOSSIBLE if parameter in _STRINGS else _POSSIBLE


def _primitive_conversion(argument: str, parameter: str) -> int:
    """The conversion of a primitive type: widening, or boxing."""
    if parameter in _WIDENING_ORDER and argument in _WIDENING_ORDER:
        is_wider = _WIDENING_ORDER.index(argument) < _WIDENING_ORDER.index(parameter)
        return _WIDENED if is_wider else _IMPOSSIBLE
    is_boxed = parameter == _BOXED[argument] or parameter in _SUPERTYPES_OF_BOXED
    return _POSSIBLE if is_boxed or _is_type_parameter(parameter) else _IMPOSSIBLE


def _array_conversion(argument: str, parameter: str) -> int:
    """The conversion where one of the two is an array, or a collection of elements."""
    is_array = argument.endswith(_ARRAY)
    if argument.endswith(_COLLECTION) and not parameter.endswith(_ARRAY):
        is_single = parameter in _PRIMITIVES or parameter in _STRINGS
        return _IMPOSSIBLE if is_single else _POSSIBLE
    if parameter.endswith(_ARRAY) and argument.endswith("]"):
        element = argument.removesuffix(_ARRAY if is_array else _COLLECTION)
        wanted = parameter.removesuffix(_ARRAY)
        if element == wanted:
            return _IDENTICAL
        is_other = {element, wanted} & _PRIMITIVES or wanted in _STRINGS
        return _IMPOSSIBLE if is_other else _POSSIBLE
    # An array where there is to be none, or the other way round: as an object, or as a `T`.
    single = parameter if is_array else argument
    is_any = single in _SUPERTYPES_OF_BOXED or _is_type_parameter(single)
    return _POSSIBLE if is_any else _IMPOSSIBLE


def _is_type_parameter(name: str) -> bool:
    # By convention a capital, perhaps with a digit. Declarations of type parameters are not read.
    return _TYPE_PARAMETER.fullmatch(name) is not None


@lru_cache(maxsize=1 << 14)
def _types_in_java(signature: str) -> dict[str, str]:
    """The type of each parameter by its name, in order, of a signature with `Type name`."""
    types = {}
    for part in split_at_commas(parameter_list(signature)):
        plain = _MODIFIERS.sub("", part.strip() + " ").strip()
        is_variadic = _VARIADIC in plain or "params " in part
        words = plain.replace(_VARIADIC, " ").rsplit(None, 1)
        if words:
            types[words[-1]] = _simple_type(words[0]) + (_VARIADIC if is_variadic else "")
    return types


@lru_cache(maxsize=1 << 14)
def _types_in_kotlin(signature: str) -> dict[str, str]:
    """The same of a signature with `name: Type`; types have their names of Java."""
    types = {}
    for part in split_at_commas(parameter_list(signature)):
        name, _, written = part.partition(":")
        simple = _simple_type(written.partition("=")[0].strip().rstrip("?"))
        if name.strip():
            types[name.split()[-1]] = _JAVA_NAMES.get(simple, "" if "->" in written else simple)
    return types


def _simple_type(written: str) -> str:
    """A type without its package and type arguments: `java.util.List<String>[]` is `List[]`."""
    name = written.partition("<")[0].strip()
    n_dimensions = written.count(_ARRAY)
    return name.replace(_ARRAY, "").strip().rpartition(".")[2] + _ARRAY * n_dimensions


def _type_of_argument(text: str, table: FileTable, scope: int) -> str:
    """The type of an argument as it is written; "" where that does not tell."""
    # A name alone is looked up; an expression is told by how it begins.
    if _NAME.fullmatch(text):
        return _NAMED_LITERALS.get(text) or _declared_type(text, table, scope)
    if _STRING_LITERAL.match(text):
        return "String"
    if text.startswith("'"):
        return "char"
    if number := _NUMBER.fullmatch(text):
        return _SUFFIXES.get(number[1].lower(), "double" if "." in text else "int")
    if text.endswith(".class"):
        return "Class"
    if new := _NEW.match(text):
        return _simple_type(new[1]) + (_ARRAY if new[2] == "[" else "")
    if cast := _CAST.match(text):
        return _simple_type(cast[1] + cast[2])
    return ""


def _declared_type(name: str, table: FileTable, scope: int) -> str:
    """The declared type of a name, in the innermost scope that gives it one."""
    while True:  # from the call outwards; parameters before what is declared inside
        around = table.definitions[scope]
        is_java = around.file.rules.type_before_name
        parameters = (_types_in_java if is_java else _types_in_kotlin)(around.signature)
        if parameter := parameters.get(name):
            return parameter.replace(_VARIADIC, _ARRAY)
        types = {_type_name(each) for each in table.values.get((scope, name), ())}
        if types:  # two declarations of one name in a scope say nothing of the one that is seen
            return types.pop() if len(types) == 1 else ""
        if scope == table.module:
            return ""
        scope = around.parent


def _type_name(of: Expression) -> str:
    if type(of) is CollectionOf:
        return _type_name(of.element) + _COLLECTION
    if type(of) is InstanceOf and isinstance(of.of, Name | Attribute):
        return of.of.name
    return ""
