"""The baseline: findings that a team has seen and accepts, and shares that must not drop."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import MsgspecError, Struct, field, json

from satchel.indexer.scan.open_below import content
from satchel.store.errors import UsageError, reason
from satchel.store.platform.replace_file import replace_file
from satchel.store.sqlite.schema import FACTS_VERSION
from satchel.validation.model import Report

NAME = "baseline.json"
"""In `.satchel` of the tree, committed."""
MAX_BYTES = 64 << 20
"""A larger file is refused: no team accepts so many findings."""
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
    facts: int = 0
    """The `FACTS_VERSION` of the index that was measured; 0 in files older than this field."""


class Baseline(Struct, frozen=True):
    """Fingerprints of known findings, and metrics by name."""

    known: frozenset[str] = frozenset()
    shares: Mapping[str, float] = field(default_factory=dict)
    is_outdated: bool = False
    """Whether the shares were left out, since another version of Satchel counts other uses."""


def read(path: Path, *, required: bool, below: Path | None = None) -> Baseline:
    """The baseline in a file; an empty one when there is none and none is `required`.

    With `below`, no link is followed on the way from that folder.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        file = json.decode(content(path, MAX_BYTES, below=below), type=_File)
    except (OSError, MsgspecError, UnicodeDecodeError, RecursionError) as error:
        if isinstance(error, FileNotFoundError | NotADirectoryError) and not required:
            return Baseline()
        raise UsageError(
            f"the baseline {path} cannot be read: {reason(error)}",
            "--update-baseline writes a new one",
        ) from error
    if file.schema != _VERSION:
        raise UsageError(f"{path} has schema {file.schema}", "--update-baseline writes a new one")
    known = frozenset(known.fingerprint for known in file.known)
    # A version that extracts more uses resolves another share of them without any damage.
    if file.metrics and file.facts != FACTS_VERSION:
        return Baseline(known, is_outdated=True)
    return Baseline(known, file.metrics)


def write(path: Path, report: Report) -> None:
    """Write the findings and metrics of a report, formatted so that a diff of it can be read.

    The messages are in it for people; only the fingerprints are read again.
    """
    known = [KnownFinding(f.fingerprint, f.code, f.path, f.message) for f in report.findings]
    metrics = {metric.name: metric.value for metric in report.metrics}
    encoded = json.encode(_File(_VERSION, metrics, known, FACTS_VERSION))
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, json.format(encoded, indent=2) + b"\n", mode=0o644)
