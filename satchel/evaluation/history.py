"""What packs show of a repository's own fixes, beside grep and windows by BM25.

The code is asked as it was before the fixes: some commits of the past are indexed apart, and each
fix up to the next of them that can be placed there is asked for by its message.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path

from msgspec import Struct

from satchel.assembler import assemble
from satchel.assembler.budget import MAX_QUERY
from satchel.assembler.query import read_query
from satchel.assembler.query.question import Question
from satchel.assembler.ranking.candidates import VectorSearch
from satchel.assembler.search import ranked_by
from satchel.assembler.weights import DEFAULT, Weights
from satchel.evaluation import commits, fixes, shown
from satchel.evaluation.bm25_windows import Bm25, windows
from satchel.evaluation.commit_tree import indexed_commit
from satchel.evaluation.fixes import Fix
from satchel.evaluation.grep import Grep
from satchel.evaluation.intervals import Interval, interval
from satchel.evaluation.messages import SUFFIXES
from satchel.evaluation.shown import Shown
from satchel.indexer.refresh_values import OnProgress
from satchel.store.counted import counted
from satchel.store.errors import UsageError
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot
from satchel.workspace.past import history
from satchel.workspace.project import Project

SATCHEL, GREP, BM25 = "satchel", "grep", "bm25"
SYSTEMS = (SATCHEL, GREP, BM25)
LEAST = 10
"""With fewer fixes nothing is reported: their mean would say little."""
N_FIXES = 60
BUDGET = 4000
N_WORST = 10
_COMMITS = 1500
"""Commits after a snapshot, at most: the longer ago, the less code stands as it did."""
_APART, _MOMENTS = 250, 4
"""Commits between two moments that are indexed, about, and how many such moments there are at most:
the fewer commits lie between, the more fixes find the code as it was, and the longer it takes."""
_MOST_MINED = 2
"""Mining ends at so many times the fixes wanted; those that repair something are chosen first."""
_N_WINDOWS = 400
OnStep = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and of how much (0: nobody knows)."""


class Options(Struct, frozen=True):
    """What is asked: since when, how many fixes at most, in packs of how many tokens."""

    since: str = "1y"
    n_fixes: int = N_FIXES
    budget: int = BUDGET


class IndexedCommit(Struct, frozen=True):
    """The code at a commit, indexed, and the fixes after it that can be asked, oldest first."""

    commit: str
    fixes: tuple[Fix, ...]
    snapshot: Snapshot
    vectors: VectorSearch | None
    root: Path

    def lines(self, path: str) -> Sequence[str]:
        """The lines of a file as it was, none for one that is not indexed."""
        return self.text(path).split("\n")

    def text(self, path: str) -> str:
        """The text of a file as it was, undecodable bytes replaced."""
        # A path comes out of git's trees; only what was indexed is known to be a plain file.
        if not self.snapshot.files.identity(RepoPath(path)):
            return ""
        return (self.root / path).read_text(encoding="utf-8", errors="replace")

    def shows(self, fix: Fix, budget: int) -> Shown:
        """What a pack for a fix shows of it."""
        return self.shows_with(fix, budget, (DEFAULT,))[0]

    def shows_with(self, fix: Fix, budget: int, others: Sequence[Weights]) -> list[Shown]:
        """The same with some weights that differ in packing alone, so that it is ranked once."""
        # As an agent asks: in the default scope, without tests.
        question = Question(fix.question[:MAX_QUERY])
        asked = read_query.read(question, DEFAULT)
        ranked = ranked_by(self.snapshot, question, asked, self.vectors, DEFAULT)
        packs = (
            assemble.context(
                self.snapshot, question, budget,
                assemble.PackOptions(vectors=self.vectors, weights=weights, ranked=ranked),
            )
            for weights in others
        )  # fmt: skip
        # Packs show several excerpts of a file, and with other weights the same files again.
        lines = cache(self.lines)
        return [shown.score(fix.targets, shown.of_pack(pack, lines)) for pack in packs]


