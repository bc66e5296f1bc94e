"""The call graph around a symbol, breadth first, with the evidence for each edge. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from satchel.assembler.graph.overrides import Override, overridden, overriders
from satchel.assembler.kinds import Absence, Absent, Scope
from satchel.assembler.lookup import absence, builtins
from satchel.assembler.lookup.definition_source import MAX_LINE, shortened, source_of_record
from satchel.assembler.lookup.mentions import MEMBERS, READ, Mentions, mentions
from satchel.assembler.lookup.prototypes import with_counterparts
from satchel.assembler.lookup.symbols import matching
from satchel.assembler.lookup.unknown_names import unknown
from satchel.assembler.lookup.use_lines import use_lines
from satchel.assembler.query.qualified import without_call
from satchel.store.counted import counted
from satchel.store.errors import UsageError
from satchel.store.model import ReferenceKind, RepoPath
from satchel.store.reading.languages import family_of
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import SURE, Edge, ReferenceRecord, SymbolRecord

MAX_DEPTH = 5
_UNRESOLVED = 50
"""Uses without a meaning that are listed."""
_WRITTEN = frozenset({"__init__", "__new__", "__call__"})
"""Names between underscores that people do call by name."""
_COUNTED = 1_000
_OVERRIDES = 50
_UNTIED = 10
"""Uses of a defined name that are listed; there may be thousands of `get`."""
_MENTIONS = 20
"""Lines with the name of a root that are listed."""


class Direction(StrEnum):
    """Which way to walk from a symbol."""

    CALLERS = "callers"
    CALLEES = "callees"
    BOTH = "both"


_BOTH = (Direction.CALLERS, Direction.CALLEES)


class Dependency(Struct, frozen=True):
    """`source` uses `target`, found `depth` steps away (1 is next to the symbol asked for)."""

    depth: int
    direction: Direction
    source: SymbolRecord
    target: SymbolRecord
    kind: str
    line: int
    rule: str
    confidence: float
    is_cycle: bool = False
    """The far end had been reached before: following the edge goes round."""
    text: str = ""
    """What stands on `line` of the source's file; "" for an edge that is not listed."""
    lines: tuple[int, ...] = ()
    """All lines of the source on which it is used alike, ascending; () as above."""


class Filter(Struct, frozen=True):
    """Which edges are listed: of `kinds` (empty: all), with `tests` those whose user is a test;
    `offset` are skipped. The walk itself takes every kind and passes through all code. `ranked`
    puts first what is best connected with the symbol, at whatever distance. `guesses` walks edges
    too that are likelier wrong than right."""

    kinds: frozenset[str] = frozenset()
    tests: bool = False
    offset: int = 0
    ranked: bool = False
    guesses: bool = True


EVERY_EDGE = Filter()


class Dependencies(Struct, frozen=True):
    """What surrounds a symbol.

    `roots` are all definitions the name can mean. `unresolved` are uses of the name, and uses made
    by the roots, that no rule could resolve, as many as edges were asked for at most and with the
    first page only; `n_maybe_uses` of those that may mean a root and `n_unresolved` of the others
    are not listed. `mentions` are other lines that hold the name, where the graph has no uses of a
    root or none that are reads. `absent` says what was filtered out, and why nothing is listed.
    """

    roots: tuple[SymbolRecord, ...]
    edges: tuple[Dependency, ...]
    unresolved: tuple[ReferenceRecord, ...]
    n_found: int
    n_maybe_uses: int = 0
    n_unresolved: int = 0
    builtins: tuple[tuple[str, int], ...] = ()
    """What the roots use of their language itself, with how often, by name."""
    outside: tuple[tuple[str, int], ...] = ()
    """The same of what nothing here defines, as names of libraries."""
    absent: tuple[Absent, ...] = ()
    overrides: tuple[Override, ...] = ()
    """What stands in for a root, and what a root stands in for, in scope; with the first page."""
    mentions: Mentions = Mentions()

    @property
    def n_unclear(self) -> int:
        """Uses of the name or by the roots that no rule could resolve, listed or not."""
        return len(self.unresolved) + self.n_maybe_uses + self.n_unresolved


