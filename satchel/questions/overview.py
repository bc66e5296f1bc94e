"""`overview`: a code base, or a part of it, at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Struct, field

from satchel.assembler.kinds import PROJECT
from satchel.assembler.lookup.absence import stale_graph
from satchel.questions.params import said
from satchel.questions.request import About, Path, Question, ReplyText, Request, Style
from satchel.questions.rows import VERSION, SymbolRow, shaped
from satchel.questions.view import Surveyed, View
from satchel.store.counted import counted

if TYPE_CHECKING:
    # A server lists its tools without NumPy and what ranks knowledge.
    from satchel.assembler.graph.neighbourhoods import Neighbourhood
    from satchel.assembler.ranking.vendored import Vendored
    from satchel.assembler.survey.entry_points import EntryPoint
    from satchel.assembler.survey.overview import Overview
    from satchel.assembler.survey.packages import Package
    from satchel.assembler.survey.sizes import LanguageSize
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
    return Reply(
        found, view.knowledge_survey(scope), view.chunks_without_vectors(), view.state, notices
    )


def text(reply: Reply, style: Style) -> ReplyText:
    """Size, languages, entry points, central symbols, what is known, what has no vectors yet."""
    from satchel.assembler.output.reports import overview_lines

    rows = [*overview_lines(reply.found), *reply.known.lines]
    if reply.n_waiting:
        rows.append(f"enrichment: {counted(reply.n_waiting, 'chunk')} without a vector yet")
    return ReplyText(f"overview, {reply.state}", reply.notices, tuple(rows))


class CentralRow(Struct, frozen=True):
    """A symbol with its PageRank."""

    symbol: SymbolRow
    rank: float
    n_users: int = field(name="users")
    n_files: int = field(name="files")


class OverviewResult(Struct, frozen=True):
    """The JSON of an overview; `folders` maps paths to lines."""

    scope: str
    generation: int
    complete: bool
    files: int
    lines: int
    languages: tuple[LanguageSize, ...]
    folders: dict[str, int]
    entry_points: tuple[EntryPoint, ...]
    central: list[CentralRow]
    references: int
    edges: int
    skipped: int
    problems: int
    known: KnowledgeState | None = None
    """What is known of the scope; null where nothing is kept."""
    neighbourhoods: tuple[Neighbourhood, ...] = ()
    packages: tuple[Package, ...] = ()
    vendored: tuple[Vendored, ...] = ()
    without_vectors: int = 0
    notices: tuple[str, ...] = ()
    schema: int = VERSION


def json(reply: Reply) -> OverviewResult:
    """The reply as JSON."""
    found = reply.found
    return OverviewResult(
        found.scope, found.generation, found.complete, found.n_files, found.n_lines,
        found.languages, {folder.path: folder.lines for folder in found.folders},
        found.entry_points, shaped(found.central, list[CentralRow]),
        found.n_references, found.n_edges, found.n_skipped, found.n_problems,
        reply.known.value, found.neighbourhoods, found.packages, found.vendored,
        reply.n_waiting, reply.notices,
    )  # fmt: skip


OVERVIEW: Question[OverviewOf, Reply] = Question(
    OverviewOf, answer, text, json, lambda _reply: True
)
