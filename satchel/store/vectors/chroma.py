"""A copy of the vectors in embedded Chroma, for code bases too large to scan.

The mirror is derived and disposable: SQLite has every vector, and a mirror that is damaged, of
another encoder or of another index is deleted and written again. Embedded Chroma is thread-safe but
not process-safe, so only the holder of the writer lock opens it. This file alone imports chromadb.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from satchel.store import isolation
from satchel.store.errors import ConfigError
from satchel.store.vectors.encoders import Encoder, Matrix

FOLDER = "chroma"
_COLLECTION = "chunks"
_BATCH = 5_000
# Measured at 40k x 256: 2,404 vectors a second against 978 at the defaults (docs/DECISIONS.md).
# What is not synced yet becomes another random graph each time the mirror is opened, so that the
# same question finds other chunks: every call syncs, which costs 3.3 to 3.6 s for those 40k.
_CONFIGURATION: dict[str, Any] = {
    "hnsw": {
        "space": "cosine",
        "ef_construction": 40,
        "max_neighbors": 12,
        "ef_search": 200,
        "sync_threshold": 1,
        "batch_size": 1,
    }
}


@contextmanager
def _away() -> Iterator[None]:
    """Work in a neutral folder while chromadb is imported: that reads `.env` where we work."""
    if not os.path.lexists(".env"):
        yield
        return
    with chdir(isolation.NEUTRAL):
        yield


OnMirrored = Callable[[int, int], None]
"""(vectors written, vectors to write)."""


def vector_id(digest: str, language: str, ordinal: int) -> str:
    """A chunk's identity by content: the same bytes at two paths share one vector."""
    return f"{digest}/{language}/{ordinal}"


class Mirror:
    """One Chroma collection, opened by its only user."""

    def __init__(self, directory: Path, encoder: Encoder) -> None:
        """Open or create the mirror.

        Raises:
            ConfigError: chromadb is not installed.
        """
        self._path = directory / FOLDER
        self._encoder = encoder
        self._client, self._collection = self._open()

    def _open(self) -> tuple[Any, Any]:
        try:
            with _away():
                import chromadb  # 0.9 s, so only when it is used
                from chromadb.config import Settings
        except ImportError as error:
            raise ConfigError(
                "vectors.engine is 'chroma' but chromadb is not installed",
                "install the extra: satchel[chroma], or set vectors.engine = 'exact'",
            ) from error
        self._path.mkdir(mode=0o700, exist_ok=True)
        # By default it reads `.env` where we work: a checkout could name a host to send vectors to.
        local = Settings(
            _env_file=None,  # type: ignore[call-arg]
            anonymized_telemetry=False,
            chroma_api_impl="chromadb.api.rust.RustBindingsAPI",
        )
        self._path.mkdir(mode=0o700, exist_ok=True)
        client = chromadb.PersistentClient(path=str(self._path), settings=local)
        collection = client.get_or_create_collection(
            _COLLECTION,
            metadata={"encoder": self._encoder.name},
            configuration=_CONFIGURATION,  # type: ignore[arg-type]
            embedding_function=None,
        )
        return client, collection

    def close(self) -> None:
        """Release the files."""
        self._client.close()

    def reset(self) -> None:
        """Throw the mirror away and start an empty one."""
        self._client.close()
        # SQLite has every vector, so a mirror in doubt is made anew and never repaired.
        shutil.rmtree(self._path, ignore_errors=True)
        self._client, self._collection = self._open()

    @property
    def encoder_name(self) -> str:
        """The encoder whose vectors the mirror holds."""
        return str((self._collection.metadata or {}).get("encoder", ""))

    @property
    def n_held(self) -> int:
        """How many vectors the mirror holds."""
        return int(self._collection.count())

    def ids(self) -> set[str]:
        """Every id the mirror holds."""
        return set(self._collection.get(include=[])["ids"])

    def vectors(self, ids: Sequence[str]) -> Matrix:
        """The vectors with these ids, in their order."""
        # Chroma answers in an order of its own.
        rows: dict[str, Any] = {}
        for start in range(0, len(ids), _BATCH):
            got = self._collection.get(
                ids=list(ids[start : start + _BATCH]), include=["embeddings"]
            )
            rows.update(zip(got["ids"], got["embeddings"], strict=True))
        return np.array([rows[i] for i in ids], dtype=np.float32).reshape(len(ids), -1)

    def add(self, ids: Sequence[str], matrix: Matrix) -> None:
        """Add vectors, replacing those with the same id."""
        for start in range(0, len(ids), _BATCH):
            batch = list(ids[start : start + _BATCH])
            self._collection.upsert(ids=batch, embeddings=matrix[start : start + _BATCH])

    def remove(self, ids: Iterable[str]) -> None:
        """Take vectors out."""
        # A set has no order; the same deletions are to reach Chroma in the same one.
        gone = sorted(ids)
        for start in range(0, len(gone), _BATCH):
            self._collection.delete(ids=gone[start : start + _BATCH])

    def nearest(self, query: npt.NDArray[np.float32], limit: int) -> list[tuple[str, float]]:
        """(id, cosine) pairs, nearest first, ties by id; approximate."""
        n_held = self.n_held
        if not n_held:
            return []
        answer = self._collection.query(
            query_embeddings=query[None, :], n_results=min(limit, n_held), include=["distances"]
        )
        pairs = zip(answer["ids"][0], answer["distances"][0], strict=True)
        return sorted(((i, 1.0 - d) for i, d in pairs), key=lambda pair: (-pair[1], pair[0]))
