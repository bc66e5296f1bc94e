"""Learn the ranking: `python -m training.ranking.learn DATA --out FILE`.

Repositories are dealt into folds; each fold is scored by a model that has seen none of it. Printed
are the hand-made sum, a linear model over the same signals and boosted trees, and how trees do with
fewer fixes. What ships is trained on everything.

    functions  NDCG@10 over the targets of a fix, as `bench.retrieval.metrics` has it
    @4k        share of the targets in the first 4,000 tokens of the list
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np

from satchel.assembler.ranking.signals import NAMES, STEPS

SEED = 7
TREES = 60
FOLDS = 5
_UP = frozenset(
    "terms,vectors,definition,path,sum,linked,name,scope,signature,doc,body,often in body,anywhere,"
    "words anywhere,rarest,three rarest,rarest in name,part of name,compounds,title anywhere,"
    "title in name".split(",")
)
"""Signals of which more is never worse."""
PARAMETERS: dict[str, Any] = {
    "objective": "lambdarank", "lambdarank_truncation_level": 50, "label_gain": [0, 1, 2],
    "learning_rate": 0.12, "num_leaves": 14, "max_depth": 5, "min_data_in_leaf": 150,
    "feature_fraction": 0.6, "bagging_fraction": 0.8, "bagging_freq": 1, "lambda_l2": 5.0,
    "min_gain_to_split": 0.0, "verbosity": -1, "seed": SEED, "num_threads": 1,
    "deterministic": True, "force_row_wise": True, "max_bin": 63,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Data:
    """Candidates row by row, and the questions that they belong to."""

    signals: Any
    labels: Any
    covers: Any
    costs: Any
    starts: Any
    n_targets: Any
    kinds: Any
    repositories: Any

    def part(self, keep: Any) -> Data:
        """Some questions, by a mask."""
        rows = np.repeat(keep, np.diff(self.starts))
        sizes = np.diff(self.starts)[keep]
        return Data(
            self.signals[rows],
            self.labels[rows],
            self.covers[rows],
            self.costs[rows],
            np.append(0, np.cumsum(sizes)),
            self.n_targets[keep],
            self.kinds[keep],
            self.repositories[keep],
        )


def load(folders: Sequence[Path]) -> Data:
    """All questions of some repositories."""
    found: dict[str, list[Any]] = {}
    sizes: list[Any] = []
    for folder in folders:
        with np.load(folder / "signals.npz") as made:
            found.setdefault("signals", []).append(_columns(made))
            for key in ("labels", "covers", "costs", "n_targets", "kinds"):
                found.setdefault(key, []).append(made[key])
            sizes.append(np.diff(made["starts"]))
            found.setdefault("repositories", []).append(
                np.full(len(made["kinds"]), folder.name.split("@")[0])
            )
    joined = {key: np.concatenate(value) for key, value in found.items()}
    return Data(**joined, starts=np.append(0, np.cumsum(np.concatenate(sizes))))


def _columns(made: Any) -> Any:
    """The signals in the order of `NAMES`; those that were not measured are missing (NaN)."""
    measured = made["signals"]  # unpacked each time it is asked for
    table = np.full((len(measured), len(NAMES)), np.nan, dtype=np.float32)
    for place, name in enumerate(made["names"].tolist()):
        if name in NAMES:
            table[:, NAMES.index(name)] = measured[:, place]
    return table


def measured_whole(data: Data) -> Any:
    """A mask of the questions of which every signal was measured."""
    return np.array(
        [not np.isnan(data.signals[first:last]).any() for first, last in pairwise(data.starts)]
    )


def fixes(folder: Path) -> Data:
    """The questions of mined fixes, development cases apart."""
    folders = sorted(f.parent for f in folder.glob("*/signals.npz"))
    everything = load([f for f in folders if "_dev+" not in f.name])
    return everything.part(np.isin(everything.kinds, FIXES))


def detail(data: Data) -> Any:
    """What `rank.detail` says of each question; 0 where it found nothing."""
    found = np.zeros(len(data.kinds))
    any_found = np.diff(data.starts) > 0
    column = data.signals[:, NAMES.index("question detail")]
    found[any_found] = column[data.starts[:-1][any_found]]
    return found


def thinned(data: Data) -> Data:
    """The same with a quarter of the candidates below the first hundred, targets kept."""
    place = np.arange(len(data.labels)) - np.repeat(data.starts[:-1], np.diff(data.starts))
    keep = (place < 100) | (data.labels > 0) | (place % 4 == 0)
    number = np.repeat(np.arange(len(data.kinds)), np.diff(data.starts))
    sizes = np.bincount(number[keep], minlength=len(data.kinds))
    return Data(
        data.signals[keep],
        data.labels[keep],
        data.covers[keep],
        data.costs[keep],
        np.append(0, np.cumsum(sizes)),
        data.n_targets,
        data.kinds,
        data.repositories,
    )


FIXES = ("described", "names-file-stem", "names-function")
_DISCOUNTS = 1 / np.log2(np.arange(2, 12))


def scores(data: Data, margins: Any) -> Any:
    """(functions, share of targets within 1,000 and 4,000 tokens) of each question."""
    rows = []
    for number, (start, end) in enumerate(pairwise(data.starts)):
        order = np.argsort(-margins[start:end], kind="stable")
        covers = data.covers[start:end][order]
        n = int(min(31, data.n_targets[number]))
        shows = (covers[:, None] >> np.arange(n, dtype=np.uint32)) & 1
        top = shows[:10].astype(bool)
        hit = top.any(axis=0)
        gain = _DISCOUNTS[top.argmax(axis=0)[hit]].sum() if len(top) else 0.0
        row = [min(1.0, gain / _DISCOUNTS[: min(10, n)].sum())]
        spent = np.cumsum(data.costs[start:end, 0][order])
        row += [
            shows[: np.searchsorted(spent, b, "right")].any(axis=0).mean() for b in (1000, 4000)
        ]
        rows.append(row)
    return np.array(rows)


def train(data: Data, n_trees: int, **changed: Any) -> lightgbm.Booster:
    """Trees over the questions of `data` that have any target among their candidates."""
    any_found = np.array([data.labels[a:b].any() for a, b in pairwise(data.starts)])
    data = thinned(data.part(any_found))
    made = lightgbm.Dataset(
        data.signals,
        data.labels,
        group=np.diff(data.starts),
        feature_name=[name.replace(" ", "_") for name in NAMES],
        free_raw_data=False,
    )
    monotone = [int(name in _UP) for name in NAMES]
    return lightgbm.train(PARAMETERS | {"monotone_constraints": monotone} | changed, made, n_trees)


def linear(data: Data, n_steps: int = 150) -> Callable[[Any], Any]:
    """A weighted sum of the signals under a listwise loss (ListNet over the targets)."""
    data = thinned(data)
    mean, deviation = np.nanmean(data.signals, axis=0), np.nanstd(data.signals, axis=0) + 1e-6
    x = np.nan_to_num((data.signals - mean) / deviation).astype(np.float32)
    sizes = np.diff(data.starts)
    number = np.repeat(np.arange(len(sizes)), sizes)
    wanted = data.labels.astype(np.float64)
    total = np.bincount(number, wanted, len(sizes))
    keep = total > 0
    wanted /= np.maximum(total, 1)[number]
    weights, speed = np.zeros(x.shape[1]), np.zeros(x.shape[1])
    for step in range(n_steps):
        margins = x @ weights
        top = np.maximum.reduceat(margins, data.starts[:-1])
        grown = np.exp(margins - top[number])
        share = grown / np.bincount(number, grown, len(sizes))[number]
        gradient = x.T @ ((share - wanted) * keep[number]) / keep.sum() + 1e-4 * weights
        speed = 0.9 * speed - 0.5 * gradient
        weights = weights + speed * (1 if step < 100 else 0.3)
    return lambda signals: np.nan_to_num((signals - mean) / deviation) @ weights


def folds(data: Data) -> Any:
    """The fold of each question, by its repository."""
    names = sorted(set(data.repositories.tolist()))
    np.random.default_rng(SEED).shuffle(names)
    number = {name: place % FOLDS for place, name in enumerate(names)}
    return np.array([number[name] for name in data.repositories.tolist()])


def held_out(data: Data, fit: Callable[[Data], Callable[[Any], Any]]) -> Any:
    """The margin of every row, from a model that has not seen its repository."""
    fold, margins = folds(data), np.zeros(len(data.labels))
    rows = np.repeat(fold, np.diff(data.starts))
    for number in range(FOLDS):
        model = fit(data.part(fold != number))
        margins[rows == number] = model(data.signals[rows == number])
    return margins


def exported(model: lightgbm.Booster, depth: int) -> dict[str, Any]:
    """The trees as `assembler.ranking.learned` reads them."""
    n_inner, n_all = 2**depth - 1, 2 ** (depth + 1) - 1
    signal, threshold, value = [], [], []
    for tree in model.dump_model()["tree_info"]:
        asked, above, worth = [0] * n_inner, [2**40] * n_inner, [0] * n_all
        stack = [(0, tree["tree_structure"])]
        while stack:
            place, node = stack.pop()
            is_leaf = "leaf_value" in node
            worth[place] = round(
                (node["leaf_value"] if is_leaf else node["internal_value"]) * STEPS
            )
            if is_leaf:
                # A leaf above the last level goes on to the left until it is there.
                if place < n_inner:
                    stack.append((2 * place + 1, node))
                continue
            asked[place] = int(node["split_feature"])
            # A split between missing and measured alone has a bound that no whole number holds.
            bound = min(2.0**27, max(-(2.0**27), node["threshold"]))
            above[place] = int(np.floor(bound * STEPS))
            stack.append((2 * place + 1, node["left_child"]))
            stack.append((2 * place + 2, node["right_child"]))
        signal.append(asked)
        threshold.append(above)
        value.append(worth)
    return {"signals": list(NAMES), "signal": signal, "threshold": threshold, "value": value}


def calibrated(margins: Any, labels: Any) -> tuple[float, float]:
    """Slope and offset of the logistic curve through held-out margins (Platt 1999)."""
    slope, offset = 1.0, -4.0
    wanted = (labels > 1).astype(np.float64)
    for _ in range(50):  # Newton's method
        found = 1 / (1 + np.exp(-(slope * margins + offset)))
        spread, error = found * (1 - found), found - wanted
        hessian = np.array(
            [
                [(spread * margins**2).sum(), (spread * margins).sum()],
                [(spread * margins).sum(), spread.sum()],
            ]
        )
        gradient = np.array([(error * margins).sum(), error.sum()])
        step = np.linalg.solve(hessian, gradient)
        slope, offset = slope - step[0], offset - step[1]
    return float(slope), float(offset)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what models are worth on repositories that they have not seen; write the trees."""
    options = _parser().parse_args(arguments)
    folders = sorted(f.parent for f in options.data.glob("*/signals.npz"))
    data = fixes(options.data)
    whole = measured_whole(data)
    n_repositories = len(set(data.repositories.tolist()))
    n_whole = int(whole.sum())
    print(f"{len(data.kinds)} questions of {n_repositories} repositories, {n_whole} measured whole")

    def trees(part: Data) -> Callable[[Any], Any]:
        predict: Callable[[Any], Any] = train(part, options.trees).predict
        return predict

    margins = held_out(data, trees)
    tried = {"sum": by_sum(data), "trees": margins}
    if not options.quick:
        tried["linear"] = held_out(data, linear)
    for name, found in tried.items():
        print(name, "held out", scores(data, found)[whole].mean(axis=0).round(4), flush=True)
    final = train(data, options.trees)
    of_dev = [f for f in folders if f.name.startswith(options.dev + "+")]
    dev = load(of_dev) if of_dev else None
    if dev is not None:
        develop(final, dev)
    if options.curve:
        curve(data, dev, options.trees)
    if options.out:
        rows = np.repeat(whole, np.diff(data.starts))
        slope, offset = calibrated(margins[rows], data.labels[rows])
        origin = (
            f"python -m training.ranking.learn on {len(data.kinds)} questions of {n_repositories} "
            f"repositories, {n_whole} measured whole; seed {SEED}, LightGBM {lightgbm.__version__}"
        )
        trees_of = exported(final, int(PARAMETERS["max_depth"]))
        made = {"origin": origin, **trees_of, "slope": slope, "offset": offset}
        options.out.write_text(written(made), encoding="utf-8")
    return 0


