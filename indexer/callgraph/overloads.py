"""Which of several functions of one name a call means: by number and types of its arguments.

For languages that tell functions apart by them. Types are compared as written, and only those that
can be seen: of literals, of what is made or cast, of names with a declared type. An argument of
unknown type fits every parameter; of the functions that fit, those that fit best are meant.
"""

from __future__ import annotations

import re
from functools import lru_cache

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

_WIDENING = ("byte", "short", "char", "int", "long", "float", "double")
"""Each may be given where a later one is wanted."""
_BOXES = {
    "boolean": "Boolean", "byte": "Byte", "short": "Short", "char": "Character", "int": "Integer",
    "long": "Long", "float": "Float", "double": "Double",
}  # fmt: skip
_IN_JAVA = {
    "Boolean": "boolean", "Byte": "byte", "Short": "short", "Char": "char", "Int": "int",
    "Long": "long", "Float": "float", "Double": "double", "Any": "Object",
}  # fmt: skip
"""Types of Kotlin by the names that they have in Java."""
_PRIMITIVES = frozenset(_BOXES) | {"bool", "string", "decimal"}
_STRINGS = frozenset({"String", "string"})
_BASES_OF_STRING = frozenset({"CharSequence", "Comparable", "Serializable", "Object", "object"})
_ROOTS = frozenset({"Object", "object", "Serializable", "Number", "Comparable"})
_NUMBER = re.compile(r"-?(?:0x[\da-fA-F_]+|[\d_]*\.?\d[\d_]*(?:[eE][-+]?\d+)?)([lLfFdDmM]?)")
_SUFFIXES = {"l": "long", "f": "float", "d": "double", "m": "decimal"}
_MADE = re.compile(r"new\s+([\w.]+)\s*(?:<[^()]*>)?\s*([\[(])")
_CAST = re.compile(r"\(([A-Za-z_][\w.]*)(?:<[^()]*>)?((?:\[\])*)\)\s*[\w\"'(]")
_STRING_LITERAL = re.compile(r"\"(?:[^\"\\]|\\.)*\"\s*(?:\+|$)")
_NAME = re.compile(r"[^\W\d]\w*")
_NAMED_LITERALS = {"true": "boolean", "false": "boolean", "null": "null"}
_MODIFIERS = re.compile(r"@\w+(?:\([^()]*\))?\s+|\b(?:final|ref|out|in|this|params)\s+")
_TYPE_PARAMETER = re.compile(r"[A-Z]\d?")
_REST = "..."
_ITEMS = "[?]"
"""Behind the type of the elements of a collection whose own kind is not known."""

_FITS, _WIDENS, _SAME = 1, 2, 3
"""How well a type fits: it may, it does, it is the one."""


def matching_overloads(
    target: Definition, home: FileTable, table: FileTable, call: tuple[int, str]
) -> list[Definition]:
    """Those that calls in a file mean, of the function `target` in `home` and its overloads.

    `call` is the scope of the calls, and what they call the function.
    """
    same = [
        d
        for d in home.children.get((target.parent, target.name), ())
        # Extensions of several types may stand beside each other.
        if d.kind in FUNCTIONS and d.scope == target.scope
    ]
    given = table.overloaded_calls.get(call)
    # Most names have one definition, and then nothing is read of the arguments.
    if len(same) < 2 or not given:
        return [target]
    meant: dict[int, Definition] = {}
    for arguments in given:
        # A list that extraction cut has no parenthesis at its end: any overload may be meant.
        if not arguments.endswith(")"):
            meant |= {d.id: d for d in same}
            continue
        parts = split_at_commas(arguments[1:-1])
        types = tuple(_type_of_argument(part.strip(), table, call[0]) for part in parts)
        scores = [(_score_of(d, types), d) for d in same]
        # Several that fit equally well are all meant.
        best = max((score for score, _ in scores if score is not None), default=None)
        fitting = [d for score, d in scores if score is not None and score == best]
        # Where few types are written, the first stands for those that fit equally well.
        fitting = fitting if table.imports.file.rules.type_before_name else fitting[:1]
        meant |= {d.id: d for d in fitting}
    return list(meant.values()) or [target]


def _score_of(function: Definition, given: tuple[str, ...]) -> tuple[bool, int] | None:
    """How well arguments of some types fit a function; None if they do not."""
    if function.file.rules.type_before_name:
        return _score(tuple(_parameters(function.signature).values()), given)
    return _score_with_defaults(function.signature, given)


@lru_cache(maxsize=1 << 14)
def _score_with_defaults(signature: str, given: tuple[str, ...]) -> tuple[bool, int] | None:
    """How well arguments fit parameters that may have defaults, as in Kotlin.

    A lambda may stand behind the parentheses, and is not counted then.
    """
    listed = split_at_commas(parameter_list(signature))
    n_needed = sum("=" not in part for part in listed)
    takes_rest = any("vararg " in part for part in listed)
    takes_lambda = bool(listed) and "->" in listed[-1]
    if len(given) < n_needed - takes_lambda - takes_rest:
        return None
    if takes_rest:
        return False, 0
    wanted = tuple(_typed_parameters(signature).values())
    fits = [_fit(*pair) for pair in zip(given, wanted, strict=False)]
    # One that takes exactly so many is meant rather than one with defaults.
    return (
        (len(given) == len(wanted), sum(fits)) if all(fits) and len(given) <= len(wanted) else None
    )


@lru_cache(maxsize=1 << 14)
def _typed_parameters(signature: str) -> dict[str, str]:
    """As `_parameters`, of a signature that writes `name: Type`; types by their names in Java."""
    found = {}
    for part in split_at_commas(parameter_list(signature)):
        name, _, written = part.partition(":")
        kind = _plain_type(written.partition("=")[0].strip().rstrip("?"))
        if name.strip():
            found[name.split()[-1]] = _IN_JAVA.get(kind, "" if "->" in written else kind)
    return found


