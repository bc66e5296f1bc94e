"""The graph as a whole: cycles, broken rules, dead code, what is central, neighbourhoods, exports.

What reads the graph is imported where it runs, since a command line lists its options without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Generic, TypeVar

from msgspec import Meta, Struct, field

from satchel.assembler.lookup.absence import stale_graph
from satchel.questions.overview import CentralRow
from satchel.questions.params import said
from satchel.questions.request import About, Path, Question, ReplyText, Request, Rows, Style
from satchel.questions.rows import VERSION, SymbolRow, shaped
from satchel.questions.view import View
from satchel.store.errors import UsageError
from satchel.store.model import RepoPath

if TYPE_CHECKING:
    from satchel.assembler.graph.cycles import Cycle
    from satchel.assembler.graph.layers import Violation
    from satchel.assembler.graph.modules import ModuleGraph, ModuleUses
    from satchel.assembler.graph.neighbourhoods import Neighbourhood
    from satchel.assembler.survey.dead_code import DeadCode
    from satchel.assembler.survey.overview import Central
    from satchel.store.reading.snapshot import Snapshot

_R = TypeVar("_R", bound=Request)
_F = TypeVar("_F")
_MOST_DEPTH = 100


class Reply(Struct, Generic[_R, _F], frozen=True):
    """What was found, of what was asked."""

    asked: _R
    found: _F
    state: str
    notices: tuple[str, ...]


def _question(
    request: type[_R],
    find: Callable[[View, _R], _F],
    text: Callable[[ModuleType, Reply[_R, _F]], Iterable[str] | str],
    json: Callable[[Reply[_R, _F]], Struct],
    is_found: Callable[[Reply[_R, _F]], bool] = lambda _reply: True,
) -> Question[_R, Reply[_R, _F]]:
    """A question of which `text` writes rows, or a document, with `graph_lines`."""

    def answer(view: View, asked: _R) -> Reply[_R, _F]:
        notices = (*view.notices, *stale_graph(view.snapshot))
        return Reply(asked, find(view, asked), view.state, notices)

    def reply_text(reply: Reply[_R, _F], _style: Style) -> ReplyText:
        from satchel.assembler.output import graph_lines

        rows = text(graph_lines, reply)
        if isinstance(rows, str):
            return ReplyText("", reply.notices, (), whole=rows)
        return ReplyText(f"graph, {reply.state}", reply.notices, tuple(rows))

    return Question(request, answer, reply_text, json, is_found)


class _Below(Request, frozen=True, kw_only=True):
    """What is asked of a part of the tree."""

    path: Annotated[Path, said("only files whose path starts with this")] = ""

    @property
    def about(self) -> About:
        """Where its answer lies."""
        return About(path=self.path)


def _below(view: View, asked: _Below) -> str:
    return with_files(view.snapshot, view.path(asked.path))


def with_files(snapshot: Snapshot, path: str) -> str:
    """A path, if files are indexed below it. Raises: UsageError: none is."""
    if path and not snapshot.files.starting_with(RepoPath(path), 1):
        hint = "a graph takes the beginning of a path, and no pattern"
        raise UsageError(f"no indexed file's path starts with {path}", hint)
    return path


class _OfModules(_Below, frozen=True, kw_only=True):
    """What is asked of files or folders."""

    depth: Annotated[
        int, Meta(ge=-1, le=_MOST_DEPTH),
        said("modules are folders so deep; -1: the folder of each file; 0: files"),
    ] = 0  # fmt: skip
    tests: Annotated[bool, said("test code as well")] = False


def _modules(view: View, asked: _OfModules) -> ModuleGraph:
    from satchel.assembler.graph.modules import module_graph

    return module_graph(view.snapshot, _below(view, asked), depth=asked.depth, tests=asked.tests)


class CyclesOf(_OfModules, frozen=True, kw_only=True):
    """Modules that need each other, and the uses to give up so that they no longer do."""

    limit: Rows = 20


class CycleRow(Struct, frozen=True):
    """Modules that need each other; `way_round` is a shortest cycle of them."""

    modules: tuple[str, ...]
    way_round: tuple[str, ...]
    cuts: tuple[ModuleUses, ...]
    is_whole: bool = field(name="whole")


class CyclesResult(Struct, frozen=True):
    """The JSON of cycles, those of most modules first."""

    cycles: list[CycleRow]
    found: int
    schema: int = VERSION


def _cycles(view: View, asked: CyclesOf) -> tuple[Cycle, ...]:
    from satchel.assembler.graph.cycles import cycles

    return cycles(_modules(view, asked))


def _cycles_json(reply: Reply[CyclesOf, tuple[Cycle, ...]]) -> CyclesResult:
    shown = reply.found[: reply.asked.limit]
    return CyclesResult(shaped(shown, list[CycleRow]), len(reply.found))


CYCLES = _question(
    CyclesOf, _cycles,
    lambda lines, reply: lines.cycles_lines(reply.found, reply.asked.limit), _cycles_json,
)  # fmt: skip


class RulesOf(Request, frozen=True, kw_only=True):
    """Uses that break the rules of [architecture] in .satchel/config.toml."""

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


def _rules(view: View, asked: RulesOf) -> tuple[Sequence[Violation], Sequence[str]]:
    from satchel.assembler.graph.layers import read_rules, unknown, violations
    from satchel.assembler.graph.modules import module_graph

    rules, graph = read_rules(asked.rule), module_graph(view.snapshot)
    return violations(graph, rules), unknown(graph, rules)


# A rule about a path that is not there holds nothing, so it counts as broken.
RULES = _question(
    RulesOf, _rules, lambda lines, reply: lines.violations_lines(*reply.found),
    lambda reply: RulesResult(*reply.found), lambda reply: not any(reply.found),
)  # fmt: skip


class DeadOf(_Below, frozen=True, kw_only=True):
    """Code that no entry point, test or export reaches, and why it might be alive."""

    exports: Annotated[bool, said("count everything public as used from outside")] = False
    limit: Rows = 50


class DeadRow(Struct, frozen=True):
    """A definition that nothing reaches; `members` count what lies inside it."""

    symbol: SymbolRow
    n_members: int = field(name="members")
    reasons: tuple[str, ...]


class DeadResult(Struct, frozen=True):
    """The JSON of dead code; `found` counts all, of `definitions`.

    The name of `unnamed` of them stands nowhere else. `called` are folders of what a framework
    calls, which counts as used.
    """

    rows: list[DeadRow]
    n_found: int = field(name="found")
    n_unnamed: int = field(name="unnamed")
    n_definitions: int = field(name="definitions")
    called: tuple[str, ...]
    schema: int = VERSION


def _dead(view: View, asked: DeadOf) -> DeadCode:
    from satchel.assembler.survey.dead_code import dead_code

    below = _below(view, asked)
    return dead_code(view.snapshot, below, exports=asked.exports, limit=asked.limit)


DEAD = _question(
    DeadOf, _dead, lambda lines, reply: lines.dead_lines(reply.found),
    lambda reply: shaped(reply.found, DeadResult),
)  # fmt: skip


class CentralOf(_Below, frozen=True, kw_only=True):
    """The symbols that most of the other code depends on, by PageRank."""

    limit: Rows = 20


class CentralResult(Struct, frozen=True):
    """The JSON of central symbols, best first."""

    central: list[CentralRow]
    schema: int = VERSION


def _central(view: View, asked: CentralOf) -> tuple[Central, ...]:
    from satchel.assembler.survey.overview import central_symbols

    return central_symbols(view.snapshot, _below(view, asked), asked.limit)


CENTRAL = _question(
    CentralOf,
    _central,
    lambda lines, reply: lines.central_lines(reply.found),
    lambda reply: CentralResult(shaped(reply.found, list[CentralRow])),
)


class NeighbourhoodsOf(_OfModules, frozen=True, kw_only=True):
    """Files that use each other more than others, wherever they lie."""


class NeighbourhoodsResult(Struct, frozen=True):
    """The JSON of neighbourhoods, the largest first."""

    neighbourhoods: tuple[Neighbourhood, ...]
    schema: int = VERSION


def _neighbourhoods(view: View, asked: NeighbourhoodsOf) -> tuple[Neighbourhood, ...]:
    from satchel.assembler.graph.neighbourhoods import neighbourhoods

    return neighbourhoods(_modules(view, asked))


NEIGHBOURHOODS = _question(
    NeighbourhoodsOf, _neighbourhoods,
    lambda lines, reply: lines.neighbourhood_lines(reply.found),
    lambda reply: NeighbourhoodsResult(reply.found),
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
    """The graph as GraphML, GEXF, node-link JSON, Graphviz DOT or Mermaid."""

    format: Annotated[Format, said("how it is written")] = Format.GRAPHML
    of: Annotated[Nodes, said("what the nodes are")] = Nodes.SYMBOLS


class ExportResult(Struct, frozen=True):
    """The JSON of an export: the document in its format."""

    format: Format
    document: str
    schema: int = VERSION


def _export(view: View, asked: ExportOf) -> str:
    from satchel.assembler.graph import export
    from satchel.assembler.graph.call_graph import call_graph

    if asked.of == Nodes.MODULES:
        portable = export.of_modules(_modules(view, asked))
    else:
        below = _below(view, asked)
        portable = export.of_symbols(
            call_graph(view.snapshot),
            lambda node: node.path.startswith(below) and (asked.tests or not node.is_test),
        )
    return export.WRITERS[asked.format](portable)


EXPORT = _question(
    ExportOf, _export, lambda _lines, reply: f"{reply.found}\n",
    lambda reply: ExportResult(reply.asked.format, reply.found),
)  # fmt: skip
