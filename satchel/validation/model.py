"""The values of validation: checks, findings and the report. Frozen."""

import re
from collections.abc import Callable, Iterator
from enum import IntEnum, StrEnum
from hashlib import blake2b

from msgspec import Struct

from satchel.validation.check_context import CheckContext, StoredFile

# Numbers in messages: counts, lines, shares.
_NUMBER = re.compile(r"\d+")


class Level(IntEnum):
    """How much is checked; a level runs all checks of the levels below it."""

    QUICK = 1
    """Seconds at most: about a twentieth of the time of a reindex."""
    STANDARD = 2
    """Everything that needs no parsing."""
    DEEP = 3
    """Everything, with a fresh index of the tree and the team's own questions."""


class Severity(StrEnum):
    """What a finding calls for."""

    ERROR = "error"
    """The index says something that is not so."""
    WARNING = "warning"
    """The index is right, and a person should look at what it says."""
    INFO = "info"
    """Nothing is wrong; it never fails a run."""


class Remedy(StrEnum):
    """The least that makes the findings of a check go away: a command, or a person."""

    REFRESH = "reindex"
    """Read what has changed in the tree."""
    REPAIR = "repair"
    """Make damaged rows again from sound ones, and from the tree where there are none."""
    REBUILD = "reindex --full"
    """Read everything again: the damage is in what all else is made from."""
    PERSON = "a person"
    """The code, the knowledge or the settings have to change."""


class Fault(IntEnum):
    """The exit code when a check fails; the largest of a report is the one of the run."""

    FINDING = 1
    STALE = 3
    CORRUPT = 4


class Finding(Struct, frozen=True):
    """One thing that is wrong. `path` is "" and `line` 0 where there is none."""

    severity: Severity
    path: str
    line: int
    message: str
    hint: str = ""
    code: str = ""
    """Code of the check which found it; whoever runs the check adds it."""

    @property
    def fingerprint(self) -> str:
        """A digest by which a baseline knows the finding again."""
        # Without numbers: an edit further up moves a line, and the finding is still the same one.
        # A message that is worded anew is a new finding to every baseline there is.
        text = f"{self.code}\0{self.path}\0{_NUMBER.sub('0', self.message)}"
        return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def error(message: str, path: str = "", line: int = 0) -> Finding:
    """An error without a hint of its own: it gets the remedy of its check."""
    return Finding(Severity.ERROR, path, line, message)


Run = Callable[[CheckContext], Iterator[Finding]]
RunOnFile = Callable[[CheckContext, StoredFile], Iterator[Finding]]


class Check(Struct, frozen=True):
    """One property of an index, and the function that finds where it does not hold.

    `meaning` states the property, as users read it. A check that looks at one file at a time has
    `on_file` instead of `run`: all of those share one pass over the index.
    """

    code: str
    level: Level
    name: str
    meaning: str
    fault: Fault
    remedy: Remedy
    run: Run | None = None
    on_file: RunOnFile | None = None


class Outcome(Struct, frozen=True):
    """The new findings of one check; `known` counts those that the baseline knows."""

    check: Check
    findings: tuple[Finding, ...]
    known: int
    seconds: float

    @property
    def failed(self) -> bool:
        """Whether it found an error or a warning."""
        return any(finding.severity != Severity.INFO for finding in self.findings)


class Metric(Struct, frozen=True):
    """A share in 0..1 that a baseline remembers; higher is better."""

    name: str
    value: float


class Report(Struct, frozen=True):
    """The result of a run, in the order of the table of checks."""

    root: str
    level: Level
    generation: int
    files: int
    outcomes: tuple[Outcome, ...]
    metrics: tuple[Metric, ...]
    unfinished: bool = False
    """Whether checks were left out since the index is too damaged for them."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Every finding that the baseline does not know."""
        return tuple(finding for outcome in self.outcomes for finding in outcome.findings)

    def exit_code(self, fail_on: Severity = Severity.WARNING) -> int:
        """0 for nothing to fail on, else 1 findings, 3 stale, 4 corrupt."""
        # The worst check decides: a script can tell "out of date" from "damaged" by the number.
        failing = (Severity.ERROR,) if fail_on == Severity.ERROR else _FAILING
        faults = [
            outcome.check.fault
            for outcome in self.outcomes
            if any(finding.severity in failing for finding in outcome.findings)
        ]
        return int(max(faults, default=0))


# What fails a run unless `fail_on` says that warnings do not.
_FAILING = (Severity.ERROR, Severity.WARNING)
