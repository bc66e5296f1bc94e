"""Vectors of items and questions, made by the static embedding table that ships with Satchel.

SQLite holds them, 256 whole numbers of -127 to 127 for each item, written in the transaction that
writes the item. The search for the nearest scans a copy in memory, which follows it by the versions
of rows. Where the table cannot be read, items are found by words alone.
"""

import secrets
import threading
from collections.abc import Sequence
from functools import cache

import apsw
import numpy as np
import numpy.typing as npt
from msgspec import Struct

from satchel.knowledge.model import Item
from satchel.knowledge.text_terms import MAX_COMPARED
from satchel.store.sqlite.database import scalar, select, select_in
from satchel.store.vectors.encoders import Encoder, Matrix
from satchel.store.vectors.table_encoder import DIMENSIONS, TableEncoder, shipped

Connection = apsw.Connection
Vector = npt.NDArray[np.float32]
SeqArray = npt.NDArray[np.int64]
_MAX_STEP = 127
# Cosines that count as relevance 0 and 1: 3 of 4 unrelated pairs of a question and an item are
# below the first, 1 of 5 related ones above the second (`python -m bench.knowledge.recalling`).
_UNRELATED, _SAME = 0.10, 0.45
# How many of the nearest are read at first; eight times as many each time that is not enough.
_FIRST_BATCH = 64
_MAX_NEAREST = 50
# An item below this cosine is no candidate by its vector alone.
_MIN_COSINE = 0.2


@cache
def encoder() -> Encoder | None:
    """The encoder of this process; None when its table is missing or damaged."""
    try:
        shipped()
        return TableEncoder()
    except (OSError, ValueError):
        return None


def encode_text(text: str) -> Vector | None:
    """The vector of a text; None without an encoder, or where it knows no word of the text."""
    table = encoder()
    found = table.encode([text])[0] if table else None
    return found if found is not None and found.any() else None


def cosine_to_relevance(cosine: float) -> float:
    """The relevance, 0..1, that a cosine between a question and an item stands for."""
    return min(max((cosine - _UNRELATED) / (_SAME - _UNRELATED), 0.0), 1.0)


def cosines(query: Vector, packed: Sequence[bytes | None]) -> list[float | None]:
    """The cosine of a question with each packed vector; None for an item that has none."""
    # einsum and not `@`: see `ExactScan`.
    stored = [row for row in packed if row]
    matrix = np.frombuffer(b"".join(stored), np.int8).reshape(-1, DIMENSIONS).astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))
    found = iter((np.einsum("ij,j->i", matrix, query) / np.maximum(lengths, 1.0)).tolist())
    return [next(found) if row else None for row in packed]


def save_vector(db: apsw.Connection, seq: int, item: Item) -> None:
    """Write the vector of an item, in the transaction that writes the item."""
    table = encoder()
    if table is None:
        return
    _drop_other_encoders(db, table)
    _write_rows(db, [seq], _quantized(table, [item]))
    # `upto` says that everything up to there is encoded, so it moves only when no item is between.
    db.execute(
        "UPDATE encoded SET upto = ? WHERE upto < ? AND upto >="
        " coalesce((SELECT max(seq) FROM item WHERE seq < ?), 0)",
        (seq, seq, seq),
    )


def record_deletion(db: apsw.Connection) -> None:
    """Tell caches that a vector was deleted with its item."""
    db.execute("UPDATE encoded SET version = version + 1")


def unencoded_after(db: apsw.Connection) -> int | None:
    """The seq after which there are items without a vector of this encoder; None for none."""
    table = encoder()
    if table is None:
        return None
    stored = select(db, "SELECT name, upto FROM encoded")
    upto = int(stored[0][1]) if stored and stored[0][0] == table.name else 0
    newest = int(scalar(db, "SELECT coalesce(max(seq), 0) FROM item"))
    return upto if newest > upto else None


def encode_missing(db: apsw.Connection, items: Sequence[tuple[int, Item]]) -> None:
    """Encode items that follow those which are encoded, in the transaction of the caller."""
    table = encoder()
    if table is None or not items:
        return
    _drop_other_encoders(db, table)
    _write_rows(db, [seq for seq, _ in items], _quantized(table, [item for _, item in items]))
    db.execute("UPDATE encoded SET upto = max(upto, ?)", (items[-1][0],))


def mismatched(db: apsw.Connection, items: Sequence[tuple[int, Item]]) -> set[int]:
    """The seqs of items whose stored vector is not the one of their text."""
    table = encoder()
    if table is None or not items:
        return set()
    seqs = [seq for seq, _ in items]
    sql = "SELECT seq, vector FROM vector WHERE seq BETWEEN ? AND ?"
    stored = dict(select(db, sql, (seqs[0], seqs[-1])))
    expected = _quantized(table, [item for _, item in items])
    return {
        seq for seq, row in zip(seqs, expected, strict=True) if stored.get(seq) != row.tobytes()
    }  # fmt: skip


