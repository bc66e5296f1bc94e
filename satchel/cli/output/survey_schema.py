"""The JSON of `changes` and `overview`; see `satchel.cli.output.schema`."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from satchel.assembler.quoting import decodable
from satchel.assembler.render import location
from satchel.assembler.survey.changes import Changes
from satchel.assembler.survey.impact import TestFile
from satchel.assembler.survey.overview import Overview
from satchel.assembler.survey.versions import Version
from satchel.cli.output.graphs import CentralRow, NeighbourhoodRow, neighbourhood_rows
from satchel.knowledge.operations.overview import KnowledgeState
from satchel.questions.rows import VERSION, AbsentRow, SymbolRow, absent_rows, symbol_row


class VersionRow(Struct, frozen=True):
    """A symbol at one of two times."""

    path: str
    line: int
    name: str
    kind: str
    signature: str


class ChangeRow(Struct, frozen=True):
    """What became of a symbol; `then` is null when it was added, `now` when it was removed."""

    change: str
    then: VersionRow | None
    now: VersionRow | None
    edited: bool
    members: int


class ImpactRow(Struct, frozen=True):
    """A user of what was changed that was not changed itself."""

    user: SymbolRow
    of: str
    kind: str
    line: int
    confidence: float


class ChangesResult(Struct, frozen=True):
    """The answer to `changes`; `found`, `impacted` and the `guessed` of these count what the limit
    left out as well."""

    since: str
    generation: int
    files: int
    changes: list[ChangeRow]
    found: int
    impacts: list[ImpactRow]
    impacted: int
    dangling: list[str]
    known: KnowledgeState | None = None
    """What is known of the path, and what happened to it; null where nothing is kept."""
    guessed: int = 0
    absent: tuple[AbsentRow, ...] = ()
    schema: int = VERSION


class LanguageRow(Struct, frozen=True):
    """How much there is of a language."""

    language: str
    files: int
    lines: int
    test_files: int


class EntryPointRow(Struct, frozen=True):
    """Where a run begins."""

    path: str
    line: int
    name: str
    why: str


class PackageRow(Struct, frozen=True):
    """A package that a manifest declares; `folder` is "" for the root."""

    name: str
    kind: str
    folder: str


class VendoredRow(Struct, frozen=True):
    """A folder that holds a copy of another project, and how that is told."""

    folder: str
    reason: str


class OverviewResult(Struct, frozen=True):
    """The answer to `overview`; `folders` maps paths to lines."""

    scope: str
    generation: int
    complete: bool
    files: int
    lines: int
    languages: list[LanguageRow]
    folders: dict[str, int]
    entry_points: list[EntryPointRow]
    central: list[CentralRow]
    references: int
    edges: int
    skipped: int
    problems: int
    known: KnowledgeState | None = None
    """What is known of the scope; null where nothing is kept."""
    neighbourhoods: list[NeighbourhoodRow] = []
    packages: list[PackageRow] = []
    vendored: list[VendoredRow] = []
    schema: int = VERSION


class KnownRow(Struct, frozen=True):
    """A decision, warning or convention about a place that a change touches."""

    kind: str
    scope: str
    summary: str


# Shapes are written down here once, since scripts parse them: fields are added, not renamed.
class ImpactResult(Struct, frozen=True):
    """The answer to `impact`; `tests` come nearest first."""

    changes: ChangesResult
    tests: list[str]
    known: list[KnownRow]
    schema: int = VERSION


def impact_result(
    found: Changes, tests: Sequence[TestFile], known: Sequence[tuple[str, str, str]]
) -> ImpactResult:
    """An impact as JSON."""
    return ImpactResult(
        changes_result(found), [decodable(test.path) for test in tests],
        [KnownRow(*row) for row in known],
    )  # fmt: skip


def changes_result(found: Changes, known: KnowledgeState | None = None) -> ChangesResult:
    """Changes as JSON."""
    impacts = [
        ImpactRow(symbol_row(i.user), i.change.at.name, i.kind, i.line, i.confidence)
        for i in found.impacts
    ]
    changes = [
        ChangeRow(c.kind, _version(c.then), _version(c.now), c.edited, c.n_members)
        for c in found.changes
    ]
    uses = [each.use for each in found.dangling]
    dangling = [f"{location(use.path, use.line, use.line)} {use.name}" for use in uses]
    return ChangesResult(
        found.base, found.generation, found.n_files, changes,
        found.n_changes, impacts, found.n_impacts, dangling, known, found.n_guessed,
        absent_rows(found.absent),
    )  # fmt: skip


def _version(version: Version | None) -> VersionRow | None:
    if version is None:
        return None
    path = decodable(version.path)
    return VersionRow(path, version.line, version.name, version.kind, version.signature)


def overview_result(found: Overview, known: KnowledgeState | None) -> OverviewResult:
    """An overview as JSON."""
    return OverviewResult(
        decodable(found.scope), found.generation, found.complete, found.n_files,
        found.n_lines,
        [LanguageRow(e.language, e.files, e.lines, e.test_files) for e in found.languages],
        {decodable(folder.path): folder.lines for folder in found.folders},
        [
            EntryPointRow(decodable(e.path), e.line, e.name, e.why)
            for e in found.entry_points
        ],
        [
            CentralRow(symbol_row(c.symbol), c.rank, c.n_users, c.n_files)
            for c in found.central
        ],
        found.n_references, found.n_edges, found.n_skipped, found.n_problems, known,
        neighbourhood_rows(found.neighbourhoods),
        [
            PackageRow(decodable(p.name), p.kind, decodable(p.folder))
            for p in found.packages
        ],
        vendored=[
            VendoredRow(decodable(each.folder), decodable(each.reason))
            for each in found.vendored
        ],
    )  # fmt: skip
