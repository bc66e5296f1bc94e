"""How much of what extraction notes the parser of expressions does not follow, and what it takes.

    python -m bench.callgraph.parsing FOLDER…      folders that are indexed

For the values that names and results are given: the share that is followed nowhere, and the share
of those in which the language's own grammar sees something that leads to a value: a call, a member,
an item, a choice. That is what a syntax tree would tell and a text does not. For time: parsing all
distinct texts once, as a share of deriving all edges.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tree_sitter import Node
from tree_sitter_language_pack import get_parser

from bench.state import state_folders
from satchel.indexer.callgraph import linker
from satchel.indexer.callgraph.expressions.nodes import NOTHING
from satchel.indexer.callgraph.expressions.parser import parse_arguments, parse_expression
from satchel.indexer.callgraph.expressions.type_parser import parse_type
from satchel.indexer.callgraph.tables.flow_texts import FlowKind, flow_form
from satchel.indexer.languages import detect
from satchel.store import codec
from satchel.store.model import Flow
from satchel.store.sqlite import database
from satchel.store.sqlite.database import select

_AROUND = {
    "python": ("x = (", ")"), "ruby": ("x = (", ")"), "kotlin": ("val x = (", ")"),
    "scala": ("val x = (", ")"), "swift": ("let x = (", ")"), "cpp": ("auto x = (", ");"),
    "c": ("int x = (", ");"), "php": ("<?php $x = (", ");"), "lua": ("x = (", ")"),
    "javascript": ("x = (", ")"), "typescript": ("x = (", ")"), "tsx": ("x = (", ")"),
    "go": ("package p\nvar x = f(", ")"), "java": ("class A { Object x = (", "); }"),
    "csharp": ("class A { object x = (", "); }"), "rust": ("fn f() { x = (", "); }"),
}  # fmt: skip
"""What makes a whole file of an expression."""
_TRANSPARENT = ("parenthesized_expression", "expression_list", "argument_list", "argument")
_FOLLOWED = ("call", "invocation", "new", "creation", "member", "attribute", "field_expression",
             "field_access", "selector", "navigation", "subscript", "index_expression", "element",
             "await", "conditional", "ternary", "identifier", "composite_literal", "struct_expr",
             "instance_expression", "array_access", "scoped")  # fmt: skip
"""Parts of the names that grammars give to nodes that lead to a value."""
_PREFIXES = ("in ", "with ")


@dataclass(slots=True)
class _Tally:
    """What was seen in all folders; texts are distinct ones, and seconds processor time."""

    counts: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    expressions: set[str] = field(default_factory=set)
    arguments: set[str] = field(default_factory=set)
    types: set[str] = field(default_factory=set)
    deriving: float = 0.0


def main() -> int:
    """Count and time over some folders."""
    parser = argparse.ArgumentParser(prog="python -m bench.callgraph.parsing", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    tally = _Tally()
    for folder in parser.parse_args().folders:
        _measure(folder, tally)
    counts, missed = tally.counts, tally.missed
    values, types = counts["values"], counts["types"]
    print(f"{values:,} values, {types:,} types, {counts['calls']:,} argument lists")
    print(f"argument lists that are cut: {counts['cut'] / counts['calls']:.1%}")
    print(f"types that are not followed: {counts['types not followed'] / types:.1%}")
    print(f"values that are not followed: {counts['not followed'] / values:.1%}")
    print(f"… in which a syntax tree shows what to follow: {missed.total() / values:.2%}")
    print(", ".join(f"{kind} {n}" for kind, n in missed.most_common(12)))
    paths = sum(text.replace(".", "").isidentifier() for text in tally.expressions)
    print(f"paths of names among distinct expressions: {paths / len(tally.expressions):.0%}")
    share = _seconds_of_parsing(tally) / tally.deriving
    print(f"deriving {tally.deriving:.1f} s of processor time; parsing is {share:.1%} of it")
    return 0


def _measure(folder: Path, tally: _Tally) -> None:
    connection = database.connect(state_folders(folder, os.environ).index, writable=False)
    started = time.process_time()
    linker.compute_edges(connection)
    tally.deriving += time.process_time() - started
    tally.expressions |= {row[0] for row in select(connection, "SELECT receiver FROM refs")}
    for language, packed in select(connection, "SELECT language, flows FROM contents"):
        for flow in codec.decode_flows(packed):
            _count(flow, language, tally)
    connection.close()


def _count(flow: Flow, language: str, tally: _Tally) -> None:
    kind, subject = flow_form(flow.place)
    counts, text = tally.counts, flow.value
    if kind in (FlowKind.CALL, FlowKind.OVERLOADED_CALL):
        counts["calls"] += 1
        counts["cut"] += not text.endswith(")")
        tally.expressions.add(subject)
        tally.arguments.add(text)
    elif text.startswith(": "):
        counts["types"] += 1
        counts["types not followed"] += parse_type(text[2:]) is NOTHING
        tally.types.add(text[2:])
    else:
        for prefix in _PREFIXES:
            text = text.removeprefix(prefix)
        counts["values"] += 1
        tally.expressions.add(text)
        if parse_expression(text) is NOTHING:
            counts["not followed"] += 1
            seen = _kind_of(language, text)
            tally.missed[f"{language}: {seen}"] += any(part in seen for part in _FOLLOWED)


def _seconds_of_parsing(tally: _Tally) -> float:
    """What parsing each distinct text once takes; deriving parses no argument list unasked."""
    for cached in (parse_expression, parse_arguments, parse_type):
        cached.cache_clear()
    started = time.process_time()
    for text in tally.expressions:
        parse_expression(text)
    for text in tally.arguments:
        parse_arguments(text)
    for text in tally.types:
        parse_type(text)
    return time.process_time() - started


def _kind_of(language: str, text: str) -> str:
    """What the grammar calls an expression; "" where it does not see one as long as the text."""
    if language not in _AROUND:
        return ""
    before, after = (part.encode() for part in _AROUND[language])
    data = text.encode()
    parser = get_parser(detect.by_name(language).grammar)  # type: ignore[arg-type]
    start, end = len(before), len(before) + len(data)
    root = parser.parse(before + data + after).root_node
    node: Node | None = root.descendant_for_byte_range(start, max(start, end - 1))
    while node is not None and (node.start_byte, node.end_byte) != (start, end):
        node = node.parent if node.start_byte >= start and node.end_byte <= end else None
    while node is not None and node.type in _TRANSPARENT and node.named_child_count == 1:
        node = node.named_child(0)
    return node.type if node is not None and not node.has_error else ""


if __name__ == "__main__":
    raise SystemExit(main())