def usual_depth(*, tests: bool) -> int:
    """The depth of whoever names none: tests may reach a symbol through much other code, so the
    search for them goes as deep as it may."""
    return MAX_DEPTH if tests else 2


def check_depth(depth: int) -> None:
    """Raises: UsageError, as `dependencies` does, before there is an index."""
    if not 1 <= depth <= MAX_DEPTH:
        raise UsageError(f"depth is {depth}, must be 1 to {MAX_DEPTH}", "2 suits most questions")


def dependencies(
    snapshot: Snapshot,
    name: str,
    walk: tuple[Direction, int],
    scope: Scope,
    limit: int,
    chosen: Filter = EVERY_EDGE,
) -> Dependencies:
    """Edges around every definition of `name`, nearest first, then by path and line.

    `walk` says which way, and how far. At most `limit` edges are listed, and unresolved uses.

    Raises:
        UsageError: that is outside of 1 to 5 steps, or nothing is called `name`.
    """
    direction, depth = walk
    check_depth(depth)
    roots = with_counterparts(snapshot, matching(snapshot, name))
    name = without_call(name)
    # A name that is used but defined elsewhere still has an answer: its uses.
    if not roots and not snapshot.symbols.references_to(name, 1):
        raise unknown(snapshot, name)
    ways = _BOTH if direction == Direction.BOTH else (direction,)
    least = 0.0 if chosen.guesses else SURE
    walks = [_walk(snapshot, roots, way, depth, scope, least) for way in ways]
    every = [edge for walked, _ in walks for edge in walked]
    edges = sorted((edge for edge in every if _is_chosen(edge, chosen)), key=_order)
    if chosen.ranked:
        # Not at the top, since it takes NumPy.
        from satchel.assembler.lookup.personalised_pagerank import personalised_pagerank

        ranks = personalised_pagerank(snapshot, [record.id for record in roots])
        # Sorting is stable, so edges of equal rank keep the total order from before.
        edges.sort(key=lambda edge: -ranks.get(_end(edge).id, 0.0))
    listed = tuple(_with_text(snapshot, edges[chosen.offset : chosen.offset + limit]))
    # Uses without a meaning come with the first page only, or each page would repeat them.
    if chosen.offset:
        end = [] if listed else [absence.past_the_end(chosen.offset, len(edges), "edge")]
        return Dependencies(tuple(roots), listed, (), len(edges), absent=tuple(end))
    unresolved_uses = (
        _maybe_uses(snapshot, roots, scope, chosen) if Direction.CALLERS in ways else []
    )
    may_be = unresolved_uses[: max(0, min(limit, _UNTIED))]
    every_end = _unresolved_uses(snapshot, name, roots, direction, chosen)
    parted = builtins.parted(snapshot, every_end) if roots else builtins.Parted(every_end)
    unresolved = parted.here
    ends = unresolved[: max(0, min(limit - len(may_be), _UNRESOLVED))]
    outside = [e for _, beyond in walks for e in beyond if e.kind in (chosen.kinds or (e.kind,))]
    absent = absence.outside_scope(len(outside), scope)
    named = Mentions()
    if Direction.CALLERS in ways and not (chosen.kinds or chosen.tests):
        named = _mentions(snapshot, roots, every, unresolved_uses, scope, limit)
    if not (edges or unresolved_uses or absent):
        absent = _none(roots, every, chosen, depth)
    return Dependencies(
        tuple(roots), listed, (*may_be, *ends), len(edges), len(unresolved_uses) - len(may_be),
        len(unresolved) - len(ends), parted.built_in, parted.outside,
        tuple(absent), _overrides(snapshot, roots, direction, scope), named,
    )  # fmt: skip


