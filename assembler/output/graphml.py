"""The call graph around a symbol as GraphML, which yEd, Gephi and networkx read. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from satchel.assembler.lookup.dependencies import Dependencies
from satchel.assembler.render import clean
from satchel.store.records import SymbolRecord

_KEYS = (
    ("name", "node", "string"), ("path", "node", "string"), ("line", "node", "int"),
    ("kind", "node", "string"), ("uses", "edge", "string"), ("at", "edge", "int"),
    ("rule", "edge", "string"), ("confidence", "edge", "double"),
)  # fmt: skip


def graphml_lines(found: Dependencies) -> Iterator[str]:
    """A directed graph; an edge runs from the user to the used."""
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    for name, of, kind in _KEYS:
        yield f'  <key id="{name}" for="{of}" attr.name="{name}" attr.type="{kind}"/>'
    yield '  <graph edgedefault="directed">'
    ends = (end for edge in found.edges for end in (edge.source, edge.target))
    numbers = {record: n for n, record in enumerate(dict.fromkeys([*found.roots, *ends]))}
    for record, number in numbers.items():
        yield f'    <node id="n{number}">{_data(_of_node(record))}</node>'
    for edge in found.edges:
        said = (
            ("uses", str(edge.kind)), ("at", str(edge.line)), ("rule", edge.rule),
            ("confidence", f"{edge.confidence:.3f}"),
        )  # fmt: skip
        source, target = numbers[edge.source], numbers[edge.target]
        yield f'    <edge source="n{source}" target="n{target}">{_data(said)}</edge>'
    yield "  </graph>"
    yield "</graphml>"


def _of_node(record: SymbolRecord) -> tuple[tuple[str, str], ...]:
    return (
        ("name", record.qualified_name), ("path", record.path), ("line", str(record.line)),
        ("kind", str(record.kind)),
    )  # fmt: skip


def _data(said: tuple[tuple[str, str], ...]) -> str:
    # `clean` leaves no character that XML cannot hold.
    return "".join(f"<data key={quoteattr(key)}>{escape(clean(text))}</data>" for key, text in said)
