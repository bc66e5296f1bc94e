"""Which of several functions of one name a call means: by number and types of its arguments.

For languages that tell functions apart by them. Types are compared as written, and only those that
can be seen: of literals, of what is made or cast, of names with a declared type. An argument that
says nothing fits everywhere; of the functions that fit, those that fit best are meant.
"""

from __future__ import annotations

import re
from functools import lru_cache

from satchel.indexer.callgraph.expressions.expressions import Expression
from satchel.indexer.callgraph.tables.bindings import Definition, in_parentheses, top_level
from satchel.indexer.callgraph.tables.file_table import FileTable
from satchel.store.model import FUNCTIONS

_WIDER = ("byte", "short", "char", "int", "long", "float", "double")
_BOXES = {
    "boolean": "Boolean", "byte": "Byte", "short": "Short", "char": "Character", "int": "Integer",
    "long": "Long", "float": "Float", "double": "Double",
}  # fmt: skip
_PRIMITIVES = frozenset(_BOXES) | {"bool", "string", "decimal"}
_TEXTS = frozenset({"String", "string"})
_OF_TEXT = frozenset({"CharSequence", "Comparable", "Serializable", "Object", "object"})
_ROOTS = frozenset({"Object", "object", "Serializable", "Number", "Comparable"})
_NUMBER = re.compile(r"-?(?:0x[\da-fA-F_]+|[\d_]*\.?\d[\d_]*(?:[eE][-+]?\d+)?)([lLfFdDmM]?)")
_MADE = re.compile(r"new\s+([\w.]+)\s*(?:<[^()]*>)?\s*([\[(])")
_CAST = re.compile(r"\(([A-Za-z_][\w.]*)(?:<[^()]*>)?((?:\[\])*)\)\s*[\w\"'(]")
_TEXT = re.compile(r"\"(?:[^\"\\]|\\.)*\"\s*(?:\+|$)")
_NAME = re.compile(r"[^\W\d]\w*")
_ANNOTATION = re.compile(r"@\w+(?:\([^()]*\))?\s+|\b(?:final|ref|out|in|this|params)\s+")
_VARIABLE = re.compile(r"[A-Z]\d?")
"""What type parameters are called."""

_FITS, _WIDENS, _SAME = 1, 2, 3
"""How well a type fits: it may, it does, it is the one."""


def fitting(
    target: Definition, home: FileTable, table: FileTable, call: tuple[int, str]
) -> list[Definition]:
    """Those that calls in a file mean, of the function `target` in `home` and its overloads.

    `call` is the scope of the calls, and what they call the function.
    """
    same = [d for d in home.children.get((target.parent, target.name), ()) if d.kind in FUNCTIONS]
    given = table.given.get(call)
    if len(same) < 2 or not given:
        return [target]
    meant: dict[int, Definition] = {}
    for arguments in given:
        meant |= {d.id: d for d in _best(same, _types(arguments, table, call[0]))}
    return list(meant.values()) or [target]


def _best(same: list[Definition], types: tuple[str, ...] | None) -> list[Definition]:
    if types is None:
        return same
    found = [(score, d) for d in same if (score := _score(_takes(d), types)) is not None]
    top = max((score for score, _ in found), default=())
    return [d for score, d in found if score == top]


@lru_cache(maxsize=1 << 14)
def _parameters(signature: str) -> dict[str, str]:
    """The type of each parameter by its name, in order; of one that takes the rest, with dots."""
    found = {}
    for part in top_level(in_parentheses(signature)):
        kind = _ANNOTATION.sub("", part.strip() + " ").strip()
        rest = "..." in kind or "params " in part
        words = kind.replace("...", " ").rsplit(None, 1)
        if words:
            found[words[-1]] = _plain(words[0]) + ("..." if rest else "")
    return found


def _takes(function: Definition) -> tuple[str, ...]:
    return tuple(_parameters(function.signature).values())


def _plain(written: str) -> str:
    """A type without the types it is made of: the last part of its name, and its brackets."""
    name = written.partition("<")[0].strip()
    brackets = written.count("[]")
    return name.replace("[]", "").strip().rpartition(".")[2] + "[]" * brackets


def _types(arguments: str, table: FileTable, scope: int) -> tuple[str, ...] | None:
    """The type of each argument, "" where it cannot be seen; None for a list that was cut."""
    if not arguments.endswith(")"):
        return None
    return tuple(_type(part.strip(), table, scope) for part in top_level(arguments[1:-1]))


