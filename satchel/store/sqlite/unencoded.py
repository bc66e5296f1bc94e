"""Which contents have no vectors yet. Without NumPy: every command asks, and few then encode."""

from __future__ import annotations

from typing import NamedTuple

import apsw

from satchel.store.sqlite.database import select


class Unencoded(NamedTuple):
    """Contents without vectors, by what they are stored under, and how many chunks they have."""

    digest: str
    language: str
    n_chunks: int


def unencoded(connection: apsw.Connection, encoder: str) -> list[Unencoded]:
    """The contents in use that the encoder of this name has not encoded yet, by digest and
    language."""
    rows = select(
        connection,
        "SELECT DISTINCT digest, language, n_chunks FROM files WHERE n_chunks > 0"
        " AND (digest, language) NOT IN (SELECT digest, language FROM vectors WHERE encoder = ?)"
        " ORDER BY digest, language",
        (encoder,),
    )
    return [Unencoded(*row) for row in rows]
