"""A number with its noun in singular or plural, for messages."""

from __future__ import annotations


def counted(n: int, one: str, many: str = "") -> str:
    """A number with commas, and its noun: "1 file", "1,200 files".

    `many` is the plural where that is not the noun with an s.
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"
