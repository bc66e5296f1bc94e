"""How good packs are: `python -m bench.packs.packing`, on this repository or on labelled fixes.

Without arguments: how far the choice is from the true optimum of its own model (on small cases, by
dynamic programming), and how long packing takes with 200 candidates at 8,000 tokens. Questions are
the first lines of this repository's own docstrings. With `--fixes F --corpora DIR`: what each
rendition is worth, as a table for RESULTS.md.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from statistics import fmean, median
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from bench.peers import inprocess
from bench.retrieval import cases, report
from bench.retrieval.metrics import Row, coverage
from satchel.assembler import assemble
from satchel.assembler.assemble import Question
from satchel.assembler.packing import forms, pack, render
from satchel.assembler.packing.forms import SEGMENT, Form
from satchel.assembler.packing.inputs import Tools
from satchel.assembler.packing.knapsack import Choice
from satchel.assembler.packing.units import Unit
from satchel.assembler.values import ContextPack, Receipt, Scored
from satchel.assembler.weights import DEFAULT, Packing

ROOT = Path(__file__).parents[2]
BUDGETS = (1000, 2000, 4000, 8000)
N_CANDIDATES = 200
_SMALL = (500, 1000)
_N_QUESTIONS = 60
_PACKING = DEFAULT.packing
_MATCHES = replace(_PACKING, structure_share=0.0)

GREEDY = "whole chunks, best first"
VARIANTS: dict[str, Packing] = {
    "functions, whole or not at all": replace(_MATCHES, signature=0.0, elided=0.0, breadth=0.0),
    "… or by their signature": replace(_MATCHES, elided=0.0, breadth=0.0),
    "… or cut to the lines that matter": replace(_MATCHES, breadth=0.0),
    "… and the first excerpt of a file counts more": _MATCHES,
    "… and neighbours in the call graph": _PACKING,
}


@dataclass(frozen=True, slots=True)
class Case:
    """What was packed: the values that `pack` was called with."""

    ranked: Sequence[Scored]
    blank: Receipt
    tools: Tools


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench.packs.packing", description=__doc__)
    parser.add_argument("--fixes", type=Path, help="bug-fix cases (JSON)")
    parser.add_argument("--corpora", type=Path, help="folder of checkouts, by name")
    options = parser.parse_args(arguments)
    if options.fixes:
        print(report.markdown(_ablation(options.fixes, options.corpora)))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "source"
        ignore = shutil.ignore_patterns(".*", "__pycache__", "vocab", "table", "fixtures")
        shutil.copytree(ROOT, root, ignore=ignore)
        with inprocess.opened(root) as index:
            _print_gaps(index)
            _print_times(index)
    return 0


def _ablation(fixes: Path, corpora: Path) -> list[list[str]]:
    """Recall by variant, level and budget: one ranking for all of them, that of today."""
    scores: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for repository in cases.load(fixes):
        with inprocess.opened(repository.indexed(corpora)) as index:
            for query in repository.queries:
                case = captured(index, query.text, max(BUDGETS))
                for name, budget in product((GREEDY, *VARIANTS), BUDGETS):
                    rows = _rows(case, name, budget)
                    for level in ("target", "file", "lines"):
                        if targets := query.levels.get(level):
                            found = coverage(rows, targets)
                            scores[name][f"{level}@{budget}"].append(found)
        print(repository.name, file=sys.stderr)
    columns = [f"{level}@{budget}" for level in ("target", "lines", "file") for budget in BUDGETS]
    named = [c.replace("target", "functions").replace("file", "files") for c in columns]
    table = [[name, *(f"{fmean(mine[c]):.3f}" for c in columns)] for name, mine in scores.items()]
    return [["", *named], *table]


def _rows(case: Case, variant: str, budget: int) -> list[Row]:
    """What a variant shows in `budget` tokens."""
    if variant == GREEDY:
        return _greedy(case, budget)
    blank = replace(case.blank, budget=budget)
    shown = pack.pack(case.ranked, blank, case.tools, VARIANTS[variant]).excerpts
    return [Row(e.path, e.start_line, e.end_line) for e in shown]


def _greedy(case: Case, budget: int) -> list[Row]:
    """The packing of others: chunks as they come, whole, each that still fits."""
    costs = pack.costs_of(case.tools)
    left = budget - case.tools.count(render.receipt_line(case.blank))
    rows: list[Row] = []
    named: set[str] = set()
    for item in case.ranked:
        chunk = item.chunk
        span = chunk.span
        text = case.tools.source(chunk)[span.start_byte : span.end_byte].decode("utf-8", "replace")
        cost = SEGMENT + case.tools.count(text)
        cost += 0 if chunk.path in named else costs.head(chunk.path)
        if cost <= left:
            left -= cost
            named.add(chunk.path)
            rows.append(Row(chunk.path, span.start_line, span.end_line))
        if left < SEGMENT:
            break
    return rows


def _questions(index: inprocess.Index) -> list[str]:
    """First lines of docstrings, spread evenly over the files."""
    said = [
        symbol.doc.split("\n")[0]
        for file in index.snapshot.files.all()
        for symbol in index.snapshot.symbols.of_file(file.path)
        if len(symbol.doc.split()) > 5 and not symbol.is_test
    ]
    return said[:: max(1, len(said) // _N_QUESTIONS)][:_N_QUESTIONS]


def captured(index: inprocess.Index, text: str, budget: int, n: int | None = None) -> Case:
    """What `pack` is called with for a question, its `n` best candidates."""
    seen: list[Case] = []

    def keep(
        ranked: Sequence[Scored], blank: Receipt, tools: Tools, weights: Packing
    ) -> ContextPack:
        seen.append(Case(ranked[:n], blank, tools))
        return pack.pack(ranked[:1], blank, tools, weights)

    with patch("satchel.assembler.assemble.pack", keep):
        assemble.context(index.snapshot, Question(text), budget, vectors=index.vectors)
    return seen[-1]


def _print_times(index: inprocess.Index) -> None:
    wall: list[float] = []
    cpu: list[float] = []
    for text in _questions(index):
        case = captured(index, text, 8000, N_CANDIDATES)
        began, cpu_began = time.perf_counter(), time.process_time()
        pack.pack(case.ranked, case.blank, case.tools, _PACKING)
        wall.append(1000 * (time.perf_counter() - began))
        cpu.append(1000 * (time.process_time() - cpu_began))
    rows = [["packing, 200 candidates, 8,000 tokens", "median ms", "p95 ms"]]
    rows.append(["wall clock", f"{median(wall):.1f}", f"{_p95(wall):.1f}"])
    rows.append(["processor", f"{median(cpu):.1f}", f"{_p95(cpu):.1f}"])
    print(report.markdown(rows))


def _p95(values: Sequence[float]) -> float:
    return float(np.percentile(values, 95))


def _print_gaps(index: inprocess.Index) -> None:
    rows = [["limit in tokens", "cases", "mean gap", "worst", "within 2 %"]]
    for limit in _SMALL:
        gaps = [gap(captured(index, text, limit), limit) for text in _questions(index)]
        within = sum(1 for found in gaps if found <= 0.02) / len(gaps)
        rows.append(
            [f"{limit}", f"{len(gaps)}", f"{fmean(gaps):.2%}", f"{max(gaps):.2%}", f"{within:.0%}"]
        )
    print(report.markdown(rows))


def gap(case: Case, limit: int) -> float:
    """How much less the choice is worth than the best there is, as a share of the best."""
    units = pack.units_of(case.ranked[: pack.LEAST_CHUNKS], case.tools, _PACKING)
    choice = Choice(pack.costs_of(case.tools), pack.interest_of(case.tools), _PACKING)
    choice.take(units, limit)
    best = _optimum(units, choice, limit)
    return max(0.0, 1 - _value(units, choice) / best) if best else 0.0


def _value(units: Iterable[Unit], choice: Choice) -> float:
    """The worth of what is shown, and what it adds that files are shown at all."""
    best: dict[str, float] = defaultdict(float)
    total = 0.0
    for unit in units:
        form = choice.form(unit)
        total += forms.worth(unit, form, _PACKING)
        if form:
            best[unit.chunk.path] = max(best[unit.chunk.path], unit.worth)
    return total + _PACKING.breadth * sum(best.values())


def _optimum(units: Sequence[Unit], choice: Choice, limit: int) -> float:
    """The best worth within `limit`: a table for each file, then a knapsack over the tables."""
    by_file: dict[str, list[Unit]] = defaultdict(list)
    for unit in units:
        by_file[unit.chunk.path].append(unit)
    total = np.zeros(limit + 1)
    for held in by_file.values():
        table = _table(held, choice, limit)
        costs = np.flatnonzero(np.diff(table, prepend=0.0) > 0)
        best = total.copy()
        for cost in costs.tolist():
            best[cost:] = np.maximum(best[cost:], total[: limit + 1 - cost] + table[cost])
        total = best
    return float(total[limit])


def _table(units: Sequence[Unit], choice: Choice, limit: int) -> npt.NDArray[np.float64]:
    """The best worth of one file for each number of tokens; 0 where it is not shown at all.

    One pass for each unit that may be the best one shown, with and without an outline.
    """
    costs = choice.costs
    head = costs.head(units[0].chunk.path)
    ordered = sorted(units, key=lambda unit: -unit.worth)
    table = np.zeros(limit + 1)
    for top, best in enumerate(ordered):
        for outline in (0, costs.outline_head):
            row = np.full(limit + 1, -np.inf)
            if head + outline <= limit:
                row[head + outline :] = _PACKING.breadth * best.worth
            for position, unit in enumerate(ordered[top:]):
                options = _options(unit, choice, named=bool(outline))
                shown = [_shifted(row, cost) + value for cost, value in options]
                row = np.maximum.reduce(shown if position == 0 else [row, *shown])
            table = np.maximum(table, row)
    return np.maximum.accumulate(table)


def _options(unit: Unit, choice: Choice, *, named: bool) -> list[tuple[int, float]]:
    found: list[tuple[int, float]] = []
    for form in Form:
        if forms.estimate(unit, form, _PACKING) and (named or form != Form.NAMED):
            cost = sum(choice.costs.of([piece]) for piece in choice.shape(unit, form))
            found.append((cost, forms.worth(unit, form, _PACKING)))
    return found


def _shifted(row: npt.NDArray[np.float64], cost: int) -> npt.NDArray[np.float64]:
    moved = np.full(len(row), -np.inf)
    if cost < len(row):
        moved[cost:] = row[: len(row) - cost]
    return moved


if __name__ == "__main__":
    sys.exit(main())