class Case(Struct, frozen=True):
    """A fix with what each of `SYSTEMS` shows of it, by name."""

    fix: Fix
    shown: Mapping[str, Shown]


class Row(Struct, frozen=True):
    """What a system shows of all fixes; `beyond` is what Satchel's packs show more, paired."""

    system: str
    changed: Interval
    whole: Interval
    beyond: Interval | None


class Report(Struct, frozen=True):
    """What was found: a row a system, and the cases that went worst, worst first."""

    since: str
    commits: tuple[str, ...]
    """The commits that were asked about, oldest first."""
    budget: int
    n_commits: int
    n_files: int
    """Files in the last of the commits."""
    n_fixes: int
    """Fixes that were to be asked; `cases` has fewer where somebody did not wait."""
    cases: tuple[Case, ...]

    @property
    def rows(self) -> tuple[Row, ...]:
        """One for each of `SYSTEMS`."""
        return tuple(self._row(system) for system in SYSTEMS)

    @property
    def worst(self) -> tuple[Case, ...]:
        """Fixes of which packs show least; of equal ones those first that others show more of."""

        def order(case: Case) -> tuple[float, float, str]:
            # What grep or windows find and a pack does not is worth a look before all else.
            others = max(case.shown[name].changed for name in (GREP, BM25))
            return case.shown[SATCHEL].changed, -others, case.fix.commit

        found = sorted(self.cases, key=order)[:N_WORST]
        return tuple(case for case in found if case.shown[SATCHEL].changed < 1.0)

    def _row(self, system: str) -> Row:
        ours, theirs = ([c.shown[name].changed for c in self.cases] for name in (SATCHEL, system))
        whole = interval([case.shown[system].whole for case in self.cases])
        differences = [a - b for a, b in zip(ours, theirs, strict=True)]
        beyond = None if system == SATCHEL else interval(differences)
        return Row(system, interval(theirs), whole, beyond)


def measure(
    project: Project, environment: Mapping[str, str], options: Options, on_step: OnStep,
    on_progress: OnProgress,
) -> Report:  # fmt: skip
    """Ask for a repository's own fixes; whoever interrupts it gets what there is by then.

    Raises:
        UsageError: there is no git history, or too little of it.
    """
    with opened(project, environment, options, on_step, on_progress) as moments:
        cases: list[Case] = []
        n_fixes = sum(len(then.fixes) for then in moments)
        try:
            for then in moments:
                others = _others(then, options.budget, on_step)
                for fix in then.fixes:
                    on_step("asking", len(cases), n_fixes)
                    ours = {SATCHEL: then.shows(fix, options.budget)}
                    cases.append(Case(fix, ours | others(fix)))
        except KeyboardInterrupt:
            # Nothing at all is no report; the command then ends as any other does.
            if not cases:
                raise
        return Report(
            options.since, tuple(then.commit for then in moments), options.budget,
            commits.count(project.root, f"{moments[0].commit}..HEAD"),
            moments[-1].snapshot.files.count(), n_fixes, tuple(cases),
        )  # fmt: skip


def _others(then: IndexedCommit, budget: int, on_step: OnStep) -> Callable[[Fix], dict[str, Shown]]:
    """What shows a fix in the other ways, over the same files without tests."""
    on_step("baselines", 0, 0)
    paths = sorted(f.path for f in then.snapshot.files.all() if not f.is_test)
    texts: dict[str, str] = {path: then.text(path) for path in paths}
    grep = Grep(texts)
    bm25 = Bm25(window for path, text in texts.items() for window in windows(path, text))

    def ask(fix: Fix) -> dict[str, Shown]:
        found = {
            GREP: grep.best(fix.question),
            BM25: iter(bm25.best(fix.question, _N_WINDOWS)),
        }
        return {
            name: shown.score(fix.targets, shown.of_windows(listed, budget))
            for name, listed in found.items()
        }

    return ask


