"""How much of a change does a review show? Added lines of product code in packs, and in hunks that
are simply taken while they fit.

`python -m bench.packs.reviews ROOT… [--since HEAD~1 --since HEAD~5 …] [--budgets 4096 16000]`

For each checkout and revision: the added lines of product code that are not blank, and how many of
them stand in the pack of `context --diff`; in whole hunks in the order of the diff; and in whole
hunks of product code first, the largest first. The hunks alone may take the whole budget, which the
pack shares with callers, tests and what it says.
"""

from __future__ import annotations

import argparse
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import satchel
from satchel.assembler.kinds import Detail
from satchel.assembler.places.hunk_parts import reviewed_as
from satchel.assembler.places.seeds import Tree
from satchel.assembler.query import diffs
from satchel.assembler.query.diffs import Hunk
from satchel.assembler.ranking.path_roles import Role
from satchel.store import tokens
from satchel.workspace.project import Project

_GAP = re.compile(r"… \d+(?:-\d+)?$")
_HEADING = 24
"""Tokens of the line above a hunk, as in a pack."""
Lines = Counter[tuple[str, str]]
"""Added lines by file and text."""


def _added(hunks: Iterable[tuple[str, str]]) -> Lines:
    return Counter(
        (path, line[1:].strip())
        for path, text in hunks
        for line in text.split("\n")
        if line[:1] == "+" and line[1:].strip()
    )


def _plain(hunks: Sequence[Hunk], budget: int) -> Lines:
    left, shown = budget, list[tuple[str, str]]()
    for hunk in hunks:
        cost = tokens.count(hunk.text) + _HEADING
        if cost <= left:
            left -= cost
            shown.append((hunk.path, hunk.text))
    return _added(shown)


def _packed(root: Path, since: str, budget: int) -> Lines:
    pack = satchel.open(root).context(budget=budget, diff=since)
    found: Lines = Counter()
    for shown in pack.excerpts:
        lines = shown.text.split("\n")
        if shown.detail == Detail.HUNK:
            found += _added([(shown.path, shown.text)])
        else:
            found += Counter((shown.path, x.strip()) for x in lines if not _GAP.match(x))
    return found


def _row(root: Path, since: str, budgets: Sequence[int]) -> list[str]:
    project = Project.at(root, os.environ)
    with project.snapshot() as snapshot:
        hunks = diffs.read(project.changes_since(snapshot, since)).hunks
        tree = Tree(snapshot)
        is_product = {
            h.path: bool(p) and reviewed_as(tree, p[0]) == Role.PRODUCT
            for h in hunks
            for p in [tree.matching(h.path)[:1]]
        }
    wanted = _added((h.path, h.text) for h in hunks if is_product[h.path])
    ranked = sorted(hunks, key=lambda h: (not is_product[h.path], -len(h.text)))
    row = [root.name, since, str(wanted.total())]
    for budget in budgets:
        shown = (_plain(hunks, budget), _plain(ranked, budget), _packed(root, since, budget))
        row += [str((wanted & each).total()) for each in shown]
    return row


def main() -> None:
    """Print a line for each checkout and revision."""
    parser = argparse.ArgumentParser()
    parser.add_argument("roots", nargs="+", type=Path)
    parser.add_argument("--since", action="append")
    parser.add_argument("--budgets", nargs="*", type=int, default=[4096, 16000])
    args = parser.parse_args()
    sums: list[int] = []
    for root in args.roots:
        for since in args.since or ["HEAD~1", "HEAD~5", "HEAD~10"]:
            row = _row(root, since, args.budgets)
            print(" | ".join(row), flush=True)
            numbers = [int(each) for each in row[2:]]
            sums = [a + b for a, b in zip(sums or [0] * len(numbers), numbers, strict=True)]
    print(" | ".join(["all", "", *map(str, sums)]))


if __name__ == "__main__":
    main()
