"""The call graph around a symbol as a drawing: Graphviz DOT and Mermaid. Pure, deterministic.

Nodes are numbered in the order in which edges name them, so that the same edges give the same text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from satchel.assembler.graph import export
from satchel.assembler.graph.export import dot_label, entities
from satchel.assembler.graph.paths import Step
from satchel.assembler.quoting import clean
from satchel.assembler.render import location
from satchel.store.errors import UsageError
from satchel.store.records import SURE, SymbolRecord

if TYPE_CHECKING:
    from satchel.assembler.lookup.dependencies import Dependencies

Drawing: TypeAlias = "Callable[[Dependencies], Iterator[str]]"


def dot_lines(found: Dependencies) -> Iterator[str]:
    """A directed graph in DOT; an edge runs from the user to the used, dashed below 0.5."""
    yield "digraph dependencies {"
    yield "  rankdir=LR; node [shape=box];"
    numbers = _numbers(found)
    for record, number in numbers.items():
        yield f'  n{number} [label="{_label(record)}"];'
    for edge in found.edges:
        style = ", style=dashed" if edge.confidence < SURE else ""
        ends = f"n{numbers[edge.source]} -> n{numbers[edge.target]}"
        yield f'  {ends} [label="{edge.kind} {edge.confidence:.2f}"{style}];'
    yield from (f"  // {clean(str(absent))}" for absent in found.absent)
    yield "}"


def mermaid_lines(found: Dependencies) -> Iterator[str]:
    """A Mermaid flowchart; an edge runs from the user to the used, dotted below 0.5."""
    yield "flowchart LR"
    numbers = _numbers(found)
    for record, number in numbers.items():
        yield f'  n{number}["{entities(_label(record))}"]'
    for edge in found.edges:
        arrow = "-.->" if edge.confidence < SURE else "-->"
        label = f"|{edge.kind} {edge.confidence:.2f}|"
        yield f"  n{numbers[edge.source]} {arrow}{label} n{numbers[edge.target]}"
    yield from (f"  %% {entities(clean(str(absent)))}" for absent in found.absent)


DRAWINGS: Mapping[str, Drawing] = {"dot": dot_lines, "mermaid": mermaid_lines}


def drawing(found: Dependencies, form: str) -> str:
    """The call graph around a symbol as "dot", "mermaid", "graphml", "gexf" or "json".

    Raises:
        UsageError: there is no such form.
    """
    if form in DRAWINGS:
        return "\n".join(DRAWINGS[form](found)) + "\n"
    if form not in export.WRITERS:
        forms = dict.fromkeys((*DRAWINGS, *export.WRITERS))
        raise UsageError(f"form is {form!r}", f"use {', '.join(forms)}")
    uses = (Step(e.source, e.target, e.kind, e.line, e.rule, e.confidence) for e in found.edges)
    return export.WRITERS[form](export.of_uses(found.roots, uses)) + "\n"


def _numbers(found: Dependencies) -> dict[SymbolRecord, int]:
    records = [*found.roots]
    for edge in found.edges:
        records += [edge.source, edge.target]
    # A dict keeps the order of insertion, where a set would number the nodes differently in each
    # process.
    return {record: number for number, record in enumerate(dict.fromkeys(records))}


def _label(record: SymbolRecord) -> str:
    """A name and where it is, without what would end a label."""
    text = f"{clean(record.qualified_name)} {location(record.path, record.line, record.line)}"
    return dot_label(text)
