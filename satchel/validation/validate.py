"""Run the checks of a level over a project's index. The story of `satchel validate`.

open the index → walk the tree once → run each check of the table → leave out what is known
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby

from satchel.indexer.plan import make_plan
from satchel.indexer.scan.walk import ignore_folder
from satchel.store.errors import CorruptIndex, UsageError
from satchel.store.reading.snapshot import Snapshot
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
from satchel.workspace.lock import writer_lock
from satchel.workspace.project import Project

OnCheck = Callable[[str], None]
"""The name of the check that begins."""

# When these fail the rest would only repeat it, slowly.
_GATES = ("V001", "V002", "V004")
_MAX_LISTED = 50
_OPENED = Check(
    UNOPENED, Level.QUICK, "opened", "the index can be opened and read",
    Fault.CORRUPT, Remedy.REPAIR, lambda _evidence: iter(()),
)  # fmt: skip


def validate(
    project: Project,
    level: Level,
    baseline: Baseline,
    on_check: OnCheck,
    *,
    fail_fast: bool = False,
) -> Report:
    """Everything that is wrong with a project's index, as hard as `level` looks.

    An index that cannot be opened is a report as well. With `fail_fast` the first check that fails
    is the last: whether something is wrong, and not all that is.

    Raises:
        UsageError: there is no index.
        Locked: another process is in the middle of writing it.
    """
    if not project.is_indexed:
        raise UsageError(f"{project.root} has no index", "run `satchel reindex` there")
    try:
        with open_check_context(project, level, baseline) as context:
            return _run_checks(context, level, baseline, on_check, fail_fast=fail_fast)
    except CorruptIndex as error:
        said = error.message
    except UNREADABLE as error:
        said = f"the index cannot be read: {error!r:.200}"
    finding = _with_hint(_OPENED, Finding(UNOPENED, Severity.ERROR, "", 0, said))
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
    connection = database.connect(project.directory, writable=False)
    try:
        plan = make_plan(
            connection, project.root, options.walk, None, ignore_folder, lambda _n: None
        )
        with Snapshot(connection) as snapshot:
            if not snapshot.linked:
                with writer_lock(project.directory):
                    pass
            vectors = project.vector_search(snapshot)[0] if level > Level.QUICK else None
            yield CheckContext(
                project, options, Audit(connection), snapshot, plan, vectors, baseline.shares
            )
    finally:
        connection.close()


def _run_checks(
    context: CheckContext, level: Level, baseline: Baseline, on_check: OnCheck, *, fail_fast: bool
) -> Report:
    outcomes: list[Outcome] = []
    unfinished = False
    for on_files, group in groupby((c for c in CHECKS if c.level <= level), key=_looks_at_files):
        for ran in (
            _run_on_files(context, list(group), on_check)
            if on_files
            else _run_single(context, group, on_check)
        ):
            outcomes.append(_outcome(ran, context, baseline))
            if (ran.check.code in _GATES and ran.found) or (fail_fast and outcomes[-1].failed):
                unfinished = True
                break
        if unfinished:
            break
    metrics: tuple[Metric, ...] = ()
    if level > Level.QUICK and not unfinished:
        metrics = quality.metrics(context)
    return Report(
        str(context.root), level, context.snapshot.generation, len(context.plan.known),
        tuple(outcomes), metrics, unfinished,
    )  # fmt: skip


def _looks_at_files(check: Check) -> bool:
    return check.on_file is not None


def _run_single(
    context: CheckContext, checks: Iterable[Check], on_check: OnCheck
) -> Iterator[_CheckRun]:
    for check in checks:
        on_check(check.name)
        ran = _CheckRun(check)
        assert check.run
        ran.take(partial(check.run, context))
        yield ran


def _run_on_files(context: CheckContext, checks: list[Check], on_check: OnCheck) -> list[_CheckRun]:
    """One pass over the files for all of some checks."""
    on_check(", ".join(check.name for check in checks))
    every = [_CheckRun(check) for check in checks]
    try:
        for held in context.files():
            for ran in every:
                assert ran.check.on_file
                ran.take(partial(ran.check.on_file, context, held))
    except UNREADABLE as error:
        every[0].broke(error)
    return every


@dataclass(slots=True)
class _CheckRun:
    """What a check has found so far, and in what time."""

    check: Check
    found: list[Finding] = field(default_factory=list)
    seconds: float = 0.0

    def take(self, run: Callable[[], Iterator[Finding]]) -> None:
        """Run it and keep what it finds."""
        started = time.perf_counter()
        try:
            self.found.extend(run())
        except UNREADABLE as error:
            self.broke(error)
        self.seconds += time.perf_counter() - started

    def broke(self, error: Exception) -> None:
        """Damage came out as a value that nothing could be made of: as sure a sign as any."""
        self.check = replace(self.check, fault=Fault.CORRUPT, remedy=Remedy.REPAIR)
        said = f"the index cannot be read: {error!r:.200}"
        self.found.append(Finding(self.check.code, Severity.ERROR, "", 0, said))


def _outcome(ran: _CheckRun, context: CheckContext, baseline: Baseline) -> Outcome:
    check = ran.check
    ignore = context.settings.validation.ignore
    wanted = [finding for finding in ran.found if not _is_ignored(finding, ignore)]
    new = [finding for finding in wanted if finding.fingerprint not in baseline.known]
    listed = [_with_hint(check, finding) for finding in new[:_MAX_LISTED]]
    if len(new) > _MAX_LISTED:
        is_error = any(finding.severity == Severity.ERROR for finding in new)
        worst = Severity.ERROR if is_error else new[0].severity
        said = f"{len(new) - _MAX_LISTED} more findings of this kind"
        listed.append(_with_hint(check, Finding(check.code, worst, "", 0, said)))
    return Outcome(check, tuple(listed), len(wanted) - len(new), ran.seconds)


def _is_ignored(finding: Finding, ignore: Iterable[str]) -> bool:
    """Whether a setting names its code, or its code and where its path begins."""
    for entry in ignore:
        code, _, prefix = entry.partition(" ")
        if finding.code == code and finding.path.startswith(prefix):
            return True
    return False


def _with_hint(check: Check, finding: Finding) -> Finding:
    if finding.hint or finding.severity == Severity.INFO or check.remedy == Remedy.PERSON:
        return finding
    return replace(finding, hint=f"`satchel {check.remedy}` mends it")
