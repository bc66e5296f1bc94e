"""Writes a report as text, JSON, GitHub annotations or Markdown; SARIF and JUnit are beside this.

Paths and messages are data: control characters in them are escaped, and so are the characters that
mean something in a format.
"""

from collections.abc import Callable
from enum import StrEnum

from msgspec import Struct, convert

from satchel.assembler.quoting import clean, json_of
from satchel.assembler.quoting import path as quoted
from satchel.store.counted import counted
from satchel.validation.formats import junit, sarif
from satchel.validation.model import Finding, Report, Severity

# GitHub shows ten of each severity a step and drops the rest.
_ANNOTATIONS = 10
_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
# Worst first, as the enumeration has them.
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
    """One line for each finding, worst first, then the summary."""
    lines = []
    for finding in _worst_first(report):
        where = f"{_location_of(finding)}: " if finding.path else ""
        lines.append(f"{finding.severity} {finding.code} {where}{clean(finding.message)}")
        if finding.hint:
            lines.append(f"  hint: {finding.hint}")
    return "\n".join([*lines, verdict(report)]) + "\n"


def verdict(report: Report) -> str:
    """The summary in one line: what was checked, and how many findings there are."""
    counts = [(s, sum(f.severity == s for f in report.findings)) for s in _ORDER]
    found = ", ".join(f"{n} {severity}" for severity, n in counts if n) or "nothing found"
    known = sum(outcome.known for outcome in report.outcomes)
    seconds = sum(outcome.seconds for outcome in report.outcomes)
    return (
        f"{report.level.name.lower()}: {counted(len(report.outcomes), 'check')} of"
        f" {counted(report.files, 'file')},"
        f" generation {report.generation}, in {seconds:.1f} s: {found}"
        + (f" ({known} known to the baseline)" if known else "")
        + ("; the rest of the checks was not run" if report.unfinished else "")
    )


def json_text(report: Report) -> str:
    """One JSON document; its shape has a version."""
    checks = [
        CheckRow(
            outcome.check.code, outcome.check.name, outcome.check.meaning, len(outcome.findings),
            outcome.known, round(outcome.seconds, 4),
        )
        for outcome in report.outcomes
    ]  # fmt: skip
    findings = convert(report.findings, list[FindingRow], from_attributes=True)
    result = ReportResult(
        report.root, report.level.name.lower(), report.generation, report.files,
        report.exit_code(), report.unfinished, checks, findings,
        {metric.name: metric.value for metric in report.metrics},
    )  # fmt: skip
    return json_of(result) + "\n"


def github(report: Report) -> str:
    """Workflow commands, the worst first, at most ten of a severity; then the verdict."""
    lines: list[str] = []
    # The limit is per severity, so that ten warnings do not crowd out an error.
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
    # GitHub shows one text for an annotation, so the hint is a part of it.
    message = f"{finding.message}. {finding.hint}" if finding.hint else finding.message
    return f"::{_COMMANDS[finding.severity]} {','.join(properties)}::{_data(clean(message))}"


def _data(text: str) -> str:
    # As GitHub's own toolkit escapes the text of a workflow command (actions/toolkit, command.ts).
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def markdown(report: Report) -> str:
    """A summary for a page: the verdict, then a table of findings if there are any."""
    lines = [f"### satchel validate\n\n{_cell(verdict(report))}\n"]
    findings = _worst_first(report)
    if findings:
        lines += ["| | check | where | what | hint |", "|---|---|---|---|---|"]
        cells = ((f.severity, f.code, _location_of(f), f.message, f.hint) for f in findings)
        lines += [f"| {' | '.join(map(_cell, row))} |" for row in cells]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """Text that cannot leave its cell, nor become a tag or a mention."""
    escaped = clean(text).replace("\\", "\\\\").replace("|", "\\|")
    return escaped.replace("<", "&lt;").replace("@", "&#64;")


def _location_of(finding: Finding) -> str:
    path = quoted(finding.path)
    return f"{path}:{finding.line}" if finding.line else path


def _worst_first(report: Report) -> list[Finding]:
    return sorted(report.findings, key=lambda finding: _ORDER.index(finding.severity))


_WRITERS: dict[Format, Callable[[Report], str]] = {
    Format.TEXT: text,
    Format.JSON: json_text,
    Format.SARIF: sarif.sarif,
    Format.JUNIT: junit.junit,
    Format.GITHUB: github,
    Format.MARKDOWN: markdown,
}
