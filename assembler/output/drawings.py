"""The call graph around a symbol as a drawing: Graphviz DOT and Mermaid. Pure, deterministic.

Nodes are numbered in the order in which edges name them, so that the same edges give the same text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from satchel.assembler.graph import export
from satchel.assembler.graph.export import DrawnEdge
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
    return export.dot("dependencies", *_parts(found))


def mermaid_lines(found: Dependencies) -> Iterator[str]:
    """A Mermaid flowchart; an edge runs from the user to the used, dotted below 0.5."""
    return export.mermaid(*_parts(found))


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


def _parts(found: Dependencies) -> tuple[list[str], list[DrawnEdge], list[str]]:
    """The labels of nodes, the edges, and what is to be said of both."""
    records = [*found.roots]
    for edge in found.edges:
        records += [edge.source, edge.target]
    # A dict keeps the order of insertion, where a set would number the nodes differently in each
    # process.
    numbers = {record: number for number, record in enumerate(dict.fromkeys(records))}
    edges = [
        (numbers[e.source], numbers[e.target], f"{e.kind} {e.confidence:.2f}", e.confidence >= SURE)
        for e in found.edges
    ]
    return [*map(_label, numbers)], edges, [clean(str(absent)) for absent in found.absent]


def _label(record: SymbolRecord) -> str:
    """A name and where it is."""
    where = location(record.path, record.line, record.line)
    return export.plain(f"{clean(record.qualified_name)} {where}")
