"""A report as SARIF 2.1.0, as GitHub's code scanning reads it. Field names are the standard's."""

from pathlib import PurePosixPath

from msgspec import json

from satchel.assembler.quoting import clean, escaped
from satchel.store.version import installed_version
from satchel.validation.model import Finding, Report, Severity

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
# GitHub shows no more of a run.
_MAX_RESULTS = 5_000


def sarif(report: Report) -> str:
    """The report as one SARIF document."""
    checks = [outcome.check for outcome in report.outcomes]
    # A result refers to its rule by number, as GitHub wants it.
    places = {check.code: place for place, check in enumerate(checks)}
    rules = [
        {
            "id": check.code,
            "name": check.name.title().replace(" ", ""),
            "shortDescription": {"text": check.meaning},
        }
        for check in checks
    ]
    driver = {"name": "satchel", "semanticVersion": installed_version(), "rules": rules}
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": not report.unfinished}],
        "results": [_result(f, places[f.code]) for f in report.findings[:_MAX_RESULTS]],
        "columnKind": "unicodeCodePoints",
    }
    document = {"runs": [run], "$schema": _SCHEMA, "version": "2.1.0"}
    return escaped(json.encode(document).decode()) + "\n"


def _result(finding: Finding, rule: int) -> dict[str, object]:
    # A result needs a place; one of the whole index gets the root. Its path is below the root and
    # percent-encoded, lines are counted from 1.
    uri = PurePosixPath("/", finding.path).as_uri()[len("file:///") :] or "."
    place: dict[str, object] = {"artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"}}
    if finding.line:
        place["region"] = {"startLine": finding.line}
    text = f"{finding.message}. {finding.hint}" if finding.hint else finding.message
    return {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": _without_links(text)},
        "partialFingerprints": {"satchel/v1": finding.fingerprint},
        "locations": [{"physicalLocation": place}],
    }


def _without_links(text: str) -> str:
    """A message without links: what stands in brackets is no address to click on."""
    return clean(text).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
