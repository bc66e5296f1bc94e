"""How symbols changed between a revision and the index, and who uses them. Pure.

Reading what a file was is the caller's part (`workspace.past.history`); which symbol is which is
told by `satchel.assembler.survey.versions`.
"""

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from satchel.assembler.kinds import Absent, Scope
from satchel.assembler.lookup import absence
from satchel.assembler.lookup.mentions import MEMBERS, READ, Mention, mentions
from satchel.assembler.lookup.prototypes import definitions_of
from satchel.assembler.query.qualified import last_part
from satchel.assembler.ranking.path_roles import reviewed_as
from satchel.assembler.survey.versions import (
    ChangeKind,
    PastFile,
    Version,
    VersionChange,
    compared,
    folded,
    versions,
)
from satchel.store import path_filter
from satchel.store.errors import UsageError
from satchel.store.model import CLASS_LIKE, FUNCTIONS, RepoPath, SymbolKind
from satchel.store.reading.languages import family_of
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import SURE, KnownFile, ReferenceRecord, SymbolRecord

_USES = 20
"""Uses that are listed of a name that was removed."""
_NAMES = 20
"""Changed symbols whose names are looked for in the text."""
_MENTIONS = 5
"""Lines that are listed of each."""
_NAMED = READ | FUNCTIONS | CLASS_LIKE
"""Kinds of what has a name that code uses."""


class History(Struct, frozen=True):
    """The files as they were at some time, compared with the index.

    `base` names it. `then` are the files that differ from it or are gone, as they were; `now` those
    that differ from it or are new, as the index has them.
    """

    base: str
    then: tuple[PastFile, ...]
    now: tuple[KnownFile, ...]


class Impact(Struct, frozen=True):
    """`user` was not touched but uses what was changed, on `line`; a guess below `SURE`."""

    user: SymbolRecord
    change: VersionChange
    kind: str
    line: int
    confidence: float

    @property
    def of(self) -> str:
        """The name of what was changed."""
        return self.change.at.name


class Dangling(Struct, frozen=True):
    """A use of a name that was removed; `elsewhere`: something else is called so, and nothing says
    that it is meant."""

    use: ReferenceRecord
    elsewhere: bool


class Changes(Struct, frozen=True):
    """The answer to `changes`: by path and line, users by path and line, those that are guessed
    last; `n_guessed` counts these. `absent` says what was filtered out when nothing is listed."""

    base: str
    generation: int
    n_files: int
    changes: tuple[VersionChange, ...]
    n_changes: int
    tally: tuple[tuple[ChangeKind, int], ...]
    impacts: tuple[Impact, ...]
    n_impacts: int
    n_guessed: int
    dangling: tuple[Dangling, ...]
    absent: tuple[Absent, ...] = ()
    mentions: tuple[Mention, ...] = ()
    """The first lines with the names of what changed, where the graph may lack uses of it."""
    n_mentions: int = 0


def changes(
    snapshot: Snapshot, history: History, scope: Scope, path: str = "", limit: int | None = 100
) -> Changes:
    """What the index holds against what was, for symbols in `scope` where `path` admits.

    At most `limit` changes and `limit` users are listed (None: all), the counts are of all. What
    was added or removed together with the symbol around it counts as a member of that.

    Raises:
        UsageError: `limit` is less than 1.
    """
    if limit is not None and limit < 1:
        raise UsageError(f"limit is {limit}, must be at least 1", "100 suits most questions")
    then = [
        version
        for file in history.then
        for version in versions(file.path, file.facts, file.source, is_test=file.is_test)
    ]
    now = [version for file in history.now for version in _now(snapshot, file)]
    every = list(compared(then, now))
    # Everything is compared before the path is applied, since a symbol may have moved in from
    # outside it.
    below = [
        change
        for change in folded(every)
        if any(v and path_filter.admits(path, v.path) for v in (change.then, change.now))
    ]
    if path and scope == Scope.IMPL and below and all(change.at.is_test for change in below):
        scope = Scope.ALL  # a path to tests says that these are meant
    found = [change for change in below if scope.admits(change.at.is_test)]
    languages = {file.path: file.language for file in history.then}
    languages |= {file.path: file.language for file in history.now}
    found.sort(
        key=lambda change: (
            reviewed_as(change.at.path, languages[change.at.path], change.at.is_test),
            change.at.path, change.at.line, change.at.name, change.kind,
        )
    )  # fmt: skip
    impacts = _impacts(snapshot, every, found)
    tally = tuple((kind, sum(change.kind == kind for change in found)) for kind in ChangeKind)
    paths = {file.path for file in history.then} | {file.path for file in history.now}
    n_files = sum(path_filter.admits(path, each) for each in paths)
    absent = absence.outside_scope(len(below) - len(found), scope) if not found else []
    if not n_files:
        absent += absence.outside_path(len(paths), path)
        absent += absence.not_indexed(snapshot, (), path)
    rows, n_mentions = _mentions(snapshot, found, impacts, scope)
    return Changes(
        history.base, snapshot.generation, n_files, tuple(found[:limit]), len(found), tally,
        tuple(impacts[:limit]), len(impacts), sum(impact.confidence < SURE for impact in impacts),
        tuple(_dangling(snapshot, history, found)), tuple(absent), rows, n_mentions,
    )  # fmt: skip


