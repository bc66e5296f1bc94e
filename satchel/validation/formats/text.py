"""A report as text, JSON, GitHub annotations or Markdown; SARIF and JUnit have files of their own.

Paths and messages are data: control characters in them are escaped, and so is whatever a format
takes for its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum

from msgspec import Struct, json

from satchel.assembler.render import clean
from satchel.validation.formats import junit, sarif
from satchel.validation.model import Finding, Outcome, Report, Severity

# GitHub shows ten of each severity a step and drops the rest.
_ANNOTATIONS = 10
_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_ORDER = tuple(Severity)


class Format(StrEnum):
    """How a report is written down."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    JUNIT = "junit"
    GITHUB = "github"
    MARKDOWN = "markdown"


class FindingRow(Struct, frozen=True):
    """A finding; `line` is 0 where there is none."""

    code: str
    severity: str
    path: str
    line: int
    message: str
    hint: str
    fingerprint: str


class CheckRow(Struct, frozen=True):
    """A check that ran; `known` counts findings that the baseline knows."""

    code: str
    name: str
    meaning: str
    findings: int
    known: int
    seconds: float


class ReportResult(Struct, frozen=True):
    """The JSON of `validate`; `exit_code` is the one that a failing warning gives."""

    root: str
    level: str
    generation: int
    files: int
    exit_code: int
    unfinished: bool
    checks: list[CheckRow]
    findings: list[FindingRow]
    metrics: dict[str, float]
    schema: int = 1


def format_report(report: Report, chosen: Format) -> str:
    """The report in a format, with a final newline."""
    return _WRITERS[chosen](report)


def text(report: Report) -> str:
    """A line a finding, worst first, then what was done."""
    lines = [line for finding in _worst_first(report) for line in _text_lines(finding)]
    lines += [verdict(report)]
    return "\n".join(lines) + "\n"


def _text_lines(finding: Finding) -> Iterator[str]:
    where = f"{_place(finding)}: " if finding.path else ""
    yield f"{finding.severity} {finding.code} {where}{clean(finding.message)}"
    if finding.hint:
        yield f"  hint: {finding.hint}"


def verdict(report: Report) -> str:
    """One line: what was looked at, and how it is."""
    counts = [(s, sum(f.severity == s for f in report.findings)) for s in _ORDER]
    said = ", ".join(f"{n} {severity}" for severity, n in counts if n) or "nothing found"
    known = sum(outcome.known for outcome in report.outcomes)
    seconds = sum(outcome.seconds for outcome in report.outcomes)
    return (
        f"{report.level.name.lower()}: {len(report.outcomes)} checks of {report.files:,} files,"
        f" generation {report.generation}, in {seconds:.1f} s: {said}"
        + (f" ({known} known to the baseline)" if known else "")
        + ("; the rest of the checks was not run" if report.unfinished else "")
    )


def json_text(report: Report) -> str:
    """One JSON document; its shape has a version."""
    result = ReportResult(
        _printable(report.root), report.level.name.lower(), report.generation, report.files,
        report.exit_code(), report.unfinished, [_check(outcome) for outcome in report.outcomes],
        [_finding(finding) for finding in report.findings],
        {metric.name: metric.value for metric in report.metrics},
    )  # fmt: skip
    return json.encode(result).decode() + "\n"


def _check(outcome: Outcome) -> CheckRow:
    check = outcome.check
    return CheckRow(
        check.code, check.name, check.meaning, len(outcome.findings), outcome.known,
        round(outcome.seconds, 4),
    )  # fmt: skip


def _finding(finding: Finding) -> FindingRow:
    return FindingRow(
        finding.code, finding.severity, _printable(finding.path), finding.line,
        _printable(finding.message), finding.hint, finding.fingerprint,
    )  # fmt: skip


def github(report: Report) -> str:
    """Workflow commands, the worst first, at most ten of a severity; then the verdict."""
    lines: list[str] = []
    for severity in _ORDER:
        found = [finding for finding in report.findings if finding.severity == severity]
        lines += [_annotation(finding) for finding in found[:_ANNOTATIONS]]
    return "\n".join([*lines, verdict(report)]) + "\n"


def _annotation(finding: Finding) -> str:
    properties = [f"title={_property(f'satchel {finding.code}')}"]
    if finding.path:
        properties.insert(0, f"file={_property(clean(finding.path))}")
    if finding.line:
        properties.append(f"line={finding.line}")
    said = f"{finding.message}. {finding.hint}" if finding.hint else finding.message
    return f"::{_COMMANDS[finding.severity]} {','.join(properties)}::{_data(clean(said))}"


def _data(said: str) -> str:
    return said.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(said: str) -> str:
    return _data(said).replace(":", "%3A").replace(",", "%2C")


def markdown(report: Report) -> str:
    """A summary for a page: the verdict, then a table of findings if there are any."""
    lines = [f"### satchel validate\n\n{_cell(verdict(report))}\n"]
    findings = _worst_first(report)
    if findings:
        lines += ["| | check | where | what | hint |", "|---|---|---|---|---|"]
        cells = ((f.severity, f.code, _place(f), f.message, f.hint) for f in findings)
        lines += [f"| {' | '.join(map(_cell, row))} |" for row in cells]
    return "\n".join(lines) + "\n"


def _cell(said: str) -> str:
    """Text that cannot leave its cell, nor become a tag or a mention."""
    escaped = clean(said).replace("\\", "\\\\").replace("|", "\\|")
    return escaped.replace("<", "&lt;").replace("@", "&#64;")


def _place(finding: Finding) -> str:
    path = clean(finding.path)
    return f"{path}:{finding.line}" if finding.line else path


def _worst_first(report: Report) -> list[Finding]:
    return sorted(report.findings, key=lambda finding: _ORDER.index(finding.severity))


def _printable(said: str) -> str:
    return said.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


_WRITERS: dict[Format, Callable[[Report], str]] = {
    Format.TEXT: text,
    Format.JSON: json_text,
    Format.SARIF: sarif.sarif,
    Format.JUNIT: junit.junit,
    Format.GITHUB: github,
    Format.MARKDOWN: markdown,
}
