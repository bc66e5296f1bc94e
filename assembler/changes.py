"""What became of symbols between a revision and the index: added, modified, moved, removed. Pure.

A symbol is compared by its own text: the text of symbols inside it is left out, so a changed method
does not change its class, and so are indentation and line ends, so moving code does not modify it.
Reading what a file was is the caller's part (`workspace.history`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import blake2b
from textwrap import dedent

from assembler.values import Scope
from store.errors import UsageError
from store.model import FileFacts, RepoPath, SymbolKind
from store.records import KnownFile, ReferenceRecord, SymbolRecord
from store.snapshot import Snapshot

_CALLABLE = (SymbolKind.FUNCTION, SymbolKind.METHOD)
_USES = 20
"""Uses that are listed of a name that nothing defines any more."""


class ChangeKind(StrEnum):
    """What became of a symbol, in the order of how much it may break."""

    REMOVED = "removed"
    SIGNATURE = "signature"
    MODIFIED = "modified"
    MOVED = "moved"
    """To another file or another scope; `Change.edited` says whether its text changed as well."""
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class FileThen:
    """A file as it was: what it said and the bytes it said it with."""

    path: RepoPath
    is_test: bool
    facts: FileFacts
    source: bytes


@dataclass(frozen=True, slots=True)
class History:
    """A point in time, held against the index.

    `base` names it. `then` are the files that differ from it or are gone, as they were; `now` those
    that differ from it or are new, as the index has them.
    """

    base: str
    then: tuple[FileThen, ...]
    now: tuple[KnownFile, ...]


@dataclass(frozen=True, slots=True)
class Version:
    """A symbol at one of the two times. `id` is its id in the index, 0 for what was."""

    path: RepoPath
    name: str
    kind: SymbolKind
    line: int
    signature: str
    is_test: bool
    body: bytes
    parent: str
    """The name of the symbol around it, "" at top level."""
    id: int = 0

    @property
    def last_name(self) -> str:
        """The name without its scope."""
        return self.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one symbol: `then` is None when it was added, `now` when it was removed."""

    kind: ChangeKind
    then: Version | None
    now: Version | None
    edited: bool = True
    n_members: int = 0
    """Symbols inside it that were added or removed together with it, and are not listed."""

    @property
    def at(self) -> Version:
        """The symbol as it is, or as it was before it was removed."""
        version = self.now or self.then
        assert version is not None
        return version


@dataclass(frozen=True, slots=True)
class Impact:
    """`user` was not touched but uses what was changed, on `line`."""

    user: SymbolRecord
    change: Change
    kind: str
    line: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Changes:
    """The answer to `changes`: by path and line, users by path and line. `dangling` are uses of
    names that were removed and that nothing defines any more."""

    base: str
    generation: int
    n_files: int
    changes: tuple[Change, ...]
    n_changes: int
    tally: tuple[tuple[ChangeKind, int], ...]
    impacts: tuple[Impact, ...]
    n_impacts: int
    dangling: tuple[ReferenceRecord, ...]


def changes(
    snapshot: Snapshot, history: History, scope: Scope, path: str = "", limit: int = 100
) -> Changes:
    """What the index holds against what was, for symbols in `scope` below the prefix `path`.

    At most `limit` changes and `limit` users are listed; the counts are of all. What was added or
    removed together with the symbol around it counts as a member of that.

    Raises:
        UsageError: `limit` is less than 1.
    """
    if limit < 1:
        raise UsageError(f"limit is {limit}, must be at least 1", "100 suits most questions")
    then = [version for file in history.then for version in _then(file)]
    now = [version for file in history.now for version in _now(snapshot, file)]
    compared = list(_compared(then, now))
    found = [
        change
        for change in _folded(compared)
        if scope.admits(change.at.is_test) and _lies_below(change, path)
    ]
    found.sort(key=lambda change: (change.at.path, change.at.line, change.at.name, change.kind))
    impacts = _impacts(snapshot, compared, found)
    tally = tuple((kind, sum(change.kind == kind for change in found)) for kind in ChangeKind)
    paths = [file.path for file in history.then] + [file.path for file in history.now]
    n_files = len({each for each in paths if each.startswith(path)})
    return Changes(
        history.base, snapshot.generation, n_files, tuple(found[:limit]), len(found), tally,
        tuple(impacts[:limit]), len(impacts), tuple(_dangling(snapshot, found)),
    )  # fmt: skip


def _lies_below(change: Change, path: str) -> bool:
    return any(v is not None and v.path.startswith(path) for v in (change.then, change.now))


def _then(file: FileThen) -> Iterator[Version]:
    return _versions(file.path, file.facts, file.source, is_test=file.is_test)


def _now(snapshot: Snapshot, file: KnownFile) -> Iterator[Version]:
    facts = snapshot.files.facts(file.digest, file.language)
    source = snapshot.files.source(file.digest, file.language)
    versions = _versions(file.path, facts, source, is_test=file.is_test)
    records = snapshot.symbols.of_file(file.path)[1:]  # the first is the module
    for version, record in zip(versions, records, strict=True):
        yield replace(version, id=record.id)


