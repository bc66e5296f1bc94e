"""How likely a unit is needed: `python -m training.ranking.worth CASES CORPORA`.

Fits the curve of `assembler.packing.worth` by logistic regression (Newton's method, a ridge of
.01) over the units of the best 120 chunks of each question and the neighbours of its pack of 1,000
tokens, and prints them. A unit was needed if the fix changed a line of it or, in questions without
hunks, if the answer is incomplete without it. Beside the curve stands how often units of each
predicted probability were needed, by numbers that have not seen their repository.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import structs

from bench.packs import packing
from bench.peers import inprocess
from satchel.assembler.kinds import Scope
from satchel.assembler.packing import neighbours, worth
from satchel.assembler.packing.costs import Costs
from satchel.assembler.packing.pack import pack, units_of
from satchel.assembler.packing.shown import reader
from satchel.assembler.packing.units import Key, Unit
from satchel.assembler.packing.worth import Curve
from satchel.assembler.query.question import Question
from satchel.assembler.values import Origin
from satchel.assembler.weights import DEFAULT

EDGES = (0, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 1.01)
_BEST, _TOKENS, _RIDGE = 120, 1_000, 0.01
Row = tuple[str, tuple[float, ...], bool]
"""The repository, the features of a unit, and whether it was needed."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the curve, as it is and fitted, and its table."""
    parser = argparse.ArgumentParser(prog="python -m training.ranking.worth", description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--only", nargs="*", help="names of repositories")
    options = parser.parse_args(arguments)
    rows: list[Row] = []
    for case in json.loads(options.cases.read_text(encoding="utf-8")):
        if options.only and case["name"] not in options.only:
            continue
        with inprocess.opened(options.corpora / case["name"] / (case.get("root") or "")) as index:
            for query in case["queries"]:
                made = packing.captured(index, Question(query["query"], Scope.ALL), _TOKENS)
                rows += (
                    (case["name"], features, _is_needed(unit, query["targets"]))
                    for unit, features in measured(made)
                )
        print(case["name"], file=sys.stderr)
    _report(rows, worth.CURVE)
    return 0


def measured(made: packing.Case) -> Iterator[tuple[Unit, tuple[float, ...]]]:
    """The units that a pack could show, each with what a curve is given of it."""
    inputs, weights = made.inputs, DEFAULT.packing
    known = worth.evidence(made.ranked, inputs)
    costs = Costs(inputs.count, reader(inputs.index.source))
    units = {u.key: u for u in units_of(made.ranked[:_BEST], known, inputs, costs, weights)}
    shown = pack(made.ranked, made.blank, inputs, weights).excerpts
    origins = [
        Origin(unit.chunk, unit.worth, {symbol.id: 1.0 for symbol in unit.symbols})
        for unit in units.values()
        if any(
            e.path == unit.chunk.path and e.start_line <= unit.first <= e.end_line for e in shown
        )
    ]
    edges = [edge for edge in inputs.index.expand(origins) if edge.score > 0]
    strength: dict[Key, float] = {}
    for edge in edges:
        for _, unit in neighbours.units([edge], known, inputs, costs, weights):
            units.setdefault(unit.key, unit)
            strength[unit.key] = max(strength.get(unit.key, 0.0), edge.score)
    for key, unit in units.items():
        text = costs.text_of(unit)
        yield unit, worth.features(unit, text, known, strength.get(key, 0.0))


def _is_needed(unit: Unit, targets: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a target needs lines of a unit."""
    for target in targets:
        if target["path"] == unit.chunk.path and target.get("grade", 2) == 2:
            whole = [[target["start_line"], target["end_line"]]]
            lines = target.get("hunks") or whole
            if any(first <= unit.last and unit.first <= last for first, last in lines):
                return True
    return False


def _report(rows: Sequence[Row], now: Curve) -> None:
    names = np.array([name for name, _, _ in rows])
    given = np.array([features for _, features, _ in rows])
    needed = np.array([is_needed for _, _, is_needed in rows], dtype=np.float64)
    numbers = dict(zip(now.__struct_fields__, fitted(given, needed).tolist(), strict=True))
    rounded = {name: round(number, 2) for name, number in numbers.items()}
    print(len(rows), "units,", int(needed.sum()), "needed\nshipped", now)
    print("fitted ", structs.replace(now, **rounded))
    found = np.zeros(len(rows))
    for name in sorted(set(names)):
        seen, own = names != name, names == name
        if seen.any():
            found[own] = 1 / (1 + np.exp(-given[own] @ fitted(given[seen], needed[seen])))
    shipped = 1 / (1 + np.exp(-given @ np.array(structs.astuple(now))))
    print("| predicted | units | mean | needed | shipped: units | mean | needed |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for low, high in pairwise(EDGES):
        cells = [f"{low} to {min(1, high)}"]
        for predicted in (found, shipped):
            inside = (predicted >= low) & (predicted < high)
            means = (predicted[inside].mean(), needed[inside].mean()) if inside.any() else (0, 0)
            cells += [str(inside.sum()), *(f"{mean:.3f}" for mean in means)]
        print("|", " | ".join(cells), "|")


def fitted(given: Any, needed: Any) -> Any:
    """The numbers of a logistic regression."""
    numbers = np.zeros(given.shape[1])
    for _ in range(30):
        found = 1 / (1 + np.exp(-given @ numbers))
        hessian = (given * (found * (1 - found))[:, None]).T @ given
        step = given.T @ (found - needed) + _RIDGE * numbers
        numbers -= np.linalg.solve(hessian + _RIDGE * np.eye(len(numbers)), step)
    return numbers


if __name__ == "__main__":
    sys.exit(main())
