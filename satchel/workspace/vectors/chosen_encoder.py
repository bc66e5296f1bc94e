"""Which encoder and engine the settings mean, without loading what ships with the package."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from satchel.store.private import is_there
from satchel.store.sqlite import database
from satchel.store.sqlite.unencoded import unencoded
from satchel.store.vectors.shipped_table import shipped_name
from satchel.workspace.configuration.settings import Settings

if TYPE_CHECKING:
    from satchel.store.vectors.encoders import Encoder

CHROMA_FROM = 400_000
"""Vectors from which `engine = "auto"` asks Chroma: there it takes 15 ms of processor time and the
scan 23, at 100,000 it takes more (docs/decisions/vectors.md)."""
CHROMA_BELOW = 500_000
"""Vectors from which `engine = "auto"` scans again: Chroma finds .998 of the nearest 50 of 400,000,
but .977 of those of a million."""


def encoder_in(settings: Settings, environment: Mapping[str, str]) -> Encoder | None:
    """The encoder that the settings mean, None for the table that ships with the package.

    Raises:
        ConfigError: the settings lack what this encoder needs.
    """
    if settings.vectors.encoder == "table":
        return None
    from satchel.workspace.vectors.encoders import encoder_of

    return encoder_of(settings.vectors, environment)


def may_use_chroma(settings: Settings, n_chunks: int) -> bool:
    """Whether so many vectors may be looked for in Chroma, if it is installed; told without
    NumPy."""
    engine = settings.vectors.engine
    return engine == "chroma" or (engine == "auto" and n_chunks >= CHROMA_FROM)


def is_all_encoded(settings: Settings, directory: Path) -> bool:
    """Whether there is surely nothing to encode or to mirror in an index; told without NumPy."""
    vectors = settings.vectors
    if vectors.encoder != "table" or vectors.engine == "chroma":
        return False
    if not is_there(database.file_in(directory)):
        return False
    with closing(database.connect(directory, writable=False)) as connection:
        n_chunks = database.n_chunks(connection)
        return n_chunks < CHROMA_FROM and not unencoded(connection, shipped_name())
