"""What is shown of functions too long to be shown whole: `python -m bench.packs.parts --fixes F`.

Each changed function that the ranking found is cut to a third of a budget. The table says which
share of the changed lines its cut form holds, mean over functions, and of how many ranges of lines
that form is made.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import fmean
from typing import Any

from bench.packs import packing
from bench.packs.strict import BUDGETS
from bench.peers import inprocess
from bench.retrieval import report
from satchel.assembler.packing import forms, pack
from satchel.assembler.packing.costs import Costs
from satchel.assembler.packing.forms import Interest
from satchel.assembler.packing.shown import reader
from satchel.assembler.packing.units import Unit
from satchel.assembler.packing.worth import evidence
from satchel.assembler.query.question import Question
from satchel.assembler.weights import DEFAULT
from satchel.store import tokens

_DEPTH = 100
"""Candidates among which a changed function has to be."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.packs.parts", description=__doc__)
    parser.add_argument("--fixes", type=Path, required=True, help="bug-fix cases (JSON)")
    parser.add_argument("--corpora", type=Path, required=True, help="folder of checkouts, by name")
    options = parser.parse_args(arguments)
    shares: dict[int, list[tuple[float, int]]] = defaultdict(list)
    with ExitStack() as stack:
        for repository in json.loads(options.fixes.read_text()):
            root = options.corpora / repository["name"] / repository["root"]
            index = stack.enter_context(inprocess.opened(root))
            for query in repository["queries"]:
                for budget, share, n_ranges in _cut(index, query):
                    shares[budget].append((share, n_ranges))
    rows = [["budget", "functions", "changed lines", "ranges"]]
    for budget, found in sorted(shares.items()):
        held, ranges = zip(*found, strict=True)
        rows.append([f"{budget:,}", str(len(found)), f"{fmean(held):.3f}", f"{fmean(ranges):.1f}"])
    print(report.markdown(rows))
    return 0


def _cut(index: inprocess.Index, query: Mapping[str, Any]) -> Iterator[tuple[int, float, int]]:
    """Budget, share of changed lines and ranges of each function that is longer than a part."""
    case = packing.captured(index, Question(query["query"]), max(BUDGETS), _DEPTH)
    read = reader(case.inputs.index.source)
    costs = Costs(case.inputs.count, read)
    interest = Interest(case.inputs.idf, case.inputs.pointed.lines)
    known = evidence(case.ranked, case.inputs)
    for unit in pack.units_of(case.ranked, known, case.inputs, costs, DEFAULT.packing):
        changed = _changed(unit, query["targets"])
        if not changed:
            continue
        length = tokens.count(
            "\n".join(
                line.decode("utf-8", "replace")
                for line in read(unit.chunk).between(unit.first, unit.last)
            )
        )
        for budget in BUDGETS:
            limit = budget / 3
            piece = forms.part(unit, read, interest, limit) if length > limit else None
            if piece is not None:
                shown = {n for first, last in piece.ranges for n in range(first, last + 1)}
                yield budget, len(shown & changed) / len(changed), len(piece.ranges)


def _changed(unit: Unit, targets: Sequence[Mapping[str, Any]]) -> set[int]:
    """The changed lines of a unit that is a callable; none of one that no target is."""
    return {
        n
        for target in targets
        if unit.symbol
        and target["path"] == unit.chunk.path
        and unit.first <= target["start_line"]
        and target["end_line"] <= unit.last
        for first, last in target.get("hunks") or ()
        for n in range(first, last + 1)
    }


if __name__ == "__main__":
    sys.exit(main())
