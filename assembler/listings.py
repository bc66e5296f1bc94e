"""Search results, definitions and call-graph edges as the text a person or a model reads. Pure.

The command line and the MCP tools print the same lines. Every line is data: names and paths in it
have their control characters escaped; source stands in a fence that it cannot close.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from assembler.dependencies import Dependencies, Dependency, Direction
from assembler.render import clean, fenced, locate_line, location
from assembler.symbols import Lookup
from assembler.values import Scored, SearchReply
from store.records import ChunkRecord, ReferenceRecord, SymbolRecord

TextOf = Callable[[ChunkRecord], str]
"""A chunk's source."""


def search_lines(
    reply: SearchReply, text_of: TextOf | None = None, *, explain: bool = False
) -> Iterator[str]:
    """Results best first, a line each; with `text_of` their source, with `explain` their shares."""
    if not reply.results:
        yield f"nothing matches in the {reply.n_searched} files that were searched"
    for item in reply.results:
        yield locate_line(item)
        if explain:
            yield f"    {_shares(item)}"
        if text_of is not None:
            yield fenced(text_of(item.chunk).rstrip("\n")).rstrip("\n")


def symbols_lines(found: Lookup, name: str, n_files: int) -> Iterator[str]:
    """Definitions, a line each; for a name that has none, its uses."""
    for record in found.definitions:
        yield definition_line(record)
    if not found.definitions:
        yield f"{clean(name)} is not defined in the {n_files} files that were searched"
        for use in found.references:
            yield f"  used at {use_line(use)}"


def dependencies_lines(found: Dependencies) -> Iterator[str]:
    """Roots, then edges indented by their depth, then uses that no rule could resolve."""
    for record in found.roots:
        yield definition_line(record)
    if len(found.roots) > 1:
        yield f"  {len(found.roots)} definitions are meant; `path:name` picks one"
    for edge in found.edges:
        yield edge_line(edge)
    for use in found.unresolved:
        yield f"  ?  {use_line(use)}  (unresolved {use.kind})"
    if found.n_untied:
        yield f"  ?  {found.n_untied} more uses of this name are tied to no definition; search it"


def definition_line(record: SymbolRecord) -> str:
    """`path:line  kind qualified.name  signature`."""
    where = location(record.path, record.line, record.line)
    signature = clean(record.signature)
    return f"{where}  {record.kind} {clean(record.qualified_name)}  {signature}"


def use_line(use: ReferenceRecord) -> str:
    """`path:line  receiver.name`."""
    receiver = f"{clean(use.receiver)}." if use.receiver else ""
    return f"{location(use.path, use.line, use.line)}  {receiver}{clean(use.name)}"


def edge_line(edge: Dependency) -> str:
    """The far end of an edge, where it is, and how the edge was found."""
    called_by = edge.direction == Direction.CALLERS
    other, arrow = (edge.source, "<-") if called_by else (edge.target, "->")
    where = location(other.path, other.line, other.line)
    return (
        f"{'  ' * edge.depth}{arrow} {clean(other.qualified_name)}  {where}"
        f"  ({edge.kind}, {edge.rule} {edge.confidence:.2f}{', cycle' if edge.is_cycle else ''})"
    )


def _shares(item: Scored) -> str:
    return ", ".join(f"{entry.signal} {entry.share:.3f}" for entry in item.why)
