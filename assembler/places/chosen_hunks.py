"""Which hunks of a diff a pack shows where not all of them fit. Pure.

Product code comes first, and of it the definitions that changed most. Parts of hunks are shown
whole, without context around them while others wait; the rest is named by file and definition.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.assembler.budget import CountTokens, n_fitting
from satchel.assembler.kinds import brief
from satchel.assembler.places.hunk_parts import Part
from satchel.store.counted import counted
from satchel.store.model import RepoPath

_HEADING = 16
"""Tokens of the line above an excerpt, about; the path of its file is counted besides."""
_BETWEEN = 3
"""Tokens of the lines between two parts that are shown as one."""
_LEAST = 120
"""Tokens in which the beginning of what does not fit is shown."""
_CHARACTERS = 8
"""Characters that a token has at most, on average, in any code."""
_MORE = 8
"""Tokens of the words that stand for further files."""
_CONTEXT = 3
"""Lines of context around a part; between two parts it joins them."""


class Chosen(Struct, frozen=True):
    """Parts that adjoin, as one text; `part` is the largest of them, with the lines of all."""

    part: Part
    text: str


def choose(
    parts: Sequence[Part], bodies: Sequence[Sequence[str]], count: CountTokens, available: int
) -> tuple[list[Chosen], list[Part]]:
    """What is shown of some parts in `available` tokens, and which parts are not.

    `bodies` are the lines of each hunk. Files come in the order of their best part, and the parts
    of a file in its own order.
    """
    waiting = _ordered(parts)
    left, taken, cut = available, list[Part](), list[Chosen]()
    opened: set[RepoPath] = set()
    joining: set[tuple[int, int]] = set()
    missed: list[Part] = []
    for n, part in enumerate(waiting):
        lines = bodies[part.hunk][part.start : part.stop]
        text = "\n".join(lines)
        head = _HEADING + (0 if part.path in opened else count(part.path))
        if (part.hunk, part.start) in joining or (part.hunk, part.stop) in joining:
            head = _BETWEEN
        # Counting is dear, and what is clearly too long need not be counted.
        is_long = left < _LEAST or len(text) > _CHARACTERS * left
        # The beginning of product code that did not fit says more than all of a document.
        is_lesser = bool(missed) and part.role > missed[0].role
        if not is_long and not is_lesser and (cost := count(text) + head) <= left:
            left -= cost
            taken.append(part)
            opened.add(part.path)
            for distance in range(_CONTEXT + 1):
                joining |= {(part.hunk, part.stop + distance), (part.hunk, part.start - distance)}
        # What changed most is shown in any case, and leaves room for others.
        elif n == 0:
            cut.append(_cut(part, lines, count, left // 2 - head))
            left -= count(cut[0].text) + head
            opened.add(part.path)
        else:
            missed.append(part)
    if missed and left >= _LEAST:
        part = missed.pop(0)
        lines = bodies[part.hunk][part.start : part.stop]
        cut.append(_cut(part, lines, count, left - _HEADING - count(part.path)))
    shown = _joined(taken, bodies)
    shown += cut
    best = {part.path: n for n, part in reversed([*enumerate(waiting)])}
    shown.sort(key=lambda c: (best[c.part.path], c.part.first, c.part.start))
    return shown, missed


def _cut(part: Part, lines: Sequence[str], count: CountTokens, limit: int) -> Chosen:
    """The first lines of a part that keep within some tokens, and how many follow."""
    n_lines = n_fitting(lines, count, max(1, limit))
    more = counted(len(lines) - n_lines, "more line")
    n_own = sum(part.is_gone or line[:1] in ("+", " ") for line in lines[:n_lines])
    last = min(part.last, part.first + max(0, n_own - 1))
    return Chosen(replace(part, last=last), "\n".join([*lines[:n_lines], f"… {more}"]))


def _ordered(parts: Sequence[Part]) -> list[Part]:
    """Product code first, in it the largest change of each file, then what changed most; else in
    the order of the diff. What is left of a file says more than what is gone of it."""
    sizes: dict[tuple[RepoPath, int], int] = {}
    for part in parts:
        key = part.path, part.symbol.id if part.symbol else -1
        sizes[key] = sizes.get(key, 0) + part.n_changed

    def size(part: Part) -> int:
        if part.symbol is None:
            return part.n_changed
        return sizes[part.path, part.symbol.id]

    by_size = sorted(parts, key=lambda p: (p.role, p.is_gone, -size(p), p.hunk, p.start))
    # One large file must not keep what changed in all others out of a review.
    largest = {(p.path, p.role): p for p in reversed(by_size)}
    return sorted(by_size, key=lambda p: (p.role, p.is_gone, largest[p.path, p.role] is not p))


def _joined(taken: Iterable[Part], bodies: Sequence[Sequence[str]]) -> list[Chosen]:
    """Parts of a hunk with few lines of context between them are shown as one."""
    runs: list[list[Part]] = []
    for part in sorted(taken, key=lambda p: (p.hunk, p.start)):
        last = runs[-1][-1] if runs else None
        if last and last.hunk == part.hunk and part.start - last.stop <= _CONTEXT:
            between = bodies[part.hunk][last.stop : part.start]
            if not any(line[:1] in ("+", "-") for line in between):
                runs[-1].append(part)
                continue
        runs.append([part])
    return [
        Chosen(
            replace(max(run, key=lambda p: (-p.role, p.n_changed)), first=run[0].first,
                    last=run[-1].last, start=run[0].start, stop=run[-1].stop),
            "\n".join(bodies[run[0].hunk][run[0].start : run[-1].stop]),
        )
        for run in runs
    ]  # fmt: skip


class _Missing(Struct, frozen=True):
    """What is not shown of a file, without the names of definitions and with them."""

    brief: str
    named: str
    is_first: bool
    """Whether it is of the kind that matters most."""


def left_out(missed: Sequence[Part], n_parts: int, count: CountTokens, limit: int) -> str:
    """What is not shown of a diff, by file and definition with sizes, in at most `limit` tokens;
    "" for nothing."""
    files = _by_file(missed)
    head = f"{len(missed):,} of {n_parts:,} changed places are not shown ({_size(missed)}): "

    def text(shown: Sequence[str]) -> str:
        n_more = len(files) - len(shown)
        more = [counted(n_more, "more file")] if n_more else []
        return head + "; ".join([*shown, *more])

    def fits(shown: Sequence[str]) -> bool:
        return count(text(shown)) <= limit

    # A name of a definition in product code tells more than the name of a file of tests.
    shown = [file.brief for file in files if file.is_first]
    if shown and not fits(shown):
        shown = shown[: n_fitting(shown, lambda each: count(head + each), limit - _MORE)]
    for n in range(len(shown)):
        fuller = [*shown[:n], files[n].named, *shown[n + 1 :]]
        if not fits(fuller):
            break
        shown = fuller
    while len(shown) < len(files) and fits([*shown, files[len(shown)].brief]):
        shown = [*shown, files[len(shown)].brief]
    return text(shown) if missed else ""


def _by_file(missed: Sequence[Part]) -> list[_Missing]:
    """What is missing, the files that matter most first."""
    files: dict[RepoPath, dict[str, list[Part]]] = {}
    for part in _ordered(missed):
        name = brief(part.symbol.qualified_name) if part.symbol else ""
        files.setdefault(part.path, {}).setdefault(name, []).append(part)
    first = min((part.role for part in missed), default=0)
    found: list[_Missing] = []
    for path, names in files.items():
        every = [part for of in names.values() for part in of]
        named = ", ".join(f"{name} {_size(of)}".strip() for name, of in names.items())
        is_first = any(part.role == first for part in every)
        found.append(_Missing(f"{path} {_size(every)}", f"{path} {named}", is_first))
    return found


def _size(parts: Iterable[Part]) -> str:
    listed = list(parts)
    added, removed = sum(p.n_added for p in listed), sum(p.n_removed for p in listed)
    signs = (f"+{added:,}" if added else "", f"-{removed:,}" if removed else "")
    return " ".join(filter(None, signs))
