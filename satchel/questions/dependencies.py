"""`dependencies`: the call graph around a symbol, what its change may break, ways to another."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct, field

from satchel.assembler.kinds import Absent, Scope
from satchel.assembler.lookup import absence
from satchel.assembler.lookup.dependencies import MAX_DEPTH, Dependencies, Filter, usual_depth
from satchel.assembler.lookup.dependencies import Direction as Walk
from satchel.assembler.lookup.dependencies import dependencies as edges_around
from satchel.assembler.lookup.symbols import at_place_or_name
from satchel.assembler.output import drawings, listings
from satchel.questions.params import said
from satchel.questions.request import (
    MAX_NAME,
    About,
    Name,
    Offset,
    Question,
    ReplyText,
    Request,
    Rows,
    ScopeOf,
    Style,
    more,
)
from satchel.questions.rows import (
    VERSION,
    ReferenceRow,
    SymbolRow,
    shaped,
)
from satchel.questions.symbols import NAME_NAMES, name_in
from satchel.questions.view import View
from satchel.store.counted import counted
from satchel.store.errors import UsageError
from satchel.store.model import ReferenceKind

if TYPE_CHECKING:
    from satchel.assembler.graph.paths import Paths
    from satchel.assembler.lookup.mentions import Mention
    from satchel.assembler.survey.impact import SymbolImpact, TestFile

_MAX_WAYS = 50
"""Ways grow with every hub on them; more than fifty are read by nobody."""


class Direction(StrEnum):
    """Which way to walk; `impact` is callers that are sure, overriders and tests."""

    CALLERS = "callers"
    CALLEES = "callees"
    BOTH = "both"
    IMPACT = "impact"


class Sort(StrEnum):
    """Which edges come first."""

    NEAR = "near"
    RANK = "rank"


class Format(StrEnum):
    """How edges are written."""

    TEXT = "text"
    DOT = "dot"
    MERMAID = "mermaid"


class DependenciesOf(Request, frozen=True, kw_only=True):
    """Callers and callees of a symbol, what its change may break, or how it reaches another."""

    name: Annotated[Name, said("one, as in symbols", other_names=NAME_NAMES)]
    direction: Annotated[
        Direction,
        said("impact: with tests",
             other_choices=(("incoming", "callers"), ("outgoing", "callees"))),
    ] = Direction.BOTH  # fmt: skip
    depth: Annotated[Annotated[int, Meta(ge=1, le=MAX_DEPTH)] | None, said("steps")] = None
    scope: ScopeOf = Scope.IMPL
    limit: Rows = 100
    offset: Offset = 0
    until: Annotated[
        str, Meta(min_length=1, max_length=MAX_NAME),
        said("another symbol: how it is reached", listed=False),
    ] = ""  # fmt: skip
    ways: Annotated[
        int, Meta(ge=1, le=_MAX_WAYS), said("with until, the most to show", listed=False)
    ] = 3
    tests: Annotated[bool, said("the tests that reach it", listed=False)] = False
    kind: Annotated[tuple[ReferenceKind, ...], said("edges of these kinds", listed=False)] = ()
    sort: Annotated[Sort, said("nearest first, or best connected first", listed=False)] = Sort.NEAR
    format: Annotated[Format, said("how edges are written", listed=False)] = Format.TEXT
    across: Annotated[bool, said("its uses in repositories that need its package")] = False

    @property
    def about(self) -> About:
        """Where its answer lies."""
        return About(names=(self.name, *([self.until] if self.until else [])))

    @property
    def steps(self) -> int:
        """How far to walk: the usual depth is another where tests are wanted."""
        return usual_depth(tests=self.tests) if self.depth is None else self.depth

    def check(self) -> None:
        """Raises: UsageError, for what `impact` and `until` do not take."""
        if not (self.kind or self.tests) and self.format == Format.TEXT:
            return
        if self.until:
            hint = "leave out kind, tests and format"
            raise UsageError("until takes no kind, tests or format", hint)
        if self.direction == Direction.IMPACT:
            hint = "leave out kind, tests and format, or ask for callers"
            raise UsageError("impact takes no kind, tests or format", hint)


class Edges(Struct, frozen=True):
    """Edges around a symbol; `across` counts and lists uses in other repositories."""

    found: Dependencies
    following: int
    asked: DependenciesOf
    state: str
    generation: int
    notices: tuple[str, ...]
    across: tuple[int, tuple[str, ...]] | None = None


class Impact(Struct, frozen=True):
    """What a change of a symbol may break."""

    found: SymbolImpact
    following: int
    state: str
    generation: int
    notices: tuple[str, ...]


class Ways(Struct, frozen=True):
    """The surest paths from one symbol to another."""

    found: Paths
    state: str
    generation: int
    notices: tuple[str, ...]


Reply = Edges | Impact | Ways


def answer(view: View, asked: DependenciesOf) -> Reply:
    """What is asked of the call graph.

    Raises:
        UsageError: nothing is called so, or the source has no other repositories.
    """
    snapshot, name = view.snapshot, name_in(view, asked.name)
    # Edges by names are committed first and better ones follow, so an answer that shows edges says
    # while they are behind.
    notices = (*view.notices, *absence.stale_graph(snapshot))
    generation = snapshot.generation
    if asked.until:
        from satchel.assembler.graph.paths import paths

        start, end = (at_place_or_name(snapshot, n) for n in (name, name_in(view, asked.until)))
        if start == end:
            hint = "name another one; without until, what it calls and what calls it is shown"
            raise UsageError(f"{asked.name!r} and until are the same symbol", hint)
        return Ways(paths(snapshot, start, end, asked.ways), view.state, generation, notices)
    if asked.direction == Direction.IMPACT:
        from satchel.assembler.survey.impact import symbol_impact

        impact = symbol_impact(snapshot, name, asked.steps, asked.limit, asked.offset, asked.scope)
        following = asked.offset + len(impact.users.edges)
        return Impact(impact, following, view.state, generation, notices)
    found = edges_around(
        snapshot, name,
        # Tests that reach a symbol are among its callers, and any code may lie between, so both are
        # fixed here.
        (Walk.CALLERS if asked.tests else Walk(asked.direction), asked.steps),
        Scope.ALL if asked.tests else asked.scope, asked.limit,
        Filter(frozenset(asked.kind), asked.tests, asked.offset, asked.sort == Sort.RANK),
    )  # fmt: skip
    across = view.across(name, asked.limit) if asked.across else None
    following = asked.offset + len(found.edges)
    return Edges(found, following, asked, view.state, generation, notices, across)


def text(reply: Reply, style: Style) -> ReplyText:
    """Edges with the rule and the confidence of each, or a drawing of them; tests; ways."""
    if isinstance(reply, Ways):
        from satchel.assembler.output.graph_lines import paths_lines

        head = f"{counted(len(reply.found.paths), 'way')}, {reply.state}"
        return ReplyText(head, reply.notices, tuple(paths_lines(reply.found)))
    if isinstance(reply, Impact):
        from satchel.assembler.output.reports import tests_lines

        users = reply.found.users
        rows = (*listings.dependencies_lines(users), *tests_lines(reply.found.tests))
        head = f"{listings.dependencies_head(users)}, {reply.state}"
        return ReplyText(head, reply.notices, rows, more(users.n_found, reply.following, style))
    found, asked = reply.found, reply.asked
    in_words = partial(listings.dependencies_lines, tests=asked.tests)
    rows = tuple(drawings.DRAWINGS.get(asked.format, in_words)(found))
    head = listings.dependencies_head(found)
    if reply.across:
        n_uses, lines = reply.across
        head, rows = f"{head}, {counted(n_uses, 'use')} in other repositories", (*rows, *lines)
    rest = more(found.n_found, reply.following, style)
    return ReplyText(f"{head}, {reply.state}", reply.notices, rows, rest)


class EdgeRow(Struct, frozen=True):
    """An edge of the call graph; `lines` are all those of the source with the use of `line`."""

    depth: int
    direction: str
    source: SymbolRow
    target: SymbolRow
    kind: str
    line: int
    rule: str
    confidence: float
    is_cycle: bool = field(name="cycle")
    text: str = ""
    lines: tuple[int, ...] = ()


class OverrideRow(Struct, frozen=True):
    """`member` stands in for `base`; `implements` where the base belongs to an interface."""

    member: SymbolRow
    base: SymbolRow
    implements: bool
    confidence: float


class DependenciesResult(Struct, frozen=True, kw_only=True):
    """The JSON of edges; `unlisted` counts unresolved uses beyond the limit.

    `builtins` says how often the roots use what their language defines, by name, `outside` what
    nothing here defines. `mentions` are the first of `mentioned` other lines with the name, where
    the graph may lack uses.
    """

    roots: list[SymbolRow]
    edges: list[EdgeRow]
    unresolved: list[ReferenceRow]
    found: int
    absent: tuple[Absent, ...] = ()
    unlisted: int = 0
    overrides: list[OverrideRow] = []
    builtins: dict[str, int] = {}
    outside: dict[str, int] = {}
    mentions: tuple[Mention, ...] = ()
    mentioned: int = 0
    across: tuple[str, ...] = ()
    generation: int = 0
    notices: tuple[str, ...] = ()
    schema: int = VERSION


class SymbolImpactResult(Struct, frozen=True):
    """The JSON of what a change may break."""

    users: DependenciesResult
    tests: tuple[TestFile, ...]
    generation: int = 0
    notices: tuple[str, ...] = ()
    schema: int = VERSION


class StepRow(Struct, frozen=True):
    """`source` uses `target` at `line` of the source's file."""

    source: SymbolRow
    target: SymbolRow
    kind: str
    line: int
    rule: str
    confidence: float


