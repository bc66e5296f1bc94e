"""The edge to tree-sitter: grammars, compiled queries, and matches as plain tuples of nodes.

Parsers hold the interpreter lock and a few grammars can crash on hostile input, so this runs in
worker processes only (`indexer.workers`); within one process the caches below are safe to share.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from operator import itemgetter

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser, Query, QueryCursor
from tree_sitter_language_pack import get_language

Match = dict[str, list[Node]]

_USES = frozenset({"call", "inherit", "implement", "type"})
_FLOWS = frozenset(
    {
        "from",
        "made",
        "is",
        "each",
        "entered",
        "returned",
        "result",
        "yielded",
        "decorator",
        "exported",
    }
)
_IMPORTS = frozenset({"import", "member"})
_NOTES = frozenset({"comment", "decoration"})
_MARKS = frozenset({"same", "uncalled", "export"})
_ESCAPED = dict.fromkeys(range(0xDC80, 0xDD00), "?")


@cache
def grammar(name: str) -> Grammar:
    """The grammar called `name` in tree-sitter-language-pack."""
    return get_language(name)  # type: ignore[arg-type]


@cache
def query(grammar_name: str, query_name: str) -> Query:
    """The compiled extraction query of a language."""
    folder = files("indexer").joinpath("queries")
    parts = [folder.joinpath(f"{name}.scm").read_text("utf-8") for name in query_name.split("+")]
    return Query(grammar(grammar_name), "\n".join(parts))


@cache
def _error_query(grammar_name: str) -> Query:
    return Query(grammar(grammar_name), "[(ERROR) (MISSING)] @error")


def parse(data: bytes, grammar_name: str) -> Node:
    """The root of the syntax tree; never raises on malformed source."""
    return Parser(grammar(grammar_name)).parse(_decodable(data)).root_node


def _decodable(data: bytes) -> bytes:
    """The same bytes with "?" for each that is not UTF-8: predicates of queries need to decode."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("utf-8", "surrogateescape").translate(_ESCAPED).encode("utf-8")
    return data


@dataclass(slots=True)
class Matches:
    """The matches of one file by what they are for; one that serves two ends is in two lists.

    Each list is ordered by pattern as in the query file, then by position.
    """

    definitions: list[Match] = field(default_factory=list)
    uses: list[Match] = field(default_factory=list)
    """Calls and uses of types."""
    imports: list[Match] = field(default_factory=list)
    flows: list[Match] = field(default_factory=list)
    """What names and results may hold."""
    notes: list[Match] = field(default_factory=list)
    """Comments and decorations."""
    marks: list[Match] = field(default_factory=list)
    """Whatever says something about a definition elsewhere: labels, exports, repetitions."""


def matches(root: Node, grammar_name: str, query_name: str) -> Matches:
    """Every match of the language's query."""
    found = QueryCursor(query(grammar_name, query_name)).matches(root)
    result = Matches()
    lists_of: dict[tuple[str, ...], list[list[Match]]] = {}
    for _, match in sorted(found, key=itemgetter(0)):
        shape = tuple(match)
        lists = lists_of.get(shape)
        if lists is None:
            lists = lists_of[shape] = _lists(shape, result)
        for each in lists:
            each.append(match)
    return result


def _lists(shape: tuple[str, ...], result: Matches) -> list[list[Match]]:
    """Where matches with these captures belong."""
    names = set(shape)
    defines = any(name.startswith("definition.") for name in shape)
    lists = [result.definitions] if defines else []
    if names & _USES:
        lists.append(result.uses)
    if names & _IMPORTS:
        lists.append(result.imports)
    if names & _FLOWS:
        lists.append(result.flows)
    if names & _NOTES:
        lists.append(result.notes)
    if not lists or names & _MARKS:
        lists.append(result.marks)
    return lists


def first_error_line(root: Node, grammar_name: str) -> int:
    """The 1-based line of the first syntax error; 0 when there is none that can be seen."""
    if not root.has_error:
        return 0
    nodes = QueryCursor(_error_query(grammar_name)).captures(root).get("error", [])
    return min((node.start_point.row for node in nodes), default=-1) + 1
