"""Does the best score of a ranking tell whether it holds what was meant?

python -m bench.packs.weak_matches --fixes F --questions Q --corpora FIXED ASKED

F holds fixes and Q questions as `bench.packs.strict` and `bench.retrieval` take them, FIXED and
ASKED the folders of their trees. Fixes are put in eight groups of equal size by the score of the
best match, and once more below some limits; the table says how often a function that the fix
changed is among the first five and ten. Then questions: the share whose best match scores below
`Packing.sure`, of those asked of their own repository and of those asked of one in another
language, where most have no answer.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from bench.peers import inprocess
from bench.retrieval import report
from satchel.assembler.weights import DEFAULT

_GROUPS = 8
_LIMITS = (DEFAULT.packing.sure, 0.35, 0.5)
"""Scores below which the best matches are taken together as well."""
_FOREIGN = 12
"""Questions of other repositories that each is asked."""


class _Asked(NamedTuple):
    """The best score of a task and the place of the first function that its fix changed."""

    best: float
    place: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixes", type=Path, required=True)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--corpora", type=Path, nargs=2, required=True)
    args = parser.parse_args(arguments)
    fixed, asked = args.corpora
    _print_fixes(sorted(_fixes(json.loads(args.fixes.read_text("utf-8")), fixed)))
    _print_questions(json.loads(args.questions.read_text("utf-8")), asked)
    return 0


def _fixes(repositories: Sequence[dict[str, Any]], corpora: Path) -> Iterator[_Asked]:
    for repository in repositories:
        with inprocess.opened(corpora / repository["name"] / repository["root"]) as index:
            for query in repository["queries"]:
                scored = index.scored(query["query"])
                places = [
                    place
                    for place, (_, row) in enumerate(scored, 1)
                    for target in query["targets"]
                    if row.path == target["path"]
                    and row.start <= target["end_line"]
                    and row.end >= target["start_line"]
                ]
                if scored:
                    yield _Asked(scored[0][0], min(places, default=float("inf")))


def _print_fixes(asked: Sequence[_Asked]) -> None:
    rows = [["best score", "fixes", "in the first five", "in the first ten"]]
    size = -(-len(asked) // _GROUPS)
    groups = [asked[at : at + size] for at in range(0, len(asked), size)]
    below = ([a for a in asked if a.best < limit] for limit in _LIMITS)
    groups += [group for group in below if group]
    for group in groups:
        found = [f"{fmean(a.place <= n for a in group):.2f}" for n in (5, 10)]
        rows.append([f"{group[0].best:.2f} to {group[-1].best:.2f}", str(len(group)), *found])
    print(report.markdown(rows))


def _print_questions(repositories: Sequence[dict[str, Any]], corpora: Path) -> None:
    own: list[float] = []
    foreign: list[float] = []
    for repository in repositories:
        others = [r["queries"] for r in repositories if r["language"] != repository["language"]]
        with inprocess.opened(corpora / repository["name"] / repository["root"]) as index:
            own += [_best(index, query["query"]) for query in repository["queries"]]
            foreign += [
                _best(index, queries[number % len(queries)]["query"])
                for number, queries in enumerate(others[:_FOREIGN])
            ]
    rows = [["questions", "asked", "best match is weak"]]
    for name, scores in (("of the repository", own), ("of others", foreign)):
        weak = fmean(score < DEFAULT.packing.sure for score in scores)
        rows.append([name, str(len(scores)), f"{weak:.3f}"])
    print(report.markdown(rows))


def _best(index: inprocess.Index, text: str) -> float:
    return next((score for score, _ in index.scored(text)), 0.0)


if __name__ == "__main__":
    sys.exit(main())