def _type(text: str, table: FileTable, scope: int) -> str:
    if _NAME.fullmatch(text):
        return _LITERALS.get(text) or _declared(text, table, scope)
    if _TEXT.match(text):
        return "String"
    if text.startswith("'"):
        return "char"
    if number := _NUMBER.fullmatch(text):
        suffix = number[1].lower()
        plain = "double" if "." in text else "int"
        return {"l": "long", "f": "float", "d": "double", "m": "decimal"}.get(suffix, plain)
    if text.endswith(".class"):
        return "Class"
    if made := _MADE.match(text):
        return _plain(made[1]) + ("[]" if made[2] == "[" else "")
    if cast := _CAST.match(text):
        return _plain(cast[1] + cast[2])
    return ""


_LITERALS = {"true": "boolean", "false": "boolean", "null": "null"}


def _declared(name: str, table: FileTable, scope: int) -> str:
    """The declared type of a name, in the innermost scope that gives it one."""
    while True:
        signature = table.definitions[scope].signature
        if given := _parameters(signature).get(name):
            return given.replace("...", "[]")
        types = {_written(each) for each in table.flows.get((scope, name), ())}
        if types:
            return types.pop() if len(types) == 1 else ""
        if scope == table.module:
            return ""
        scope = table.definitions[scope].parent


def _written(of: Expression) -> str:
    if of[0] == "items":
        return _written(of[1]) + "[?]"
    if of[0] != "instance":
        return ""
    return str(of[1][-1]) if of[1][0] in ("name", "attr") else ""


def _score(takes: tuple[str, ...], types: tuple[str, ...]) -> tuple[bool, int] | None:
    """How well arguments fit parameters, a fixed number of them best; None if they do not."""
    rest = takes[-1:] and takes[-1].endswith("...")
    if not rest:
        if len(takes) != len(types):
            return None
        fits = [_fit(*pair) for pair in zip(types, takes, strict=True)]
        return (True, sum(fits)) if all(fits) else None
    element = takes[-1][:-3]
    if len(types) < len(takes) - 1:
        return None
    if len(types) == len(takes) and types[-1].endswith("]"):
        fits = [_fit(*pair) for pair in zip(types, (*takes[:-1], element + "[]"), strict=True)]
        return (True, sum(fits)) if all(fits) else None
    wanted = (*takes[:-1], *[element] * (len(types) - len(takes) + 1))
    fits = [_fit(*pair) for pair in zip(types, wanted, strict=True)]
    return (False, sum(fits)) if all(fits) else None


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
    if given in _TEXTS:
        return _WIDENS if wanted in _OF_TEXT else _FITS if _VARIABLE.fullmatch(wanted) else 0
    if wanted in _BOXES:
        return _FITS if _BOXES[wanted] == given or _VARIABLE.fullmatch(given) else 0
    return 0 if wanted in _TEXTS else _FITS


def _fit_primitive(given: str, wanted: str) -> int:
    if wanted in _WIDER and given in _WIDER:
        return _WIDENS if _WIDER.index(given) < _WIDER.index(wanted) else 0
    if wanted in _PRIMITIVES:
        return 0
    is_box = wanted == _BOXES[given] or wanted in _ROOTS or _VARIABLE.fullmatch(wanted)
    return _FITS if is_box else 0


def _fit_items(given: str, wanted: str) -> int:
    """Arrays, and collections whose kind is not known ("X[?]")."""
    if given.endswith("[?]"):
        if wanted.endswith("[]"):
            return _SAME if given[:-3] == wanted[:-2] else _fit_elements(given[:-3], wanted[:-2])
        return 0 if wanted in _PRIMITIVES or wanted in _TEXTS else _FITS
    if given.endswith("[]") and wanted.endswith("[]"):
        return _fit_elements(given[:-2], wanted[:-2])
    if given.endswith("[]"):
        return _FITS if wanted in _ROOTS or _VARIABLE.fullmatch(wanted) else 0
    return _FITS if _VARIABLE.fullmatch(given) or given in _ROOTS else 0


def _fit_elements(given: str, wanted: str) -> int:
    if given == wanted:
        return _SAME
    return 0 if {given, wanted} & _PRIMITIVES or wanted in _TEXTS else _FITS
