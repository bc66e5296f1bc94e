"""Numbers in front of lines of source, for `-n`. Pure.

Numbers are for a person: in a pack they come on top of its budget, and `--json` has none.
"""

import re
from collections.abc import Iterator, Sequence

from satchel.assembler.render import fence_of

_PLACE = re.compile(r" (\d+)(?:-(\d+))?(?: .*)?")
_GAP = re.compile(r"… (\d+)(?:-(\d+))?")


def numbered(text: str, first: int) -> str:
    """Lines of a file with their numbers, of which the first is `first`."""
    lines = text.split("\n")
    width = len(str(first + len(lines) - 1))
    return "\n".join(f"{n:>{width}}  {line}" for n, line in enumerate(lines, first))


def numbered_pack(text: str) -> str:
    """A pack with the lines of its excerpts numbered; all else stays as it is."""
    fence = fence_of(text)
    if not fence:
        return text
    out: list[str] = []
    quoted: list[str] = []
    place: tuple[int, int] | None = None
    for line in text.split("\n"):
        # Nothing that is quoted can hold the fence, so that it always ends an excerpt.
        if line.startswith(fence):
            out += _excerpt(quoted, *place) if place else quoted
            quoted = []
            found = _PLACE.fullmatch(line[len(fence) :])
            place = (int(found[1]), int(found[2] or found[1])) if found else None
            out.append(line)
        elif place:
            quoted.append(line)
        else:
            out.append(line)
    return "\n".join([*out, *quoted])


def _excerpt(lines: Sequence[str], first: int, last: int) -> list[str]:
    """The lines of an excerpt with numbers; as they are where they are not those of a file."""
    numbers = list(_numbers(lines, first))
    end = numbers[-1][1] if numbers else first
    # A hunk has removed lines too: then the count does not come out, and no number would be true.
    if end != last:
        return list(lines)
    width = len(str(last))
    return [
        line if is_gap else f"{number:>{width}}  {line}"
        for line, (number, _, is_gap) in zip(lines, numbers, strict=True)
    ]


def _numbers(lines: Sequence[str], first: int) -> Iterator[tuple[int, int, bool]]:
    """For each line, the first and last line of the file that it stands for, and whether it is a
    gap."""
    number = first
    for line in lines:
        # Source may hold a line of the same look: a gap begins where the numbers are just now.
        gap = _GAP.fullmatch(line)
        is_gap = gap is not None and int(gap[1]) == number
        last = int(gap[2] or gap[1]) if gap and is_gap else number
        yield number, last, is_gap
        number = last + 1
