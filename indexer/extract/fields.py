"""The texts that the lexical index sees of each chunk, one per `satchel.store.postings.Field`."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from satchel.indexer.extract.source import Source
from satchel.store.model import Chunk, FileFacts, Symbol

Fields = tuple[str, str, str, str, str, str]


def chunk_fields(facts: FileFacts, source: Source) -> list[Fields]:
    """Field texts in `Field` order for every chunk; the path is left to whoever knows it."""
    name_lines = [symbol.line for symbol in facts.symbols]
    ordered = sorted(range(len(name_lines)), key=name_lines.__getitem__)
    lines = [name_lines[i] for i in ordered]
    result: list[Fields] = []
    for chunk in facts.chunks:
        first = bisect_left(lines, chunk.span.start_line)
        last = bisect_right(lines, chunk.span.end_line)
        named = [facts.symbols[i] for i in ordered[first:last]]
        result.append(_fields(chunk, named, facts.symbols, source))
    return result


def _fields(
    chunk: Chunk, named: list[Symbol], symbols: tuple[Symbol, ...], source: Source
) -> Fields:
    own = symbols[chunk.symbol] if chunk.symbol >= 0 else None
    if own is not None and own not in named:
        named = [own, *named]
    scopes = {s.qualified_name.removesuffix(s.name) for s in named}
    if own is not None:
        scopes.add(own.qualified_name)
    return (
        " ".join(s.name for s in named),
        " ".join(sorted(scopes)),
        "",
        " ".join(s.signature for s in named),
        "\n".join(s.doc for s in named if s.doc),
        source.text(chunk.span.start_byte, chunk.span.end_byte),
    )
