"""The ranking that was learned from fixes: boosted trees over the signals of `signals`. Pure.

A tree asks at most `depth` times whether a signal is above a number. The margin of a candidate is a
base and what each tree's leaf gives, in whole numbers of a 4096th, so that sums are the same on
every machine whatever their order; the higher, the likelier the candidate is meant. How the numbers
came about is in `training/ranking/README.md`.
"""

import json
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from satchel.assembler.ranking import signals
from satchel.assembler.ranking.signals import STEPS, Floats

FILE = "learned.json"
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

    def margins(self, measured: Floats) -> Floats:
        """The margin of each candidate."""
        *_, (_, leaf) = self._walk(measured)
        values = self.value[:, _level(self.depth)].ravel()
        return np.asarray(values.take(leaf).sum(axis=1) / STEPS, np.float64)

    def parts(self, measured: Floats) -> tuple[float, Floats]:
        """The base of all margins, and what each signal adds to each candidate's margin.

        A question on the way to a leaf changes what is expected, and the change is counted for the
        signal that was asked about (Saabas 2014); base and parts add up to the margin.
        """
        places, gains = [], []
        expected = self.value[:, 0]
        for depth, (place, node) in enumerate(self._walk(measured), 1):
            found = self.value[:, _level(depth)].ravel().take(node)
            places.append(place.ravel())
            gains.append((found - expected).ravel())
            expected = found
        # Sums of whole numbers are exact in floats of this size, whatever their order.
        parts = np.bincount(np.concatenate(places), np.concatenate(gains), measured.size)
        return float(self.value[:, 0].sum() / STEPS), parts.reshape(measured.shape) / STEPS

    def _walk(self, measured: Floats) -> Iterator[tuple[Integers, Integers]]:
        """Each candidate's way down each tree: where in `measured` it is asked, and the node that
        follows, among the nodes of its level in all trees."""
        asked = np.round(measured * STEPS).astype(np.int64).ravel()
        rows = np.arange(len(measured))[:, None] * measured.shape[1]
        node = np.arange(len(self.value))[None, :].repeat(len(measured), axis=0)
        for depth in range(self.depth):
            signal, threshold = (
                table[:, _level(depth)].ravel() for table in (self.signal, self.threshold)
            )
            place = rows + signal.take(node)
            node = 2 * node + (asked.take(place) > threshold.take(node))
            yield place, node

    @property
    def least(self) -> float:
        """A margin that none falls below."""
        return float(self.value.min(axis=1).sum() / STEPS)

    def probabilities(self, margins: Floats) -> Floats:
        """How likely a candidate of each margin is changed by a fix, 0..1."""
        return np.asarray(1 / (1 + np.exp(-(self.slope * margins + self.offset))), np.float64)


def _level(depth: int) -> slice:
    """The nodes of a tree that are `depth` questions below its first."""
    return slice((1 << depth) - 1, (2 << depth) - 1)


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
