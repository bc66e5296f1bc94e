"""Everything an index can be asked, asked: two indexes that answer alike are alike to a user.

Rows are read in full and by every look-up there is, so that an index page that leads astray shows
as well. Left out is what no answer is made of: when and where files were last seen, seals, and the
order in which contents that no file holds would be dropped.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import apsw

from satchel.store import codec
from satchel.store.sqlite import database

_ROWS = (
    "SELECT id, path, digest, language, n_lines, is_test, first_chunk, n_chunks, first_symbol,"
    " n_symbols FROM files ORDER BY id",
    "SELECT path, reason, detail FROM skipped ORDER BY path",
    "SELECT * FROM problems ORDER BY rowid",
    "SELECT * FROM chunks ORDER BY id",
    "SELECT * FROM symbols ORDER BY id",
    "SELECT * FROM refs ORDER BY rowid",
    "SELECT * FROM imports ORDER BY rowid",
    "SELECT * FROM edges ORDER BY source_id, target_id, kind",
    "SELECT * FROM postings ORDER BY term, block",
    "SELECT * FROM field_lengths ORDER BY field",
    "SELECT digest, language, signature FROM grams ORDER BY digest, language",
    "SELECT digest, language, encoder, vectors FROM vectors ORDER BY digest, language",
    "SELECT key, value FROM meta WHERE key != 'seal' ORDER BY key",
)
_LOOK_UPS = (
    ("SELECT DISTINCT name FROM symbols ORDER BY name",
     "SELECT * FROM symbols WHERE name = ? ORDER BY id"),
    ("SELECT DISTINCT name FROM refs ORDER BY name",
     "SELECT * FROM refs WHERE name = ? ORDER BY rowid"),
    ("SELECT DISTINCT target_id FROM edges ORDER BY 1",
     "SELECT * FROM edges WHERE target_id = ? ORDER BY source_id, kind"),
    ("SELECT DISTINCT term FROM postings ORDER BY term",
     "SELECT block, entries FROM postings WHERE term = ? ORDER BY block"),
    ("SELECT path FROM files ORDER BY path", "SELECT id FROM files WHERE path = ?"),
    ("SELECT digest FROM files ORDER BY path", "SELECT id FROM files WHERE digest = ? ORDER BY id"),
    ("SELECT id FROM files ORDER BY id",
     "SELECT * FROM imports WHERE file_id = ? ORDER BY rowid"),
    ("SELECT id FROM files ORDER BY id", "SELECT * FROM refs WHERE file_id = ? ORDER BY rowid"),
    ("SELECT id FROM files ORDER BY id", "SELECT * FROM problems WHERE file_id = ? ORDER BY rowid"),
)  # fmt: skip


def answers(directory: Path) -> list[Any] | None:
    """All of them; None when the index cannot be opened or asked to the end."""
    try:
        with closing(database.connect(directory, writable=False)) as connection:
            return _answers(connection)
    except Exception:
        return None


def _answers(connection: apsw.Connection) -> list[Any]:
    found: list[Any] = []
    found += [connection.execute(sql).fetchall() for sql in _ROWS]
    for keys, sql in _LOOK_UPS:
        found.append([connection.execute(sql, key).fetchall() for key in connection.execute(keys)])
    contents = "SELECT facts, postings, source FROM contents WHERE digest = ? AND language = ?"
    files = connection.execute("SELECT digest, language FROM files ORDER BY path").fetchall()
    for key in files:
        row: tuple[Any, ...] = connection.execute(contents, key).fetchall()[0]
        facts, postings, source = row
        found.append(
            (
                codec.decode_facts(facts),
                codec.decode_postings(postings),
                codec.decompress(source),
            )
        )
    return found
