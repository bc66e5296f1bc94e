"""A hub made in an empty database, or brought up to this version; grants and tokens stay."""

from collections.abc import Mapping

from satchel.hub import nearest
from satchel.hub.database import VERSIONS, Hub, explained_errors, opened, rows
from satchel.hub.migrations import STEPS
from satchel.hub.schema import DDL, FORMAT_VERSION
from satchel.store.errors import UsageError

# As the server says it: 15.0. Older ones are not tested.
_MIN_VERSION = 150_000


def init(url: str) -> bool:
    """Make a hub in an empty database, or one for this version of what is stored by content.

    Returns whether repositories have to be built again.

    Raises:
        HubUnavailable: PostgreSQL cannot be reached.
        UsageError: PostgreSQL is too old, or the tables are of a newer version.
    """
    with explained_errors(), opened(url) as connection:
        with connection.transaction():
            if connection.info.server_version < _MIN_VERSION:
                raise UsageError("PostgreSQL is older than 15", "use 15 or newer")
            stored = _versions(connection)
            if stored != VERSIONS:
                _bring_up(connection, stored)
        # Asked each time: pgvector may have been installed since.
        nearest.prepare(connection)
        return stored != VERSIONS


def _versions(connection: Hub) -> dict[str, str]:
    """What the hub says of its versions; empty where there is none."""
    # Asked of the catalogue, since a query of a missing table would end the transaction.
    if rows(connection, "SELECT to_regclass('satchel.hub')::text")[0][0] is None:
        return {}
    return dict(rows(connection, "SELECT key, value FROM hub"))


def _bring_up(connection: Hub, stored: Mapping[str, str]) -> None:
    """Make the tables, or those that a hub of an older version lacks."""
    if not stored:
        connection.execute(DDL)
    elif stored["facts"] != VERSIONS["facts"]:
        # What was parsed is read differently now; names, sources and rights stay.
        connection.execute("UPDATE repositories SET build_id = NULL")
        connection.execute("DELETE FROM builds")
        connection.execute("DELETE FROM contents")
    for step in STEPS[_format(stored) - 1 :]:
        connection.execute(step.encode())
    for key, value in VERSIONS.items():
        connection.execute(
            "INSERT INTO hub VALUES (%s, %s) ON CONFLICT (key) DO UPDATE SET value = %s",
            (key, value, value),
        )


def _format(stored: Mapping[str, str]) -> int:
    """The number of the format that the tables have; a hub that was just made has the first."""
    number = int(stored.get("format", "1"))
    if number > FORMAT_VERSION:
        raise UsageError("this hub was made by a newer Satchel", "update Satchel here")
    return number