def _versions(
    path: RepoPath, facts: FileFacts, source: bytes, *, is_test: bool
) -> Iterator[Version]:
    inside: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for symbol in facts.symbols:
        inside[symbol.parent].append((symbol.span.start_byte, symbol.span.end_byte))
    for index, symbol in enumerate(facts.symbols):
        span = symbol.span
        text = _own_text(source, span.start_byte, span.end_byte, inside[index])
        yield Version(
            path, symbol.qualified_name, symbol.kind, symbol.line, symbol.signature,
            is_test or symbol.is_test, blake2b(text, digest_size=16).digest(),
            facts.symbols[symbol.parent].qualified_name if symbol.parent >= 0 else "",
        )  # fmt: skip


def _own_text(source: bytes, start: int, end: int, inside: Iterable[tuple[int, int]]) -> bytes:
    """The lines of a range without those of the ranges inside it, without indentation."""
    line = source.rfind(b"\n", 0, start) + 1
    if not source[line:start].strip():
        start = line  # its own indentation, for all of it to be taken away
    pieces: list[bytes] = []
    for first, last in sorted(inside):
        pieces.append(source[start : max(start, first)])
        start = max(start, last)
    pieces.append(source[start : max(start, end)])
    lines = [line.rstrip() for line in b"".join(pieces).decode("latin-1").split("\n")]
    return dedent("\n".join(line for line in lines if line)).encode("latin-1")


def _compared(then: Sequence[Version], now: Sequence[Version]) -> Iterator[Change]:
    """Changes from versions that may be the same symbol: nearest likeness first."""
    for same in (_same_place, _same_text, _same_name):
        pairs, then, now = _paired(then, now, same)
        for old, new in pairs:
            change = _change(old, new)
            if change is not None:
                yield change
    yield from (Change(ChangeKind.REMOVED, old, None) for old in then)
    yield from (Change(ChangeKind.ADDED, None, new) for new in now)


def _same_place(version: Version) -> tuple[object, ...]:
    return version.path, version.name, version.kind


def _same_text(version: Version) -> tuple[object, ...]:
    kind = "callable" if version.kind in _CALLABLE else version.kind
    return version.last_name, kind, version.body


def _same_name(version: Version) -> tuple[object, ...]:
    return version.name, version.kind


def _paired(
    then: Sequence[Version], now: Sequence[Version], key: Callable[[Version], tuple[object, ...]]
) -> tuple[list[tuple[Version, Version]], list[Version], list[Version]]:
    """Pairs of equal key (equal text first, then in order), and what is left on either side."""
    waiting: dict[tuple[object, ...], list[Version]] = defaultdict(list)
    for old in then:
        waiting[key(old)].append(old)
    pairs: list[tuple[Version, Version]] = []
    second: list[Version] = []
    for new in now:
        olds = waiting.get(key(new), [])
        equal = next((i for i, old in enumerate(olds) if old.body == new.body), None)
        if equal is None:
            second.append(new)
        else:
            pairs.append((olds.pop(equal), new))
    rest: list[Version] = []
    for new in second:
        olds = waiting.get(key(new), [])
        if olds:
            pairs.append((olds.pop(0), new))
        else:
            rest.append(new)
    return pairs, [old for olds in waiting.values() for old in olds], rest


def _change(old: Version, new: Version) -> Change | None:
    """What became of a symbol that is there at both times; None for nothing."""
    edited = old.body != new.body
    if (old.path, old.name) != (new.path, new.name):
        return Change(ChangeKind.MOVED, old, new, edited)
    if old.signature != new.signature:
        return Change(ChangeKind.SIGNATURE, old, new)
    return Change(ChangeKind.MODIFIED, old, new) if edited else None


def _folded(compared: Sequence[Change]) -> Iterator[Change]:
    """Changes without those that the symbol around them shares."""
    whole = (ChangeKind.ADDED, ChangeKind.REMOVED)
    places = {(c.kind, c.at.path, c.at.name): c for c in compared if c.kind in whole}
    members: dict[tuple[str, str, str], int] = defaultdict(int)
    kept: list[Change] = []
    for change in compared:
        around = (change.kind, change.at.path, change.at.parent)
        if around in places and places[around] is not change:
            members[around] += 1
        else:
            kept.append(change)
    for change in kept:
        n_members = members[change.kind, change.at.path, change.at.name]
        yield replace(change, n_members=n_members) if n_members else change


def _impacts(
    snapshot: Snapshot, compared: Sequence[Change], found: Sequence[Change]
) -> list[Impact]:
    """Users of what was changed that were not changed themselves, surest first within a line."""
    touched = {change.now.id for change in compared if change.now is not None}
    changed = {change.now.id: change for change in found if change.now is not None}
    targets = [i for i, change in changed.items() if change.kind != ChangeKind.ADDED]
    edges = [e for e in snapshot.symbols.edges_to(sorted(targets)) if e.source not in touched]
    users = {u.id: u for u in snapshot.symbols.by_id(sorted({edge.source for edge in edges}))}
    impacts = [
        Impact(users[edge.source], changed[edge.target], edge.kind, edge.line, edge.confidence)
        for edge in edges
    ]
    impacts.sort(
        key=lambda i: (i.user.path, i.line, -i.confidence, i.user.qualified_name, i.change.at.name)
    )
    return impacts


def _dangling(snapshot: Snapshot, found: Sequence[Change]) -> list[ReferenceRecord]:
    removed = {c.at.last_name for c in found if c.kind == ChangeKind.REMOVED}
    uses: list[ReferenceRecord] = []
    for name in sorted(removed):
        if not snapshot.symbols.named(name):
            uses += snapshot.symbols.references_to(name, _USES)
    return uses
