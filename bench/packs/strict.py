"""What packs really show of the code that a fix changed: `python -m bench.packs.strict --fixes F`.

A line counts as shown only where its own text stands in an excerpt that is not an outline: names
and signatures show nothing. Beside every row stands the plainest pack, ranked matches taken whole
in rank order while they fit, since a packer that does not beat it is not worth having. Questions
(`--questions`) count the files that a pack names at all. Questions with the functions that answer
them (`--functions`, by default those of `how_questions.json`, read by hand from the code) count:

    answer   share of the lines of functions without which the answer is incomplete, mean over
             questions
    helpful  the same of functions that help to understand it
    useful   share of the tokens of a pack that are lines of either

    changed  share of the lines that the fix changed which are shown, mean over targets
    whole    share of the targets of which every line is shown
    code     share of the tokens of a pack that are lines of files
    right    share of the tokens of a pack that are lines of files which the fix changed
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from msgspec.structs import replace

from bench.nothing import require
from bench.packs import packing
from bench.peers import inprocess
from bench.peers.satchel_sum import SUM
from bench.retrieval import report
from satchel.assembler.kinds import Detail, Scope
from satchel.assembler.packing import pack
from satchel.assembler.query.question import Question
from satchel.assembler.search import search
from satchel.assembler.values import Excerpt, Scored
from satchel.assembler.weights import DEFAULT, Packing, Weights
from satchel.evaluation.shown import lines_of
from satchel.indexer.languages import detect
from satchel.store import tokens

BUDGETS = (1000, 4000, 8000)
HOW_QUESTIONS = Path(__file__).with_name("how_questions.json")
"""How things work in 28 repositories, each with the functions that somebody who answers must read:
`grade` 2 where the answer is incomplete without it, 1 where it helps. `more_how_questions.json`,
`language_questions.json` (fifteen languages, five of them without a grammar),
`feature_questions.json` (options to be added; `enough` lines of a target do there),
`pasted_questions.json` (traces, failing tests and reports of bugs) and `task_questions.json`
(these, features and "how does" questions) are such files.
"""
PLAIN = "plainest pack"
_DEPTH = 200
"""Rows of a search that the plainest pack is made from."""
_LEAST = 40
"""Tokens below which the plainest pack looks no further."""
_OUTLINE = frozenset({Detail.SIGNATURE})
_PASTED = frozenset({"trace", "test", "issue"})
"""Categories of questions that ask for a change of the code, not for its tests."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A pack as its reader gets it; excerpts as (path, first line, last line, text, is outline)."""

    text: str
    excerpts: tuple[tuple[str, int, int, str, bool], ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of a case file with everything that packing needs, ranked once."""

    repository: str
    language: str
    root: Path
    query: Mapping[str, Any]
    rows: Sequence[Scored]
    case: packing.Case
    """What packing is called with."""


@dataclass(slots=True)
class Sheet:
    """Means over targets and packs, by measure and budget."""

    values: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def mean(self, name: str) -> float:
        """The mean of a measure, 0 where nothing was measured."""
        return fmean(self.values[name]) if self.values[name] else 0.0


Packer = Callable[[Asked, int], Reply]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table: the plainest pack, packs, and packs with one step changed each."""
    options = _parser().parse_args(arguments)
    packers: dict[str, Packer] = {PLAIN: plain, "packs": packer(DEFAULT.packing)}
    if options.steps:
        packers |= {name: packer(weights) for name, weights in steps().items()}
    sheets = {name: Sheet() for name in packers}
    with ExitStack() as stack:
        for file, measured in (
            (options.fixes, fix_scores),
            (options.questions, question_scores),
            (options.functions, function_scores),
        ):
            for asked in read(file, options, stack):
                for name, made in packers.items():
                    for budget in BUDGETS:
                        measured(asked, made(asked, budget), budget, sheets[name])
    require(len(sheets[PLAIN].values), "question or fix")
    print(report.markdown(_table(sheets)))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.packs.strict", description=__doc__)
    parser.add_argument("--fixes", type=Path, help="bug-fix cases (JSON)")
    parser.add_argument("--questions", type=Path, help="questions to files (JSON)")
    parser.add_argument(
        "--functions", type=Path, nargs="?", const=HOW_QUESTIONS, help="questions to functions"
    )
    parser.add_argument("--corpora", type=Path, required=True, help="folder of checkouts, by name")
    parser.add_argument("--only", nargs="*", help="names of repositories")
    parser.add_argument(
        "--renamed", metavar="EXT", help="with code renamed to an extension that no row reads: .zz"
    )
    parser.add_argument("--sum", action="store_true", help="ranked by the hand-made sum alone")
    parser.add_argument("--steps", action="store_true", help="also with each step left out")
    return parser


def steps() -> dict[str, Packing]:
    """Packs with one step of packing changed each."""
    now = DEFAULT.packing
    return {
        "… in order of likelihood alone": replace(now, order_turn=0.0),
        "… a unit takes half as much at the beginning": replace(now, room=350),
        "… tests count as other code": replace(now, test=1.0),
        "… all long comments cut": replace(now, n_commented=0),
        "… noise is not left out": replace(now, noise=0.0),
    }  # fmt: skip


def read(file: Path | None, options: argparse.Namespace, stack: ExitStack) -> Iterator[Asked]:
    """The questions of a case file, ranked, repository by repository."""
    for case in json.loads(file.read_text(encoding="utf-8")) if file else ():
        root = options.corpora / case["name"] / (case.get("root") or "")
        if options.only and case["name"] not in options.only:
            continue
        moved: dict[str, str] = {}
        if options.renamed:
            copy = Path(stack.enter_context(tempfile.TemporaryDirectory()), case["name"])
            moved, root = _renamed(root, copy, options.renamed), copy
        index = stack.enter_context(inprocess.opened(root))
        for query in case["queries"]:
            targets = [{**t, "path": moved.get(t["path"], t["path"])} for t in query["targets"]]
            asked = {**query, "targets": targets}
            yield _asked(index, case, root, asked, SUM if options.sum else DEFAULT)
        print(case["name"], file=sys.stderr)


def _renamed(tree: Path, copy: Path, extension: str) -> dict[str, str]:
    """Copy a tree, its files of code with another extension; their new paths by the old ones."""
    shutil.copytree(tree, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    found: dict[str, str] = {}
    for file in sorted(copy.rglob("*")):
        if file.is_file() and not file.is_symlink() and detect.is_code(file.name):
            new = file.with_suffix(extension)
            # `queue.c` and `queue.h` cannot both be `queue.zz`.
            new = file.with_name(file.name + extension) if new.exists() else new
            file.rename(new)
            found[str(file.relative_to(copy))] = str(new.relative_to(copy))
    return found


def _asked(
    index: inprocess.Index,
    case: Mapping[str, Any],
    root: Path,
    query: Mapping[str, Any],
    weights: Weights,
) -> Asked:
    # Who pastes what a program printed asks as a client does, whose scope has no tests.
    scope = Scope.ALL if query.get("category") not in _PASTED else Scope.IMPL
    question = Question(query["query"], scope)
    made = packing.captured(index, question, max(BUDGETS), weights=weights)
    found = search(index.snapshot, question, _DEPTH, vectors=index.vectors, weights=weights)
    rows, name, language = found.results, case["name"], case["language"]
    return Asked(name, language, root, query, rows, made)


def packer(weights: Packing) -> Packer:
    """Packs by some weights."""

    def made(asked: Asked, budget: int) -> Reply:
        case = asked.case
        found = pack.pack(case.ranked, replace(case.blank, budget=budget), case.inputs, weights)
        return Reply(found.text, tuple(_entry(excerpt) for excerpt in found.excerpts))

    return made


def _entry(excerpt: Excerpt) -> tuple[str, int, int, str, bool]:
    is_outline = excerpt.detail in _OUTLINE
    return excerpt.path, excerpt.start_line, excerpt.end_line, excerpt.text, is_outline


def plain(asked: Asked, budget: int) -> Reply:
    """Ranked matches taken whole while they fit, each below a line that says where it is."""
    text, left = "", budget
    taken: list[tuple[str, int, int, str, bool]] = []
    for row in asked.rows:
        span = row.chunk.span
        path, first, last = row.chunk.path, span.start_line, span.end_line
        if any(path == t[0] and first <= t[2] and t[1] <= last for t in taken):
            continue
        data = asked.case.inputs.index.source(row.chunk)[span.start_byte : span.end_byte]
        shown = data.decode("utf-8", "replace")
        block = f"{path}:{first}-{last}\n{shown.rstrip()}\n"
        cost = tokens.count(block)
        if cost > left:
            continue
        taken.append((path, first, last, shown, False))
        text, left = text + block, left - cost
        if left < _LEAST:
            break
    return Reply(text, tuple(taken))


_SOURCES: dict[Path, list[str]] = {}


def _source(root: Path, path: str) -> list[str]:
    file = root / path
    if file not in _SOURCES:
        _SOURCES[file] = file.read_text("utf-8", "replace").split("\n") if file.is_file() else []
    return _SOURCES[file]


def _shown(asked: Asked, reply: Reply) -> dict[str, set[int]]:
    """The lines that a pack shows, by file."""
    lines: dict[str, set[int]] = defaultdict(set)
    for path, start, end, text, is_outline in reply.excerpts:
        if not is_outline and text.rstrip("\n") in reply.text:
            lines[path] |= lines_of(start, end, text, _source(asked.root, path))
    return lines


def _tokens(asked: Asked, path: str, lines: Iterable[int]) -> int:
    source = _source(asked.root, path)
    return tokens.count("\n".join(source[n - 1] for n in sorted(lines)))


def function_scores(asked: Asked, reply: Reply, budget: int, sheet: Sheet) -> None:
    """Add what a pack shows of the functions that answer a question, and how much is of them."""
    lines = _shown(asked, reply)
    wanted: dict[str, set[int]] = defaultdict(set)
    shares: dict[int, list[float]] = defaultdict(list)
    for target in asked.query["targets"]:
        body = set(range(target["start_line"], target["end_line"] + 1))
        wanted[target["path"]] |= body
        # Of a long list of options a few lines show how another one is added.
        enough = target.get("enough", len(body))
        shares[target["grade"]].append(min(1.0, len(body & lines[target["path"]]) / enough))
    for grade, name in ((2, "answer"), (1, "helpful")):
        if shares[grade]:
            sheet.values[f"{name} {budget}"].append(fmean(shares[grade]))
    useful = sum(_tokens(asked, path, shown & wanted[path]) for path, shown in lines.items())
    used = tokens.count(reply.text)
    sheet.values[f"useful {budget}"].append(useful / max(1, used))
    sheet.values[f"over {budget}"].append(used > budget)


def fix_scores(asked: Asked, reply: Reply, budget: int, sheet: Sheet) -> None:
    """Add what a pack shows of the functions that a fix changed."""
    lines = _shown(asked, reply)
    used = tokens.count(reply.text)
    targets = asked.query["targets"]
    right = {target["path"] for target in targets}
    quoted = {path: _tokens(asked, path, shown) for path, shown in lines.items() if shown}
    values = sheet.values
    values[f"code {budget}"].append(sum(quoted.values()) / max(1, used))
    in_right = sum(n for path, n in quoted.items() if path in right)
    values[f"right {budget}"].append(in_right / max(1, used))
    values[f"files {budget}"].append(len({entry[0] for entry in reply.excerpts}))
    values[f"used {budget}"].append(used)
    values[f"over {budget}"].append(used > budget)
    for target in targets:
        body = set(range(target["start_line"], target["end_line"] + 1))
        changed = {n for x, y in target.get("hunks") or [] for n in range(x, y + 1)}
        shown = lines[target["path"]]
        values[f"whole {budget}"].append(body <= shown)
        if changed:
            values[f"changed {budget}"].append(len(changed & shown) / len(changed))


def question_scores(asked: Asked, reply: Reply, budget: int, sheet: Sheet) -> None:
    """Add the share of the files asked for that a pack names, and how many it names."""
    named = {entry[0] for entry in reply.excerpts}
    targets = {target["path"] for target in asked.query["targets"]}
    found = [any(_same(path, target) for path in named) for target in targets]
    sheet.values[f"asked {budget}"].append(fmean(found) if found else 0.0)
    sheet.values[f"named {budget}"].append(len(named))
    sheet.values[f"over {budget}"].append(tokens.count(reply.text) > budget)


def _same(path: str, target: str) -> bool:
    return f"/{target}".endswith(f"/{path}") or f"/{path}".endswith(f"/{target}")


_COLUMNS = (
    *(f"changed {b}" for b in BUDGETS), "whole 1000", "whole 4000", "code 1000", "code 4000",
    "right 1000", "right 4000", "files 4000", "used 4000", "asked 1000", "asked 4000", "named 4000",
    *(f"answer {b}" for b in BUDGETS), "helpful 4000", "useful 1000", "useful 4000",
)  # fmt: skip


def _table(sheets: Mapping[str, Sheet]) -> list[list[str]]:
    def cell(sheet: Sheet, name: str) -> str:
        mean = sheet.mean(name)
        return f"{mean:.3f}" if mean <= 1 else f"{mean:.1f}" if mean < 100 else f"{mean:.0f}"

    columns = [each for each in _COLUMNS if any(sheet.values[each] for sheet in sheets.values())]
    rows = [["", *columns, "over"]]
    for name, sheet in sheets.items():
        over = sum(sum(sheet.values[f"over {b}"]) for b in BUDGETS)
        rows.append([name, *(cell(sheet, c) for c in columns), f"{over:.0f}"])
    return rows


if __name__ == "__main__":
    sys.exit(main())
