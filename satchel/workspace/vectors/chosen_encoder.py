"""Which encoder the settings mean, without loading it where it is the one that ships."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from satchel.workspace.configuration.settings import Settings

if TYPE_CHECKING:
    from satchel.store.vectors.encoders import Encoder


def encoder_in(settings: Settings, environment: Mapping[str, str]) -> Encoder | None:
    """The encoder that the settings mean, None for the table that ships with the package.

    Raises:
        ConfigError: the settings lack what this encoder needs.
    """
    if settings.vectors.encoder == "table":
        return None
    from satchel.workspace.vectors.encoders import encoder_of

    return encoder_of(settings.vectors, environment)
