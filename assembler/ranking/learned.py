"""The ranking that was learned from fixes: boosted trees over the signals of `signals`. Pure.

A tree asks at most `depth` times whether a signal is above a number. The margin of a candidate is a
base and what each tree's leaf gives, in whole numbers of a 4096th, so that sums are the same on
every machine whatever their order; the higher, the likelier the candidate is meant. How the numbers
came about is in `training/ranking/README.md`.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from satchel.assembler.ranking import signals
from satchel.assembler.ranking.signals import Floats

FILE = "learned.json"
_STEP = 4096
Integers = npt.NDArray[np.int64]


class Model(Struct, frozen=True):
    """Complete trees of one depth: node `i` leads to `2 i + 1`, or `2 i + 2` above its threshold.

    `signal[t, i]` is a column of the signals and `threshold[t, i]` in 4096ths, for inner nodes;
    `value[t, i]` in 4096ths what is expected at any node, leaves last. `slope` and `offset` make a
    probability of a margin: 1 / (1 + exp(-(slope margin + offset))).
    """

    signal: Integers
    threshold: Integers
    value: Integers
    slope: float
    offset: float

    @property
    def depth(self) -> int:
        """How often a tree asks."""
        return int(self.value.shape[1] + 1).bit_length() - 2

    def parts(self, measured: Floats) -> tuple[float, Floats]:
        """The base of all margins, and what each signal adds to each candidate's margin.

        A question on the way to a leaf changes what is expected, and the change is counted for the
        signal that was asked about (Saabas 2014); base and parts add up to the margin.
        """
        trees = np.arange(len(self.value))
        paths = self._paths(measured)
        rows = np.arange(len(measured))[:, None] * measured.shape[1]
        steps = list(pairwise(paths))
        place = np.concatenate([(rows + self.signal[trees, a]).ravel() for a, _ in steps])
        gain = np.concatenate(
            [(self.value[trees, b] - self.value[trees, a]).ravel() for a, b in steps]
        )
        # Sums of whole numbers are exact in floats of this size, whatever their order.
        parts = np.bincount(place, gain, measured.size).reshape(measured.shape)
        return float(self.value[:, 0].sum() / _STEP), parts / _STEP

    @property
    def least(self) -> float:
        """A margin that none falls below."""
        return float(self.value.min(axis=1).sum() / _STEP)

    def probabilities(self, margins: Floats) -> Floats:
        """How likely a candidate of each margin is changed by a fix, 0..1."""
        return np.asarray(1 / (1 + np.exp(-(self.slope * margins + self.offset))), np.float64)

    def _paths(self, measured: Floats) -> list[Integers]:
        """The nodes that each candidate comes by in each tree, level by level."""
        asked = np.round(measured * _STEP).astype(np.int64)
        rows = np.arange(len(asked))[:, None] * asked.shape[1]
        flat, n_inner = asked.ravel(), self.signal.shape[1]
        inner = np.arange(len(self.signal)) * n_inner
        signal, threshold = self.signal.ravel(), self.threshold.ravel()
        node = np.zeros((len(asked), len(self.signal)), dtype=np.int64)
        paths = [node]
        for _ in range(self.depth):
            place = inner + node
            above = flat[rows + signal[place]] > threshold[place]
            node = 2 * node + 1 + above
            paths.append(node)
        return paths


@lru_cache(maxsize=1)
def shipped() -> Model:
    """The model that Satchel ships."""
    return load(files("satchel.assembler.ranking").joinpath(FILE).read_text(encoding="utf-8"))


def load(text: str) -> Model:
    """A model as `training.ranking.learn` writes it; signals are found by their names."""
    made: dict[str, Any] = json.loads(text)
    columns = np.array([signals.NAMES.index(name) for name in made["signals"]], dtype=np.int64)
    signal, threshold, value = (
        np.array(made[name], dtype=np.int64) for name in ("signal", "threshold", "value")
    )
    return Model(columns[signal], threshold, value, float(made["slope"]), float(made["offset"]))
