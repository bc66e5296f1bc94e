"""Times: parsed from ISO 8601, kept in milliseconds, written as ISO 8601 in UTC with "Z".

They are compared as numbers only: as texts, 22:00+02:00 would come after 21:00Z.
"""

from datetime import timedelta

from satchel.knowledge.model import Timestamp
from satchel.store.errors import UsageError
from satchel.store.platform.since import EPOCH, moment_ns

SECOND = 1_000
HOUR = 3_600 * SECOND
DAY = 24 * HOUR
_NS = 1_000_000


def parse(text: str, now: Timestamp, field: str = "since") -> Timestamp:
    """A date or time as ISO 8601 writes it (without an offset: UTC), or "24h", "7d" before `now`.

    Raises:
        UsageError: it is neither.
    """
    found = moment_ns(text, now * _NS)
    if found is None:
        raise UsageError(
            f"{field} is {text[:40]!r}, not a time",
            "write 2026-03-01, 2026-03-01T12:00:00Z, 24h or 7d",
        )
    return Timestamp(found // _NS)


def format_iso(time: Timestamp) -> str:
    """`2026-03-01T12:00:00.000Z`."""
    at = EPOCH + timedelta(milliseconds=time)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def format_day(time: Timestamp) -> str:
    """`2026-03-01`."""
    return format_iso(time)[:10]
