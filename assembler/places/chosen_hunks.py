"""In which order a pack shows the hunks of a diff, and what it says of those that it lacks. Pure.

Product code comes first, and of it the definitions that changed most. A short hunk is shown as it
is; a long one is shown by the definitions that it changes, without the context between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from msgspec import Struct
from msgspec.structs import replace

from satchel.assembler.budget import CountTokens, n_fitting
from satchel.assembler.kinds import brief
from satchel.assembler.places.hunk_parts import Part
from satchel.assembler.query.diffs import Hunk
from satchel.store.counted import counted
from satchel.store.model import RepoPath

_SHORT = 1_500
"""Characters of a hunk, or of changes that adjoin, that are shown together: about 400 tokens."""
_MORE = 8
"""Tokens of the words that stand for further files."""
_CONTEXT = 3
"""Lines of context between two parts that are shown as one, at most."""


class Chosen(Struct, frozen=True):
    """Parts that adjoin, as one text; `part` is the largest of them, with the lines of all."""

    part: Part
    text: str
    parts: tuple[Part, ...]


def in_order(parts: Sequence[Part], hunks: Sequence[Hunk]) -> list[Chosen]:
    """All that a diff changes, what matters most to a reviewer first; `parts` are those of all
    hunks, which they name by their numbers."""
    of: dict[int, list[Part]] = {}
    for part in parts:
        of.setdefault(part.hunk, []).append(part)
    found = [each for number, listed in of.items() for each in _together(listed, hunks[number])]
    place = {(part.hunk, part.start): n for n, part in enumerate(_ordered(parts))}
    return sorted(found, key=lambda each: min(place[p.hunk, p.start] for p in each.parts))


def _together(parts: Sequence[Part], hunk: Hunk) -> list[Chosen]:
    """The parts of a hunk, those that adjoin joined while they are short; a short hunk is one."""
    if len(hunk.text) <= _SHORT:
        return [_joined(parts, hunk.text)]
    body, runs = hunk.body, list[list[Part]]()
    for part in sorted(parts, key=lambda p: p.start):
        if runs and part.start - runs[-1][-1].stop <= _CONTEXT:
            text = body[runs[-1][0].start : part.stop]
            if part.role == runs[-1][0].role and sum(map(len, text)) <= _SHORT:
                runs[-1].append(part)
                continue
        runs.append([part])
    return [_joined(run, "\n".join(body[run[0].start : run[-1].stop])) for run in runs]


def _joined(run: Sequence[Part], text: str) -> Chosen:
    best = max(run, key=lambda p: (-p.role, p.symbol is not None, p.n_changed))
    first, last = min(p.first for p in run), max(p.last for p in run)
    return Chosen(replace(best, first=first, last=last), text, tuple(run))


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


class _Missing(Struct, frozen=True):
    """What is not shown of a file, without the names of definitions and with them."""

    brief: str
    named: str
    is_first: bool
    """Whether it is of the kind that matters most."""


def left_out(every: Sequence[Chosen], shown: Set[int], count: CountTokens, limit: int) -> str:
    """What is not shown of a diff, by file and definition with sizes, in at most `limit` tokens;
    "" for nothing. `shown` are places in `every`."""
    missed = [part for n, each in enumerate(every) if n not in shown for part in each.parts]
    files = _by_file(missed)
    n_parts = sum(len(each.parts) for each in every)
    head = f"{len(missed):,} of {n_parts:,} changed places are not shown ({_size(missed)}): "

    def text(shown: Sequence[str]) -> str:
        n_more = len(files) - len(shown)
        more = [counted(n_more, "more file")] if n_more else []
        return head + "; ".join([*shown, *more])

    def fits(shown: Sequence[str]) -> bool:
        return count(text(shown)) <= limit

    # A name of a definition in product code tells more than the name of a file of tests.
    named = [file.brief for file in files if file.is_first]
    if named and not fits(named):
        named = named[: n_fitting(named, lambda each: count(head + each), limit - _MORE)]
    for n in range(len(named)):
        fuller = [*named[:n], files[n].named, *named[n + 1 :]]
        if not fits(fuller):
            break
        named = fuller
    while len(named) < len(files) and fits([*named, files[len(named)].brief]):
        named = [*named, files[len(named)].brief]
    return text(named) if missed else ""


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
