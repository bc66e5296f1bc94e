"""What items and questions mean, as vectors of the table that ships with Satchel.

SQLite holds them, 256 steps of -127 to 127 for each item, written with the item in one transaction.
What finds the nearest, a scan over all in memory or Chroma, is a cache of that and follows it by
the versions of rows. A table that cannot be read leaves words.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import apsw
import numpy as np
import numpy.typing as npt

from satchel.knowledge.model import Item
from satchel.store.sqlite.database import batches, scalar, select
from satchel.store.vectors.encoders import Encoder, Matrix
from satchel.store.vectors.table_encoder import DIMENSIONS, TableEncoder, shipped

Connection = apsw.Connection
Vector = npt.NDArray[np.float32]
SeqArray = npt.NDArray[np.int64]
_MAX_STEP = 127
# Cosines at which two texts have nothing in common, and all: 3 of 4 unrelated pairs of a question
# and an item are below the first, 1 of 5 related ones above the second (`python -m
# bench.knowledge.recalling`).
_UNRELATED, _SAME = 0.10, 0.45
# Of the nearest, how many are read before more are.
_FIRST_BATCH = 64
_MAX_NEAREST = 50
# Cosine below which meaning alone makes no candidate.
_MIN_COSINE = 0.2


@cache
def encoder() -> Encoder | None:
    """What makes vectors; None when its table is missing or damaged."""
    try:
        shipped()
        return TableEncoder()
    except (OSError, ValueError):
        return None


def encode_text(text: str) -> Vector | None:
    """What a text means; None when nothing can tell, or the text says nothing."""
    made = encoder()
    found = made.encode([text])[0] if made else None
    return found if found is not None and found.any() else None


def cosine_to_relevance(cosine: float) -> float:
    """How much a cosine says that two texts are about the same, 0..1."""
    return min(max((cosine - _UNRELATED) / (_SAME - _UNRELATED), 0.0), 1.0)


def cosines(query: Vector, packed: Sequence[bytes | None]) -> list[float | None]:
    """Of the question with each vector; None for what has none."""
    held = [row for row in packed if row]
    matrix = np.frombuffer(b"".join(held), np.int8).reshape(-1, DIMENSIONS).astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))
    found = iter((np.einsum("ij,j->i", matrix, query) / np.maximum(lengths, 1.0)).tolist())
    return [next(found) if row else None for row in packed]


def save_vector(db: apsw.Connection, seq: int, item: Item) -> None:
    """Keep what an item means, in the transaction that writes it."""
    made = encoder()
    if made is None:
        return
    _drop_other_encoders(db, made)
    _write_rows(db, [seq], _quantized(made, [item]))
    db.execute(
        "UPDATE encoded SET upto = ? WHERE upto < ? AND upto >="
        " coalesce((SELECT max(seq) FROM item WHERE seq < ?), 0)",
        (seq, seq, seq),
    )


def record_deletion(db: apsw.Connection) -> None:
    """Tell caches that a vector went with its item."""
    db.execute("UPDATE encoded SET version = version + 1")


def unencoded_after(db: apsw.Connection) -> int | None:
    """The number after which there are items that this encoder has not seen; None for none."""
    made = encoder()
    if made is None:
        return None
    held = select(db, "SELECT name, upto FROM encoded")
    upto = int(held[0][1]) if held and held[0][0] == made.name else 0
    newest = int(scalar(db, "SELECT coalesce(max(seq), 0) FROM item"))
    return upto if newest > upto else None


def encode_missing(db: apsw.Connection, items: Sequence[tuple[int, Item]]) -> None:
    """Encode the items that follow those which are encoded, in the caller's transaction."""
    made = encoder()
    if made is None or not items:
        return
    _drop_other_encoders(db, made)
    _write_rows(db, [seq for seq, _ in items], _quantized(made, [item for _, item in items]))
    db.execute("UPDATE encoded SET upto = max(upto, ?)", (items[-1][0],))


def mismatched(db: apsw.Connection, items: Sequence[tuple[int, Item]]) -> set[int]:
    """Numbers of those whose vector is not the one that their text gives."""
    made = encoder()
    if made is None or not items:
        return set()
    seqs = [seq for seq, _ in items]
    sql = "SELECT seq, vector FROM vector WHERE seq BETWEEN ? AND ?"
    held = dict(select(db, sql, (seqs[0], seqs[-1])))
    expected = _quantized(made, [item for _, item in items])
    return {
        seq for seq, row in zip(seqs, expected, strict=True) if held.get(seq) != row.tobytes()
    }  # fmt: skip


def _drop_other_encoders(db: apsw.Connection, made: Encoder) -> None:
    """What another encoder wrote goes."""
    if select(db, "SELECT name FROM encoded") == [(made.name,)]:
        return
    for table in ("encoded", "vector"):
        db.execute(f"DELETE FROM {table}")
    db.execute("INSERT INTO encoded VALUES (?, 0, 0, ?)", (made.name, secrets.randbits(62)))


def _quantized(made: Encoder, items: Sequence[Item]) -> npt.NDArray[np.int8]:
    texts = [" ".join((i.summary, i.detail, i.rationale, *i.tags, i.label)) for i in items]
    matrix = made.encode([text[:4_000] for text in texts])
    peaks = np.maximum(np.abs(matrix).max(axis=1, keepdims=True), np.finfo(np.float32).tiny)
    steps: npt.NDArray[np.int8] = np.rint(matrix / peaks * _MAX_STEP).astype(np.int8)
    return steps


