"""Enumerations of replies: scopes, reasons for an empty reply, how much is shown. Pure.

A module of its own, so that looking a name up imports nothing of packs and searches.
"""

import re
from enum import StrEnum

from msgspec import Struct

PROJECT = "project"
"""The place that is all of a code base, where a path may stand."""


class Scope(StrEnum):
    """Which code a question is about."""

    IMPL = "impl"
    TEST = "test"
    ALL = "all"

    def admits(self, is_test: bool) -> bool:
        """Whether test code (or product code) is in the scope."""
        return self == Scope.ALL or is_test == (self == Scope.TEST)


class Absence(StrEnum):
    """Why something is not in a reply."""

    NONE_FOUND = "none found"
    NOT_INDEXED = "not indexed"
    AMBIGUOUS = "ambiguous"
    STALE = "stale"
    FILTERED_OUT = "filtered out"


class End(StrEnum):
    """Why a pack ends."""

    FULL = "full"
    """What comes next does not fit."""
    ENOUGH = "enough"
    """What comes next costs more than it is likely to save."""
    ALL = "all"
    """Nothing that is relevant is left."""


class Absent(Struct, frozen=True):
    """Something that is not in a reply; `detail` is one line, clean of control characters."""

    kind: Absence
    detail: str

    def __str__(self) -> str:
        """The line of a note."""
        return f"{self.kind}: {self.detail}"


class Detail(StrEnum):
    """How much of a chunk an excerpt shows."""

    FULL = "full"
    PART = "part"
    """Some of its lines; which ones are left out is said."""
    HUNK = "hunk"
    """Text of the question about these lines, as it is: a piece of a diff."""
    HELD = "held"
    """Nothing: the client was sent it before, and it has not changed."""
    SIGNATURE = "signature"
    """The signature, with the first line of its comment."""


_MEMBER = re.compile(r"\.(?=[^\W\d]|[~<(\[`$#@=!+*/-])")


class TextMode(StrEnum):
    """What a text that is looked for is: itself, or a regular expression."""

    EXACT = "exact"
    REGEX = "regex"


def brief(qualified_name: str) -> str:
    """A member and what it is in, without what that is in: `a.b.Class.method` → `Class.method`."""
    # A dot before a digit is one of a title: "1.2.3 (2024)".
    return ".".join(_MEMBER.split(qualified_name)[-2:])