def _with_text(snapshot: Snapshot, edges: Sequence[Dependency]) -> Iterator[Dependency]:
    """The edges with all lines of their uses, and with the text of the line that each stands on,
    cut to `MAX_LINE` characters."""
    files: dict[RepoPath, list[bytes]] = {}
    known = [
        (Edge(e.source.id, e.target.id, e.kind, e.line, e.rule, e.confidence), e.target.name)
        for e in edges
    ]
    for edge, places in zip(edges, use_lines(snapshot, known), strict=True):
        path = edge.source.path
        if path not in files:
            files[path] = source_of_record(snapshot, path)[1].split(b"\n")
        lines = files[path]
        # An inheritance may be of a file without lines, as where a class comes from a macro.
        line = lines[edge.line - 1] if 0 < edge.line <= len(lines) else b""
        text = line[: MAX_LINE * 4].decode("utf-8", "replace")
        yield replace(edge, text=shortened(text), lines=places)


def _overrides(
    snapshot: Snapshot, roots: Sequence[SymbolRecord], direction: Direction, scope: Scope
) -> tuple[Override, ...]:
    """What stands in for the roots, as callers may reach it, and what they stand in for."""
    found: list[Override] = []
    if direction != Direction.CALLEES:
        found += (o for o in overriders(snapshot, roots) if scope.admits(o.member.is_test))
    if direction != Direction.CALLERS:
        found += (o for o in overridden(snapshot, roots) if scope.admits(o.base.is_test))
    return tuple(found[:_OVERRIDES])


def _none(
    roots: Sequence[SymbolRecord], every: Sequence[Dependency], chosen: Filter, depth: int
) -> list[Absent]:
    """Why no edge is listed, though the scope keeps none out."""
    if not roots:
        return [Absent(Absence.NONE_FOUND, "nothing here defines it; these are its uses")]
    if every and not chosen.tests:
        return absence.other_kinds(edge.kind for edge in every)
    what = "no test reaches it" if chosen.tests else "no edge leads there or on from it"
    if not every:
        # Without a first step there is no second one either.
        reads = "; it has no reads of such" if all(root.kind in READ for root in roots) else ""
        return [Absent(Absence.NONE_FOUND, f"{what} in the call graph{reads}")]
    deeper = f"; depth {MAX_DEPTH} looks further" if depth < MAX_DEPTH else ""
    return [Absent(Absence.NONE_FOUND, f"{what} within {counted(depth, 'step')}{deeper}")]


def _mentions(
    snapshot: Snapshot,
    roots: Sequence[SymbolRecord],
    every: Sequence[Dependency],
    unresolved: Sequence[ReferenceRecord],
    scope: Scope,
    limit: int,
) -> Mentions:
    """Lines with the name of the roots, where the graph has no uses of one or none that are reads.

    Those of edges and of unresolved uses are listed already.
    """
    near = [e for e in every if e.depth == 1 and e.direction == Direction.CALLERS]
    used = {e.target.id for e in near} if not unresolved else {root.id for root in roots}
    asked = {
        root: family_of(identity[1])
        for root in roots
        if (root.kind in READ or root.id not in used)
        and (identity := snapshot.files.identity(root.path))
    }
    if not asked or len({root.name for root in asked}) > 1:
        return Mentions()
    known = {(root.path, root.line) for root in roots}
    known |= {(e.source.path, e.line) for e in near} | {(use.path, use.line) for use in unresolved}
    return mentions(snapshot, asked, known, scope, min(limit, _MENTIONS))


def _maybe_uses(
    snapshot: Snapshot, roots: Sequence[SymbolRecord], scope: Scope, chosen: Filter
) -> list[ReferenceRecord]:
    """Unresolved uses of a root's name in languages that can call it: any may be one of the root.

    Members count only with a receiver, other symbols only without one.
    """
    identities = [snapshot.files.identity(root.path) for root in roots]
    asked = {
        (root.name, family_of(identity[1] if identity else ""), root.kind in MEMBERS)
        for root, identity in zip(roots, identities, strict=True)
    }
    found: dict[ReferenceRecord, bool] = {}
    for name, languages, is_member in asked:
        uses = snapshot.symbols.unresolved_uses(name, languages)
        found |= {use: is_test for use, is_test in uses if bool(use.receiver) == is_member}
    return [
        use
        # `asked` is a set without an order of its own, so the uses are put in order before they
        # are listed.
        for use, is_test in sorted(found.items(), key=lambda item: _sort_key(item[0]))
        if scope.admits(is_test)
        and (is_test or not chosen.tests)
        and (not chosen.kinds or use.kind in chosen.kinds)
    ]


