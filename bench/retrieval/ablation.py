"""What each signal is worth: `… ablation --questions F --fixes F --corpora DIR`.

Every row is the whole of Satchel, in this process, with one thing taken away and nothing fitted
anew; NDCG@10 by target, recall in 1,000 tokens, and what a pack of 4,000 tokens holds. Without
questions or fixes their columns stay empty.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from msgspec.structs import replace

from bench.nothing import require
from bench.peers import inprocess
from bench.retrieval import cases, report
from bench.retrieval.cases import Repository
from bench.retrieval.scoring import pack_scores, search_scores
from satchel.assembler.weights import DEFAULT, Weights
from satchel.store.tokens import count

PACK = 4000
_ALL = DEFAULT
_TERM, _PENALTY = _ALL.term, _ALL.penalty


def _without(signal: str) -> Weights:
    return replace(_ALL, signal=replace(_ALL.signal, left_out=frozenset({signal})))


VARIANTS: dict[str, Weights] = {
    "everything": _ALL,
    "the hand-made sum alone": replace(_ALL, is_learned=False),
    "no vectors": _without("vectors"),
    "no definitions": _without("definition"),
    "no paths": _without("path"),
    "no score of the file": _without("file"),
    "no score of the folder": _without("folder"),
    "no callables": _without("callable"),
    "no links": replace(_ALL, link=replace(_ALL.link, weight=0.0)),
    "no use by other matches": replace(_ALL, link=replace(_ALL.link, used=0.0)),
    "no other spellings": replace(_ALL, term=replace(_TERM, spelling=0.0)),
    "one field, not six": replace(_ALL, term=replace(_TERM, boost=(0, 0, 0, 0, 0, 1))),
    "no penalties for places": replace(_ALL, penalty=replace(_PENALTY, aside=1.0)),
    "further chunks of a file count in full": replace(
        _ALL, penalty=replace(_PENALTY, next_of_file=1.0)
    ),
    "packs without neighbours": replace(_ALL, packing=replace(_ALL.packing, neighbours_per_seed=0)),
}
SEARCHED = {
    "NDCG@10": ("questions", "target.ndcg@10"),
    "R@1k": ("questions", "target.rows@1000"),
    "architecture": ("architecture", "target.ndcg@10"),
    "functions": ("fixes", "target.ndcg@10"),
    "files": ("fixes", "file.ndcg@10"),
}
"""What is said of a search: (cases, measure) by what the column is called."""
_COLUMNS = {
    **SEARCHED,
    "pack: functions": ("fixes", f"target.pack@{PACK}"),
    "pack: files": ("fixes", f"file.pack@{PACK}"),
}
Scores = dict[tuple[str, str], list[float]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one row a variant, as a table for RESULTS.md."""
    options = _parser().parse_args(arguments)
    scores: dict[str, Scores] = {name: defaultdict(list) for name in options.only or VARIANTS}
    for kind, file in (("questions", options.questions), ("fixes", options.fixes)):
        for repository in cases.load(file) if file else ():
            _ask(repository, kind, options.corpora, scores)
            print(f"{kind} {repository.name}", file=sys.stderr)
    require(max(map(len, scores.values())), "question")
    rows = [["", *_COLUMNS]]
    for name, mine in scores.items():
        rows.append([name, *(_mean(mine[key]) for key in _COLUMNS.values())])
    print(report.markdown(rows))
    return 0


def _mean(scores: Sequence[float]) -> str:
    return f"{fmean(scores):.3f}" if scores else ""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval.ablation", description=__doc__)
    parser.add_argument("--questions", type=Path, help="retrieval cases (JSON)")
    parser.add_argument("--fixes", type=Path, help="bug-fix cases (JSON)")
    parser.add_argument("--corpora", type=Path, required=True, help="folder of checkouts, by name")
    parser.add_argument("--only", nargs="+", choices=list(VARIANTS), help="only these rows")
    return parser


def _ask(repository: Repository, kind: str, corpora: Path, scores: dict[str, Scores]) -> None:
    with inprocess.opened(repository.indexed(corpora)) as index:
        for query in repository.queries:
            for name, mine in scores.items():
                weights = VARIANTS[name]
                found = search_scores(index.search(query.text, weights), query, count)
                if kind == "fixes":
                    pack = index.context(query.text, weights, PACK)
                    found |= pack_scores(pack, query, PACK, count)
                for key, value in found.items():
                    mine[kind, key].append(value)
                    if query.kind == "architecture":
                        mine["architecture", key].append(value)


if __name__ == "__main__":
    sys.exit(main())
