"""Which contents have no vectors yet. Without NumPy, since every command asks and few encode."""

from typing import NamedTuple

import apsw

from satchel.store.sqlite.database import scalar, select


class Unencoded(NamedTuple):
    """Contents without vectors, by what they are stored under, and how many chunks they have."""

    digest: str
    language: str
    n_chunks: int


def unencoded(connection: apsw.Connection, encoder: str) -> list[Unencoded]:
    """The contents in use that the encoder of this name has not encoded yet, by digest and
    language."""
    # `NOT IN` over two columns reads the whole list for each content that is not on it, and the
    # primary key lies among the vectors: 720 ms for 8,044 of 10,000 contents, 24 this way.
    rows = select(
        connection,
        "SELECT DISTINCT digest, language, n_chunks FROM files f WHERE n_chunks > 0"
        " AND NOT EXISTS (SELECT 1 FROM vectors INDEXED BY vectors_encoder"
        " WHERE encoder = ? AND digest = f.digest AND language = f.language)"
        " ORDER BY digest, language",
        (encoder,),
    )
    return [Unencoded(*row) for row in rows]


def n_encoded(connection: apsw.Connection, encoder: str) -> int:
    """How many contents the encoder of this name has encoded, in use or not."""
    sql = "SELECT count(*) FROM vectors INDEXED BY vectors_encoder WHERE encoder = ?"
    return int(scalar(connection, sql, (encoder,)))
