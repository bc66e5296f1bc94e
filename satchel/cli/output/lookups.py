"""`symbols`, `deps` and `status`: what the index knows, looked up rather than ranked."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Iterable
from functools import partial

from msgspec import Struct
from msgspec.structs import astuple

from satchel.assembler.kinds import Scope
from satchel.assembler.lookup import dependencies as graph
from satchel.assembler.output import drawings, listings
from satchel.assembler.quoting import clean, decodable
from satchel.assembler.survey.impact import SymbolImpact
from satchel.cli import terminal
from satchel.questions.rows import (
    VERSION,
    AbsentRow,
    ReferenceRow,
    SymbolRow,
    absent_rows,
    reference_row,
    symbol_row,
)
from satchel.store.counted import counted
from satchel.store.reading.languages import is_unread
from satchel.store.reading.snapshot import Snapshot
from satchel.store.sqlite import usage
from satchel.store.sqlite.database import file_in
from satchel.workspace.project import Project
from satchel.workspace.serving import build_progress


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
    cycle: bool
    text: str = ""
    lines: tuple[int, ...] = ()


class OverrideRow(Struct, frozen=True):
    """`member` stands in for `base`; `implements` where the base belongs to an interface."""

    member: SymbolRow
    base: SymbolRow
    implements: bool
    confidence: float


class MentionRow(Struct, frozen=True):
    """A line that holds the name; `symbol` is the definition around it."""

    path: str
    line: int
    symbol: str
    text: str


class DependenciesResult(Struct, frozen=True, kw_only=True):
    """The answer to `deps`; `unlisted` counts unresolved uses beyond the limit.

    `builtins` says how often the roots use what their language defines, by name, `outside` what
    nothing here defines. `mentions` are the first of `mentioned` other lines with the name, where
    the graph may lack uses.
    """

    roots: list[SymbolRow]
    edges: list[EdgeRow]
    unresolved: list[ReferenceRow]
    found: int
    absent: tuple[AbsentRow, ...] = ()
    unlisted: int = 0
    overrides: list[OverrideRow] = []
    builtins: dict[str, int] = {}
    outside: dict[str, int] = {}
    mentions: list[MentionRow] = []
    mentioned: int = 0
    schema: int = VERSION


class TestRow(Struct, frozen=True):
    """A file of tests; `distance` counts edges, more than 3 where none leads there for sure."""

    path: str
    distance: int


class SymbolImpactResult(Struct, frozen=True):
    """The answer to `impact` of a symbol."""

    users: DependenciesResult
    tests: list[TestRow]
    schema: int = VERSION


class UsageRow(Struct, frozen=True):
    """What agents used a tool for; latencies are upper bounds, exact to a factor of 2."""

    tool: str
    calls: int
    errors: int
    p50_ms: int
    p95_ms: int
    returned_tokens: int
    saved_tokens: int


class BuildRow(Struct, frozen=True):
    """What a process does to the index just now; `done` and `total` count what the stage is of."""

    process: int
    work: str
    stage: str
    done: int
    total: int


class StatusResult(Struct, frozen=True, kw_only=True):
    """The answer to `status`; `skipped` and `problems` map reasons to counts.

    `index` and `knowledge` are the folders that hold them, whether anything is known or not.
    """

    root: str
    generation: int
    complete: bool
    files: int
    lines: int
    chunks: int
    symbols: int
    references: int
    edges: int
    languages: dict[str, int]
    skipped: dict[str, int]
    problems: dict[str, int]
    index_bytes: int
    usage: list[UsageRow] = []
    index: str = ""
    knowledge: str = ""
    linked: bool = True
    building: BuildRow | None = None
    schema: int = VERSION


def deps_command(snapshot: Snapshot, symbol: str, args: Namespace) -> None:
    """Print the call graph around a symbol."""
    direction = graph.Direction.CALLERS if args.tests else graph.Direction(args.direction)
    chosen = graph.Filter(frozenset(args.kind or ()), args.tests, args.offset, args.sort == "rank")
    depth = graph.usual_depth(tests=args.tests) if args.depth is None else args.depth
    scope = Scope.ALL if args.tests else Scope(args.scope)
    found = graph.dependencies(snapshot, symbol, direction, depth, scope, args.limit, chosen)
    if args.json or args.format == "json":
        terminal.out_json(dependencies_result(found))
        return
    in_words = partial(listings.dependencies_lines, tests=args.tests)
    for line in drawings.DRAWINGS.get(args.format, in_words)(found):
        terminal.row(line)
    following = found.n_found - chosen.offset - len(found.edges)
    if following > 0:
        following_page = chosen.offset + len(found.edges)
        terminal.note(
            f"{following} more; --offset {following_page} shows them, or a larger --limit"
        )


def dependencies_result(found: graph.Dependencies) -> DependenciesResult:
    """The call graph around a symbol as JSON."""
    return DependenciesResult(
        roots=[symbol_row(record) for record in found.roots],
        edges=[
            EdgeRow(
                e.depth, e.direction, symbol_row(e.source), symbol_row(e.target),
                e.kind, e.line, e.rule, e.confidence, e.is_cycle, decodable(e.text), e.lines,
            )
            for e in found.edges
        ],
        unresolved=[reference_row(use) for use in found.unresolved],
        found=found.n_found,
        absent=absent_rows(found.absent),
        unlisted=found.n_maybe_uses + found.n_unresolved,
        overrides=[
            OverrideRow(
                symbol_row(o.member), symbol_row(o.base), o.implements, o.confidence
            )
            for o in found.overrides
        ],
        builtins=dict(found.builtins),
        outside=dict(found.outside),
        mentions=[
            MentionRow(decodable(m.path), m.line, decodable(m.symbol), decodable(m.text))
            for m in found.mentions.rows
        ],
        mentioned=found.mentions.n_lines,
    )  # fmt: skip


def symbol_impact_result(found: SymbolImpact) -> SymbolImpactResult:
    """What depends on a symbol as JSON."""
    tests = [TestRow(decodable(test.path), test.distance) for test in found.tests]
    return SymbolImpactResult(dependencies_result(found.users), tests)


def status_command(project: Project, snapshot: Snapshot, args: Namespace) -> None:
    """Print how much is indexed, what is not, and why."""
    counts = snapshot.files.counts()
    skipped, problems = snapshot.files.skipped(), snapshot.files.problems()
    result = StatusResult(
        root=decodable(str(project.root)),
        generation=snapshot.generation,
        complete=snapshot.complete,
        files=counts.files,
        lines=counts.lines,
        chunks=counts.chunks,
        symbols=counts.symbols,
        references=counts.references,
        edges=counts.edges,
        languages=dict(counts.languages),
        skipped=_tally(record.reason for record in skipped),
        problems=_tally(kind for _, kind, _, _ in problems),
        index_bytes=file_in(project.directory).stat().st_size,
        usage=[UsageRow(*astuple(row)[:7]) for row in usage.read(project.directory)],
        index=decodable(str(project.folders.index)),
        knowledge=decodable(str(project.folders.knowledge)),
        linked=snapshot.linked,
        building=_building(project),
    )
    if args.json:
        terminal.out_json(result)
        return
    _print_status(result)
    print_building(project)
    if args.skipped:
        for record in skipped:
            detail = f" ({clean(record.detail)})" if record.detail else ""
            terminal.row(f"skipped {clean(record.path)}: {record.reason}{detail}")
        for path, kind, line, detail in problems:
            suffix = f" ({detail})" if detail else ""
            terminal.row(f"problem {clean(path)}:{line}: {kind}{suffix}")


def _print_status(result: StatusResult) -> None:
    state = "complete"
    if not result.linked:
        state = "text complete, call graph being updated"
        if not result.building:
            state = "text complete, call graph behind: the next command or server finishes it"
    if not result.complete:
        state = "incomplete" if result.building else "incomplete: `satchel reindex` goes on with it"
    terminal.row(f"{result.root}: generation {result.generation}, {state}")
    terminal.row(
        f"{counted(result.files, 'file')}, {counted(result.lines, 'line')},"
        f" {counted(result.chunks, 'chunk')},"
        f" {counted(result.symbols, 'symbol')},"
        f" {result.edges:,} of {counted(result.references, 'use')} resolved,"
        f" {result.index_bytes / 1e6:.1f} MB"
    )
    terminal.row(f"index: {result.index}")
    terminal.row(f"knowledge: {result.knowledge}")
    unread = {n: count for n, count in result.languages.items() if is_unread(n)}
    for title, tally in (
        ("languages", {n: c for n, c in result.languages.items() if n not in unread}),
        *([("not parsed", unread)] if unread else []),
        ("skipped", result.skipped),
        ("problems", result.problems),
    ):
        listed = ", ".join(f"{name} {n:,}" for name, n in tally.items())
        terminal.row(f"{title}: {listed or 'none'}")
    for row in result.usage:
        terminal.row(
            f"agents: {row.tool} {counted(row.calls, 'call')}, {row.errors:,} refused,"
            f" half within {row.p50_ms:,} ms, 95 % within {row.p95_ms:,} ms,"
            f" {row.returned_tokens:,} tokens, {row.saved_tokens:,} fewer than the whole files"
        )


def print_building(project: Project) -> bool:
    """Print what a process is doing to the index; returns whether there is one."""
    state = build_progress.read(project.directory)
    if state is not None:
        how_far = build_progress.in_words(state.progress)
        terminal.row(f"working: process {state.process} ({state.work}) is at {how_far}")
    return state is not None


def _building(project: Project) -> BuildRow | None:
    state = build_progress.read(project.directory)
    if state is None:
        return None
    return BuildRow(state.process, state.work, state.stage, state.done, state.total)


def _tally(names: Iterable[str]) -> dict[str, int]:
    counted = Counter(map(str, names))
    # Equal counts are sorted by name, so that the same index always prints the same bytes.
    return dict(sorted(counted.items(), key=lambda entry: (-entry[1], entry[0])))
