"""From query matches to flows: what a name, an attribute or a result may hold, as written.

Flows are raw text here, cut at `MAX_VALUE`; `indexer.expressions` reads them when the call graph
asks. Constants are left out by the queries: they lead to no definition.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from indexer.parse import Match, Matches
from indexer.source import Source
from indexer.uses import enclosing
from store.model import Flow, Symbol, SymbolKind

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
_SPACE = re.compile(r"\s+")


def flows(matches: Matches, source: Source, symbols: list[Symbol]) -> tuple[Flow, ...]:
    """Flows by position, each with the innermost symbol around it that is a scope."""
    found: list[tuple[int, str, str]] = []
    for match in matches.flows:
        found += _stated(match, source)
    for match in matches.uses:
        if "arguments" in match:
            found += _arguments(match, source)
        elif "given" in match:
            name, given = match["name"][0], match["given"][0]
            place = f"({_text(name, source, MAX_PLACE)}"
            found.append((name.start_byte, place, _text(given, source, MAX_VALUE)))
    found.sort()
    scopes = enclosing([start for start, _, _ in found], symbols)
    return tuple(
        dict.fromkeys(
            Flow(_scope(scope, start, symbols), place, value)
            for (start, place, value), scope in zip(found, scopes, strict=True)
        )
    )


def _stated(match: Match, source: Source) -> list[tuple[int, str, str]]:
    places = match.get("to") or match.get("field")
    if places and "field" in match:
        # A parameter that is a field as well: `constructor(private store: Store)`.
        name, held = _text(places[0], source, MAX_PLACE), _text(match["is"][0], source, MAX_VALUE)
        return [(places[0].start_byte, f"this.{name}", f": {held}")]
    if places:
        place = _text(places[0], source, MAX_PLACE)
        start = places[0].start_byte
        return [
            (start, place, before + _text(match[label][0], source, MAX_VALUE) + after)
            for label, before, after in _FORMS
            if label in match
        ]
    return [
        (match[label][0].start_byte, place, before + _text(match[label][0], source, MAX_VALUE))
        for label, place, before in _OWN
        if label in match and (label != "returned" or not _in_argument(match[label][0]))
    ]


def _in_argument(node: Node) -> bool:
    """Whether a result is that of a function without a name, handed to a call."""
    outer = node.parent
    while outer is not None and outer.type not in _NAMED_FUNCTIONS:
        if outer.type in _FUNCTIONS:
            return outer.parent is not None and outer.parent.type in _CALLS
        outer = outer.parent
    return False


def _arguments(match: Match, source: Source) -> list[tuple[int, str, str]]:
    """The arguments of a call, unless none of them can lead anywhere."""
    node = match["arguments"][0]
    if node.end_byte - node.start_byte <= 2:
        return []
    text = _text(node, source, MAX_VALUE)
    if not _TELLING.search(text):
        return []
    called = match.get("callee") or match["name"]
    receiver = match.get("receiver")
    first = (receiver or called)[0]
    callee = source.text(first.start_byte, min(called[0].end_byte, first.start_byte + MAX_PLACE))
    if " " in callee or not callee.isprintable():  # seldom, and a pattern is slow to say no
        callee = _SPACE.sub(" ", callee)
    return [(first.start_byte, callee + "(", text)]


def _scope(scope: int, start: int, symbols: list[Symbol]) -> int:
    """The innermost symbol that is a scope, or begins before the place."""
    while scope >= 0 and symbols[scope].kind in _HELD:
        scope = symbols[scope].parent
    return scope


def _text(node: Node, source: Source, limit: int) -> str:
    text = source.text(node.start_byte, min(node.end_byte, node.start_byte + limit))
    return _SPACE.sub(" ", text) if "\n" in text else text
