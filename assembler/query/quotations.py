"""What of a question may be a quotation: all of it, its parts between colons, what is in quotes."""

import re
from collections.abc import Iterator

from msgspec import Struct

_QUOTED = re.compile(r"`([^`\n]+)`|\"([^\"\n]+)\"|(?<!\w)'([^'\n]+)'(?!\w)|“([^”\n]+)”")
_ASKS = re.compile(r"\s*(?:how|what|when|where|which|who|whose|why)\b", re.IGNORECASE)
"""How a question in words begins: a program seldom prints one."""
_COLON = re.compile(r":\s+")
_MAX_PARTS = 6


class Quotations(Struct, frozen=True):
    """Texts that may stand in the code as they stand in the question.

    `quoted` is what it puts in quotes. With `is_literal` all of it is one, of which only the same
    characters match; with `is_message` all of it, and the `parts` between its colons.
    """

    quoted: tuple[str, ...]
    parts: tuple[str, ...] = ()
    is_literal: bool = False
    is_message: bool = False


def read(text: str, *, is_task: bool) -> Quotations:
    """What a question may quote.

    A log line has a date before its message, and an error what caused it behind. What begins as a
    question in words quotes nothing but what is in quotes; what begins as a task may be a message
    as well, but then to the letter, since a commit message shares words with the code that it
    changes.
    """
    quoted = tuple(part for part, is_name in _quoted_parts(text) if not (is_name and is_task))
    if is_task:
        return Quotations(quoted, is_literal=True)
    if _ASKS.match(text):
        return Quotations(quoted)
    return Quotations(quoted, tuple(_parts_at_colons(text)), is_message=True)


def _quoted_parts(text: str) -> Iterator[tuple[str, bool]]:
    """What stands in quotes, and whether it is one word between backticks: mostly a name."""
    for match in _QUOTED.finditer(text):
        part = next(filter(None, match.groups()))
        yield part, match.group(1) is not None and " " not in part.strip()


def _parts_at_colons(text: str) -> list[str]:
    """What lies between two colons, and what comes after each of the first ones."""
    ends = [match.end() for match in _COLON.finditer(text)]
    starts = [match.start() for match in _COLON.finditer(text)]
    between = [text[a:b] for a, b in zip([0, *ends], [*starts, len(text)], strict=True)]
    # A message may itself contain a colon, so what follows each colon is tried to its end as well.
    after = [text[end:] for end in ends[: len(ends) - 1]][:_MAX_PARTS]
    return [*between[:_MAX_PARTS], *after] if ends else []
