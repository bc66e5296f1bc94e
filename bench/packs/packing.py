"""How long packing takes: `python -m bench.packs.packing`, 200 candidates at 8,000 tokens.

Questions are the first lines of this repository's own docstrings. What packs are worth is measured
by `bench.packs.strict`.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from unittest.mock import patch

import numpy as np

from bench.peers import inprocess
from bench.retrieval import report
from satchel.assembler import assemble
from satchel.assembler.kinds import Scope
from satchel.assembler.packing.inputs import PackInputs
from satchel.assembler.packing.pack import pack
from satchel.assembler.query.question import Question
from satchel.assembler.values import ContextPack, Receipt, Scored
from satchel.assembler.weights import DEFAULT, Weights

ROOT = Path(__file__).parents[2]

N_CANDIDATES = 200
_BUDGET = 8000
_N_QUESTIONS = 60


@dataclass(frozen=True, slots=True)
class Case:
    """What was packed: the values that `pack` was called with."""

    ranked: Sequence[Scored]
    blank: Receipt
    inputs: PackInputs


def main() -> int:
    """Print the times."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "source"
        ignore = shutil.ignore_patterns(".*", "__pycache__", "vocab", "table", "fixtures")
        shutil.copytree(ROOT, root, ignore=ignore)
        with inprocess.opened(root) as index:
            _print_times(index)
    return 0


def captured(
    index: inprocess.Index,
    question: Question,
    budget: int,
    n: int | None = None,
    weights: Weights = DEFAULT,
) -> Case:
    """What `pack` is called with for a question, its `n` best candidates."""
    seen: list[Case] = []

    def keep(
        ranked: Sequence[Scored], blank: Receipt, inputs: PackInputs, *_: object
    ) -> ContextPack:
        seen.append(Case(ranked[:n], blank, inputs))
        return ContextPack("", (), blank)

    with patch("satchel.assembler.assemble.pack", keep):
        assemble.context(
            index.snapshot,
            question,
            budget,
            assemble.PackOptions(vectors=index.vectors, weights=weights),
        )
    return seen[-1]


def _questions(index: inprocess.Index) -> list[str]:
    """First lines of docstrings, spread evenly over the files."""
    said = [
        symbol.doc.split("\n")[0]
        for file in index.snapshot.files.all()
        for symbol in index.snapshot.symbols.of_file(file.path)
        if len(symbol.doc.split()) > 5 and not symbol.is_test
    ]
    return said[:: max(1, len(said) // _N_QUESTIONS)][:_N_QUESTIONS]


def _print_times(index: inprocess.Index) -> None:
    wall: list[float] = []
    cpu: list[float] = []
    for text in _questions(index):
        case = captured(index, Question(text, Scope.IMPL), _BUDGET, N_CANDIDATES)
        began, cpu_began = time.perf_counter(), time.process_time()
        pack(case.ranked, case.blank, case.inputs, DEFAULT.packing)
        wall.append(1000 * (time.perf_counter() - began))
        cpu.append(1000 * (time.process_time() - cpu_began))
    rows = [["packing, 200 candidates, 8,000 tokens", "median ms", "p95 ms"]]
    for name, values in (("wall clock", wall), ("processor", cpu)):
        p95 = float(np.percentile(values, 95))
        rows.append([name, f"{median(values):.1f}", f"{p95:.1f}"])
    print(report.markdown(rows))


if __name__ == "__main__":
    sys.exit(main())
