"""Times as people and agents write them: an age ("24h", "7d") or an ISO 8601 date or time.

Code and knowledge read them here, so that one `since` is one moment. Without an offset UTC is
meant, which every printed time is in too: an answer does not depend on where a process runs.
"""

import re
from datetime import UTC, datetime, timedelta

from satchel.store.errors import UsageError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_AGE = re.compile(r"(\d{1,6})\s*([mhdwy])")
_UNITS = {
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
    "y": timedelta(days=365.25),
}


def moment_ns(text: str, now_ns: int) -> int | None:
    """The time that is meant, in nanoseconds since 1970; None where the text is no time.

    An age reaches back to 1970 at most. A date is its beginning.
    """
    text = text.strip()
    if age := _AGE.fullmatch(text):
        return max(0, now_ns - int(age[1]) * _ns(_UNITS[age[2]]))
    try:
        found = datetime.fromisoformat(text)
        return _ns((found if found.tzinfo else found.replace(tzinfo=UTC)) - EPOCH)
    except (ValueError, OverflowError):
        return None


def refuse_future(text: str, moment: int, now_ns: int) -> None:
    """Refuse a moment (in ns since 1970) that has not come anywhere on Earth.

    Raises:
        UsageError: it is more than a day away; the message repeats the text that means it.
    """
    if moment > now_ns + _ns(timedelta(days=1)):
        raise UsageError(f"{text[:40]!r} is in the future", "name a time or revision of the past")


def _ns(length: timedelta) -> int:
    # Whole division of timedeltas is exact.
    return length // timedelta(microseconds=1) * 1_000