def written(made: dict[str, Any]) -> str:
    """The model as JSON with a tree a line, so that a difference between two can be read."""
    parts = []
    for name, value in made.items():
        rows = value if isinstance(value, list) and isinstance(value[0], list) else None
        text = (
            json.dumps(value)
            if rows is None
            else (
                "[\n" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "\n]"
            )
        )
        parts.append(f"{json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m training.ranking.learn", description=__doc__)
    parser.add_argument("data", type=Path, help="as `training.ranking.measure` leaves it")
    parser.add_argument("--out", type=Path, help="where the model goes")
    parser.add_argument("--trees", type=int, default=TREES)
    parser.add_argument("--dev", default="bugfix_dev", help="measured cases that are scored too")
    parser.add_argument("--quick", action="store_true", help="without the linear model")
    parser.add_argument("--curve", action="store_true", help="how trees do with fewer fixes")
    return parser


def develop(model: lightgbm.Booster, dev: Data) -> None:
    """Print what the sum and trees are worth on development cases, by kind."""
    for name, found in (("sum", by_sum(dev)), ("trees", model.predict(dev.signals))):
        print(name, "development", scores(dev, found).mean(axis=0).round(4), flush=True)
        for kind in FIXES:
            print(
                "   ", kind, scores(dev, found)[dev.kinds == kind].mean(axis=0).round(3), flush=True
            )


