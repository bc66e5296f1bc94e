"""all-MiniLM-L6-v2, the sentence transformer that others rank with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from satchel.store.vectors.encoders import Matrix, normalized


class MiniLm:
    """all-MiniLM-L6-v2 from a folder or package on this machine."""

    name = "all-MiniLM-L6-v2"
    dimensions = 384

    def __init__(self, model: Path, tokenizer: Path) -> None:
        # Neither belongs to Satchel; both come with the extra `chroma`.
        from onnxruntime import InferenceSession  # type: ignore[import-untyped]
        from tokenizers import Tokenizer

        self._model = InferenceSession(str(model), providers=["CPUExecutionProvider"])
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.enable_truncation(256)
        self._tokenizer.no_padding()

    def encode(self, texts: Sequence[str]) -> Matrix:
        """One row a text: the mean of its tokens' states, of length 1."""
        return normalized(np.stack([self._one(text) for text in texts]))

    def _one(self, text: str) -> npt.NDArray[np.float32]:
        ids = np.array([self._tokenizer.encode(text).ids], dtype=np.int64)
        asked = {"input_ids": ids, "attention_mask": np.ones_like(ids),
                 "token_type_ids": np.zeros_like(ids)}  # fmt: skip
        [states] = self._model.run(["last_hidden_state"], asked)
        return np.asarray(states[0].mean(axis=0), dtype=np.float32)
