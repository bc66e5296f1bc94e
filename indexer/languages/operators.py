"""Operators that run a method of what they stand beside: those of Python, by the data model of its
reference.
"""

from __future__ import annotations

import re

BINARY = {
    "+": "__add__", "-": "__sub__", "*": "__mul__", "/": "__truediv__", "%": "__mod__",
    "@": "__matmul__", "&": "__and__", "|": "__or__", "^": "__xor__", "**": "__pow__",
}  # fmt: skip
"""Those that stand between two values, as the parser of values reads them too."""
ANY_OPERATOR = re.compile("[" + re.escape("".join(sorted(set("".join(BINARY))))) + "]")
"""A character of one of these."""
_OTHERS = {
    "//": "__floordiv__", "<<": "__lshift__", ">>": "__rshift__",
    "==": "__eq__", "!=": "__ne__", "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__",
    "in": "__contains__", "not in": "__contains__", "[": "__getitem__",
}  # fmt: skip
_METHODS = BINARY | _OTHERS
_SIGNS = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}
_STORING = "__setitem__"


def method_of(operator: str, *, is_sign: bool, is_reflected: bool, is_stored: bool) -> str:
    """The method that an operator runs; "" for one that runs none.

    `is_sign` where it stands before its only value, `is_reflected` where the value on its right is
    asked, `is_stored` where what it gives is assigned to.
    """
    if is_sign:
        return _SIGNS.get(operator, "")
    # `a += b`: an operator with a sign behind it that is none itself.
    is_in_place = operator.endswith("=") and operator not in _METHODS
    found = _METHODS.get(operator[:-1] if is_in_place else operator, "")
    if found and operator == "[" and is_stored:
        return _STORING
    mark = "r" if is_reflected else "i" if is_in_place else ""
    return f"__{mark}{found[2:]}" if found else ""


RUN_BY_OPERATORS = frozenset(
    {*_METHODS.values(), *_SIGNS.values(), _STORING}
    | {f"__{mark}{name[2:]}" for mark in "ri" for name in _METHODS.values()}
)
"""Every name that `method_of` gives."""
