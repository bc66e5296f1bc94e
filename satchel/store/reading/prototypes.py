"""Prototypes of C and C++: functions that are declared in one place and defined in another. Pure.

A prototype keeps the semicolon at the end of its signature, which no other function has.
"""

from __future__ import annotations

import re
from functools import lru_cache

from satchel.store.model import FUNCTIONS

_WORDS = re.compile(r"[A-Za-z_]\w*")
_SCOPES = re.compile(r"\b\w+(?:<[^<>]*>)?\s*::\s*")
_DROPPED = re.compile(r"\b(?:struct|enum|union|class|register|restrict|__restrict|typename)\b")
_ARRAY = re.compile(r"\[[^\]]*\]")
_STATIC = re.compile(r"\bstatic\b")
_TYPE_WORDS = frozenset(
    "void bool char short int long float double signed unsigned const volatile auto size_t".split()
)
"""Words that are never the name of a parameter."""


def is_prototype(kind: str, signature: str) -> bool:
    """Whether a symbol is a function that is declared and not defined where it stands."""
    return signature.endswith(";") and kind in FUNCTIONS


def is_static(signature: str) -> bool:
    """Whether the head of a function says `static`."""
    return _STATIC.search(signature.partition("(")[0]) is not None


@lru_cache(maxsize=1 << 14)
def parameter_types(name: str, signature: str) -> tuple[str, ...] | None:
    """The types of a function's parameters as written, without names, defaults and namespaces.

    A method that is `const` has that as one more. None where the signature shows no whole list.
    """
    opening = re.search(rf"{re.escape(name)}\s*(?:<[^()]*>\s*)?\(", signature)
    if opening is None:
        return None
    depth, start, parts = 0, opening.end(), list[str]()
    for i in range(start, len(signature)):
        character = signature[i]
        if depth == 0 and character in ",)":
            parts.append(signature[start:i])
            start = i + 1
            if character == ")":
                types = [_plain(part) for part in parts if part.strip() not in ("", "void")]
                is_const = signature[start:].lstrip().startswith("const")
                return (*types, *(["const"] if is_const else []))
        depth += (character in "([{<") - (character in ")]}>")
    return None


def _plain(parameter: str) -> str:
    """The type of a parameter without what two spellings of it may differ in."""
    text = _ARRAY.sub("*", parameter.partition("=")[0])
    text = _DROPPED.sub(" ", _SCOPES.sub("", text))
    words = _WORDS.findall(text)
    last = words[-1] if words else ""
    # `int` and `const Slice&` have no name; of `Slice key`, `Slice& key` the last word is one.
    named = len([w for w in words if w not in ("const", "volatile")]) > 1
    if named and last not in _TYPE_WORDS and re.search(rf"\b{last}\W*$", text):
        before, _, behind = text.rpartition(last)
        # What stands behind it, as `*` of an array, belongs to the type.
        text = before + (behind if set(behind.strip()) <= {"*"} else last + behind)
    return "".join(text.split())
