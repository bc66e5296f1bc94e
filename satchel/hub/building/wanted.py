"""Repositories that somebody said have changed, and waiting for the next one.

PostgreSQL is the queue: a row says that a repository is wanted, and a notification wakes whoever
watches. A notification that nobody heard costs nothing, since the row stays.
"""

import re
import time
from collections.abc import Sequence

from satchel.hub.building.git_clone import split
from satchel.hub.database import Hub, rows, written

LOOKED_AT = "tried_at = now(), wanted_at = CASE WHEN wanted_at > %s::timestamptz THEN wanted_at END"
"""What becomes of a repository that was looked at since a time of `clock`: a webhook that came
meanwhile is about something newer, and stays."""
_CHANNEL = "satchel_wanted"
_MAX_ADDRESS = 2_000
"""Characters; nobody's is longer, and long ones take the pattern long."""
_PAUSE_S = 2.0
"""After a notification: a push to several repositories is several of them."""


def place(address: str) -> str:
    """Host and path of an address, by which two ways to write it are the same: lower case, and
    without what names a user, a port or ".git"; "" for what is no address."""
    if len(address) > _MAX_ADDRESS:
        return ""
    found = re.fullmatch(
        r"(?:\w+://)?(?:[^@/\s]+@)?([\w.-]+)(?::\d+(?=/))?[/:]+(\S+?)(?:\.git)?/?", address
    )
    return f"{found[1]}/{found[2]}".lower() if found else ""


def want(hub: Hub, addresses: Sequence[str]) -> list[str]:
    """Note that the repositories at some addresses have changed; returns the names of those."""
    places = {place(address) for address in addresses} - {""}
    sql = "SELECT r.id, r.name, s.source FROM repositories r JOIN sources s ON r.id = repository_id"
    meant = [
        (number, name)
        for number, name, source in rows(hub, sql)
        if place(split(source)[0]) in places
    ]
    # The row first and the notification after it: who is woken must find the row.
    if meant:
        hub.execute(
            "UPDATE repositories SET wanted_at = now() WHERE id = ANY (%s::int[])",
            ([number for number, _ in meant],),
        )
        hub.execute("SELECT pg_notify(%s, '')", (_CHANNEL,))
    return sorted(name for _, name in meant)


def note_problem(hub: Hub, repository: int, problem: str, began: str) -> None:
    """Note how looking at a repository ended that was begun at a time of `clock`; "" is well."""
    hub.execute(
        f"UPDATE repositories SET problem = %s, {LOOKED_AT} WHERE id = %s",
        (written(problem), began, repository),
    )


def clock(hub: Hub) -> str:
    """The time as PostgreSQL writes it, by whose clock webhooks are noted."""
    return str(rows(hub, "SELECT clock_timestamp()::text")[0][0])


def wait(hub: Hub, seconds: float) -> list[int]:
    """Wait until something is wanted, at most so long; returns the ids of what is."""
    hub.execute(f"LISTEN {_CHANNEL}")
    deadline = time.monotonic() + seconds
    while True:
        found = [row[0] for row in rows(hub, "SELECT id FROM repositories WHERE wanted_at < now()")]
        left = deadline - time.monotonic()
        if found or left <= 0:
            return found
        if list(hub.notifies(timeout=left, stop_after=1)):
            # Others that belong to it come in a moment, and are built together with it.
            list(hub.notifies(timeout=min(_PAUSE_S, left)))
