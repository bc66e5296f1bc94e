"""The parts of a qualified name, whatever separates them in its language. Pure."""

from __future__ import annotations

import re

_SEPARATOR = re.compile(r"\.|::|#|->|/")
_OPERATOR = re.compile(r"(.*\w)(?:\.|::|#|->)([^\w\s.:#()]+|\[\]=?|\(\))")


def last_part(name: str) -> str:
    """The simple name at the end of a qualified one: `a.B::c` → `c`."""
    return _SEPARATOR.split(name)[-1]


def qualifier(name: str) -> str:
    """The name before the last part, "" when there is none: `a.B::c` → `B`."""
    parts = _SEPARATOR.split(name)
    return parts[-2] if len(parts) > 1 else ""


def operator_member(name: str) -> tuple[str, str] | None:
    """The owner and the operator of a member that is called after one: `Vector.==`, `Path./`."""
    found = _OPERATOR.fullmatch(name)
    return (found[1], found[2]) if found and found[2] != "*" else None
