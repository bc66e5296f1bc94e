"""An index as text, the same for the same tree: paths and positions instead of ids.

Left out: what may differ between two ways to the same state (ids, generation, times and inodes, and
contents kept for bytes that no file holds just now, the record of what files were).
"""

from collections.abc import Iterator
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import Any

import apsw

from satchel.store import codec, postings
from satchel.store.sqlite import database
from satchel.store.sqlite.rows import EDGE_COLUMNS

Row = tuple[Any, ...]

_PLAIN = {
    "file": "SELECT path, digest, language, size, n_lines, is_test, n_chunks, n_symbols FROM files",
    "skipped": "SELECT path, reason, detail FROM skipped",
    "problem": "SELECT path, kind, line, detail FROM problems JOIN files ON files.id = file_id",
    "import": "SELECT path, module, name, alias, line FROM imports JOIN files f ON f.id = file_id",
    "grams": "SELECT DISTINCT digest, language, hex(signature) FROM grams JOIN files"
    " USING (digest, language)",
    "state": "SELECT value FROM meta WHERE key = 'state'",
    # A field that no chunk has is as good as a field that was never counted.
    "field": "SELECT field, total FROM field_lengths WHERE total != 0",
}
_SYMBOLS = """
    SELECT s.id, path, s.id - first_symbol, name, qualified, kind, line, start_line, end_line,
           start_byte, end_byte, signature, doc, visibility, parent_id, s.is_test
    FROM symbols s JOIN files f ON f.id = s.file_id
"""
_CHUNKS = """
    SELECT c.id, path, c.id - first_chunk, symbol_id, kind, start_line, end_line, start_byte,
           end_byte, header, tokens, c.is_test
    FROM chunks c JOIN files f ON f.id = c.file_id
"""
_CONTENTS = """
    SELECT DISTINCT digest, language, facts, postings, source FROM contents
    JOIN files USING (digest, language)
"""
_USES = "SELECT path, scope_id, name, receiver, kind, line FROM refs JOIN files f ON f.id = file_id"
_EDGES = f"SELECT {EDGE_COLUMNS} FROM edges"


def dump(directory: Path) -> list[str]:
    """Every row of the index in `directory`, sorted."""
    with closing(database.connect(directory, writable=False)) as connection:
        return sorted(lines(connection))


def lines(connection: apsw.Connection) -> Iterator[str]:
    """Every row of an open index as "table: row", in no particular order."""
    return (f"{table}: {row!r}" for table, row in _rows(connection))


def _rows(db: apsw.Connection) -> Iterator[tuple[str, Row]]:
    for table, sql in _PLAIN.items():
        yield from ((table, row) for row in db.execute(sql))
    symbols, chunks = list(db.execute(_SYMBOLS)), list(db.execute(_CHUNKS))
    symbol_names = {row[0]: f"{row[1]!r}#{row[2]} {row[4]}" for row in symbols}
    chunk_names = {row[0]: f"{row[1]!r}#{row[2]}" for row in chunks}

    def symbol(number: int | None) -> str:
        return symbol_names[number] if number else ""

    yield from (("symbol", (*row[1:14], symbol(row[14]), row[15])) for row in symbols)
    yield from (("chunk", (*row[1:3], symbol(row[3]), *row[4:])) for row in chunks)
    for digest, language, *packed in db.execute(_CONTENTS):
        # Compressed bytes may differ between versions of zstandard; what they hold does not.
        unpacked = (codec.decompress(data) for data in packed)
        hashes = (blake2b(data, digest_size=16).hexdigest() for data in unpacked)
        yield "content", (digest, language, *hashes)
    for path, scope, *rest in db.execute(_USES):
        yield "use", (path, symbol(scope), *rest)
    for source, target, *rest in db.execute(_EDGES):
        yield "edge", (symbol(source), symbol(target), *rest)
    yield from (("posting", row) for row in _postings(db, chunk_names))


def _postings(db: apsw.Connection, chunk_names: dict[int, str]) -> Iterator[Row]:
    for term, block, packed in db.execute("SELECT term, block, entries FROM postings"):
        columns = postings.columns(postings.unpack(block, packed))
        numbers = columns.chunks.tolist()
        # Answers rely on it, and sorted lines of text would not show it.
        assert numbers == sorted(numbers), "entries ascend by chunk"
        rest = (columns.fields.tolist(), columns.counts.tolist(), columns.lengths.tolist())
        for chunk, *entry in zip(numbers, *rest, strict=True):
            yield term, chunk_names[chunk], *entry
