"""What a repository's git history would add to a ranking: `python -m bench.fitting.past --help`.

Two signals, of the last 2,000 commits up to the revision of the cases, so that no fix is seen:
*lately*, how often a file was changed, a change counting half as much 500 commits ago; *together*,
how much of the commits of one of the ten best files a file shares (Jaccard, damped by 3, times
that file's score). Shown are differences to the ranking without them (see `bench.fitting.added`).

History comes from `CLONES/<name>`, a git directory each: `git clone --bare URL CLONES/NAME`.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.fitting import added
from bench.fitting.added import Signal
from bench.peers import inprocess
from bench.retrieval import cases
from bench.retrieval.cases import Repository
from satchel.assembler.ranking import rank
from satchel.assembler.values import Scored

N_COMMITS, HALF_LIFE = 2000, 500
_LARGE = 20
"""A commit of more files than this ties none of them to another."""
_BEST = 10
_WEIGHTS = (0.03, 0.06, 0.12)
ContextShares = dict[str, float]


@dataclass(frozen=True, slots=True)
class Past:
    """`lately` by path, 0..1; the number of commits that touch a file, and two files."""

    lately: ContextShares
    commits: Counter[str]
    shared: dict[str, Counter[str]]

    def signals(self, ranked: Sequence[Scored]) -> Mapping[str, Signal]:
        """Both signals for one ranking."""
        by_file = {item.chunk.path: item for item in reversed(ranked)}
        together = self._together(sorted(by_file.values(), key=rank.order)[:_BEST])
        return {
            "lately": lambda item: self.lately.get(item.chunk.path, 0.0),
            "together": lambda item: together.get(item.chunk.path, 0.0),
        }

    def _together(self, best: Sequence[Scored]) -> ContextShares:
        """How much files change with the best ones, 0..1."""
        found: ContextShares = defaultdict(float)
        for item in best:
            path, score = item.chunk.path, item.score / best[0].score
            for other, n in self.shared.get(path, Counter()).items():
                either = self.commits[path] + self.commits[other] - n
                found[other] = max(found[other], score * n / (either + 3) if n > 1 else 0.0)
        return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table of differences for RESULTS.md."""
    parser = argparse.ArgumentParser(prog="python -m bench.fitting.past", description=__doc__)
    parser.add_argument("--questions", type=Path, required=True, help="retrieval cases (JSON)")
    parser.add_argument("--fixes", type=Path, required=True, help="bug-fix cases (JSON)")
    parser.add_argument("--corpora", type=Path, required=True, help="folder of checkouts, by name")
    parser.add_argument("--clones", type=Path, required=True, help="folder of clones, by name")
    options = parser.parse_args(arguments)
    differences = added.none_yet()
    for kind, file in (("questions", options.questions), ("fixes", options.fixes)):
        for repository in cases.load(file):
            print(f"{kind} {repository.name}", file=sys.stderr)
            past = read(options.clones / repository.name, repository)
            with inprocess.opened(repository.indexed(options.corpora)) as index:
                for asked in repository.queries:
                    added.compare(index, asked, kind, past.signals, _WEIGHTS, differences)
    print(added.table(differences))
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
    lately: ContextShares = defaultdict(float)
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


if __name__ == "__main__":
    sys.exit(main())
