"""Times: parsed from ISO 8601, kept in milliseconds, written as ISO 8601 in UTC with "Z".

They are compared as numbers only: as texts, 22:00+02:00 would come after 21:00Z.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from satchel.knowledge.model import Timestamp
from satchel.store.errors import UsageError

SECOND = 1_000
HOUR = 3_600 * SECOND
DAY = 24 * HOUR
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_AGO = re.compile(r"(\d{1,5})([mhdw])")
_UNITS = {"m": 60 * SECOND, "h": HOUR, "d": DAY, "w": 7 * DAY}


def parse(text: str, now: Timestamp, field: str = "since") -> Timestamp:
    """A date or time as ISO 8601 writes it (without an offset: UTC), or "24h", "7d" before `now`.

    Raises:
        UsageError: it is neither.
    """
    if ago := _AGO.fullmatch(text.strip()):
        return Timestamp(now - int(ago[1]) * _UNITS[ago[2]])
    try:
        parsed = datetime.fromisoformat(text.strip())
        aware = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
        # Whole division of timedeltas is exact; a float of seconds would lose milliseconds.
        return Timestamp((aware - _EPOCH) // timedelta(milliseconds=1))
    except (ValueError, OverflowError) as error:
        raise UsageError(
            f"{field} is {text[:40]!r}, not a time",
            "write 2026-03-01, 2026-03-01T12:00:00Z, 24h or 7d",
        ) from error


def format_iso(time: Timestamp) -> str:
    """`2026-03-01T12:00:00.000Z`."""
    at = _EPOCH + timedelta(milliseconds=time)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def format_day(time: Timestamp) -> str:
    """`2026-03-01`."""
    return format_iso(time)[:10]
