"""The answers of `satchel graph`: as lines of text, and as the JSON of `--json`."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from msgspec import Struct

from satchel.assembler.graph import call_graph, cycles, export, layers, modules
from satchel.assembler.graph.centrality import symbol_ranks
from satchel.assembler.graph.modules import ModuleUses
from satchel.assembler.graph.neighbourhoods import neighbourhoods
from satchel.assembler.output import graph_lines
from satchel.assembler.survey import dead_code, overview
from satchel.questions.overview import CentralRow, NeighbourhoodRow, neighbourhood_rows
from satchel.questions.rows import VERSION, SymbolRow, symbol_row
from satchel.store.errors import UsageError
from satchel.store.reading.snapshot import Snapshot
from satchel.workspace.configuration.load import need_all
from satchel.workspace.index_paths import inside
from satchel.workspace.project import Project


class CycleRow(Struct, frozen=True):
    """Modules that need each other; `way_round` is a shortest cycle of them."""

    modules: tuple[str, ...]
    way_round: tuple[str, ...]
    cuts: tuple[ModuleUses, ...]
    whole: bool


class CyclesResult(Struct, frozen=True):
    """The answer to `graph cycles`, those of most modules first."""

    cycles: list[CycleRow]
    found: int
    schema: int = VERSION


class RulesResult(Struct, frozen=True):
    """The answer to `graph rules`; at the `unknown` paths that rules name lies nothing."""

    violations: Sequence[layers.Violation]
    unknown: Sequence[str]
    schema: int = VERSION


class DeadRow(Struct, frozen=True):
    """A definition that nothing reaches; `members` count what lies inside it."""

    symbol: SymbolRow
    members: int
    reasons: tuple[str, ...]


class DeadResult(Struct, frozen=True):
    """The answer to `graph dead`; `found` counts all, of `definitions`.

    The name of `unnamed` of them stands nowhere else. `called` are folders of what a framework
    calls, which counts as used.
    """

    rows: list[DeadRow]
    found: int
    unnamed: int
    definitions: int
    called: Sequence[str]
    schema: int = VERSION


class CentralResult(Struct, frozen=True):
    """The answer to `graph central`, best first."""

    central: list[CentralRow]
    schema: int = VERSION


class NeighbourhoodsResult(Struct, frozen=True):
    """The answer to `graph neighbourhoods`, the largest first."""

    neighbourhoods: list[NeighbourhoodRow]
    schema: int = VERSION


@dataclass(frozen=True, slots=True)
class Answer:
    """Lines to print, or `result` as JSON (None: the lines are the format that was asked for).

    `n_findings` other than 0 makes the exit code 1.
    """

    lines: Iterable[str]
    result: Struct | None
    n_findings: int = 0


def check(project: Project, args: Namespace) -> None:
    """Whether this can be asked, before anything is indexed for it.

    Raises:
        UsageError: it cannot; the message says why.
    """
    if args.question == "rules":
        layers.read_rules(_rule_texts(project, args))


def _rule_texts(project: Project, args: Namespace) -> Sequence[str]:
    # A rule on the command line is tried alone, before it is written into the settings.
    if not args.rule:
        need_all(project.left_out)
    texts: Sequence[str] = args.rule or project.settings.architecture.rules
    if not texts:
        raise UsageError(
            "there are no rules", "write [architecture] rules = [...] in .satchel/config.toml"
        )
    return texts


def _cycles(project: Project, snapshot: Snapshot, args: Namespace) -> Answer:
    graph = modules.module_graph(
        snapshot, inside(project.root, args.path), depth=args.depth, tests=args.tests
    )
    found = cycles.cycles(graph)
    rows = [CycleRow(c.modules, c.way_round, c.cuts, c.is_whole) for c in found[: args.limit]]
    return Answer(graph_lines.cycles_lines(found, args.limit), CyclesResult(rows, len(found)))


def _rules(project: Project, snapshot: Snapshot, args: Namespace) -> Answer:
    rules = layers.read_rules(_rule_texts(project, args))
    graph = modules.module_graph(snapshot)
    found, unknown = layers.violations(graph, rules), layers.unknown(graph, rules)
    # A rule about a path that is not there holds nothing, so it counts as a finding.
    result = RulesResult(found, unknown)
    return Answer(graph_lines.violations_lines(found, unknown), result, len(found) + len(unknown))


def _dead(project: Project, snapshot: Snapshot, args: Namespace) -> Answer:
    below = inside(project.root, args.path)
    found = dead_code.dead_code(snapshot, below, exports=args.exports, limit=args.limit)
    rows = [DeadRow(symbol_row(r.symbol), r.n_members, r.reasons) for r in found.rows]
    result = DeadResult(rows, found.n_found, found.n_unnamed, found.n_definitions, found.called)
    return Answer(graph_lines.dead_lines(found), result)


def _central(project: Project, snapshot: Snapshot, args: Namespace) -> Answer:
    below = inside(project.root, args.path)
    # Ranked over the whole graph and shown for a part: a rank below a path alone would mean little.
    found = overview.central_symbols(snapshot, symbol_ranks(snapshot), below, args.limit)
    rows = [CentralRow(symbol_row(c.symbol), c.rank, c.n_users, c.n_files) for c in found]
    return Answer(graph_lines.central_lines(found), CentralResult(rows))


def _neighbourhoods(project: Project, snapshot: Snapshot, args: Namespace) -> Answer:
    graph = modules.module_graph(
        snapshot, inside(project.root, args.path), depth=args.depth, tests=args.tests
    )
    found = neighbourhoods(graph)
    result = NeighbourhoodsResult(neighbourhood_rows(found))
    return Answer(graph_lines.neighbourhood_lines(found), result)


def _export(project: Project, snapshot: Snapshot, args: Namespace) -> Answer:
    below = inside(project.root, args.path)
    if args.of == "modules":
        graph = modules.module_graph(snapshot, below, depth=args.depth, tests=args.tests)
        portable = export.of_modules(graph)
    else:
        with call_graph.call_graph(snapshot) as whole:
            portable = export.of_symbols(
                whole,
                lambda node: node.path.startswith(below) and (args.tests or not node.is_test),
            )
    # A document of another format, so that `--json` has nothing to add.
    return Answer((export.WRITERS[args.format](portable),), None)


QUESTIONS: Mapping[str, Callable[[Project, Snapshot, Namespace], Answer]] = {
    "cycles": _cycles,
    "rules": _rules,
    "dead": _dead,
    "central": _central,
    "neighbourhoods": _neighbourhoods,
    "export": _export,
}
"""What can be asked of the graph, by the name of the command."""
