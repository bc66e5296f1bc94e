"""`overview`: a code base, or a part of it, at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct

from satchel.assembler.kinds import PROJECT
from satchel.assembler.lookup.absence import stale_graph
from satchel.assembler.quoting import decodable
from satchel.questions.params import said
from satchel.questions.request import About, Path, Question, Request, Style, Told
from satchel.questions.rows import VERSION, SymbolRow, symbol_row
from satchel.questions.view import Surveyed, View
from satchel.store.counted import counted

if TYPE_CHECKING:
    # A server lists its tools without NumPy and what ranks knowledge.
    from satchel.assembler.graph.neighbourhoods import Neighbourhood
    from satchel.assembler.survey.overview import Overview
    from satchel.knowledge.operations.overview import KnowledgeState


class OverviewOf(Request, frozen=True, kw_only=True):
    """A path, or all of what is asked."""

    path: Annotated[Path, said("a path, or project", other_names=("scope",))] = PROJECT

    @property
    def about(self) -> About:
        """Where its answer lies."""
        return About(path="" if self.path == PROJECT else self.path)


class Reply(Struct, frozen=True):
    """The overview; `n_waiting` chunks have no vector yet."""

    found: Overview
    known: Surveyed
    n_waiting: int
    state: str
    notices: tuple[str, ...]


def answer(view: View, asked: OverviewOf) -> Reply:
    """The overview that is asked for.

    Raises:
        UsageError: the path lies elsewhere.
    """
    # The root is "" as a path; an overview calls it "project".
    scope = view.path(asked.path) or PROJECT
    notices = (*view.notices, *stale_graph(view.snapshot))
    from satchel.assembler.survey.overview import overview

    found = overview(view.snapshot, scope)
    return Reply(found, view.surveyed(scope), view.chunks_without_vectors(), view.state, notices)


def text(reply: Reply, style: Style) -> Told:
    """Size, languages, entry points, central symbols, what is known, what has no vectors yet."""
    from satchel.assembler.output.reports import overview_lines

    rows = [*overview_lines(reply.found), *reply.known.lines]
    if reply.n_waiting:
        rows.append(f"enrichment: {counted(reply.n_waiting, 'chunk')} without a vector yet")
    return Told(f"overview, {reply.state}", reply.notices, tuple(rows))


class CentralRow(Struct, frozen=True):
    """A symbol with its PageRank."""

    symbol: SymbolRow
    rank: float
    users: int
    files: int


class NeighbourhoodRow(Struct, frozen=True):
    """Files that belong together, those that are used most first."""

    name: str
    files: list[str]
    inner: int
    outer: int


def neighbourhood_rows(found: Sequence[Neighbourhood]) -> list[NeighbourhoodRow]:
    """Neighbourhoods as JSON."""
    return [
        NeighbourhoodRow(decodable(n.name), list(map(decodable, n.files)), n.inner, n.outer)
        for n in found
    ]


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
    """The JSON of an overview; `folders` maps paths to lines."""

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
    without_vectors: int = 0
    notices: tuple[str, ...] = ()
    schema: int = VERSION


def json(reply: Reply) -> OverviewResult:
    """The reply as JSON."""
    found = reply.found
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
        found.n_references, found.n_edges, found.n_skipped, found.n_problems,
        reply.known.value,
        neighbourhood_rows(found.neighbourhoods),
        [
            PackageRow(decodable(p.name), p.kind, decodable(p.folder))
            for p in found.packages
        ],
        vendored=[
            VendoredRow(decodable(each.folder), decodable(each.reason))
            for each in found.vendored
        ],
        without_vectors=reply.n_waiting,
        notices=reply.notices,
    )  # fmt: skip


OVERVIEW: Question[OverviewOf, Reply] = Question(
    OverviewOf, answer, text, json, lambda _reply: True
)
