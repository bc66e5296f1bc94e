"""What validation speaks of: checks, what they found, and the report. Frozen values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from hashlib import blake2b

from satchel.validation.check_context import CheckContext, StoredFile

_NUMBER = re.compile(r"\d+")


class Level(IntEnum):
    """How hard to look; a level does all that those below it do."""

    QUICK = 1
    """Seconds at most: a twentieth of a reindex."""
    STANDARD = 2
    """Everything short of parsing again."""
    DEEP = 3
    """Parsing again, and the team's own questions."""


class Severity(StrEnum):
    """What a finding asks for."""

    ERROR = "error"
    """The index says something that is not so."""
    WARNING = "warning"
    """The index is right, and a person should look at what it says."""
    INFO = "info"
    """Nothing is wrong; it never fails a run."""


class Remedy(StrEnum):
    """What makes a finding go away, the least that does."""

    REFRESH = "reindex"
    REPAIR = "repair"
    """What is damaged is made again from what is sound, down to the tree if need be."""
    REBUILD = "reindex --full"
    """Only the tree itself knows better."""
    PERSON = "a person"


class Fault(IntEnum):
    """What an error of a check means for the exit code; the largest of a report wins."""

    FINDING = 1
    STALE = 3
    CORRUPT = 4


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be. `path` is "" and `line` 0 where there is none."""

    code: str
    severity: Severity
    path: str
    line: int
    message: str
    hint: str = ""

    @property
    def fingerprint(self) -> str:
        """The same for the same finding tomorrow: lines and other numbers do not count."""
        said = f"{self.code}\0{self.path}\0{_NUMBER.sub('0', self.message)}"
        return blake2b(said.encode("utf-8", "replace"), digest_size=8).hexdigest()


Run = Callable[[CheckContext], Iterator[Finding]]
RunOnFile = Callable[[CheckContext, StoredFile], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class Check:
    """One promise about an index, and the function that finds where it is broken.

    One that looks at a file at a time has `on_file`: all of those share one pass over the index.
    """

    code: str
    level: Level
    name: str
    meaning: str
    fault: Fault
    remedy: Remedy
    run: Run | None = None
    on_file: RunOnFile | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one check found; `known` counts findings that the baseline knows and `findings` lack."""

    check: Check
    findings: tuple[Finding, ...]
    known: int
    seconds: float

    @property
    def failed(self) -> bool:
        """Whether anything is wrong, or worth a person's look."""
        return any(finding.severity != Severity.INFO for finding in self.findings)


@dataclass(frozen=True, slots=True)
class Metric:
    """A share in 0..1 that a baseline remembers; higher is better."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class Report:
    """What a run found, in the order of the table of checks."""

    root: str
    level: Level
    generation: int
    files: int
    outcomes: tuple[Outcome, ...]
    metrics: tuple[Metric, ...]
    unfinished: bool = False
    """Whether the index is too damaged for the rest of the checks."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Every finding that the baseline does not know."""
        return tuple(finding for outcome in self.outcomes for finding in outcome.findings)

    def exit_code(self, fail_on: Severity = Severity.WARNING) -> int:
        """0 for nothing to fail on, else 1 findings, 3 stale, 4 corrupt."""
        failing = (Severity.ERROR,) if fail_on == Severity.ERROR else _FAILING
        faults = [
            outcome.check.fault
            for outcome in self.outcomes
            if any(finding.severity in failing for finding in outcome.findings)
        ]
        return int(max(faults, default=0))


_FAILING = (Severity.ERROR, Severity.WARNING)
