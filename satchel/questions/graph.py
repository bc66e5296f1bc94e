"""The graph as a whole: cycles, broken rules, dead code, what is central, neighbourhoods, exports.

What reads the graph is imported where it runs, since a command line lists its options without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Generic, TypeAlias, TypeVar

from msgspec import Meta, Struct

from satchel.assembler.lookup.absence import stale_graph
from satchel.questions.overview import CentralRow, NeighbourhoodRow, neighbourhood_rows
from satchel.questions.params import said
from satchel.questions.request import About, Path, Question, Request, Rows, Style, Told
from satchel.questions.rows import VERSION, SymbolRow, symbol_row
from satchel.questions.view import View
from satchel.store.counted import counted
from satchel.store.errors import UsageError

if TYPE_CHECKING:
    from satchel.assembler.graph.cycles import Cycle
    from satchel.assembler.graph.layers import Violation
    from satchel.assembler.graph.modules import ModuleGraph, ModuleUses
    from satchel.assembler.graph.neighbourhoods import Neighbourhood
    from satchel.assembler.survey.dead_code import DeadCode
    from satchel.assembler.survey.overview import Central

_R = TypeVar("_R", bound=Request)
_F = TypeVar("_F")
_MOST_DEPTH = 100


class _Below(Request, frozen=True, kw_only=True):
    """What is asked of a part of the tree."""

    path: Annotated[Path, said("only files whose path starts with this")] = ""

    @property
    def about(self) -> About:
        """Where its answer lies."""
        return About(path=self.path)


class _OfModules(_Below, frozen=True, kw_only=True):
    """What is asked of files or folders."""

    depth: Annotated[
        int, Meta(ge=-1, le=_MOST_DEPTH),
        said("modules are folders so deep; -1: the folder of each file; 0: files"),
    ] = 0  # fmt: skip
    tests: Annotated[bool, said("test code as well")] = False


class Reply(Struct, Generic[_R, _F], frozen=True):
    """What was found, of what was asked."""

    asked: _R
    found: _F
    state: str
    notices: tuple[str, ...]


def _reply(view: View, asked: _R, found: _F) -> Reply[_R, _F]:
    return Reply(asked, found, view.state, (*view.notices, *stale_graph(view.snapshot)))


def _told(reply: Reply[_R, _F], what: str, rows: Iterable[str]) -> Told:
    return Told(f"{what}, {reply.state}", reply.notices, tuple(rows))


def _modules(view: View, asked: _OfModules) -> ModuleGraph:
    from satchel.assembler.graph.modules import module_graph

    return module_graph(view.snapshot, view.path(asked.path), depth=asked.depth, tests=asked.tests)


class CyclesOf(_OfModules, frozen=True, kw_only=True):
    """Modules that need each other."""

    limit: Rows = 20


class CycleRow(Struct, frozen=True):
    """Modules that need each other; `way_round` is a shortest cycle of them."""

    modules: tuple[str, ...]
    way_round: tuple[str, ...]
    cuts: tuple[ModuleUses, ...]
    whole: bool


class CyclesResult(Struct, frozen=True):
    """The JSON of cycles, those of most modules first."""

    cycles: list[CycleRow]
    found: int
    schema: int = VERSION


_Cycles: TypeAlias = Reply[CyclesOf, tuple["Cycle", ...]]


def _cycles(view: View, asked: CyclesOf) -> _Cycles:
    from satchel.assembler.graph.cycles import cycles

    return _reply(view, asked, cycles(_modules(view, asked)))


def _cycles_text(reply: _Cycles, _style: Style) -> Told:
    from satchel.assembler.output.graph_lines import cycles_lines

    what = counted(len(reply.found), "cycle")
    return _told(reply, what, cycles_lines(reply.found, reply.asked.limit))


def _cycles_json(reply: _Cycles) -> CyclesResult:
    shown = reply.found[: reply.asked.limit]
    rows = [CycleRow(c.modules, c.way_round, c.cuts, c.is_whole) for c in shown]
    return CyclesResult(rows, len(reply.found))


CYCLES: Question[CyclesOf, _Cycles] = Question(
    CyclesOf, _cycles, _cycles_text, _cycles_json, lambda _reply: True
)


class RulesOf(Request, frozen=True, kw_only=True):
    """Uses that break the rules of the architecture."""

    rule: Annotated[
        tuple[str, ...],
        said("this rule instead, as `a -> b`, `a -> nothing`, `a !> b` or `a > b > c`; repeatable",
             setting="architecture.rules"),
    ] = ()  # fmt: skip

    def check(self) -> None:
        """Raises: UsageError: there is no rule; ConfigError: one is none."""
        from satchel.assembler.graph.layers import read_rules

        if not self.rule:
            hint = "write [architecture] rules = [...] in .satchel/config.toml"
            raise UsageError("there are no rules", hint)
        read_rules(self.rule)


class RulesResult(Struct, frozen=True):
    """The JSON of broken rules; at the `unknown` paths that rules name lies nothing."""

    violations: Sequence[Violation]
    unknown: Sequence[str]
    schema: int = VERSION


_Rules: TypeAlias = Reply[RulesOf, tuple[Sequence["Violation"], Sequence[str]]]


def _rules(view: View, asked: RulesOf) -> _Rules:
    from satchel.assembler.graph.layers import read_rules, unknown, violations
    from satchel.assembler.graph.modules import module_graph

    rules, graph = read_rules(asked.rule), module_graph(view.snapshot)
    return _reply(view, asked, (violations(graph, rules), unknown(graph, rules)))


def _rules_text(reply: _Rules, _style: Style) -> Told:
    from satchel.assembler.output.graph_lines import violations_lines

    found, unknown = reply.found
    return _told(reply, counted(len(found), "violation"), violations_lines(found, unknown))


# A rule about a path that is not there holds nothing, so it counts as broken.
RULES: Question[RulesOf, _Rules] = Question(
    RulesOf,
    _rules,
    _rules_text,
    lambda reply: RulesResult(*reply.found),
    lambda reply: not any(reply.found),
)


class DeadOf(_Below, frozen=True, kw_only=True):
    """Code that nothing reaches."""

    exports: Annotated[bool, said("count everything public as used from outside")] = False
    limit: Rows = 50


class DeadRow(Struct, frozen=True):
    """A definition that nothing reaches; `members` count what lies inside it."""

    symbol: SymbolRow
    members: int
    reasons: tuple[str, ...]


class DeadResult(Struct, frozen=True):
    """The JSON of dead code; `found` counts all, of `definitions`.

    The name of `unnamed` of them stands nowhere else. `called` are folders of what a framework
    calls, which counts as used.
    """

    rows: list[DeadRow]
    found: int
    unnamed: int
    definitions: int
    called: tuple[str, ...]
    schema: int = VERSION


_Dead: TypeAlias = Reply[DeadOf, "DeadCode"]


def _dead(view: View, asked: DeadOf) -> _Dead:
    from satchel.assembler.survey.dead_code import dead_code

    below = view.path(asked.path)
    found = dead_code(view.snapshot, below, exports=asked.exports, limit=asked.limit)
    return _reply(view, asked, found)


def _dead_text(reply: _Dead, _style: Style) -> Told:
    from satchel.assembler.output.graph_lines import dead_lines

    what = counted(reply.found.n_found, "definition")
    return _told(reply, what, dead_lines(reply.found))


def _dead_json(reply: _Dead) -> DeadResult:
    found = reply.found
    rows = [DeadRow(symbol_row(r.symbol), r.n_members, r.reasons) for r in found.rows]
    return DeadResult(rows, found.n_found, found.n_unnamed, found.n_definitions, found.called)


DEAD: Question[DeadOf, _Dead] = Question(DeadOf, _dead, _dead_text, _dead_json, lambda _reply: True)


class CentralOf(_Below, frozen=True, kw_only=True):
    """The symbols that most of the other code depends on."""

    limit: Rows = 20


class CentralResult(Struct, frozen=True):
    """The JSON of central symbols, best first."""

    central: list[CentralRow]
    schema: int = VERSION


_Centrals: TypeAlias = Reply[CentralOf, tuple["Central", ...]]


def _central(view: View, asked: CentralOf) -> _Centrals:
    from satchel.assembler.graph.centrality import symbol_ranks
    from satchel.assembler.survey.overview import central_symbols

    snapshot = view.snapshot
    # Ranked over the whole graph and shown for a part: a rank below a path alone would mean little.
    ranks = symbol_ranks(snapshot)
    found = central_symbols(snapshot, ranks, view.path(asked.path), asked.limit)
    return _reply(view, asked, found)


def _central_text(reply: _Centrals, _style: Style) -> Told:
    from satchel.assembler.output.graph_lines import central_lines

    return _told(reply, counted(len(reply.found), "symbol"), central_lines(reply.found))


def _central_json(reply: _Centrals) -> CentralResult:
    return CentralResult(
        [CentralRow(symbol_row(c.symbol), c.rank, c.n_users, c.n_files) for c in reply.found]
    )


CENTRAL: Question[CentralOf, _Centrals] = Question(
    CentralOf, _central, _central_text, _central_json, lambda _reply: True
)


class NeighbourhoodsOf(_OfModules, frozen=True, kw_only=True):
    """Files that use each other more than others, wherever they lie."""


class NeighbourhoodsResult(Struct, frozen=True):
    """The JSON of neighbourhoods, the largest first."""

    neighbourhoods: list[NeighbourhoodRow]
    schema: int = VERSION


_Neighbourhoods: TypeAlias = Reply[NeighbourhoodsOf, tuple["Neighbourhood", ...]]


def _neighbourhoods(view: View, asked: NeighbourhoodsOf) -> _Neighbourhoods:
    from satchel.assembler.graph.neighbourhoods import neighbourhoods

    return _reply(view, asked, neighbourhoods(_modules(view, asked)))


def _neighbourhoods_text(reply: _Neighbourhoods, _style: Style) -> Told:
    from satchel.assembler.output.graph_lines import neighbourhood_lines

    what = counted(len(reply.found), "neighbourhood")
    return _told(reply, what, neighbourhood_lines(reply.found))


NEIGHBOURHOODS: Question[NeighbourhoodsOf, _Neighbourhoods] = Question(
    NeighbourhoodsOf, _neighbourhoods, _neighbourhoods_text,
    lambda reply: NeighbourhoodsResult(neighbourhood_rows(reply.found)), lambda _reply: True,
)  # fmt: skip


class Nodes(StrEnum):
    """What the nodes of an exported graph are."""

    SYMBOLS = "symbols"
    MODULES = "modules"


class Format(StrEnum):
    """How a graph is written."""

    GRAPHML = "graphml"
    GEXF = "gexf"
    JSON = "json"
    DOT = "dot"
    MERMAID = "mermaid"


class ExportOf(_OfModules, frozen=True, kw_only=True):
    """The graph as a document."""

    format: Annotated[Format, said("how it is written")] = Format.GRAPHML
    of: Annotated[Nodes, said("what the nodes are")] = Nodes.SYMBOLS


class ExportResult(Struct, frozen=True):
    """The JSON of an export: the document in its format."""

    format: Format
    document: str
    schema: int = VERSION


_Export: TypeAlias = Reply[ExportOf, str]


def _export(view: View, asked: ExportOf) -> _Export:
    from satchel.assembler.graph import export
    from satchel.assembler.graph.call_graph import call_graph

    if asked.of == Nodes.MODULES:
        portable = export.of_modules(_modules(view, asked))
    else:
        below = view.path(asked.path)
        with call_graph(view.snapshot) as whole:
            portable = export.of_symbols(
                whole,
                lambda node: node.path.startswith(below) and (asked.tests or not node.is_test),
            )
    return _reply(view, asked, export.WRITERS[asked.format](portable))


EXPORT: Question[ExportOf, _Export] = Question(
    ExportOf, _export,
    lambda reply, _style: Told("", reply.notices, (), whole=f"{reply.found}\n"),
    lambda reply: ExportResult(reply.asked.format, reply.found), lambda _reply: True,
)  # fmt: skip
