"""What `status` prints: how much is indexed, what is not, and why."""

from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from satchel.assembler.quoting import clean
from satchel.cli import terminal
from satchel.knowledge.model import Timestamp
from satchel.knowledge.timestamps import SECOND, format_iso
from satchel.questions.rows import VERSION, shaped
from satchel.store.counted import counted
from satchel.store.model import ProblemKind
from satchel.store.reading.languages import is_unread
from satchel.store.reading.snapshot import Snapshot
from satchel.store.sqlite import usage
from satchel.store.sqlite.database import file_in
from satchel.store.sqlite.usage import ToolCall, ToolUsage
from satchel.workspace.project import Project
from satchel.workspace.serving import build_progress

_SLOWEST = 20
_FAILED = frozenset({ProblemKind.CRASH, ProblemKind.LIMIT, ProblemKind.GRAMMAR})


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
    usage: tuple[ToolUsage, ...] = ()
    slow: tuple[ToolCall, ...] = ()
    """The calls that took longest, the slowest first, where they are asked for."""
    index: str = ""
    knowledge: str = ""
    linked: bool = True
    building: BuildRow | None = None
    not_understood: dict[str, int] = {}
    """How many lines and declarations the parsers lost."""
    failures: dict[str, int] = {}
    """Why files could not be parsed, with how many; syntax errors are no failures."""
    other_versions: list[str] = []
    schema: int = VERSION


def status_command(project: Project, snapshot: Snapshot, args: Namespace) -> None:
    """Print how much is indexed, what is not, and why."""
    counts = snapshot.files.counts()
    skipped, problems = snapshot.files.skipped(), snapshot.files.problems()
    state = build_progress.read(project.directory)
    result = StatusResult(
        root=str(project.root),
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
        usage=usage.read(project.directory),
        slow=usage.slowest(project.directory, _SLOWEST) if args.slow else (),
        index=str(project.folders.index),
        knowledge=str(project.folders.knowledge),
        linked=snapshot.linked,
        building=None if state is None else shaped(state, BuildRow),
        not_understood=_lost(problems),
        failures=_tally(detail for _, kind, _, detail in problems if kind in _FAILED),
        other_versions=[f.name for f in project.folders.bases.of_other_versions(project.root)],
    )
    if args.json:
        terminal.out_json(result)
        return
    _print_status(result)
    print_building(project)
    if args.slow:
        _print_slow(result.slow, logs=project.settings.telemetry.log_calls)
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
    if result.other_versions:
        terminal.row(
            f"of other versions of Satchel: {', '.join(result.other_versions)}"
            " (not read; `satchel state delete` removes them)"
        )
    unread = {n: count for n, count in result.languages.items() if is_unread(n)}
    for title, tally in (
        ("languages", {n: c for n, c in result.languages.items() if n not in unread}),
        *([("not parsed", unread)] if unread else []),
        ("skipped", result.skipped),
        ("problems", result.problems),
        *((("not understood", result.not_understood),) if result.not_understood else ()),
        *((("failures", result.failures),) if result.failures else ()),
    ):
        listed = ", ".join(f"{name} {n:,}" for name, n in tally.items())
        terminal.row(f"{title}: {listed or 'none'}")
    for row in result.usage:
        terminal.row(
            f"agents: {row.tool} {counted(row.calls, 'call')}, {row.errors:,} refused,"
            f" half within {row.p50_ms:,} ms, 95 % within {row.p95_ms:,} ms,"
            f" {row.returned_tokens:,} tokens, {row.saved_tokens:,} fewer than the whole files"
        )


def _print_slow(calls: Sequence[ToolCall], *, logs: bool) -> None:
    for call in calls:
        at = format_iso(Timestamp(call.at * SECOND))
        stages = ", ".join(f"{name} {ms:,.0f}" for name, ms in call.stages)
        pack = f"pack {call.pack}" if call.pack else ""
        more = ("refused" if call.failed else "", call.client, pack, stages)
        details = "; ".join(part for part in more if part)
        terminal.row(clean(f"slow: {at} {call.tool} {call.ms:,.0f} ms {details}".rstrip()))
    if not logs:
        terminal.note("telemetry.log_calls = true keeps client, pack and stages of calls to come")


def print_building(project: Project) -> bool:
    """Print what a process is doing to the index; returns whether there is one."""
    state = build_progress.read(project.directory)
    if state is not None:
        how_far = build_progress.in_words(state.progress)
        terminal.row(f"working: process {state.process} ({state.work}) is at {how_far}")
    return state is not None


def _lost(problems: Iterable[tuple[str, str, int, str]]) -> dict[str, int]:
    """How many lines and declarations the parsers lost in all files, as the problems say it."""
    names = {ProblemKind.SYNTAX: "lines", ProblemKind.LOST: "declarations"}
    counted = Counter[str]()
    for _, kind, _, detail in problems:
        number = detail.partition(" ")[0].replace(",", "")
        if kind in names and number.isdigit():
            counted[names[ProblemKind(kind)]] += int(number)
    return dict(sorted(counted.items()))


def _tally(names: Iterable[str]) -> dict[str, int]:
    counted = Counter(map(str, names))
    # Equal counts are sorted by name, so that the same index always prints the same bytes.
    return dict(sorted(counted.items(), key=lambda entry: (-entry[1], entry[0])))