@contextmanager
def opened(
    project: Project, environment: Mapping[str, str], options: Options, on_step: OnStep,
    on_progress: OnProgress,
) -> Iterator[tuple[IndexedCommit, ...]]:  # fmt: skip
    """The code before the fixes of a checkout, indexed, oldest first, for as long as it is open.

    Raises:
        UsageError: there is no git history, or too little of it.
    """
    on_step("history", 0, 0)
    asked = moments_since(project.root, options.since)
    made: list[IndexedCommit] = []
    like, left = project, options.n_fixes
    with ExitStack() as stack:
        for number, (commit, until) in enumerate(pairwise((*asked, "HEAD"))):
            files = commits.files(project.root, commit)
            on_files = partial(on_step, "writing")
            at = indexed_commit(project, like, files, environment, on_files, on_progress)
            # The index of one moment is the beginning of that of the next.
            like = stack.enter_context(at)
            snapshot = stack.enter_context(like.snapshot())
            # What one moment has too few fixes for is left to the next ones.
            share = -(-left // (len(asked) - number))
            places = fixes.ProductFunctions(snapshot, files)
            later = commits.between(project.root, commit, until, SUFFIXES, most=_COMMITS)
            found = _fixes(project.root, list(later), files, places, share, on_step)
            left -= len(found)
            vectors, _ = like.vector_search(snapshot)
            made.append(IndexedCommit(commit, found, snapshot, vectors, like.root))
        n_found = options.n_fixes - left
        if n_found < LEAST:
            raise UsageError(
                f"only {counted(n_found, 'fix', 'fixes')} since {options.since} can be asked for,"
                f" and {LEAST} are needed",
                "only fixes are used whose changed functions existed unchanged some time before;"
                " try another --since, or fetch more history",
            )
        yield tuple(made)


def _fixes(
    root: Path, later: Sequence[commits.Commit], files: Mapping[str, commits.Blob],
    places: fixes.ProductFunctions, limit: int, on_step: OnStep,
) -> tuple[Fix, ...]:  # fmt: skip
    """At most `limit` fixes among later commits that can be asked of these files, oldest first."""
    found: list[Fix] = []
    for number, each in enumerate(later):
        on_step("fixes", number, len(later))
        found += fixes.mined(root, [each], files, places)
        # Comparing versions takes longer than asking, so it ends where there is enough to choose.
        if len(found) == _MOST_MINED * limit:
            break
    return tuple(chosen(found, limit))


def moments_since(root: Path, since: str) -> list[str]:
    """The commits that are asked, oldest first: of the last 1,500, or the newer half of history.

    Raises:
        UsageError: there is no git history at `root`, or `since` means nothing in it.
    """
    base = history.commit_of(root, since)
    n_all = commits.count(root, "HEAD")
    n_since = commits.count(root, f"{base}..HEAD") if base else n_all
    if not n_since:
        raise UsageError(f"nothing was committed since {since}", "name an earlier time")
    # In the first half of a history most of the code that fixes are about is not there yet.
    n_after = min(n_since, n_all // 2, _COMMITS)
    n_moments = min(_MOMENTS, max(1, round(n_after / _APART)))
    places = (n_after * (n_moments - number) // n_moments for number in range(n_moments))
    return list(dict.fromkeys(commits.snapshot_before(root, place) for place in places))


def chosen(found: Sequence[Fix], limit: int) -> list[Fix]:
    """At most `limit` of them, those that repair something first, the others by commit id."""

    def order(number: int) -> tuple[bool, str]:
        fix = found[number]
        return not fix.is_fix, blake2b(fix.commit.encode(), digest_size=8).hexdigest()

    # Names of commits are as good as random, and the same for everybody who has the history.
    kept = sorted(sorted(range(len(found)), key=order)[:limit])
    return [found[number] for number in kept]
