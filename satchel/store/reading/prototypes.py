"""Prototypes of C and C++: functions that are declared in one place and defined in another. Pure.

A prototype keeps the semicolon at the end of its signature, which no other function has.
"""

import re
from functools import lru_cache

from satchel.store.model import FUNCTIONS
from satchel.store.reading.parameters import end_of_list, split_at_commas

_WORDS = re.compile(r"[A-Za-z_]\w*")
_SCOPES = re.compile(r"\b\w+(?:<[^<>]*>)?\s*::\s*")
_DROPPED = re.compile(r"\b(?:struct|enum|union|class|register|restrict|__restrict|typename)\b")
_BEFORE_PARAMETERS = re.compile(r"\s*(?:<[^()]*>\s*)?\(")
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
    start = _behind_opening(name, signature)
    end = end_of_list(signature, start) if start else -1
    if end < 0:
        return None
    parts = split_at_commas(signature[start:end])
    types = [_plain(part) for part in parts if part.strip() not in ("", "void")]
    is_const = signature[end + 1 :].lstrip().startswith("const")
    return (*types, *(["const"] if is_const else []))


def _behind_opening(name: str, signature: str) -> int:
    """Where the parameters of a function begin, behind the parenthesis; 0 where none follows its
    name."""
    # No pattern: there are as many as there are names, and compiling one takes longer.
    at = signature.find(name)
    while at >= 0:
        behind = _BEFORE_PARAMETERS.match(signature, at + len(name))
        is_whole = not at or not (signature[at - 1].isalnum() or signature[at - 1] == "_")
        if behind and is_whole:
            return behind.end()
        at = signature.find(name, at + 1)
    return 0


def _plain(parameter: str) -> str:
    """The type of a parameter without what two spellings of it may differ in."""
    text = _ARRAY.sub("*", parameter.partition("=")[0])
    text = _DROPPED.sub(" ", _SCOPES.sub("", text))
    words = list(_WORDS.finditer(text))
    # `int` and `const Slice&` have no name; of `Slice key`, `Slice& key` the last word is one.
    named = len([word for word in words if word[0] not in ("const", "volatile")]) > 1
    if named and words[-1][0] not in _TYPE_WORDS:
        # What stands behind it, as `*` of an array, belongs to the type.
        behind = text[words[-1].end() :]
        text = text[: words[-1].start()] + behind if set(behind.strip()) <= {"*"} else text
    return "".join(text.split())
