"""Runs the checks of a level over a project's index: what `satchel validate` does, step by step.

open the index → walk the tree once → run each check of the table → leave out known findings
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from itertools import groupby

from msgspec import Struct, field
from msgspec.structs import replace

from satchel.indexer.plan import make_plan
from satchel.indexer.scan.walk import ignore_folder
from satchel.store.counted import counted
from satchel.store.errors import CorruptIndex, UsageError
from satchel.store.reading.sqlite_snapshot import SqliteSnapshot
from satchel.store.sqlite import database
from satchel.store.sqlite.audit import UNREADABLE, Audit
from satchel.validation.baseline import Baseline
from satchel.validation.check_context import CheckContext
from satchel.validation.checks import quality
from satchel.validation.checks.table import CHECKS, UNOPENED
from satchel.validation.model import (
    Check,
    Fault,
    Finding,
    Level,
    Metric,
    Outcome,
    Remedy,
    Report,
    Severity,
)
from satchel.workspace.configuration.load import need_all
from satchel.workspace.lock import writer_lock
from satchel.workspace.project import Project

OnCheck = Callable[[str], None]
"""Called with the name of the check that begins."""

# When one of these fails the index is damaged throughout: the other checks would only find the same
# damage again, slowly.
_GATES = ("V001", "V002", "V004")
# Findings of one check that a report lists; the rest is one finding with their number.
_MAX_LISTED = 50
_OPENED = Check(
    UNOPENED, Level.QUICK, "opened", "the index can be opened and read",
    Fault.CORRUPT, Remedy.REPAIR, lambda _context: iter(()),
)  # fmt: skip


def validate(
    project: Project,
    level: Level,
    baseline: Baseline,
    on_check: OnCheck,
    *,
    fail_fast: bool = False,
) -> Report:
    """A report of everything that the checks of a level find wrong with a project's index.

    An index that cannot be opened gives a report as well. With `fail_fast` the first check that
    fails is the last one: for who asks whether something is wrong, and not what.

    Raises:
        UsageError: there is no index.
        ConfigError: something in the repository's own settings cannot be used.
        Locked: another process is in the middle of writing it.
    """
    need_all(project.left_out)
    if not project.is_indexed:
        raise UsageError(f"{project.root} has no index", "run `satchel reindex` there")
    try:
        with open_check_context(project, level, baseline) as context:
            return _run_checks(context, level, baseline, on_check, fail_fast=fail_fast)
    except CorruptIndex as error:
        message = error.message
    except UNREADABLE as error:
        message = f"the index cannot be read: {error!r:.200}"
    finding = _with_hint(_OPENED, Finding(Severity.ERROR, "", 0, message, code=UNOPENED))
    outcome = Outcome(_OPENED, (finding,), 0, 0.0)
    return Report(str(project.root), level, 0, 0, (outcome,), (), unfinished=True)


@contextmanager
def open_check_context(
    project: Project, level: Level, baseline: Baseline
) -> Iterator[CheckContext]:
    """One generation of the index and one walk over the tree.

    Raises:
        CorruptIndex: the index cannot be opened.
        Locked: it is not complete, and another process is at it.
    """
    options = project.options()
    with closing(database.connect(project.directory, writable=False)) as connection:
        plan = make_plan(connection, project.root, options.walk, ignore_folder, lambda _n: None)
        with SqliteSnapshot(connection) as snapshot:
            if not snapshot.linked:
                # Either a refresh is going on, which raises here, or one was interrupted, which
                # the check `finished` reports.
                with writer_lock(project.directory):
                    pass
            vectors = None
            if level > Level.QUICK:
                with suppress(CorruptIndex):  # a check of its own says which vectors are damaged
                    vectors = project.vector_search(snapshot)[0]
            yield CheckContext(
                project, options, Audit(connection), snapshot, plan, vectors, baseline.shares
            )


def _run_checks(
    context: CheckContext, level: Level, baseline: Baseline, on_check: OnCheck, *, fail_fast: bool
) -> Report:
    outcomes: list[Outcome] = []
    unfinished = False
    for run in _runs([check for check in CHECKS if check.level <= level], context, on_check):
        # The findings of a check that are neither ignored by the settings nor in the baseline.
        check = run.check
        ignore = context.project.settings.validation.ignore
        wanted = [finding for finding in run.found if not _is_ignored(finding, ignore)]
        new = [finding for finding in wanted if finding.fingerprint not in baseline.known]
        listed = [_with_hint(check, finding) for finding in new[:_MAX_LISTED]]
        if len(new) > _MAX_LISTED:
            # The sum carries the worst severity of all, so that errors beyond the fiftieth count.
            is_error = any(finding.severity == Severity.ERROR for finding in new)
            worst = Severity.ERROR if is_error else new[0].severity
            message = f"{counted(len(new) - _MAX_LISTED, 'more finding')} of this kind"
            listed.append(_with_hint(check, Finding(worst, "", 0, message, code=check.code)))
        outcomes.append(Outcome(check, tuple(listed), len(wanted) - len(new), run.seconds))
        # Findings of later checks would be about an index that cannot be read, and mislead.
        if (run.check.code in _GATES and run.found) or (fail_fast and outcomes[-1].failed):
            unfinished = True
            break
    metrics: tuple[Metric, ...] = ()
    # The shares of a damaged index would become the baseline's if somebody wrote one now.
    if level > Level.QUICK and not unfinished:
        metrics = quality.metrics(context)
    return Report(
        str(context.project.root), level, context.snapshot.generation, len(context.plan.known),
        tuple(outcomes), metrics, unfinished,
    )  # fmt: skip


def _runs(checks: Iterable[Check], context: CheckContext, on_check: OnCheck) -> Iterator[_CheckRun]:
    """Each check after it has run, in order; neighbours that look at files share one pass."""
    # `groupby` joins neighbours only, which keeps the order of the table.
    for on_files, group in groupby(checks, key=lambda check: check.on_file is not None):
        runs = [_CheckRun(check) for check in group]
        if on_files:
            on_check(", ".join(run.check.name for run in runs))
            _run_on_files(context, runs)
            yield from runs
            continue
        for run in runs:
            on_check(run.check.name)
            assert run.check.run
            run.collect(partial(run.check.run, context))
            yield run


def _run_on_files(context: CheckContext, runs: list[_CheckRun]) -> None:
    """One pass over the files: decoding a file takes longer than all checks of it."""
    try:
        for file in context.files():
            for run in runs:
                assert run.check.on_file
                run.collect(partial(run.check.on_file, context, file))
    except UNREADABLE as error:
        runs[0].add_unreadable(error)


class _CheckRun(Struct):
    """What a check has found so far, and in how much time."""

    check: Check
    found: list[Finding] = field(default_factory=list)
    seconds: float = 0.0

    def collect(self, run: Callable[[], Iterator[Finding]]) -> None:
        """Run the check, or the check of one file, and add what it finds."""
        started = time.perf_counter()
        try:
            self.found.extend(replace(found, code=self.check.code) for found in run())
        except UNREADABLE as error:
            self.add_unreadable(error)
        self.seconds += time.perf_counter() - started

    def add_unreadable(self, error: Exception) -> None:
        """Turn an error into a finding: rows that cannot be decoded are damaged rows.

        Whatever the check is about, the index is corrupt then, and `repair` is the remedy.
        """
        self.check = replace(self.check, fault=Fault.CORRUPT, remedy=Remedy.REPAIR)
        message = f"the index cannot be read: {error!r:.200}"
        self.found.append(Finding(Severity.ERROR, "", 0, message, code=self.check.code))


def _is_ignored(finding: Finding, ignore: Iterable[str]) -> bool:
    """Whether a setting names the finding's code, or its code and the beginning of its path."""
    for entry in ignore:
        code, _, prefix = entry.partition(" ")
        if finding.code == code and finding.path.startswith(prefix):
            return True
    return False


def _with_hint(check: Check, finding: Finding) -> Finding:
    if finding.hint or finding.severity == Severity.INFO or check.remedy == Remedy.PERSON:
        return finding
    return replace(finding, hint=f"`satchel {check.remedy}` repairs it")
