"""Refit what packs spend tokens on, with repositories held out.

As `bench.fitting.fit` does for a ranking: repositories are dealt into folds, the numbers of
`weights.Packing` are fitted by coordinate ascent on all other folds, from plain ones, and each fold
is scored with those that it had no part in. The ranking is today's throughout. The goal is the mean
over budgets of the functions that a pack shows + 0.5 of the files + 0.2 of the changed lines.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench.fitting.fit import dealt
from bench.packs.packing import BUDGETS, Case, captured
from bench.peers import inprocess
from bench.retrieval import cases, report
from bench.retrieval.cases import Query
from bench.retrieval.metrics import Row, bootstrap, coverage
from satchel.assembler.packing import pack
from satchel.assembler.weights import DEFAULT, Packing

LEVELS = {"target": 1.0, "file": 0.5, "lines": 0.2}
"""What is measured, and what it counts for."""
_FACTORS = (0.7, 1.4)
_LEAST_GAIN = 5e-4
FITTED = (
    "signature", "elided", "breadth", "neighbour", "by_nearness",
    "by_score", "by_place", "by_file", "by_size", "by_name",
)  # fmt: skip
PLAIN = replace(
    DEFAULT.packing, signature=0.25, elided=0.5, breadth=1.0, neighbour=0.5, by_nearness=1.0,
    by_score=1.0, by_place=1.0, by_file=1.0, by_size=0.5, by_name=1.0,
)  # fmt: skip
Scores = npt.NDArray[np.float64]
"""Of each question, at each level, for each budget; nan where it has no such level."""


@dataclass(slots=True)
class Bench:
    """Questions whose candidates are there to be packed, and what packs of them have scored."""

    asked: list[tuple[str, Case, Query]]
    budgets: Sequence[int]
    known: dict[Packing, Scores]

    def scores(self, weights: Packing, of: npt.NDArray[np.bool_] | None = None) -> Scores:
        """What packs by some weights show, for all questions or some of them."""
        if weights not in self.known:
            rows = [self._scores(case, query, weights) for _, case, query in self.asked]
            self.known[weights] = np.array(rows)
            print(f"{len(self.known)} weights packed", file=sys.stderr)
        return self.known[weights] if of is None else self.known[weights][of]

    def _scores(self, case: Case, query: Query, weights: Packing) -> list[list[float]]:
        found: list[list[float]] = [[] for _ in LEVELS]
        for budget in self.budgets:
            blank = replace(case.blank, budget=budget)
            shown = pack.pack(case.ranked, blank, case.tools, weights).excerpts
            rows = [Row(e.path, e.start_line, e.end_line) for e in shown]
            for held, level in zip(found, LEVELS, strict=True):
                targets = query.levels.get(level)
                held.append(coverage(rows, targets) if targets else np.nan)
        return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Print held-out scores beside fitted ones, and the weights of every fold."""
    options = _parser().parse_args(arguments)
    with ExitStack() as stack:
        bench = Bench([], options.budgets, {})
        for repository in cases.load(options.fixes):
            index = stack.enter_context(inprocess.opened(repository.indexed(options.corpora)))
            for query in repository.queries:
                case = captured(index, query.text, max(options.budgets))
                bench.asked.append((repository.name, case, query))
        names = [name for name, _, _ in bench.asked]
        fold_of = dealt(sorted(set(names)), options.folds)
        folds = np.array([fold_of[name] for name in names])
        _print(bench, folds, options.rounds)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.fitting.fit_packs", description=__doc__)
    parser.add_argument("--fixes", type=Path, required=True, help="bug-fix cases (JSON)")
    parser.add_argument("--corpora", type=Path, required=True, help="folder of checkouts, by name")
    parser.add_argument("--folds", type=int, default=4, help="2 or more (default: 4)")
    parser.add_argument("--rounds", type=int, default=1, help="over all weights (default: 1)")
    parser.add_argument("--budgets", type=int, nargs="+", default=BUDGETS, help="tokens of packs")
    return parser


def _print(bench: Bench, folds: npt.NDArray[np.int64], n_rounds: int) -> None:
    held = np.empty_like(bench.scores(PLAIN))
    rows = [["weights of", *FITTED]]
    for fold in np.unique(folds).tolist():
        weights = fit(PLAIN, partial(bench.scores, of=folds != fold), n_rounds)
        held[folds == fold] = bench.scores(weights)[folds == fold]
        rows.append([f"without fold {fold + 1}", *_cells(weights)])
    everything = fit(PLAIN, bench.scores, n_rounds)
    rows += [["everything", *_cells(everything)], ["shipped", *_cells(DEFAULT.packing)]]
    columns = [f"{level} {budget}" for level in LEVELS for budget in bench.budgets]
    table = [["", *columns]]
    shipped = bench.scores(DEFAULT.packing)
    for name, scores in (
        ("plain", bench.scores(PLAIN)), ("fitted, held out", held),
        ("fitted on everything", bench.scores(everything)), ("shipped", shipped),
    ):  # fmt: skip
        table.append([name, *(f"{mean:.3f}" for mean in _means(scores, 0).ravel())])
    print(report.markdown(table))
    print()
    print(report.markdown(rows))
    for name, other in (("plain", bench.scores(PLAIN)), ("held out", held)):
        gain = bootstrap((shipped - other)[:, 0].mean(axis=1).tolist())
        print(
            f"functions, shipped - {name}: {gain.mean:+.3f} ({gain.low:+.3f} to {gain.high:+.3f})"
        )


def fit(start: Packing, scores: Callable[[Packing], Scores], n_rounds: int) -> Packing:
    """Coordinate ascent: each number in turn takes the better of itself and a few factors of it."""
    best, goal = start, _goal(scores(start))
    for _ in range(n_rounds):
        for name in FITTED:
            base = best
            for factor in _FACTORS:
                changed: dict[str, float] = {name: round(getattr(base, name) * factor, 3)}
                trial = replace(base, **changed)  # type: ignore[arg-type]
                reached = _goal(scores(trial))
                if reached > goal + _LEAST_GAIN:
                    best, goal = trial, reached
    return best


def _goal(found: Scores) -> float:
    return float(_means(found, (0, 2)) @ np.array(list(LEVELS.values())))


def _means(found: Scores, axis: int | tuple[int, ...]) -> Scores:
    """Means of what there is; 0 where there is nothing."""
    means: Scores = np.ma.masked_invalid(found).mean(axis=axis).filled(0.0)
    return means


def _cells(weights: Packing) -> list[str]:
    return [f"{getattr(weights, name):.2f}" for name in FITTED]


if __name__ == "__main__":
    sys.exit(main())
