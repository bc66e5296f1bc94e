"""Which encoder the settings mean; only the user's own file or environment can name one.

The models of sentence-transformers (an extra) are loaded from this machine, never downloaded: what
is named must be a folder or in its cache.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from satchel.store.errors import ConfigError
from satchel.store.vectors.encoders import Encoder, Matrix, PrefixedEncoder, normalized
from satchel.store.version import install_command
from satchel.workspace.configuration.settings import VectorSettings
from satchel.workspace.vectors.http_encoder import EncoderEndpoint, RemoteEncoder


def encoder_of(settings: VectorSettings, environment: Mapping[str, str]) -> Encoder:
    """An encoder other than the shipped table; nothing is loaded or asked before its first use.

    Raises:
        ConfigError: the settings lack what this encoder needs.
    """
    plain = _plain(settings, environment)
    if not (settings.query_prefix or settings.document_prefix):
        return plain
    return PrefixedEncoder(plain, settings.query_prefix, settings.document_prefix)


def _plain(settings: VectorSettings, environment: Mapping[str, str]) -> Encoder:
    """The encoder without what stands before its texts. Raises: ConfigError."""
    if not settings.model:
        raise ConfigError(
            f"vectors.encoder is '{settings.encoder}' but no model is named",
            "set vectors.model in your own configuration",
        )
    if settings.encoder == "sentence-transformers":
        return SentenceEncoder(settings.model, settings.batch)
    parts = urlsplit(settings.endpoint)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.username:
        raise ConfigError(
            f"vectors.endpoint is '{settings.endpoint}'",
            "give an http or https address, as http://localhost:11434 or https://host/v1",
        )
    key = environment.get(settings.key_variable, "") if settings.key_variable else ""
    if settings.key_variable and not key:
        raise ConfigError(
            f"the variable {settings.key_variable}, which vectors.key_variable names, is not set",
            "set it to the key, or leave vectors.key_variable empty",
        )
    return RemoteEncoder(
        EncoderEndpoint(
            settings.encoder, settings.endpoint, settings.model, key, settings.seconds,
            settings.batch,
        )
    )  # fmt: skip


class SentenceEncoder:
    """A model of sentence-transformers; its name holds a digest of its weights."""

    def __init__(self, model: str, batch: int) -> None:
        self._model_name, self._batch = model, batch

    @cached_property
    def name(self) -> str:
        """Identifies the model by its weights."""
        digest = blake2b(digest_size=4)
        # Sorted, so that the name depends on the weights alone and not on the order in which they
        # were put together.
        for key, tensor in sorted(self._model.state_dict().items()):
            digest.update(key.encode() + tensor.cpu().numpy().tobytes())
        return f"sentence-transformers/{self.dimensions}/{digest.hexdigest()}"

    @cached_property
    def dimensions(self) -> int:
        """The width of a vector."""
        return int(self.raw(["satchel"]).shape[1])

    def encode(self, texts: Sequence[str]) -> Matrix:
        """One row a text, float32, of length 1 or 0; nothing but space has length 0."""
        matrix = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        # A blank text must be near nothing, whatever the model makes of it.
        asked = [row for row, text in enumerate(texts) if text.strip()]
        if asked:
            matrix[asked] = self.raw([texts[row] for row in asked])
        return normalized(matrix)

    def raw(self, texts: Sequence[str]) -> Matrix:
        """The vectors as the model gives them, of any length."""
        return np.asarray(
            self._model.encode(list(texts), batch_size=self._batch, show_progress_bar=False),
            dtype=np.float32,
        )

    @cached_property
    def _model(self) -> Any:  # noqa: ANN401 - an extra, typed as it is installed or not
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise ConfigError(
                "vectors.encoder is 'sentence-transformers', which is not installed",
                f"{install_command('sentence')}, or set vectors.encoder = 'table'",
            ) from error
        try:
            # Working offline is a promise: a model that is not here is an error and no download.
            return SentenceTransformer(self._model_name, device="cpu", local_files_only=True)
        except (OSError, ValueError) as error:
            raise ConfigError(
                f"no model '{self._model_name}' on this machine",
                "name the folder of a model; Satchel downloads none",
            ) from error
