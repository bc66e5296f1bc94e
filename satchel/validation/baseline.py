"""The baseline: findings that a team has seen and accepts, and shares that must not drop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import MsgspecError, Struct, json

from satchel.store.errors import UsageError
from satchel.validation.model import Report

NAME = "baseline.json"
"""In `.satchel`, committed."""
_VERSION = 1


class KnownFinding(Struct, frozen=True):
    """A finding as it was when the baseline was written; the fingerprint is what counts."""

    fingerprint: str
    code: str
    path: str
    message: str


# The file as it is committed; `schema` is its version.
class _File(Struct, frozen=True):
    schema: int
    metrics: dict[str, float]
    known: list[KnownFinding]


@dataclass(frozen=True, slots=True)
class Baseline:
    """Fingerprints of known findings, and metrics by name."""

    known: frozenset[str] = frozenset()
    shares: Mapping[str, float] = field(default_factory=dict)


def read(path: Path, *, required: bool) -> Baseline:
    """The baseline in a file; an empty one when there is none and none is `required`.

    Raises:
        UsageError: it cannot be read.
    """
    if not required and not path.is_file():
        return Baseline()  # most projects have none
    try:
        file = json.decode(path.read_bytes(), type=_File)
    except (OSError, MsgspecError) as error:
        raise UsageError(
            f"the baseline {path} cannot be read: {error}", "--update-baseline writes a new one"
        ) from error
    if file.schema != _VERSION:
        raise UsageError(f"{path} has schema {file.schema}", "--update-baseline writes a new one")
    return Baseline(frozenset(known.fingerprint for known in file.known), file.metrics)


def write(path: Path, report: Report) -> None:
    """Write the findings and metrics of a report, formatted so that a diff of it can be read.

    The messages are in it for people; only the fingerprints are read again.
    """
    known = [KnownFinding(f.fingerprint, f.code, f.path, f.message) for f in report.findings]
    metrics = {metric.name: metric.value for metric in report.metrics}
    encoded = json.encode(_File(_VERSION, metrics, known))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(json.format(encoded, indent=2) + b"\n")