def by_sum(data: Data) -> Any:
    """Margins in the order of the weighted sum."""
    return -data.signals[:, NAMES.index("place in sum")]


def curve(data: Data, dev: Data | None, n_trees: int) -> None:
    """What fewer questions give: held out, with intervals over repositories, and in development."""
    chance = np.random.default_rng(SEED)
    sums = scores(data, by_sum(data))[:, 0]
    for n in (*(n for n in (500, 1000, 2000, 4000, 8000) if n < len(data.kinds)), len(data.kinds)):

        def fit(part: Data, n: int = n) -> Any:
            keep = np.zeros(len(part.kinds), dtype=bool)
            keep[chance.permutation(len(part.kinds))[: n * len(part.kinds) // len(data.kinds)]] = 1
            return train(part.part(keep), n_trees).predict

        found = scores(data, held_out(data, fit))[:, 0]
        of_dev = "" if dev is None else f"{scores(dev, fit(data)(dev.signals))[:, 0].mean():.3f}"
        for values in (found, found - sums):
            low, high = np.percentile(drawn(values, data.repositories), [2.5, 97.5])
            print(n, f"{values.mean():.3f} ({low:.3f} to {high:.3f})", of_dev, flush=True)


def drawn(values: Any, repositories: Any, n_draws: int = 2000) -> Any:
    """Means of the values of repositories that are drawn again."""
    names, number = np.unique(repositories, return_inverse=True)
    total, n_of = np.bincount(number, values), np.bincount(number)
    draws = np.random.default_rng(SEED).integers(0, len(names), (n_draws, len(names)))
    return total[draws].sum(axis=1) / n_of[draws].sum(axis=1)


if __name__ == "__main__":
    sys.exit(main())
