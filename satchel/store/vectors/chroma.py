"""A copy of vectors in embedded Chroma, for code bases too large to scan.

The mirror is derived and disposable: SQLite has every vector, and a mirror that is damaged, of
another encoder or of another index is deleted and written again. Embedded Chroma is thread-safe but
not process-safe, so only the holder of a lock opens it. This file alone imports chromadb.
"""

import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import chdir, closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt
from msgspec import Struct

from satchel.store import private
from satchel.store.errors import ConfigError
from satchel.store.platform import isolation, ownership
from satchel.store.platform.guarded import opened
from satchel.store.vectors.encoders import Encoder, Matrix
from satchel.store.version import install_command

FOLDER = "chroma"
_COLLECTION = "chunks"
_DATABASE = "chroma.sqlite3"
_STATE = "state"
_BATCH = 5_000
_LEAST_WIDTH = 6_000
_WIDTH_STEP = 1_000
_VECTORS_A_STEP = 50_000
# Questions are short and chunks are long, so a question lies far from every chunk, and a graph of
# neighbours that finds a chunk from a chunk fails for it: with 12 neighbours it found .52 of the
# nearest 50 of 40,000 chunks. These numbers are the cheapest found with .99
# (docs/decisions/vectors.md).
# This `ef_search` is for a small mirror; `search_width` gives it for larger ones.
# What is not synced yet becomes another random graph each time the mirror is opened, so that the
# same question finds other chunks: every call syncs.
_CONFIGURATION: dict[str, Any] = {
    "hnsw": {
        "space": "ip",
        "ef_construction": 200,
        "max_neighbors": 64,
        "ef_search": _LEAST_WIDTH,
        "sync_threshold": 1,
        "batch_size": 1,
    }
}


class MirrorState(Struct, frozen=True):
    """What a mirror holds: vectors of the chunks with ids below `end`, as of a generation.

    `index` tells the file of one index from any other; see `workspace.vectors.index_mirror`.
    """

    index: str = ""
    generation: int = -1
    end: int = 0


@contextmanager
def _away() -> Iterator[None]:
    """Work in a neutral folder while chromadb is imported: that reads `.env` where we work."""
    if not os.path.lexists(".env"):
        yield
        return
    with chdir(isolation.NEUTRAL):
        yield


def is_installed() -> bool:
    """Whether chromadb is, which comes with the extra `chroma`."""
    return find_spec("chromadb") is not None


def search_width(n_vectors: int) -> int:
    """How many vectors a question goes through, so that .99 of the nearest 50 are among them,
    of up to half a million.

    What is found depends on their share of all vectors: a fiftieth finds .994 to .998, of 100,000
    as of 400,000, but .977 of a million. In steps of 1,000, since another width means to read the
    mirror again.
    """
    return max(_LEAST_WIDTH, -(-n_vectors // _VECTORS_A_STEP) * _WIDTH_STEP)


def state_in(folder: Path) -> MirrorState:
    """The state that was noted last in a mirror's folder; of no index where nothing was."""
    try:
        index, generation, end = (folder / _STATE).read_text(encoding="utf-8").split()
        return MirrorState(index, int(generation), int(end))
    except (OSError, ValueError):
        return MirrorState()


def _is_ours(folder: Path) -> bool:
    """Whether a mirror's folder holds files and folders of this user alone, and nothing that acts.

    Chroma would follow a link, and run what somebody put into the schema of its database.
    """
    for entry in (folder, *folder.rglob("*")):  # which goes through no link
        status = entry.lstat()
        is_plain = stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
        if not (is_plain and ownership.is_mine(status)):
            return False
    database = folder / _DATABASE
    if not database.exists():
        return True
    try:
        # Opened for writing, so that SQLite takes back what a process that died left half-written.
        with closing(opened(database, apsw.SQLITE_OPEN_READWRITE)) as connection:
            acts = "SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index')"
            return not connection.execute(acts).get
    except apsw.Error:
        return False


def remove_mirror(directory: Path) -> None:
    """Remove the mirror in `directory`; of a link, which somebody put there, the link alone."""
    folder = directory / FOLDER
    if folder.is_dir() and not folder.is_symlink():
        shutil.rmtree(folder, ignore_errors=True)
    else:
        folder.unlink(missing_ok=True)


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

    @property
    def width(self) -> int:
        """How many vectors a question goes through."""
        return int(self._collection.configuration["hnsw"]["ef_search"])

    def widen(self, width: int) -> None:
        """Go through `width` vectors for a question from now on, whoever opens it later too."""
        if width == self.width:
            return
        self._collection.modify(configuration={"hnsw": {"ef_search": width}})
        # An index that Chroma has in memory keeps the width it was read with.
        self._client.close()
        self._client, self._collection = self._open()

    def _open(self) -> tuple[Any, Any]:
        try:
            with _away():
                import chromadb  # 0.9 s, so only when it is used
                from chromadb.config import Settings
        except ImportError as error:
            raise ConfigError(
                "vectors.engine is 'chroma' but chromadb is not installed",
                f"{install_command('chroma')}, or set vectors.engine = 'exact'",
            ) from error
        # By default it reads `.env` where we work: a checkout could name a host to send vectors to.
        local = Settings(
            _env_file=None,  # type: ignore[call-arg]
            anonymized_telemetry=False,
            chroma_api_impl="chromadb.api.rust.RustBindingsAPI",
        )
        if os.path.lexists(self._path) and not _is_ours(self._path):
            remove_mirror(self._path.parent)
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
        remove_mirror(self._path.parent)
        self._client, self._collection = self._open()

    def state(self) -> MirrorState:
        """What the mirror held when that was last noted; without a note, the state of no index."""
        return state_in(self._path)

    def note(self, state: MirrorState) -> None:
        """Note what the mirror holds now; `reset` removes the note."""
        text = f"{state.index} {state.generation} {state.end}"
        private.write(self._path / _STATE, text.encode())

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
        """(id, dot product) pairs, greatest first, ties by id; approximate."""
        # No count first: Chroma answers with fewer where it has fewer, and takes longer to count
        # than to answer.
        answer = self._collection.query(
            query_embeddings=query[None, :], n_results=limit, include=["distances"]
        )
        pairs = zip(answer["ids"][0], answer["distances"][0], strict=True)
        return sorted(((i, 1.0 - d) for i, d in pairs), key=lambda pair: (-pair[1], pair[0]))
