"""How much of a pack neighbours take: `python -m bench.packs.neighbours CASES CORPORA`.

For each query of a case file (as in bench/README.md) and each budget: the tokens of excerpts that
an edge of the call graph led to, over the budget.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.peers import inprocess
from bench.retrieval import cases, report
from satchel.assembler.assemble import PackOptions, context
from satchel.assembler.query.question import Question

BUDGETS = (1_000, 4_000, 8_000)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the median, the 95th percentile and the largest share, a row a budget."""
    parser = argparse.ArgumentParser(prog="python -m bench.packs.neighbours", description=__doc__)
    parser.add_argument("cases", type=Path, help="case file (JSON)")
    parser.add_argument("corpora", type=Path, help="folder of checkouts, by name")
    parser.add_argument("--only", nargs="*", help="names of repositories; else all")
    options = parser.parse_args(arguments)
    shares: dict[int, list[float]] = defaultdict(list)
    for repository in cases.load(options.cases):
        if options.only and repository.name not in options.only:
            continue
        with inprocess.opened(repository.indexed(options.corpora)) as index:
            for query in repository.queries:
                for budget in BUDGETS:
                    shares[budget].append(_share(index, query.text, budget))
        print(repository.name, file=sys.stderr)
    rows = [["budget", "packs", "with neighbours", "median", "95 %", "largest"]]
    for budget, found in shares.items():
        median, most, largest = np.percentile(found, [50, 95, 100])
        n_with = sum(share > 0 for share in found)
        rows.append([
            f"{budget:,}", f"{len(found)}", f"{n_with}",
            f"{median:.3f}", f"{most:.3f}", f"{largest:.3f}",
        ])  # fmt: skip
    print(report.markdown(rows))
    return 0


def _share(index: inprocess.Index, text: str, budget: int) -> float:
    """What neighbours take of a budget, 0..1."""
    pack = context(index.snapshot, Question(text), budget, PackOptions(vectors=index.vectors))
    return sum(each.tokens for each in pack.excerpts if each.is_neighbour) / budget


if __name__ == "__main__":
    sys.exit(main())
