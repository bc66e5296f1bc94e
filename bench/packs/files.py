"""Which files packs show: `python -m bench.packs.files CASES CORPORA`.

For each query of a case file (as in bench/README.md) the files that packs of several budgets quote,
and the first files of the ranking, against those that its targets lie in. Recall and precision are
means over queries; a signature alone does not show a file. A case that wants
the tree before its fix has an entry and a checkout of its own.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from statistics import fmean

from bench.peers import inprocess
from bench.retrieval import cases, report
from bench.retrieval.cases import Query
from satchel.assembler.assemble import PackOptions, context
from satchel.assembler.kinds import Detail
from satchel.assembler.query.question import Question
from satchel.assembler.weights import DEFAULT

BUDGETS = (1_000, 1_500, 2_000, 4_000, 8_000)
FIRST = (1, 2, 3, 5, 10)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print recall, precision and number of files, a row a budget or length of the ranking."""
    parser = argparse.ArgumentParser(prog="python -m bench.packs.files", description=__doc__)
    parser.add_argument("cases", type=Path, help="case file (JSON)")
    parser.add_argument("corpora", type=Path, help="folder of checkouts, by name")
    options = parser.parse_args(arguments)
    found: dict[str, list[tuple[float, float, int]]] = defaultdict(list)
    for repository in cases.load(options.cases):
        with inprocess.opened(repository.indexed(options.corpora)) as index:
            for query in repository.queries:
                wanted = _wanted(query, repository.root)
                for name, files in _shown(index, query.text):
                    hit = len(wanted & set(files))
                    found[name].append((hit / len(wanted), hit / max(1, len(files)), len(files)))
        print(repository.name, file=sys.stderr)
    rows = [["", "recall", "precision", "files"]]
    for name, scores in found.items():
        recall, precision, n_files = (fmean(column) for column in zip(*scores, strict=True))
        rows.append([name, f"{recall:.3f}", f"{precision:.3f}", f"{n_files:.1f}"])
    print(report.markdown(rows))
    return 0


def _wanted(query: Query, root: str) -> set[str]:
    """The files of its targets, as paths below the indexed folder."""
    prefix = f"{root}/" if root else ""
    return {target.path.removeprefix(prefix) for target in query.levels["file"]}


def _shown(index: inprocess.Index, text: str) -> Iterator[tuple[str, Collection[str]]]:
    """What is counted by its name, and the files."""
    for budget in BUDGETS:
        pack = context(index.snapshot, Question(text), budget, PackOptions(vectors=index.vectors))
        quoted = {e.path for e in pack.excerpts if e.detail != Detail.SIGNATURE}
        yield f"pack of {budget:,} tokens", quoted
    ranked = list(dict.fromkeys(row.path for row in index.search(text, DEFAULT)))
    for n in FIRST:
        yield f"first {n} of the ranking", ranked[:n]


if __name__ == "__main__":
    sys.exit(main())
