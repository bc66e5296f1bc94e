"""A report as SARIF 2.1.0, as GitHub's code scanning reads it. Field names are the standard's."""

from __future__ import annotations

from pathlib import PurePosixPath

from msgspec import UNSET, Struct, UnsetType, field, json

from satchel.assembler.quoting import clean, escaped
from satchel.store.version import installed_version
from satchel.validation.model import Finding, Report, Severity

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
# GitHub shows no more of a run.
_MAX_RESULTS = 5_000


class Message(Struct, frozen=True):
    """Plain text."""

    text: str


class Rule(Struct, frozen=True, rename="camel"):
    """A check."""

    id: str
    name: str
    short_description: Message


class Region(Struct, frozen=True, rename="camel"):
    """A line, counted from 1."""

    start_line: int


class ArtifactLocation(Struct, frozen=True, rename="camel"):
    """A path below the root, percent-encoded."""

    uri: str
    uri_base_id: str = "%SRCROOT%"


class PhysicalLocation(Struct, frozen=True, rename="camel"):
    """A place in a file."""

    artifact_location: ArtifactLocation
    region: Region | UnsetType = UNSET


class Location(Struct, frozen=True, rename="camel"):
    """A place."""

    physical_location: PhysicalLocation


class Result(Struct, frozen=True, rename="camel"):
    """A finding."""

    rule_id: str
    rule_index: int
    level: str
    message: Message
    partial_fingerprints: dict[str, str]
    locations: list[Location]


class Driver(Struct, frozen=True, rename="camel"):
    """The program that made the report, and the rules that it knows."""

    name: str
    semantic_version: str
    rules: list[Rule]


class Tool(Struct, frozen=True):
    """The `tool` of SARIF, which holds a driver."""

    driver: Driver


class Invocation(Struct, frozen=True, rename="camel"):
    """Whether every check could run."""

    execution_successful: bool


class Run(Struct, frozen=True, rename="camel"):
    """The `run` of SARIF: one validation."""

    tool: Tool
    invocations: list[Invocation]
    results: list[Result]
    column_kind: str = "unicodeCodePoints"


class Log(Struct, frozen=True):
    """The document."""

    runs: list[Run]
    schema: str = field(name="$schema", default=_SCHEMA)
    version: str = "2.1.0"


def sarif(report: Report) -> str:
    """The report as one SARIF document."""
    checks = [outcome.check for outcome in report.outcomes]
    # A result refers to its rule by number, as GitHub wants it.
    places = {check.code: place for place, check in enumerate(checks)}
    results = [_result(f, places[f.code]) for f in report.findings[:_MAX_RESULTS]]
    driver = Driver(
        "satchel",
        installed_version(),
        [
            Rule(check.code, check.name.title().replace(" ", ""), Message(check.meaning))
            for check in checks
        ],
    )
    run = Run(Tool(driver), [Invocation(not report.unfinished)], results)
    return escaped(json.encode(Log([run])).decode()) + "\n"


def _result(finding: Finding, rule: int) -> Result:
    # A result needs a place; one of the whole index gets the root.
    uri = PurePosixPath("/", finding.path).as_uri()[len("file:///") :] or "."
    region = Region(finding.line) if finding.line else UNSET
    text = f"{finding.message}. {finding.hint}" if finding.hint else finding.message
    return Result(
        finding.code, rule, _LEVELS[finding.severity], Message(_without_links(text)),
        {"satchel/v1": finding.fingerprint},
        [Location(PhysicalLocation(ArtifactLocation(uri), region))],
    )  # fmt: skip


def _without_links(text: str) -> str:
    """A message without links: what stands in brackets is no address to click on."""
    return clean(text).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
