"""Which encoder and engine the settings mean, without loading what ships with the package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from satchel.workspace.configuration.settings import Settings

if TYPE_CHECKING:
    from satchel.store.vectors.encoders import Encoder

CHROMA_FROM = 400_000
"""Vectors from which `engine = "auto"` asks Chroma: there it takes 15 ms of processor time and the
scan 23, at 100,000 it takes more (docs/DECISIONS.md)."""


def encoder_in(settings: Settings, environment: Mapping[str, str]) -> Encoder | None:
    """The encoder that the settings mean, None for the table that ships with the package.

    Raises:
        ConfigError: the settings lack what this encoder needs.
    """
    if settings.vectors.encoder == "table":
        return None
    from satchel.workspace.vectors.encoders import encoder_of

    return encoder_of(settings.vectors, environment)