class PathRow(Struct, frozen=True):
    """A way from one symbol to another."""

    confidence: float
    steps: list[StepRow]


class PathsResult(Struct, frozen=True):
    """The JSON of ways, surest first; `whole` is false where hubs hid part of it."""

    paths: list[PathRow]
    whole: bool
    generation: int = 0
    notices: tuple[str, ...] = ()
    schema: int = VERSION


def json(reply: Reply) -> Struct:
    """The reply as JSON."""
    if isinstance(reply, Edges):
        return _edges(reply.found, reply)
    if isinstance(reply, Ways):
        return _ways(reply)
    users = _edges(reply.found.users, reply)
    return SymbolImpactResult(users, reply.found.tests, reply.generation, reply.notices)


def _edges(found: Dependencies, reply: Edges | Impact) -> DependenciesResult:
    return DependenciesResult(
        roots=shaped(found.roots, list[SymbolRow]),
        edges=shaped(found.edges, list[EdgeRow]),
        unresolved=shaped(found.unresolved, list[ReferenceRow]),
        found=found.n_found,
        absent=found.absent,
        unlisted=found.n_maybe_uses + found.n_unresolved,
        overrides=shaped(found.overrides, list[OverrideRow]),
        builtins=dict(found.builtins),
        outside=dict(found.outside),
        mentions=found.mentions.rows,
        mentioned=found.mentions.n_lines,
        across=reply.across[1] if isinstance(reply, Edges) and reply.across else (),
        generation=reply.generation,
        notices=reply.notices,
    )


def _ways(reply: Ways) -> PathsResult:
    rows = [
        PathRow(round(each.confidence, 4), shaped(each.steps, list[StepRow]))
        for each in reply.found.paths
    ]
    return PathsResult(rows, reply.found.is_whole, reply.generation, reply.notices)


# A graph without an answer is one all the same: that nothing calls a symbol is what was asked.
DEPENDENCIES: Question[DependenciesOf, Reply] = Question(
    DependenciesOf, answer, text, json, lambda _reply: True
)