def _now(snapshot: Snapshot, file: KnownFile) -> Iterator[Version]:
    facts = snapshot.files.facts(file.digest, file.language)
    source = snapshot.files.source(file.digest, file.language)
    found = versions(file.path, facts, source, is_test=file.is_test)
    # Facts and rows list the same symbols in the same order, so ids are found by position;
    # `strict` would show if that ever broke.
    records = snapshot.symbols.of_file(file.path)[1:]  # the first is the module
    for version, record in zip(found, records, strict=True):
        yield replace(version, id=record.id)


def _impacts(
    snapshot: Snapshot, every: Sequence[VersionChange], found: Sequence[VersionChange]
) -> list[Impact]:
    """Users of what was changed that were not changed themselves, surest first within a line;
    guesses after all others."""
    touched = {change.now.id for change in every if change.now is not None}
    changed = {change.now.id: change for change in found if change.now is not None}
    # What is new had no users before that it could break.
    targets = [i for i, change in changed.items() if change.kind != ChangeKind.ADDED]
    meant = definitions_of(snapshot, targets)
    edges = [e for e in snapshot.symbols.edges_to(sorted(meant)) if e.source not in touched]
    users = {u.id: u for u in snapshot.symbols.by_id(sorted({edge.source for edge in edges}))}
    impacts = [
        Impact(
            users[edge.source], changed[meant[edge.target]], edge.kind, edge.line, edge.confidence
        )
        for edge in edges
    ]
    impacts.sort(
        key=lambda i: (
            i.confidence < SURE, i.user.path, i.line, -i.confidence, i.user.qualified_name,
            i.change.at.name,
        )
    )  # fmt: skip
    return impacts


def _mentions(
    snapshot: Snapshot, found: Sequence[VersionChange], impacts: Sequence[Impact], scope: Scope
) -> tuple[tuple[Mention, ...], int]:
    """Lines with the names of what changed and has no user, or is read rather than called."""
    used = {impact.change.now.id for impact in impacts if impact.change.now is not None}
    asked = [
        change.now.id
        for change in found
        if change.now is not None
        and change.kind != ChangeKind.ADDED
        and change.now.kind in _NAMED
        and (change.now.kind in READ or change.now.id not in used)
    ]
    listed = {(impact.user.path, impact.line) for impact in impacts}
    rows: dict[tuple[RepoPath, int], Mention] = {}
    n_lines = 0
    for record in snapshot.symbols.by_id(asked[:_NAMES]):
        identity = snapshot.files.identity(record.path)
        spoken = family_of(identity[1]) if identity else frozenset()
        own = {(record.path, n) for n in range(record.line, record.span.end_line + 1)}
        lines = mentions(snapshot, {record: spoken}, listed | own, scope, _MENTIONS)
        n_lines += lines.n_lines
        rows.update(((each.path, each.line), each) for each in lines.rows)
    return tuple(rows[place] for place in sorted(rows)), n_lines


def _dangling(
    snapshot: Snapshot, history: History, found: Sequence[VersionChange]
) -> Iterator[Dangling]:
    """Uses of what was removed, by name, path and line.

    Where something else is called so, those uses that no edge leads from.
    """
    languages = {file.path: file.language for file in history.then}
    removed: dict[str, list[Version]] = {}
    for change in found:
        # An extension has no name of its own that somebody might use.
        if change.kind == ChangeKind.REMOVED and change.at.kind != SymbolKind.EXTENSION:
            removed.setdefault(change.at.last_name, []).append(change.at)
    # Names are grouped, because uses of a removed name tell nothing of which definition they
    # meant.
    for name, gone in sorted(removed.items()):
        others = snapshot.symbols.named(name)
        elsewhere = bool(others)
        uses = snapshot.symbols.references_to(name, _USES)
        if elsewhere:
            spoken = {other for each in gone for other in family_of(languages[each.path])}
            unresolved_uses = snapshot.symbols.unresolved_uses(name, spoken)
            # A file that defines the name itself means that, as a type variable `T` of its own.
            own = {each.path for each in others if each.qualified_name == each.name}
            uses = [
                use
                for use, _ in unresolved_uses
                if any(_may_mean(use, each) for each in gone)
                and (use.receiver or use.path not in own)
            ]
        yield from (Dangling(use, elsewhere) for use in uses[:_USES])


def _may_mean(use: ReferenceRecord, gone: Version) -> bool:
    """Members count only with a receiver, others without one or with their file's name."""
    if gone.kind in MEMBERS:
        return bool(use.receiver)
    path = PurePosixPath(gone.path)
    return last_part(use.receiver) in ("", path.stem, path.parent.name)