def _sort_key(use: ReferenceRecord) -> tuple[str, int, str, str]:
    return use.path, use.line, use.receiver, use.kind


def _end(edge: Dependency) -> SymbolRecord:
    return edge.source if edge.direction == Direction.CALLERS else edge.target


def _is_chosen(edge: Dependency, chosen: Filter) -> bool:
    if chosen.kinds and edge.kind not in chosen.kinds:
        return False
    return edge.source.is_test or not chosen.tests


def _order(edge: Dependency) -> tuple[int, str, str, int, str, str, str]:
    near, far = edge.source, edge.target
    return (
        edge.depth, edge.direction, near.path, edge.line, far.path, far.qualified_name, edge.kind,
    )  # fmt: skip


def _walk(
    snapshot: Snapshot,
    roots: Iterable[SymbolRecord],
    way: Direction,
    depth: int,
    scope: Scope,
    least: float,
) -> tuple[list[Dependency], list[Edge]]:
    """The edges of at least some confidence in scope, and those that lead out of it."""
    symbols = snapshot.symbols
    frontier = {record.id: record for record in roots}
    seen = set(frontier)
    found: list[Dependency] = []
    beyond: list[Edge] = []
    for step in range(1, depth + 1):
        ids = sorted(frontier)
        edges = symbols.edges_to(ids) if way == Direction.CALLERS else symbols.edges_from(ids)
        edges = [edge for edge in edges if edge.confidence >= least]
        # Records are read once a step for all edges, so the number of queries grows with the depth
        # alone.
        others = {_far(edge, way) for edge in edges}
        records = {record.id: record for record in symbols.by_id(sorted(others))}
        records |= frontier
        admitted = [edge for edge in edges if scope.admits(records[_far(edge, way)].is_test)]
        beyond += [edge for edge in edges if not scope.admits(records[_far(edge, way)].is_test)]
        found += [
            Dependency(
                step, way, records[edge.source], records[edge.target], edge.kind, edge.line,
                edge.rule, edge.confidence, _far(edge, way) in seen,
            )
            for edge in admitted
        ]  # fmt: skip
        # What was seen is not walked again, so a cycle ends the walk.
        frontier = {i: records[i] for i in (_far(edge, way) for edge in admitted) if i not in seen}
        seen |= frontier.keys()
        if not frontier:
            break
    return found, beyond


def _far(edge: Edge, way: Direction) -> int:
    return edge.source if way == Direction.CALLERS else edge.target


def _unresolved_uses(
    snapshot: Snapshot, name: str, roots: list[SymbolRecord], direction: Direction, chosen: Filter
) -> list[ReferenceRecord]:
    """Uses that end nowhere: those the roots make, and those of `name` when nothing defines it."""
    found: list[ReferenceRecord] = []
    if direction != Direction.CALLEES and not roots:
        found += snapshot.symbols.references_to(name, _COUNTED)
    if direction != Direction.CALLERS:
        ids = [record.id for record in roots]
        resolved = {(edge.source, edge.line) for edge in snapshot.symbols.edges_from(ids)}
        targets = {edge.target for edge in snapshot.symbols.edges_from(ids)}
        names = {record.name for record in snapshot.symbols.by_id(sorted(targets))}
        # A type's own parameters have no definition elsewhere.
        names |= {name for root in roots for name in builtins.type_parameters(root)}
        found += [
            use
            for use in snapshot.symbols.references_from(ids)
            # A use has no link to the edge that was made of it, so it counts as resolved if an
            # edge leaves its line or leads to its name.
            if (use.scope, use.line) not in resolved
            and use.name not in names
            and not _is_implicit(use.name)
            # What is read and leads nowhere is a field or a variable, and no use of a function.
            and use.kind != ReferenceKind.READ
            and (not chosen.kinds or use.kind in chosen.kinds)
        ]
    return found


def _is_implicit(name: str) -> bool:
    """Whether a name is one that the language calls and nobody writes: `a + b` uses `__add__`."""
    return name.startswith("__") and name.endswith("__") and name not in _WRITTEN
