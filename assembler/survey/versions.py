"""Compares symbols at two times: pairs them, and tells how each changed. Pure.

A symbol is compared by its own text: the text of symbols inside it is left out, so a changed method
does not change its class, and so are indentation and line ends, so moving code does not modify it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from hashlib import blake2b
from textwrap import dedent

from msgspec import Struct
from msgspec.structs import replace

from satchel.store.model import FileFacts, RepoPath, SymbolKind

_CALLABLE = (SymbolKind.FUNCTION, SymbolKind.METHOD)


class ChangeKind(StrEnum):
    """What became of a symbol, in the order of how much it may break."""

    REMOVED = "removed"
    SIGNATURE = "signature"
    MODIFIED = "modified"
    MOVED = "moved"
    """To another file or another scope; `VersionChange.edited` says whether its text changed."""
    ADDED = "added"


class PastFile(Struct, frozen=True):
    """A file as it was at the earlier time: its facts and its bytes."""

    path: RepoPath
    language: str
    is_test: bool
    facts: FileFacts
    source: bytes


class Version(Struct, frozen=True):
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


class VersionChange(Struct, frozen=True):
    """What became of one symbol: `then` is None when it was added, `now` when it was removed."""

    kind: ChangeKind
    then: Version | None
    now: Version | None
    edited: bool = True
    n_members: int = 0
    """Symbols inside it that were added, removed or moved together with it, and are not listed."""

    @property
    def at(self) -> Version:
        """The symbol as it is, or as it was before it was removed."""
        version = self.now or self.then
        assert version is not None
        return version


def versions(
    path: RepoPath, facts: FileFacts, source: bytes, *, is_test: bool
) -> Iterator[Version]:
    """The symbols of a file, in source order."""
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
    # Latin-1 gives each byte a character and takes it back, so any bytes can be dedented.
    lines = [line.rstrip() for line in b"".join(pieces).decode("latin-1").split("\n")]
    return dedent("\n".join(line for line in lines if line)).encode("latin-1")


def compared(then: Sequence[Version], now: Sequence[Version]) -> Iterator[VersionChange]:
    """Changes from versions that may be the same symbol: nearest likeness first."""
    # Each pass sees only what the ones before left over, so the nearest likeness wins.
    for same in (_same_place, _same_text, _same_name):
        pairs, then, now = _pair_by_key(then, now, same)
        for old, new in pairs:
            change = _change(old, new)
            if change is not None:
                yield change
    yield from (VersionChange(ChangeKind.REMOVED, old, None) for old in then)
    yield from (VersionChange(ChangeKind.ADDED, None, new) for new in now)


def _same_place(version: Version) -> tuple[object, ...]:
    return version.path, version.name, version.kind


def _same_text(version: Version) -> tuple[object, ...]:
    # A function that moves into a class becomes a method and is the same code.
    kind = "callable" if version.kind in _CALLABLE else version.kind
    return version.last_name, kind, version.body


def _same_name(version: Version) -> tuple[object, ...]:
    return version.name, version.kind


def _pair_by_key(
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


def _change(old: Version, new: Version) -> VersionChange | None:
    """What became of a symbol that is there at both times; None for nothing."""
    edited = old.body != new.body
    if (old.path, old.name) != (new.path, new.name):
        return VersionChange(ChangeKind.MOVED, old, new, edited)
    if old.signature != new.signature:
        return VersionChange(ChangeKind.SIGNATURE, old, new)
    return VersionChange(ChangeKind.MODIFIED, old, new) if edited else None


def folded(changes: Sequence[VersionChange]) -> Iterator[VersionChange]:
    """Changes without those that the symbol around them shares."""
    whole = (ChangeKind.ADDED, ChangeKind.REMOVED, ChangeKind.MOVED)
    places: dict[tuple[str, str, str], VersionChange] = {}
    for change in changes:
        place = (change.kind, change.at.path, change.at.name)
        # A type stands for the extensions beside it, which have its name.
        if change.kind in whole and (place not in places or not _is_extension(change)):
            places[place] = change
    members: dict[tuple[str, str, str], int] = defaultdict(int)
    unique: list[VersionChange] = []
    for change in changes:
        around = (change.kind, change.at.path, change.at.parent)
        outer = places.get(around)
        own = places.get((change.kind, change.at.path, change.at.name), change)
        if _is_extension(change) and not _is_extension(own) and own.kind != ChangeKind.MOVED:
            continue
        if outer is not None and outer is not change and _is_along(change, outer):
            members[around] += 1
        else:
            unique.append(change)
    for change in unique:
        place = (change.kind, change.at.path, change.at.name)
        n_members = members[place] if places.get(place) is change else 0
        yield replace(change, n_members=n_members) if n_members else change


def _is_extension(change: VersionChange) -> bool:
    return change.at.kind == SymbolKind.EXTENSION


def _is_along(inner: VersionChange, outer: VersionChange) -> bool:
    """Whether a change is that of the symbol around it; an edit or another way of moving is not."""
    # What is missing now is told by its name: the type that was extended is still there.
    if inner.now is None and _is_extension(outer):
        return False
    if inner.then is None or inner.now is None:
        return True
    if inner.edited or outer.then is None:
        return False
    return (inner.then.path, inner.then.parent) == (outer.then.path, outer.then.name)
