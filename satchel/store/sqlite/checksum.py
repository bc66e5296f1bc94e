"""The seal of `meta`: proof that its few rows, which say what an index is, belong together."""

from __future__ import annotations

from hashlib import blake2b

import apsw


def meta_seal(connection: apsw.Connection) -> str:
    """BLAKE2b-64 of every row of `meta` but the seal itself, in hex."""
    sql = "SELECT key, value FROM meta WHERE key != 'seal' ORDER BY key"
    rows = connection.execute(sql).fetchall()
    return blake2b(repr(rows).encode(), digest_size=8).hexdigest()


def seal_meta(connection: apsw.Connection) -> None:
    """Seal the rows as they are; expects an open transaction."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('seal', ?)", (meta_seal(connection),))
