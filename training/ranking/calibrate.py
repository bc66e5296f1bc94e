"""From scores to probabilities: `python -m training.ranking.calibrate DATA`.

Fits the numbers of `training.ranking.probability` on the fixes of DATA and prints them, with how
often candidates of each predicted probability were changed (a reliability table). Scores of the
learned ranking are those of trees that have not seen the repository; the table's probabilities are
predicted by numbers that have not seen it either.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from satchel.assembler.ranking.signals import NAMES
from training.ranking import learn
from training.ranking.probability import IF_LEARNED, IF_SUMMED, Calibration, probability

EDGES = (0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 1.01)
_COLUMNS = {"base": 0, "by_score": 1, "by_place": 2, "by_total": 3}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the numbers and the table of both kinds of score."""
    parser = argparse.ArgumentParser(
        prog="python -m training.ranking.calibrate", description=__doc__
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--trees", type=int, default=learn.TREES)
    options = parser.parse_args(arguments)
    data = learn.fixes(options.data)
    margins = learn.held_out(data, lambda part: learn.train(part, options.trees).predict)
    slope, offset = learn.calibrated(margins, data.labels)
    likely = 1 / (1 + np.exp(-(slope * margins + offset)))
    of_sum = data.signals[:, NAMES.index("sum")] * data.signals[:, NAMES.index("best sum")]
    asks_change = learn.detail(data) >= 1.0
    for name, scores, keep, kind in (
        ("IF_LEARNED", np.sqrt(likely), asks_change, IF_LEARNED),
        ("IF_SUMMED", of_sum, ~asks_change, IF_SUMMED),
    ):
        rows = np.repeat(keep, np.diff(data.starts))
        _report(name, data.part(keep), scores[rows], kind)
    return 0


def _report(name: str, data: learn.Data, scores: Any, kind: Calibration) -> None:
    print(name, fitted(data, scores, kind, np.ones(len(data.kinds), dtype=bool)))
    fold, found = learn.folds(data), np.zeros(len(scores))
    for number in range(learn.FOLDS):
        numbers = fitted(data, scores, kind, fold != number)
        for question in np.flatnonzero(fold == number):
            first, last = data.starts[question : question + 2]
            order = np.argsort(-scores[first:last], kind="stable")
            found[first + order] = probability(scores[first + order].tolist(), numbers)
    changed = data.labels > 1
    print("| predicted | chunks | mean | changed |\n|---|--:|--:|--:|")
    for low, high in pairwise(EDGES):
        inside = (found >= low) & (found < high)
        if inside.any():
            of = f"{found[inside].mean():.4f} | {changed[inside].mean():.4f}"
            print(f"| {low} to {min(1, high)} | {inside.sum()} | {of} |")


def fitted(data: learn.Data, scores: Any, kind: Calibration, keep: Any) -> Calibration:
    """The numbers for some questions, by logistic regression (Newton's method)."""
    # A place adds nothing to what the trees give, so that number stays as it is where it is 0.
    columns = [c for n, c in _COLUMNS.items() if n != "by_place" or kind.by_place]
    rows = np.repeat(keep, np.diff(data.starts))
    features = _features(data, scores, kind.power)[rows][:, columns]
    wanted = (data.labels[rows] > 1).astype(np.float64)
    numbers = np.zeros(len(columns))
    for _ in range(30):
        found = 1 / (1 + np.exp(-features @ numbers))
        hessian = (features * (found * (1 - found))[:, None]).T @ features
        numbers -= np.linalg.solve(
            hessian + 1e-3 * np.eye(len(columns)), features.T @ (found - wanted)
        )
    names = list(_COLUMNS)
    named = {names[c]: round(float(n), 3) for c, n in zip(columns, numbers, strict=True)}
    return replace(kind, **named)


def _features(data: learn.Data, scores: Any, power: float) -> Any:
    evidence = np.clip(scores**power, 1e-9, 0.99)
    made = np.ones((len(scores), len(_COLUMNS)))
    made[:, 1] = np.log(evidence / (1 - evidence))
    for first, last in pairwise(data.starts):
        order = np.argsort(-scores[first:last], kind="stable")
        made[first + order, 2] = np.log1p(np.arange(last - first))
        made[first:last, 3] = np.log(evidence[first:last].sum() or 1.0)
    return made


if __name__ == "__main__":
    sys.exit(main())