@lru_cache(maxsize=1 << 14)
def _parameters(signature: str) -> dict[str, str]:
    """The type of each parameter by its name, in order; of one that takes the rest, with dots."""
    found = {}
    for part in split_at_commas(parameter_list(signature)):
        plain = _MODIFIERS.sub("", part.strip() + " ").strip()
        takes_rest = _REST in plain or "params " in part
        words = plain.replace(_REST, " ").rsplit(None, 1)
        if words:
            found[words[-1]] = _plain_type(words[0]) + (_REST if takes_rest else "")
    return found


def _plain_type(written: str) -> str:
    """A type without the types it is made of: the last part of its name, and its brackets."""
    name = written.partition("<")[0].strip()
    brackets = written.count("[]")
    return name.replace("[]", "").strip().rpartition(".")[2] + "[]" * brackets


def _type_of_argument(text: str, table: FileTable, scope: int) -> str:
    """The type of an argument, "" where it cannot be seen."""
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
    if made := _MADE.match(text):
        return _plain_type(made[1]) + ("[]" if made[2] == "[" else "")
    if cast := _CAST.match(text):
        return _plain_type(cast[1] + cast[2])
    return ""


def _declared_type(name: str, table: FileTable, scope: int) -> str:
    """The declared type of a name, in the innermost scope that gives it one."""
    while True:  # from the call outwards; parameters before what is declared inside
        around = table.definitions[scope]
        is_first = around.file.rules.type_before_name
        parameters = _parameters if is_first else _typed_parameters
        if given := parameters(around.signature).get(name):
            return given.replace(_REST, "[]")
        types = {_type_name(each) for each in table.values.get((scope, name), ())}
        if types:  # two declarations of one name in a scope say nothing of the one that is seen
            return types.pop() if len(types) == 1 else ""
        if scope == table.module:
            return ""
        scope = table.definitions[scope].parent


def _type_name(of: Expression) -> str:
    if type(of) is CollectionOf:
        return _type_name(of.element) + _ITEMS
    if type(of) is InstanceOf and isinstance(of.of, Name | Attribute):
        return of.of.name
    return ""


def _score(wanted: tuple[str, ...], given: tuple[str, ...]) -> tuple[bool, int] | None:
    """How well the types of arguments fit those of parameters; None if they do not.

    A fixed number of parameters is better than a rest, as in Java (JLS 15.12.2).
    """
    if not (wanted and wanted[-1].endswith(_REST)):
        return _total(given, wanted, is_fixed=True) if len(wanted) == len(given) else None
    element, n_rest = wanted[-1][: -len(_REST)], len(given) - len(wanted) + 1
    if n_rest < 0:
        return None
    if n_rest == 1 and given[-1].endswith("]"):  # the rest is given as an array
        return _total(given, (*wanted[:-1], element + "[]"), is_fixed=True)
    return _total(given, (*wanted[:-1], *[element] * n_rest), is_fixed=False)


def _total(
    given: tuple[str, ...], wanted: tuple[str, ...], *, is_fixed: bool
) -> tuple[bool, int] | None:
    fits = [_fit(*pair) for pair in zip(given, wanted, strict=True)]
    return (is_fixed, sum(fits)) if all(fits) else None


def _fit(given: str, wanted: str) -> int:
    """How well a type fits a parameter; 0 if it cannot."""
    if not given or not wanted:
        return _FITS
    if given == wanted:
        return _SAME
    if given == "null":
        return 0 if wanted in _BOXES else _FITS
    if given.endswith("]") or wanted.endswith("]"):
        return _fit_items(given, wanted)
    if given in _BOXES:
        return _fit_primitive(given, wanted)
    if given in _STRINGS:
        is_base = wanted in _BASES_OF_STRING
        return _WIDENS if is_base else _FITS if _TYPE_PARAMETER.fullmatch(wanted) else 0
    if wanted in _BOXES:
        return _FITS if _BOXES[wanted] == given or _TYPE_PARAMETER.fullmatch(given) else 0
    # Of classes nothing is known but their names: one may inherit from any other.
    return 0 if wanted in _STRINGS else _FITS


def _fit_primitive(given: str, wanted: str) -> int:
    if wanted in _WIDENING and given in _WIDENING:
        return _WIDENS if _WIDENING.index(given) < _WIDENING.index(wanted) else 0
    if wanted in _PRIMITIVES:
        return 0
    is_box = wanted == _BOXES[given] or wanted in _ROOTS or _TYPE_PARAMETER.fullmatch(wanted)
    return _FITS if is_box else 0


def _fit_items(given: str, wanted: str) -> int:
    """Arrays, and collections whose kind is not known ("X[?]")."""
    if given.endswith(_ITEMS):
        if wanted.endswith("[]"):
            return _fit_elements(given[:-3], wanted[:-2])
        return 0 if wanted in _PRIMITIVES or wanted in _STRINGS else _FITS
    if given.endswith("[]") and wanted.endswith("[]"):
        return _fit_elements(given[:-2], wanted[:-2])
    if given.endswith("[]"):
        return _FITS if wanted in _ROOTS or _TYPE_PARAMETER.fullmatch(wanted) else 0
    return _FITS if _TYPE_PARAMETER.fullmatch(given) or given in _ROOTS else 0


def _fit_elements(given: str, wanted: str) -> int:
    if given == wanted:
        return _SAME
    return 0 if {given, wanted} & _PRIMITIVES or wanted in _STRINGS else _FITS
