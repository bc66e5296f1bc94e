"""The edge to tree-sitter: grammars, compiled queries, and matches as plain tuples of nodes.

Parsers hold the interpreter lock and a few grammars can crash on hostile input, so this runs in
worker processes only (`indexer.workers`); within one process the caches below are safe to share.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser, Query, QueryCursor
from tree_sitter_language_pack import get_language

Match = dict[str, list[Node]]


@cache
def grammar(name: str) -> Grammar:
    """The grammar called `name` in tree-sitter-language-pack."""
    return get_language(name)  # type: ignore[arg-type]


@cache
def query(grammar_name: str, query_name: str) -> Query:
    """The compiled extraction query of a language."""
    path = files("indexer").joinpath("queries").joinpath(f"{query_name}.scm")
    return Query(grammar(grammar_name), path.read_text(encoding="utf-8"))


@cache
def _error_query(grammar_name: str) -> Query:
    return Query(grammar(grammar_name), "(ERROR) @error")


def parse(data: bytes, grammar_name: str) -> Node:
    """The root of the syntax tree; never raises on malformed source."""
    return Parser(grammar(grammar_name)).parse(data).root_node


def matches(root: Node, grammar_name: str, query_name: str) -> list[Match]:
    """Every match of the language's query, in the order of the query's patterns per position."""
    cursor = QueryCursor(query(grammar_name, query_name))
    return [captures for _, captures in cursor.matches(root)]


def first_error_line(root: Node, grammar_name: str) -> int:
    """The 1-based line of the first syntax error; 0 when there is none."""
    if not root.has_error:
        return 0
    nodes = QueryCursor(_error_query(grammar_name)).captures(root).get("error", [])
    return min((node.start_point.row for node in nodes), default=0) + 1
