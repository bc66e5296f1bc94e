"""Refit the ranking weights with repositories held out: `python -m bench.fitting.fit --help`.

The repositories are dealt into folds. For each fold the weights of `assembler.weights` that rank a
list are fitted, by coordinate ascent from plain ones, on all other folds, and the fold is scored
with them: what the pooled scores say is what weights of this kind are worth on repositories that
nobody has seen. Beside it stand the shipped weights and those fitted on everything, on the very
repositories they were chosen on; the distance is overfitting.

What a candidate measures is read from the index once; links of the call graph are left out, since
which they are depends on the ranking. The goal is NDCG@10 of questions + half of their recall in
1,000 tokens + 0.6 NDCG@10 of functions + 0.4 of files of the fixes, each a mean over questions.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from bench.fitting.fit_sheet import MEASURES, Sheet, sheet_of
from bench.peers import inprocess
from bench.retrieval import cases, report
from satchel.assembler.weights import DEFAULT, Penalties, Signals, Weights

SEED = 11
_FACTORS = (0.5, 0.7, 0.85, 1.2, 1.4, 2.0)
_LEAST_GAIN = 2e-4
_ROUNDS = 2
_GOAL = {"NDCG@10": 1.0, "R@1k": 0.5, "functions": 0.6, "files": 0.4}
_PLAIN = replace(
    DEFAULT,
    signal=replace(DEFAULT.signal, secondary=0.5, path=1.0, callable=0.2),
    penalty=replace(DEFAULT.penalty, aside=0.5, next_of_file=0.7),
)
FITTED = (
    ("signal", "secondary"), ("signal", "path"), ("signal", "callable"),
    ("penalty", "next_of_file"), ("penalty", "aside"),
)  # fmt: skip
Means = dict[str, float]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print held-out scores beside fitted ones, and the weights of every fold."""
    options = _parser().parse_args(arguments)
    sheets: list[Sheet] = []
    for kind, file in (("questions", options.questions), ("fixes", options.fixes)):
        for repository in cases.load(file):
            print(f"{kind} {repository.name}", file=sys.stderr)
            with inprocess.opened(repository.indexed(options.corpora)) as index:
                sheets += [sheet_of(index, kind, repository.name, q) for q in repository.queries]
    fold_of = folds(sheets, options.folds)
    held: list[Sheet] = []
    scored: list[dict[str, float]] = []
    rows = [["weights of", *(f"{group}.{name}" for group, name in FITTED)]]
    for number in range(options.folds):
        weights = fit(_PLAIN, [s for s in sheets if fold_of[s.kind, s.repository] != number])
        mine = [s for s in sheets if fold_of[s.kind, s.repository] == number]
        held += mine
        scored += [sheet.scores(weights) for sheet in mine]
        rows.append([f"without fold {number + 1}", *_cells(weights)])
    everything = fit(_PLAIN, sheets)
    rows += [["everything", *_cells(everything)], ["shipped", *_cells(DEFAULT)]]
    table = [["", *MEASURES]]
    table.append(["plain", *_scores(means(sheets, _PLAIN))])
    table.append(["fitted, held out", *_scores(_means(held, scored))])
    table.append(["fitted on everything", *_scores(means(sheets, everything))])
    table.append(["shipped", *_scores(means(sheets, DEFAULT))])
    print(report.markdown(table))
    print()
    print(report.markdown(rows))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.fitting.fit", description=__doc__)
    parser.add_argument("--questions", type=Path, required=True, help="retrieval cases (JSON)")
    parser.add_argument("--fixes", type=Path, required=True, help="bug-fix cases (JSON)")
    parser.add_argument("--corpora", type=Path, required=True, help="folder of checkouts, by name")
    parser.add_argument("--folds", type=int, default=5, help="2 or more (default: 5)")
    return parser


def folds(sheets: Sequence[Sheet], n_folds: int) -> dict[tuple[str, str], int]:
    """The fold of each repository of each set of cases, even in number; the same every time."""
    result: dict[tuple[str, str], int] = {}
    for kind in ("questions", "fixes"):
        names = sorted({sheet.repository for sheet in sheets if sheet.kind == kind})
        result |= {(kind, name): fold for name, fold in dealt(names, n_folds).items()}
    return result


def dealt(names: Sequence[str], n_folds: int) -> dict[str, int]:
    """The fold of each of some names, even in number; the same every time."""
    listed = list(names)
    random.Random(SEED).shuffle(listed)
    return {name: place % n_folds for place, name in enumerate(listed)}


def fit(start: Weights, sheets: Sequence[Sheet]) -> Weights:
    """Coordinate ascent: each weight in turn takes the best of a few factors of itself."""
    best, goal = start, _goal(means(sheets, start))
    for _ in range(_ROUNDS):
        before = goal
        for group, name in FITTED:
            base = best
            for factor in _FACTORS:
                trial = _with(base, group, name, factor)
                reached = _goal(means(sheets, trial))
                if reached > goal + _LEAST_GAIN:
                    best, goal = trial, reached
        if goal == before:
            break
    return best


def _with(weights: Weights, group: str, name: str, factor: float) -> Weights:
    part: Signals | Penalties = getattr(weights, group)
    highest = 1.0 if group == "penalty" else float("inf")
    value = min(highest, getattr(part, name) * factor)
    changed: dict[str, object] = {group: replace(part, **{name: value})}
    return replace(weights, **changed)


def means(sheets: Sequence[Sheet], weights: Weights) -> Means:
    """Each measure's mean over the questions that have it."""
    return _means(sheets, [sheet.scores(weights) for sheet in sheets])


def _means(sheets: Sequence[Sheet], scores: Sequence[dict[str, float]]) -> Means:
    mean: Callable[[str], float] = lambda name: float(  # noqa: E731
        np.mean([score[name] for score in scores if name in score] or [0.0])
    )
    return {name: mean(name) for name in MEASURES}


def _goal(found: Means) -> float:
    return sum(weight * found[name] for name, weight in _GOAL.items())


def _scores(found: Means) -> list[str]:
    return [f"{found[name]:.3f}" for name in MEASURES]


def _cells(weights: Weights) -> list[str]:
    return [f"{getattr(getattr(weights, group), name):.2f}" for group, name in FITTED]


if __name__ == "__main__":
    sys.exit(main())
