"""From query matches to flows: what a name, an attribute or a result may hold, as written.

Flows are raw text here, cut at `MAX_VALUE`; `indexer.callgraph.expressions.expressions` reads them
when the call graph asks. Constants are left out by the queries: they lead to no definition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from satchel.indexer.extract.parse import Matches, MatchGroup
from satchel.indexer.extract.references import enclosing
from satchel.indexer.extract.source import Source
from satchel.store.model import Flow, Symbol, SymbolKind

MAX_PLACE = 80
MAX_VALUE = 320

_HELD = frozenset({SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.FIELD})
"""Symbols that hold a value and are no scope for what it is made of."""
_FORMS = (
    ("from", "", ""),
    ("made", "", "()"),
    ("is", ": ", ""),
    ("each", "in ", ""),
    ("entered", "with ", ""),
)
"""Capture of the value, what is put before its text, what after it."""
_OWN = (
    ("returned", "return", ""),
    ("result", "return", ": "),
    ("yielded", "yield", ""),
    ("decorator", "@", ""),
    ("exported", "default", ""),
)
"""Capture of the value, its place, what is put before its text."""
_NAMED_FUNCTIONS = frozenset(
    {"function_definition", "function_declaration", "method_definition", "method_declaration",
     "function_item"}
)  # fmt: skip
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "func_literal", "lambda_literal",
                        "closure_expression", "lambda_expression"})  # fmt: skip
_CALLS = frozenset({"arguments", "argument_list", "call_expression", "value_arguments"})
_TELLING = re.compile(r"[A-Za-z_]")
_Found = tuple[int, str, str]
"""Where it is said, place, value."""


def flows(matches: Matches, source: Source, symbols: list[Symbol]) -> tuple[Flow, ...]:
    """Flows by position, each with the innermost symbol around it that is a scope."""
    found: list[tuple[int, str, str]] = []
    for run in matches.flows:
        found += _stated(run, source)
    for run in matches.uses:
        if "arguments" in run.names:
            found += _arguments(run, source)
        elif "given" in run.names:
            found += _given(run, source)
    found.sort()
    scopes = enclosing([start for start, _, _ in found], symbols)
    return tuple(
        dict.fromkeys(
            Flow(_scope(scope, start, symbols), place, value)
            for (start, place, value), scope in zip(found, scopes, strict=True)
        )
    )


def _stated(run: MatchGroup, source: Source) -> Iterator[_Found]:
    """What names and results may hold where the code says so."""
    if "field" in run.names:
        # A parameter that is a field as well: `constructor(private store: Store)`.
        for match in run.matches:
            node = match["field"][0]
            held = _text(match["is"][0], source, MAX_VALUE)
            yield node.start_byte, f"this.{_text(node, source, MAX_PLACE)}", f": {held}"
    elif "to" in run.names:
        for match in run.matches:
            node = match["to"][0]
            start, place = node.start_byte, _text(node, source, MAX_PLACE)
            for label, before, after in _FORMS:
                if label in run.names:
                    value = _text(match[label][0], source, MAX_VALUE)
                    yield start, place, before + value + after
    else:
        yield from _own(run, source)


def _own(run: MatchGroup, source: Source) -> Iterator[_Found]:
    """What a symbol says of itself: its results, its decorators."""
    for label, place, before in _OWN:
        if label in run.names:
            for match in run.matches:
                node = match[label][0]
                if label != "returned" or not _in_argument(node):
                    yield node.start_byte, place, before + _text(node, source, MAX_VALUE)


def _in_argument(node: Node) -> bool:
    """Whether a result is that of a function without a name, handed to a call."""
    outer = node.parent
    while outer is not None and outer.type not in _NAMED_FUNCTIONS:
        if outer.type in _FUNCTIONS:
            return outer.parent is not None and outer.parent.type in _CALLS
        outer = outer.parent
    return False


def _arguments(run: MatchGroup, source: Source) -> Iterator[_Found]:
    """The arguments of calls, but those that cannot lead anywhere."""
    called = "callee" if "callee" in run.names else "name"
    first = "receiver" if "receiver" in run.names else called
    for match in run.matches:
        node = match["arguments"][0]
        if node.end_byte - node.start_byte <= 2:
            continue
        text = _text(node, source, MAX_VALUE)
        if not _TELLING.search(text):
            continue
        start = match[first][0].start_byte
        callee = source.text(start, min(match[called][0].end_byte, start + MAX_PLACE))
        if " " in callee or not callee.isprintable():
            callee = _spaced(callee)
        yield start, callee + "(", text


def _given(run: MatchGroup, source: Source) -> Iterator[_Found]:
    """What an argument that is named is given."""
    for match in run.matches:
        node = match["name"][0]
        place = f"({_text(node, source, MAX_PLACE)}"
        yield node.start_byte, place, _text(match["given"][0], source, MAX_VALUE)


def _scope(scope: int, start: int, symbols: list[Symbol]) -> int:
    """The innermost symbol that is a scope, or begins before the place."""
    while scope >= 0 and symbols[scope].kind in _HELD:
        scope = symbols[scope].parent
    return scope


def _text(node: Node, source: Source, limit: int) -> str:
    start, end = node.start_byte, node.end_byte
    text = source.text(start, end if end - start <= limit else start + limit)
    return _spaced(text) if "\n" in text else text


def _spaced(text: str) -> str:
    """The text with one blank for each run of white space."""
    return " ".join(f".{text}.".split())[1:-1]  # a fifth of the time of a pattern