def _write_rows(db: apsw.Connection, seqs: Sequence[int], rows: npt.NDArray[np.int8]) -> None:
    db.execute("UPDATE encoded SET version = version + 1")
    version = scalar(db, "SELECT version FROM encoded")
    db.executemany(
        "INSERT OR REPLACE INTO vector VALUES (?, ?, ?)",
        [(seq, row.tobytes(), version) for seq, row in zip(seqs, rows, strict=True)],
    )


@dataclass(frozen=True, slots=True)
class VectorsVersion:
    """What a cache was made from: another birth, another file."""

    file_id: int = 0
    version: int = 0


def vectors_version(db: apsw.Connection) -> VectorsVersion:
    """That of the vectors as they are."""
    held = select(db, "SELECT birth, version FROM encoded")
    return VectorsVersion(*held[0]) if held else VectorsVersion()


def count_vectors(db: apsw.Connection) -> int:
    """How many vectors there are."""
    return int(scalar(db, "SELECT count(*) FROM vector"))


def load_matrix(db: apsw.Connection, since: int = -1) -> tuple[list[int], Matrix]:
    """Vectors of length 1 with the numbers of their items, those written after a version."""
    rows = select(db, "SELECT seq, vector FROM vector WHERE version > ? ORDER BY seq", (since,))
    packed = np.frombuffer(b"".join(row for _, row in rows), np.int8)
    held = packed.reshape(-1, DIMENSIONS).astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", held, held))[:, None]
    return [seq for seq, _ in rows], np.asarray(held / np.maximum(lengths, 1.0), np.float32)


NearestSearch = Callable[[apsw.Connection, Vector, int], SeqArray]
"""(knowledge, question, limit) → numbers of the nearest items, nearest first; fewer than the limit
only where there are no more."""


class ExactScan:
    """Every vector in memory, 1 KB an item, compared with each question: the exact answer.

    May be used from several threads and over several connections to one file.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._edition = VectorsVersion()
        self._seqs = np.zeros(0, np.int64)
        self._matrix = np.zeros((0, DIMENSIONS), np.float32)

    def __call__(self, db: apsw.Connection, query: Vector, limit: int) -> SeqArray:
        """The nearest, ties by number; items that are gone may be among them."""
        seqs, rows = self._current(db)
        # Not `@`: its threads wait for each other by spinning, 17 ms of processor time a question.
        scores = np.einsum("ij,j->i", rows, query)
        if limit < len(scores):
            places = np.argpartition(-scores, limit)[:limit]
            places = np.flatnonzero(scores >= scores[places].min())  # ties are not cut at random
        else:
            places = np.arange(len(scores))
        order = np.lexsort((seqs[places], -scores[places]))
        return np.asarray(seqs[places[order]][:limit])

    def _current(self, db: apsw.Connection) -> tuple[SeqArray, Matrix]:
        with self._lock:
            now = vectors_version(db)
            if now != self._edition:
                is_ours = (
                    now.file_id == self._edition.file_id and now.version > self._edition.version
                )
                if not is_ours:
                    self._seqs, self._matrix = self._seqs[:0], self._matrix[:0]
                self._follow(*load_matrix(db, self._edition.version if is_ours else -1))
                self._edition = now
            return self._seqs, self._matrix

    def _follow(self, seqs: Sequence[int], rows: Matrix) -> None:
        """Take over rows; what others are reading meanwhile stays as it is."""
        numbers = np.array(seqs, np.int64)
        kept = ~np.isin(self._seqs, numbers)
        self._seqs = np.concatenate((self._seqs[kept], numbers))
        self._matrix = np.concatenate((self._matrix[kept], rows))


def nearest_items(
    db: apsw.Connection,
    query: Vector,
    where: str,
    values: Sequence[object],
    order: NearestSearch,
) -> list[int]:
    """Numbers of the admitted items nearest to a question, nearest first, ties by number.

    `order` only decides which items are looked at first; until enough of them are admitted, or all
    were looked at, there is no cut.
    """
    found: list[tuple[float, int]] = []
    looked, size = 0, _FIRST_BATCH
    while True:
        known = order(db, query, size)
        found += _exact_cosines(db, query, where, values, known[looked:])
        if len(found) >= _MAX_NEAREST or len(known) < size:
            return [
                seq for apart, seq in sorted(set(found))[:_MAX_NEAREST] if -apart >= _MIN_COSINE
            ]
        looked, size = size, size * 8


def _exact_cosines(
    db: apsw.Connection, query: Vector, where: str, values: Sequence[object], seqs: SeqArray
) -> list[tuple[float, int]]:
    """(minus the cosine, number) of those that are admitted."""
    rows: list[tuple[int, bytes]] = []
    for batch in batches(seqs.tolist()):
        marks = ",".join("?" * len(batch))
        sql = (
            "SELECT i.seq, v.vector FROM vector v CROSS JOIN item i ON i.seq = v.seq"
            f" WHERE v.seq IN ({marks}) AND {where}"
        )
        rows += select(db, sql, (*batch, *values))
    scores = cosines(query, [packed for _, packed in rows])
    return [(-(score or 0.0), seq) for score, (seq, _) in zip(scores, rows, strict=True)]
