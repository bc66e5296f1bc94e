"""Questions to a Chroma mirror, their answers, and when a mirror is used at all."""

from pathlib import Path
from typing import Protocol

from msgspec import Struct

from satchel.store.reading.snapshot import Snapshot
from satchel.store.sqlite.database import inode
from satchel.store.sqlite.vectors import ContextShares
from satchel.store.vectors.chroma import is_installed
from satchel.store.vectors.encoders import Encoder
from satchel.store.vectors.table_encoder import TableEncoder
from satchel.workspace.vectors.chosen_encoder import CHROMA_BELOW, CHROMA_FROM

# These are no ranking weights of a question: files and paths are added to the vectors when these
# are stored.
_VECTOR_OF_FILE = 1.0
"""Weight of the likeness of a chunk's whole file, relative to that of the chunk itself."""
_VECTOR_OF_PATH = 1.0
"""Weight of the likeness of its path, relative to that of the chunk itself."""


class NearestQuery(Struct, frozen=True):
    """Which chunks of a generation of an index are nearest to a vector; `limit` 0 only asks
    whether that can be told."""

    index: str
    generation: int
    limit: int = 0
    vector: tuple[float, ...] = ()


class NearestReply(Struct, frozen=True):
    """(chunk id, dot product) pairs, greatest first; or `why` nothing is told."""

    pairs: tuple[tuple[int, float], ...] = ()
    why: str = ""


class MirrorOwner(Protocol):
    """Who can be asked: the mirror of this process, that of another one, or one opened for it."""

    def nearest(self, query: NearestQuery) -> NearestReply:
        """What is nearest, or why that is not told."""


def identity(directory: Path, snapshot: Snapshot) -> str:
    """Tells the index in a folder from any other that was or will be there."""
    return f"{inode(directory)}.{snapshot.rebuild_number}"


def uses_chroma(engine: str, n_vectors: int) -> bool:
    """Whether so many vectors are looked for in Chroma."""
    is_in_range = CHROMA_FROM <= n_vectors < CHROMA_BELOW
    return engine == "chroma" or (engine == "auto" and is_in_range and is_installed())


def shares_of(encoder: Encoder) -> ContextShares:
    """How much of its context is added to a chunk's vector of this encoder."""
    # Paths are encoded whenever a table is loaded: not over a wire.
    of_path = _VECTOR_OF_PATH if isinstance(encoder, TableEncoder) else 0.0
    return ContextShares(_VECTOR_OF_FILE, of_path)
