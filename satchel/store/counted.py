"""Numbers with their nouns, and lists that are cut, for messages."""

from collections.abc import Sequence


def counted(n: int, one: str, many: str = "") -> str:
    """A number with commas, and its noun: "1 file", "1,200 files".

    `many` is the plural where that is not the noun with an s.
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def first_of(names: Sequence[str], most: int) -> str:
    """The first `most` names, and how many more there are: "a, b and 3 more"."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
