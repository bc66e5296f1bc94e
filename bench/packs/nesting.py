"""Does a larger pack show whole what a smaller one shows whole? `python -m bench.packs.nesting`.

    python -m bench.packs.nesting ROOT... [--questions 2000] [--changes HEAD~1 HEAD~5]

Of each checkout, packs of eight budgets are made for questions in the words of its documentation
strings, for names, for lines, for traces and reports of failing tests made from its functions, and
with git for diffs. Printed are the questions, the pairs of neighbouring budgets, and every pair in
which a line that is shown whole in the smaller pack is missing in the larger one, or a pack is
above its budget.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from satchel.assembler import assemble
from satchel.assembler.assemble import PackOptions
from satchel.assembler.kinds import Detail, Scope
from satchel.assembler.query import read_query
from satchel.assembler.query.question import Question
from satchel.assembler.search import ranked_by
from satchel.assembler.values import ContextPack
from satchel.assembler.weights import DEFAULT
from satchel.store import tokens
from satchel.store.model import FUNCTIONS
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import SymbolRecord
from satchel.workspace.project import Project

_WORD = re.compile(r"\w")
BUDGETS = (256, 512, 1_000, 1_500, 2_500, 4_096, 8_000, 16_000)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print violations and totals; 1 where there is one."""
    parser = argparse.ArgumentParser(prog="python -m bench.packs.nesting", description=__doc__)
    parser.add_argument("roots", nargs="+", type=Path)
    parser.add_argument("--questions", type=int, default=2_000, help="of all checkouts together")
    parser.add_argument("--changes", nargs="*", default=[], help="revisions to compare with")
    options = parser.parse_args(arguments)
    n_asked = n_pairs = n_wrong = 0
    for root in options.roots:
        project = Project.at(root, os.environ)
        project.refresh(lambda _: None)
        with project.snapshot() as snapshot:
            diffs = [project.changes_since(snapshot, since) for since in options.changes]
            asked = [Question("", Scope.ALL, changes=diff) for diff in diffs if diff]
            asked += questions(snapshot, -(-options.questions // len(options.roots)))
            for question in asked:
                n_asked, n_pairs = n_asked + 1, n_pairs + len(BUDGETS) - 1
                for wrong in violations(snapshot, question):
                    n_wrong += 1
                    print(f"{root.name}: {question.text[:90]!r}: {wrong}", flush=True)
        print(f"{n_asked} questions, {n_pairs} pairs, {n_wrong} violations", flush=True)
    return int(n_wrong > 0)


def questions(snapshot: Snapshot, n_questions: int) -> Iterator[Question]:
    """Questions about functions that are drawn by lot, a kind in turn."""
    symbols = [s for file in snapshot.files.all() for s in snapshot.symbols.of_file(file.path)]
    chosen = [s for s in symbols if s.kind in FUNCTIONS]
    random.Random(1).shuffle(chosen)
    kinds = (_said, _named, _lines, _trace, _failed, _task)
    for n, symbol in enumerate(chosen[:n_questions]):
        text = kinds[n % len(kinds)](symbol)
        yield Question(text, Scope.ALL if n % 5 == 0 else Scope.IMPL)


def _said(symbol: SymbolRecord) -> str:
    return symbol.doc.split("\n")[0] or f"how does {symbol.name} work"


def _named(symbol: SymbolRecord) -> str:
    return symbol.qualified_name


def _lines(symbol: SymbolRecord) -> str:
    span = symbol.span
    return f"{symbol.path}:{span.start_line}-{span.end_line + 9} and {symbol.path}:1-400"


def _trace(symbol: SymbolRecord) -> str:
    frame = f'  File "{symbol.path}", line {symbol.span.end_line}, in {symbol.name}'
    return f"Traceback (most recent call last):\n{frame}\n    fail()\nValueError: {symbol.name}"


def _failed(symbol: SymbolRecord) -> str:
    name = symbol.qualified_name.replace(".", "::")
    return f"FAILED {symbol.path}::{name} - AssertionError: assert 1 == 2"


def _task(symbol: SymbolRecord) -> str:
    return f"add an option to `{symbol.name}` that limits it"


def violations(snapshot: Snapshot, question: Question) -> Iterator[str]:
    """What is wrong with the packs of a question, in words."""
    # Ranking knows no budget, and takes longer than a pack.
    asked = read_query.read(question, DEFAULT)
    options = PackOptions(ranked=ranked_by(snapshot, question, asked, None, DEFAULT))
    made = {b: assemble.context(snapshot, question, b, options) for b in BUDGETS}
    for budget, pack in made.items():
        if tokens.count(pack.text) > budget:
            yield f"{tokens.count(pack.text)} tokens of {budget}"
    for smaller, larger in pairwise(BUDGETS):
        if lost := _lines_of(made[smaller], whole=True) - _lines_of(made[larger], whole=False):
            path, line, _ = min(lost)
            yield f"{path}:{line} and {len(lost) - 1} more of {smaller} are not in {larger}"


def _lines_of(pack: ContextPack, *, whole: bool) -> set[tuple[str, int, str]]:
    """The lines that excerpts show; of hunks their texts, line by line."""
    found: set[tuple[str, int, str]] = set()
    for each in pack.excerpts:
        if each.detail == Detail.HUNK:
            lines = each.text.split("\n")
            if not whole or not lines[-1].startswith("… "):
                found |= {(each.path, 0, line) for line in lines}
        elif whole and each.detail == Detail.FULL:
            # A blank line between two pieces is shown where these are one excerpt.
            numbered = enumerate(each.text.split("\n"), each.start_line)
            found |= {(each.path, n, "") for n, text in numbered if _WORD.search(text)}
        elif not whole and each.detail != Detail.SIGNATURE:
            left_out = {n for a, b in each.omitted for n in range(a, b + 1)}
            numbers = set(range(each.start_line, each.end_line + 1)) - left_out
            found |= {(each.path, n, "") for n in numbers}
    return found


if __name__ == "__main__":
    sys.exit(main())
