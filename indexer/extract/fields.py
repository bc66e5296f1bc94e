"""The texts of each chunk that terms are counted in: one per `satchel.store.postings.Field`, and
its header, which only its vector is made of."""

from bisect import bisect_left, bisect_right

from satchel.indexer.extract.source import Source
from satchel.store.model import FileFacts

Texts = tuple[str, str, str, str, str, str, str]


def chunk_texts(facts: FileFacts, source: Source) -> list[Texts]:
    """For every chunk the texts in the order of `Field`, then the header; the path is left to
    whoever knows it."""
    symbols = sorted(facts.symbols, key=lambda symbol: symbol.line)  # a name may precede its span
    lines = [symbol.line for symbol in symbols]
    result: list[Texts] = []
    for chunk in facts.chunks:
        first = bisect_left(lines, chunk.span.start_line)
        last = bisect_right(lines, chunk.span.end_line)
        named = symbols[first:last]
        own = facts.symbols[chunk.symbol] if chunk.symbol >= 0 else None
        if own is not None and own not in named:
            named = [own, *named]  # a later part of a function is found by the function's name
        scopes = {symbol.qualified_name.removesuffix(symbol.name) for symbol in named}
        if own is not None:
            scopes.add(own.qualified_name)
        result.append(
            (
                " ".join(symbol.name for symbol in named),
                " ".join(sorted(scopes)),
                "",
                " ".join(symbol.signature for symbol in named),
                "\n".join(symbol.doc for symbol in named if symbol.doc),
                source.text(chunk.span.start_byte, chunk.span.end_byte),
                chunk.header,
            )
        )
    return result
