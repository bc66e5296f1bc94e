"""What a repository's git history would add to a ranking: `python -m bench.past --help`.

Two signals, of the last 2,000 commits up to the revision of the cases, so that no fix is seen:
*lately*, how often a file was changed, a change counting half as much 500 commits ago; *together*,
how much of the commits of one of the ten best files a file shares (Jaccard, damped by 3, times
that file's score). Each is added to the ranking as links of the call graph are, with a few
weights. Shown are differences to the ranking without it, over the same questions.

History comes from `CLONES/<name>`, a git directory each: `git clone --bare URL CLONES/NAME`.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from assembler import query, rank
from assembler.assemble import Question, search, text_of
from assembler.values import Scored
from assembler.weights import DEFAULT
from bench import cases, inprocess, report
from bench.ablation import SEARCHED
from bench.cases import Query, Repository
from bench.inprocess import Index
from bench.metrics import Row, bootstrap
from bench.scoring import search_scores
from store.tokens import count

N_COMMITS, HALF_LIFE = 2000, 500
_LARGE = 20
"""A commit of more files than this ties none of them to another."""
_BEST = 10
_WEIGHTS = (0.03, 0.06, 0.12)
_UNSPREAD = replace(
    DEFAULT, penalty=replace(DEFAULT.penalty, next_of_file=1.0, next_of_file_detailed=1.0)
)
Signal = dict[str, float]
Differences = dict[tuple[str, float], dict[tuple[str, str], list[float]]]


@dataclass(frozen=True, slots=True)
class Past:
    """`lately` by path, 0..1; the number of commits that touch a file, and two files."""

    lately: Signal
    commits: Counter[str]
    shared: dict[str, Counter[str]]

    def together(self, best: Sequence[Scored]) -> Signal:
        """How much files change with the best ones, 0..1."""
        found: Signal = defaultdict(float)
        for item in best:
            path, score = item.chunk.path, item.score / best[0].score
            for other, n in self.shared.get(path, Counter()).items():
                either = self.commits[path] + self.commits[other] - n
                found[other] = max(found[other], score * n / (either + 3) if n > 1 else 0.0)
        return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table of differences for RESULTS.md."""
    parser = argparse.ArgumentParser(prog="python -m bench.past", description=__doc__)
    parser.add_argument("--questions", type=Path, required=True, help="retrieval cases (JSON)")
    parser.add_argument("--fixes", type=Path, required=True, help="bug-fix cases (JSON)")
    parser.add_argument("--corpora", type=Path, required=True, help="folder of checkouts, by name")
    parser.add_argument("--clones", type=Path, required=True, help="folder of clones, by name")
    options = parser.parse_args(arguments)
    differences: Differences = defaultdict(lambda: defaultdict(list))
    for kind, file in (("questions", options.questions), ("fixes", options.fixes)):
        for repository in cases.load(file):
            print(f"{kind} {repository.name}", file=sys.stderr)
            past = read(options.clones / repository.name, repository)
            with inprocess.opened(repository.indexed(options.corpora)) as index:
                for asked in repository.queries:
                    _compare(index, asked, past, kind, differences)
    rows = [["signal", "weight", *SEARCHED]]
    for (signal, weight), found in sorted(differences.items()):
        cells = (bootstrap(found[key]) for key in SEARCHED.values())
        rows.append(
            [
                signal,
                f"{weight}",
                *(f"{c.mean:+.3f} ({c.low:+.3f} to {c.high:+.3f})" for c in cells),
            ]
        )
    print(report.markdown(rows))
    return 0


def read(clone: Path, repository: Repository) -> Past:
    """The history below the indexed folder, from the newest commit back.

    Raises:
        subprocess.CalledProcessError: there is no such clone or revision.
    """
    said = subprocess.run(
        ["git", "-C", str(clone), "log", "--no-merges", "--no-renames", f"-n{N_COMMITS}",
         "--name-only", "-z", "--format=//%H", repository.revision, "--"],
        check=True, capture_output=True,
    ).stdout.decode("utf-8", "replace")  # fmt: skip
    below = f"{repository.root.strip('/')}/" if repository.root else ""
    lately: Signal = defaultdict(float)
    commits: Counter[str] = Counter()
    shared: dict[str, Counter[str]] = defaultdict(Counter)
    for age, commit in enumerate(said.split("//")[1:]):
        names = [name.strip("\n") for name in commit.split("\0")[1:]]
        paths = [name.removeprefix(below) for name in names if name and name.startswith(below)]
        for path in paths:
            lately[path] += 0.5 ** (age / HALF_LIFE)
        if len(paths) <= _LARGE:
            commits.update(paths)
            for path in paths:
                shared[path].update(other for other in paths if other != path)
    most = math.log1p(max(lately.values(), default=1.0))
    return Past({p: math.log1p(n) / most for p, n in lately.items()}, commits, shared)


def _compare(index: Index, asked: Query, past: Past, kind: str, differences: Differences) -> None:
    question = Question(asked.text)
    reply = search(index.snapshot, question, 200, vectors=index.vectors, weights=_UNSPREAD)
    rows = {
        item.chunk.id: Row(item.chunk.path, item.chunk.span.start_line, item.chunk.span.end_line,
                           text_of(index.snapshot, item.chunk))
        for item in reply.results
    }  # fmt: skip
    tokens = cache(count)

    def scores(ranked: Sequence[Scored]) -> dict[str, float]:
        repetition = rank.repetition(query.read(asked.text, DEFAULT.term.part), DEFAULT.penalty)
        listed = rank.spread(list(ranked), repetition, 100)
        return search_scores([rows[item.chunk.id] for item in listed], asked, tokens)

    before = scores(reply.results)
    by_file = {item.chunk.path: item for item in reversed(reply.results)}
    best = sorted(by_file.values(), key=rank.order)[:_BEST]
    for name, signal in (("lately", past.lately), ("together", past.together(best))):
        for weight in _WEIGHTS:
            after = scores(_lifted(reply.results, signal, weight))
            for key, value in after.items():
                differences[name, weight][kind, key].append(value - before[key])
                if asked.kind == "architecture":
                    differences[name, weight]["architecture", key].append(value - before[key])


def _lifted(ranked: Sequence[Scored], signal: Signal, weight: float) -> list[Scored]:
    """The ranking with one more signal, in the place of one that questions in words do not have."""
    lifted = (
        rank.with_signal(item, "pointed at", signal.get(item.chunk.path, 0.0), weight)
        for item in ranked
    )
    return sorted(lifted, key=rank.order)


if __name__ == "__main__":
    sys.exit(main())