def _drop_other_encoders(db: apsw.Connection, encoder_: Encoder) -> None:
    """Delete what another encoder wrote: vectors of two encoders cannot be compared."""
    if select(db, "SELECT name FROM encoded") == [(encoder_.name,)]:
        return
    for table in ("encoded", "vector"):
        db.execute(f"DELETE FROM {table}")
    db.execute("INSERT INTO encoded VALUES (?, 0, 0, ?)", (encoder_.name, secrets.randbits(62)))


def _quantized(table: Encoder, items: Sequence[Item]) -> npt.NDArray[np.int8]:
    texts = [" ".join((i.summary, i.detail, i.rationale, *i.tags, i.label)) for i in items]
    matrix = table.encode([text[:MAX_COMPARED] for text in texts])
    # Scaled by its largest component, each vector uses the whole range of a signed byte; its
    # length is lost, and cosines do not need it. The bound keeps a vector of zeros at zeros.
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


class VectorsVersion(Struct, frozen=True):
    """A state of the vectors of a file, by which a cache knows what it was made from.

    `file_id` is a random number of the file (column `birth`), `version` grows with every change.
    """

    file_id: int = 0
    version: int = 0


def vectors_version(db: apsw.Connection) -> VectorsVersion:
    """The state of the vectors as they are now."""
    stored = select(db, "SELECT birth, version FROM encoded")
    return VectorsVersion(*stored[0]) if stored else VectorsVersion()


def load_matrix(db: apsw.Connection, since: int = -1) -> tuple[list[int], Matrix]:
    """(seqs of items, their vectors with length 1) of what was written after a version, by seq."""
    rows = select(db, "SELECT seq, vector FROM vector WHERE version > ? ORDER BY seq", (since,))
    packed = np.frombuffer(b"".join(row for _, row in rows), np.int8)
    stored = packed.reshape(-1, DIMENSIONS).astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", stored, stored))[:, None]
    return [seq for seq, _ in rows], np.asarray(stored / np.maximum(lengths, 1.0), np.float32)


class ExactScan:
    """Keeps every vector in memory, 1 KB an item, and compares all of them with each question.

    The answer is exact. May be used from several threads and over several connections to one file.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._version = VectorsVersion()
        self._seqs = np.zeros(0, np.int64)
        self._matrix = np.zeros((0, DIMENSIONS), np.float32)

    def __call__(self, db: apsw.Connection, query: Vector, limit: int) -> SeqArray:
        """The nearest, ties by seq; items that were deleted may be among them."""
        seqs, rows = self._current(db)
        # Not `@`: the threads of BLAS wait by spinning, 17 ms of processor time for each question.
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
            if now != self._version:
                # What was written since is added; another file, or one that was restored from a
                # copy, is read from the start.
                stored = self._version
                is_newer = now.file_id == stored.file_id and now.version > stored.version
                if not is_newer:
                    self._seqs, self._matrix = self._seqs[:0], self._matrix[:0]
                self._add(*load_matrix(db, stored.version if is_newer else -1))
                self._version = now
            return self._seqs, self._matrix

    def _add(self, seqs: Sequence[int], rows: Matrix) -> None:
        """Add rows, or replace those of the same seqs."""
        # New arrays each time: other threads may be reading the old ones without the lock.
        added = np.array(seqs, np.int64)
        unchanged = ~np.isin(self._seqs, added)
        self._seqs = np.concatenate((self._seqs[unchanged], added))
        self._matrix = np.concatenate((self._matrix[unchanged], rows))


def nearest_items(
    db: apsw.Connection,
    query: Vector,
    where: str,
    values: Sequence[object],
    scan: ExactScan,
) -> list[int]:
    """The seqs of the admitted items nearest to a question, nearest first, ties by seq.

    The search knows nothing of filters and visibility: its list grows until enough of it is
    admitted or it holds every item, so that a rare filter loses nothing.
    """
    found: list[tuple[float, int]] = []
    n_checked, size = 0, _FIRST_BATCH
    sql = (
        "SELECT i.seq, v.vector FROM vector v CROSS JOIN item i ON i.seq = v.seq"
        f" WHERE v.seq IN (KEYS) AND {where}"
    )
    while True:
        nearest = scan(db, query, size)
        # (seq, vector) of the items that the condition admits.
        rows = list(select_in(db, sql, nearest[n_checked:].tolist(), values))
        scores = cosines(query, [packed for _, packed in rows])
        found += [(-(score or 0.0), seq) for score, (seq, _) in zip(scores, rows, strict=True)]
        if len(found) >= _MAX_NEAREST or len(nearest) < size:
            best = sorted(set(found))[:_MAX_NEAREST]
            return [seq for minus_cosine, seq in best if -minus_cosine >= _MIN_COSINE]
        n_checked, size = size, size * 8
