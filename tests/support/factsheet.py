"""Facts as text that a person can read line by line and a test can compare: the golden sheets."""

from __future__ import annotations

from collections.abc import Iterable

from satchel.store.model import Chunk, FileFacts, Import, Problem, Reference, Symbol

MAX_DOC = 100


def factsheet(facts: FileFacts) -> str:
    """All that `facts` says, one fact a line."""
    sections: dict[str, Iterable[str]] = {
        f"SYMBOLS {facts.language}": (_symbol(s, facts.symbols) for s in facts.symbols),
        "REFERENCES": (_reference(r, facts.symbols) for r in facts.references),
        "IMPORTS": (_import(i) for i in facts.imports),
        "CHUNKS": (_chunk(c, facts.symbols) for c in facts.chunks),
        "PROBLEMS": (_problem(p) for p in facts.problems),
    }
    lines = [line for title, rows in sections.items() for line in (title, *rows)]
    return "\n".join(lines) + "\n"


def _symbol(symbol: Symbol, symbols: tuple[Symbol, ...]) -> str:
    depth, parent = 1, symbol.parent
    while parent >= 0:
        depth, parent = depth + 1, symbols[parent].parent
    flags = f"{symbol.visibility}{' TEST' if symbol.is_test else ''}"
    span = f"L{symbol.span.start_line}-{symbol.span.end_line}@{symbol.line}"
    line = f"{symbol.kind} {symbol.qualified_name} {span} {flags} | {symbol.signature}"
    doc = symbol.doc if len(symbol.doc) <= MAX_DOC else symbol.doc[: MAX_DOC - 1] + "…"
    return "  " * depth + line + (f" | {doc!r}" if doc else "")


def _reference(reference: Reference, symbols: tuple[Symbol, ...]) -> str:
    receiver = f"{reference.receiver} . " if reference.receiver else ""
    scope = symbols[reference.scope].qualified_name if reference.scope >= 0 else "-"
    return f"  L{reference.line} {reference.kind} {receiver}{reference.name} | {scope}"


def _import(binding: Import) -> str:
    name = f" : {binding.name}" if binding.name else ""
    alias = f" as {binding.alias}" if binding.alias else ""
    return f"  L{binding.line} {binding.module}{name}{alias}"


def _chunk(chunk: Chunk, symbols: tuple[Symbol, ...]) -> str:
    symbol = symbols[chunk.symbol].qualified_name if chunk.symbol >= 0 else "-"
    span = f"L{chunk.span.start_line}-{chunk.span.end_line}"
    test = " TEST" if chunk.is_test else ""
    return f"  {span} {chunk.kind} {symbol} {chunk.tokens} tokens{test} | {chunk.header}"


def _problem(problem: Problem) -> str:
    return f"  L{problem.line} {problem.kind} {problem.detail}".rstrip()
