"""What `bench history` and `tune` print: text, and the JSON of `--json`."""

from collections.abc import Mapping

from msgspec import Struct

from satchel.assembler.quoting import clean
from satchel.cli import terminal
from satchel.evaluation.history import SATCHEL, Case, Report, Row
from satchel.evaluation.intervals import Interval
from satchel.evaluation.tune import Outcome
from satchel.questions.rows import VERSION
from satchel.store.counted import counted
from satchel.workspace.configuration.tuned import Tuned

_CALLED = {"satchel": "satchel", "grep": "grep -C 5", "bm25": "BM25, windows of 40 lines"}
_LONGEST = 70
"""Characters of a subject in a row."""


class TargetRow(Struct, frozen=True):
    """A function that a fix changed, as it stood before."""

    path: str
    start_line: int
    end_line: int
    function: str


class CaseRow(Struct, frozen=True):
    """A fix, and the share of its changed lines that is shown, by system."""

    commit: str
    subject: str
    changed: dict[str, float]
    whole: dict[str, float]
    file_shown: bool
    targets: list[TargetRow]


class HistoryResult(Struct, frozen=True):
    """The answer to `bench history`; `worst` are the fixes of which packs show least."""

    since: str
    asked_of: tuple[str, ...]
    budget: int
    commits: int
    files: int
    fixes: int
    asked: int
    systems: tuple[Row, ...]
    cases: list[CaseRow]
    worst: list[str]
    schema: int = VERSION


class TuneResult(Struct, frozen=True):
    """The answer to `tune`; `in_force` says whether `numbers` are."""

    in_force: bool
    numbers: dict[str, float]
    earlier: Interval | None = None
    later: Interval | None = None
    n_earlier: int = 0
    n_later: int = 0
    schema: int = VERSION


def print_report(report: Report, *, as_json: bool) -> None:
    """Print what packs show of fixes."""
    if as_json:
        terminal.out_json(_result(report))
        return
    commits = ", ".join(commit[:10] for commit in report.commits)
    terminal.out(
        f"{counted(len(report.cases), 'fix', 'fixes')} of {counted(report.n_commits, 'commit')},"
        f" each asked for by its message; {counted(report.n_files, 'file')} as they were before"
        f" (at {commits})"
    )
    if len(report.cases) < report.n_fixes:
        terminal.out(f"interrupted: {report.n_fixes - len(report.cases)} were not asked")
    terminal.out(f"\nin {report.budget:,} tokens            changed lines shown   functions whole")
    # Both are computed each time that they are asked for.
    rows, worst = report.rows, report.worst
    for row in rows:
        terminal.out(f"{_CALLED[row.system]:27}{_with(row.changed):22}{_with(row.whole)}")
    for row in rows:
        if row.beyond:
            difference = _with(row.beyond, sign="+")
            terminal.out(f"changed lines, satchel beyond {_CALLED[row.system]}: {difference}")
    if worst:
        terminal.out(f"\nthe {len(worst)} that went worst (satchel, grep, BM25):")
    for case in worst:
        _print_case(case)


def _print_case(case: Case) -> None:
    # Messages and names are the repository's: they are cleaned, and stay on their line.
    shares = " ".join(f"{found.changed:4.0%}" for found in case.shown.values())
    subject = clean(case.fix.subject)
    subject = subject if len(subject) <= _LONGEST else subject[: _LONGEST - 1] + "…"
    terminal.out(f"{shares}  {case.fix.commit[:10]} {subject}")
    # One function says where to look; the JSON has all of them.
    first, *others = case.fix.targets
    more = f", and {len(others)} more" if others else ""
    where = "its file is shown" if case.shown[SATCHEL].has_file else "its file is not shown"
    terminal.out(
        f"                {clean(first.path)}:{first.first_line}-{first.last_line}"
        f" {clean(first.function)}{more}; {where}"
    )


def print_outcome(outcome: Outcome, *, as_json: bool) -> None:
    """Print what tuning found."""
    if as_json:
        terminal.out_json(
            TuneResult(
                outcome.is_kept, dict(outcome.numbers), outcome.earlier, outcome.later,
                outcome.n_earlier, outcome.n_later,
            )
        )  # fmt: skip
        return
    if not outcome.numbers:
        terminal.out(
            f"no number was better than those that ship, on {outcome.n_earlier} earlier fixes;"
            " nothing has changed"
        )
        return
    terminal.out(_numbers(outcome.numbers))
    terminal.out(f"on the {outcome.n_earlier} earlier fixes: {_with(outcome.earlier, sign='+')}")
    terminal.out(f"on the {outcome.n_later} later ones: {_with(outcome.later, sign='+')}")
    terminal.out(
        "in force for packs of this code base; `satchel tune --undo` goes back"
        if outcome.is_kept
        else "not kept: on the later fixes, which they were not chosen on, no gain is sure"
    )


def print_tuned(found: Tuned | None, *, as_json: bool) -> None:
    """Print which numbers are in force."""
    if as_json:
        later = Interval(found.gain, found.low, found.high) if found else None
        numbers = found.numbers if found else {}
        counts = (found.n_tuned, found.n_later) if found else (0, 0)
        terminal.out_json(TuneResult(found is not None, numbers, None, later, *counts))
    elif found is None:
        terminal.out("the shipped numbers are in force; `satchel tune --history` tries others")
    else:
        gain = _with(Interval(found.gain, found.low, found.high), sign="+")
        terminal.out(_numbers(found.numbers))
        terminal.out(f"of changed lines they show {gain} more, on {found.n_later} later fixes")
        terminal.out("`satchel tune --undo` goes back to the shipped numbers")


def print_undone(*, was_tuned: bool, as_json: bool) -> None:
    """Print that the shipped numbers are in force."""
    if as_json:
        terminal.out_json(TuneResult(in_force=False, numbers={}))
    else:
        before = "" if was_tuned else ", as they were before"
        terminal.out(f"the shipped numbers are in force{before}")


def _numbers(numbers: Mapping[str, float]) -> str:
    return "tuned: " + ", ".join(f"{name} {value:g}" for name, value in sorted(numbers.items()))


def _with(found: Interval, sign: str = "") -> str:
    # Differences carry their sign, so that a loss is seen.
    low, high = f"{found.low:{sign}.2f}", f"{found.high:{sign}.2f}"
    return f"{found.mean:{sign}.2f} ({low} to {high})"


def _result(report: Report) -> HistoryResult:
    return HistoryResult(
        report.since, report.commits, report.budget, report.n_commits, report.n_files,
        report.n_fixes, len(report.cases), report.rows, [_case(case) for case in report.cases],
        [case.fix.commit for case in report.worst],
    )  # fmt: skip


def _case(case: Case) -> CaseRow:
    targets = [TargetRow(t.path, t.first_line, t.last_line, t.function) for t in case.fix.targets]
    return CaseRow(
        case.fix.commit,
        case.fix.subject,
        {name: round(found.changed, 4) for name, found in case.shown.items()},
        {name: round(found.whole, 4) for name, found in case.shown.items()},
        case.shown[SATCHEL].has_file,
        targets,
    )
