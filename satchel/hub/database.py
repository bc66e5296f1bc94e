"""Connections to a hub's PostgreSQL: opened, versions compared, errors in words."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, TypeVar

import psycopg
import tenacity
from psycopg import Connection, sql

from satchel.hub.schema import FORMAT_VERSION
from satchel.store.errors import HubUnavailable, UsageError
from satchel.store.sqlite.schema import FACTS_VERSION

Row = tuple[Any, ...]
Hub = Connection[Row]
_T = TypeVar("_T")
OPTIONS: dict[str, Any] = {"autocommit": True, "connect_timeout": 10}
"""Options of every connection: statements are committed one by one, transactions opened by name."""
# Named last, the temporary schema cannot hide a table of ours.
NAME_SCHEMA = "SET search_path = satchel, pg_temp"
"""Says where the tables of a query lie."""
VERSIONS = {"format": str(FORMAT_VERSION), "facts": str(FACTS_VERSION)}
"""What a hub of this version says of itself."""
_HINTS = (
    (psycopg.errors.QueryCanceled, "name a repository or ask for less: a query may take so long"),
    (psycopg.errors.InsufficientPrivilege, "connect as the user who ran `satchel hub init`"),
    (psycopg.Error, "see whether PostgreSQL runs and has room; nothing half-written can be seen"),
)
"""What to do about an error, by the first kind that it is of."""
_UNREACHED = (
    "see whether PostgreSQL runs and has room, and whether the address names the right host,"
    " database, user and password (~/.pgpass)"
)
PATIENCE_S = 30.0
"""How long a command waits for a PostgreSQL that is started again."""
_FOR_GOOD = re.compile(
    "password|authentication|does not exist|host name|canceling|permission", re.I
)
"""Errors of PostgreSQL that are the same the next time."""
_ADDRESS = "write postgresql://USER@HOST/DATABASE; a variable that was to hold it may not be set"
# PostgreSQL refuses NUL in text, which source may hold. Unicode promises that no text that is
# exchanged holds this character.
_NUL, _STAND_IN = "\x00", "\U0010fffe"


@contextmanager
def explained_errors() -> Iterator[None]:
    """Turn errors of PostgreSQL into errors with a hint of what to do.

    Raises:
        HubUnavailable: it cannot be reached, has no room, or ended the query.
        UsageError: a text that it was given is none, such as bytes of a command line.
    """
    try:
        yield
    # By its encoding, psycopg's alone: a terminal may have another.
    except UnicodeEncodeError as error:
        if error.encoding.replace("-", "") != "utf8":
            raise
        hint = "PostgreSQL holds Unicode alone: write it with characters of that"
        raise UsageError(f"{error.object!r} is no text", hint) from error
    except psycopg.Error as error:
        hint = next(text for kind, text in _HINTS if isinstance(error, kind))
        raise HubUnavailable(_message(error), hint) from error


def _message(error: psycopg.Error) -> str:
    return f"PostgreSQL: {' '.join(str(error).split()) or type(error).__name__}"


@contextmanager
def connected(url: str) -> Iterator[Hub]:
    """A connection to a hub, closed at the end.

    Raises:
        HubUnavailable: PostgreSQL cannot be reached.
        UsageError: there is no hub, or one of another version.
    """
    with explained_errors(), opened(url) as connection:
        check(connection)
        yield connection


def patiently(url: str, work: Callable[[Hub], _T], on_wait: Callable[[str], None]) -> _T:
    """What some work on a hub gives; done again, on a new connection, where PostgreSQL goes away.

    A server that crashed is back in seconds. `on_wait` is told why, once. Work that was committed
    just before is done twice.

    Raises:
        HubUnavailable: PostgreSQL cannot be reached, or not within `PATIENCE_S` seconds.
        UsageError: there is no hub, or one of another version.
    """

    def once() -> _T:
        with connected(url) as hub:
            return work(hub)

    def told(state: tenacity.RetryCallState) -> None:
        if state.attempt_number == 1 and state.outcome:
            on_wait(str(state.outcome.exception()))

    attempts = tenacity.Retrying(
        retry=tenacity.retry_if_exception(_may_come_back),
        stop=tenacity.stop_after_delay(PATIENCE_S),
        wait=tenacity.wait_exponential(multiplier=0.25, max=2.0),
        before_sleep=told,
        reraise=True,
    )
    return attempts(once)


def _may_come_back(error: BaseException) -> bool:
    return isinstance(error, HubUnavailable) and not _FOR_GOOD.search(str(error))


@contextmanager
def opened(url: str) -> Iterator[Hub]:
    """A connection to a database, whatever it holds.

    Raises:
        HubUnavailable: PostgreSQL cannot be reached, or refuses.
        UsageError: this is no address.
    """
    # No address at all would mean whatever PostgreSQL listens on this machine.
    if not url.strip():
        raise UsageError("the address of the database is empty", _ADDRESS)
    try:
        connection = psycopg.connect(url, **OPTIONS)
    except psycopg.ProgrammingError as error:
        raise UsageError(f"{url!r} is no address of a database", _ADDRESS) from error
    except psycopg.OperationalError as error:
        raise HubUnavailable(_message(error), _UNREACHED) from error
    try:
        name_schema(connection)
        yield connection
    finally:
        connection.close()


def name_schema(connection: Hub) -> None:
    """Say where the tables of a query lie."""
    connection.execute(NAME_SCHEMA)


def check(connection: Hub) -> None:
    """Raise UsageError unless the database holds a hub of this version."""
    stored: dict[str, str] = {}
    # Nothing to undo where it fails: nobody asks this within a transaction.
    with suppress(psycopg.errors.UndefinedTable):
        stored = dict(rows(connection, "SELECT key, value FROM hub"))
    if not stored:
        raise UsageError("this database holds no hub", "run `satchel hub init URL`")
    if stored != VERSIONS:
        raise UsageError(
            "this hub was made by another version of Satchel",
            "run `satchel hub init URL` with the newer one, then `satchel hub sync`",
        )


def reading(connection: Hub, role: str = "") -> AbstractContextManager[None]:
    """Read one moment of the hub, and nothing that `role` may not; "" reads as who connected."""
    return _transaction(connection, "REPEATABLE READ READ ONLY", role)


def writing(connection: Hub, role: str = "") -> AbstractContextManager[None]:
    """Read one moment of the hub and write to it, what `role` may and nothing else."""
    return _transaction(connection, "REPEATABLE READ", role)


@contextmanager
def _transaction(connection: Hub, isolation: str, role: str) -> Iterator[None]:
    # Roles and isolation end with the transaction, so that no later call inherits them.
    with connection.transaction():
        connection.execute(f"SET TRANSACTION ISOLATION LEVEL {isolation}".encode())
        if role:
            _take(connection, role)
        yield


def _take(connection: Hub, role: str) -> None:
    try:
        connection.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(role)))
    # Whom the team's sign-on knows may never have been granted anything, and has no role then.
    except psycopg.errors.InvalidParameterValue as error:
        hint = "`satchel hub grant`, by whoever runs the hub, lets you read some"
        raise UsageError("no repository of this hub was granted to you", hint) from error


def rows(
    connection: Hub, query: str, values: Sequence[object] | Mapping[str, object] = ()
) -> list[Row]:
    """All rows of a query; columns are typed by the caller, who wrote the SQL."""
    # Binary, because in text form bytes are written in hex.
    with connection.cursor(binary=True) as cursor:
        return cursor.execute(query.encode(), values).fetchall()


def copy(
    connection: Hub, table: str, types: Sequence[str], made: Iterator[tuple[object, ...]]
) -> int:
    """Write rows in bulk: `types` are those of the columns, in order; returns how many."""
    count = 0
    # COPY is the fastest way in, and the binary form needs no escaping of source text.
    statement = sql.SQL("COPY {} FROM STDIN (FORMAT BINARY)").format(sql.Identifier(table))
    with connection.cursor() as cursor, cursor.copy(statement) as writer:
        writer.set_types(types)
        for row in made:
            writer.write_row(row)
            count += 1
    return count


def written(text: str) -> str:
    """A text as PostgreSQL can hold it; `read_back` undoes it."""
    return text.replace(_NUL, _STAND_IN)


def read_back(text: str) -> str:
    """The text that `written` was made of."""
    return text.replace(_STAND_IN, _NUL)
