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
from satchel.validation.checks import quality
from satchel.validation.checks.table import CHECKS, UNOPENED
from satchel.validation.evidence import Evidence
from satchel.validation.model import (
    Check,
    Fault,
    Finding,
    Level,
    Mending,
    Metric,
    Outcome,
    Report,
    Severity,
)
from satchel.workspace.lock import writer_lock
from satchel.workspace.project import Project

OnCheck = Callable[[str], None]
"""The name of the check that begins."""

_GATES = ("V001", "V002", "V004")
"""When these fail the rest would only repeat it, slowly."""
_LISTED = 50
_OPENED = Check(
    UNOPENED, Level.QUICK, "opened", "the index can be opened and read",
    Fault.CORRUPT, Mending.REPAIR, lambda _evidence: iter(()),
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
        with evidence_of(project, level, baseline) as evidence:
            return _checked(evidence, level, baseline, on_check, fail_fast=fail_fast)
    except CorruptIndex as error:
        said = error.message
    except UNREADABLE as error:
        said = f"the index cannot be read: {error!r:.200}"
    finding = _hinted(_OPENED, Finding(UNOPENED, Severity.ERROR, "", 0, said))
    outcome = Outcome(_OPENED, (finding,), 0, 0.0)
    return Report(str(project.root), level, 0, 0, (outcome,), (), unfinished=True)


@contextmanager
def evidence_of(project: Project, level: Level, baseline: Baseline) -> Iterator[Evidence]:
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
            yield Evidence(
                project, options, Audit(connection), snapshot, plan, vectors, baseline.shares
            )
    finally:
        connection.close()


def _checked(
    evidence: Evidence, level: Level, baseline: Baseline, on_check: OnCheck, *, fail_fast: bool
) -> Report:
    outcomes: list[Outcome] = []
    unfinished = False
    for on_files, group in groupby((c for c in CHECKS if c.level <= level), key=_looks_at_files):
        for ran in (
            _on_files(evidence, list(group), on_check)
            if on_files
            else _one_by_one(evidence, group, on_check)
        ):
            outcomes.append(_outcome(ran, evidence, baseline))
            if (ran.check.code in _GATES and ran.found) or (fail_fast and outcomes[-1].failed):
                unfinished = True
                break
        if unfinished:
            break
    metrics: tuple[Metric, ...] = ()
    if level > Level.QUICK and not unfinished:
        metrics = quality.metrics(evidence)
    return Report(
        str(evidence.root), level, evidence.snapshot.generation, len(evidence.plan.known),
        tuple(outcomes), metrics, unfinished,
    )  # fmt: skip


def _looks_at_files(check: Check) -> bool:
    return check.on_file is not None


def _one_by_one(evidence: Evidence, checks: Iterable[Check], on_check: OnCheck) -> Iterator[_Ran]:
    for check in checks:
        on_check(check.name)
        ran = _Ran(check)
        assert check.run
        ran.take(partial(check.run, evidence))
        yield ran


def _on_files(evidence: Evidence, checks: list[Check], on_check: OnCheck) -> list[_Ran]:
    """One pass over the files for all of some checks."""
    on_check(", ".join(check.name for check in checks))
    every = [_Ran(check) for check in checks]
    try:
        for held in evidence.files():
            for ran in every:
                assert ran.check.on_file
                ran.take(partial(ran.check.on_file, evidence, held))
    except UNREADABLE as error:
        every[0].broke(error)
    return every


@dataclass(slots=True)
class _Ran:
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
        self.check = replace(self.check, fault=Fault.CORRUPT, mending=Mending.REPAIR)
        said = f"the index cannot be read: {error!r:.200}"
        self.found.append(Finding(self.check.code, Severity.ERROR, "", 0, said))


def _outcome(ran: _Ran, evidence: Evidence, baseline: Baseline) -> Outcome:
    check = ran.check
    ignore = evidence.settings.validation.ignore
    wanted = [finding for finding in ran.found if not _is_ignored(finding, ignore)]
    new = [finding for finding in wanted if finding.fingerprint not in baseline.known]
    listed = [_hinted(check, finding) for finding in new[:_LISTED]]
    if len(new) > _LISTED:
        is_error = any(finding.severity == Severity.ERROR for finding in new)
        worst = Severity.ERROR if is_error else new[0].severity
        said = f"{len(new) - _LISTED} more findings of this kind"
        listed.append(_hinted(check, Finding(check.code, worst, "", 0, said)))
    return Outcome(check, tuple(listed), len(wanted) - len(new), ran.seconds)


def _is_ignored(finding: Finding, ignore: Iterable[str]) -> bool:
    """Whether a setting names its code, or its code and where its path begins."""
    for entry in ignore:
        code, _, prefix = entry.partition(" ")
        if finding.code == code and finding.path.startswith(prefix):
            return True
    return False


def _hinted(check: Check, finding: Finding) -> Finding:
    if finding.hint or finding.severity == Severity.INFO or check.mending == Mending.PERSON:
        return finding
    return replace(finding, hint=f"`satchel {check.mending}` mends it")
