"""The prepared pairs, and how often a table finds the right code for held-out questions."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

KINDS = ("doc", "rest", "comment", "name", "path", "prose")
NATURAL = (0, 1, 2, 5)  # questions in sentences: these are what is reported


class Data:
    """The prepared pairs, cut to a vocabulary of `n_terms`."""

    def __init__(self, work: Path, n_terms: int) -> None:
        stored = np.load(work / "pairs.npz")
        keep = stored["ids"] < n_terms
        before = np.concatenate([[0], np.cumsum(keep)])
        self.starts = before[stored["starts"]]
        self.ids = stored["ids"][keep]
        self.counts = stored["counts"][keep]
        self.kind, self.package = stored["kind"], stored["package"]
        self.question, self.code, self.held = stored["question"], stored["code"], stored["held"]
        lengths = np.diff(self.starts)
        self.usable = (lengths[self.question] >= 2) & (lengths[self.code] >= 5)

    def bag(self, texts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Term ids, their damped counts and where each text begins."""
        begins, ends = self.starts[texts], self.starts[texts + 1]
        lengths = ends - begins
        offsets = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        places = np.arange(lengths.sum()) - np.repeat(offsets - begins, lengths)
        return self.ids[places], self.counts[places], offsets


def pools(data: Data, held: int = 1) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Named sets of (questions, codes) in which question i belongs to code i: held-out pairs."""
    rng = np.random.default_rng(1)
    natural = np.isin(data.kind, NATURAL)
    rows = np.flatnonzero((data.held == held) & data.usable & natural)
    rows = rng.permutation(rows)
    rows = rows[np.sort(np.unique(data.code[rows], return_index=True)[1])]
    result = {}
    mixed = rng.permutation(rows)[:2000]
    result["mixed"] = (data.question[mixed], data.code[mixed])
    named = np.flatnonzero((data.held == held) & data.usable & (data.kind == 3))
    named = named[np.unique(data.code[named], return_index=True)[1]]
    named = rng.permutation(named)[:2000]
    result["names"] = (data.question[named], data.code[named])
    sizes = Counter(data.package[rows].tolist())
    for package in [p for p, n in sizes.most_common() if n >= 150][:30]:
        own = rows[data.package[rows] == package][:600]
        result[f"own {package}"] = (data.question[own], data.code[own])
    return result


def reciprocal(scores: np.ndarray) -> float:
    """MRR@10 when the right answer of row i is column i."""
    right = np.diag(scores)[:, None]
    ranks = 1 + (scores > right).sum(axis=1) + 0.5 * ((scores == right).sum(axis=1) - 1)
    return float(np.where(ranks <= 10, 1 / ranks, 0).mean())


def report(results: dict[str, float]) -> dict[str, float]:
    """Mixed pool, names, and the mean over packages' own pools."""
    own = [value for name, value in results.items() if name.startswith("own")]
    return {
        "mixed": round(results["mixed"], 4),
        "names": round(results["names"], 4),
        "own": round(sum(own) / max(1, len(own)), 4),
    }


def embed(data: Data, texts: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Unit vectors of texts."""
    ids, counts, offsets = data.bag(texts)
    rows = np.zeros((len(texts), table.shape[1]), dtype=np.float32)
    lengths = np.diff(np.append(offsets, len(ids)))
    for part in np.array_split(np.arange(len(texts)), max(1, len(texts) // 500)):
        lo, hi = offsets[part[0]], offsets[part[-1]] + lengths[part[-1]]
        products = table[ids[lo:hi]] * counts[lo:hi, None]
        rows[part] = np.add.reduceat(products, offsets[part] - lo, axis=0)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def evaluate(data: Data, table: np.ndarray) -> dict[str, float]:
    """MRR@10 of a table on the held-out pools."""
    return report(
        {
            name: reciprocal(embed(data, questions, table) @ embed(data, codes, table).T)
            for name, (questions, codes) in pools(data).items()
        }
    )
