"""What a team has looked at and lives with: findings that are known, shares that must not drop."""

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


class _File(Struct, frozen=True):
    schema: int
    metrics: dict[str, float]
    known: list[KnownFinding]


@dataclass(frozen=True, slots=True)
class Baseline:
    """An empty one knows nothing and remembers no share."""

    known: frozenset[str] = frozenset()
    shares: Mapping[str, float] = field(default_factory=dict)


def read(path: Path, *, required: bool) -> Baseline:
    """The baseline in a file; an empty one when there is none and none is `required`.

    Raises:
        UsageError: it cannot be read.
    """
    if not required and not path.is_file():
        return Baseline()
    try:
        held = json.decode(path.read_bytes(), type=_File)
    except (OSError, MsgspecError) as error:
        raise UsageError(
            f"the baseline {path} cannot be read: {error}", "--update-baseline writes a new one"
        ) from error
    if held.schema != _VERSION:
        raise UsageError(f"{path} has schema {held.schema}", "--update-baseline writes a new one")
    return Baseline(frozenset(known.fingerprint for known in held.known), held.metrics)


def write(path: Path, report: Report) -> None:
    """Remember what a report found; made to be read in a diff."""
    known = [KnownFinding(f.fingerprint, f.code, f.path, f.message) for f in report.findings]
    metrics = {metric.name: metric.value for metric in report.metrics}
    encoded = json.encode(_File(_VERSION, metrics, known))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(json.format(encoded, indent=2) + b"\n")
