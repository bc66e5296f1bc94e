"""When blocks of vectors are stored as files: by whoever has just brought an index up to date."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from satchel.store.sqlite import database
from satchel.store.sqlite.database import Connection, never
from satchel.store.sqlite.unencoded import n_encoded
from satchel.store.vectors.block_files import BlockFiles
from satchel.store.version import installed_version
from satchel.workspace.configuration.settings import Settings
from satchel.workspace.vectors.chosen_encoder import is_all_encoded

if TYPE_CHECKING:
    from satchel.store.vectors.encoders import Encoder


class Encoded(Protocol):
    """What is asked of the project whose blocks are stored."""

    settings: Settings

    @property
    def directory(self) -> Path:
        """The folder of its index."""

    @property
    def encoder(self) -> Encoder:
        """What made its vectors."""

    @property
    def encoder_name(self) -> str:
        """The name of that, without loading it."""

    def uses_chroma(self, n_vectors: int) -> bool:
        """Whether so many vectors are looked for in Chroma."""


def store(project: Encoded, pause: Callable[[], bool] = never) -> None:
    """Store the blocks of a project's vectors that are not stored yet, until `pause` says so.

    Nothing is stored where Chroma is asked instead. Where the disk is full, blocks stay unstored:
    they are made whenever they are needed then.

    Raises:
        CorruptIndex: what is stored of vectors cannot be read.
        EncoderUnavailable: the encoder's server does not answer.
    """
    directory = project.directory
    with (
        database.explained_errors(),
        closing(database.connect(directory, writable=False)) as connection,
    ):
        files = BlockFiles(directory)
        state = _state(connection, project.encoder_name)
        # Most of the time nothing changed since, and not even the files are listed.
        if files.is_noted(state) or project.uses_chroma(database.n_chunks(connection)):
            return
        # These load NumPy, for which a command that finds nothing to do does not wait.
        from satchel.store.reading import vector_blocks
        from satchel.workspace.vectors.mirror_answers import shares_of

        try:
            # One transaction, so that the names of blocks and their rows are of the same text.
            connection.execute("BEGIN")
            encoder = project.encoder
            shares = shares_of(encoder)
            if vector_blocks.store_missing(connection, encoder, shares, files, pause):
                files.note(state)
        except OSError:
            # A file that is half there has another name, and nobody reads it.
            return


def store_if_encoded(project: Encoded) -> bool:
    """Store blocks where every chunk surely has its vector, and nothing is to be mirrored; returns
    whether that is so.

    Raises: as `store`.
    """
    if not is_all_encoded(project.settings, project.directory):
        return False
    store(project)
    return True


def _state(connection: Connection, encoder: str) -> str:
    """What the blocks follow from, and whether all chunks have vectors."""
    # The count tells where some were lost. Shares of context change with versions of Satchel alone.
    text, n = database.text_identity(connection), n_encoded(connection, encoder)
    return f"{installed_version()} {encoder} {text} {n}"
