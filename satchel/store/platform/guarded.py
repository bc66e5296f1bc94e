"""Opens database files so that nothing in them is run; the only place that opens one.

No link is followed. What the schema of a file names may call nothing, and a file holds only what we
put there: what else is in its schema, as a trigger or a view, would run with it.
"""

import os
from collections.abc import Set
from functools import cache
from pathlib import Path

import apsw


def opened(path: Path, flags: int, *, immutable: bool = False) -> apsw.Connection:
    """A connection to a file of ours; before use the caller asks for `foreign_statements`.

    With `immutable` the file is read as one that never changes, without a journal.

    Raises:
        apsw.Error: it is a link, or SQLite says what else is wrong.
    """
    # Only the name of the file may not lead elsewhere: the folder may be reached through a link of
    # the system's, as /tmp is on macOS, or of the user's.
    place = Path(os.path.realpath(path.parent)) / path.name
    name = f"{place.as_uri()}?immutable=1" if immutable else str(place)
    flags |= apsw.SQLITE_OPEN_NOFOLLOW | (apsw.SQLITE_OPEN_URI if immutable else 0)
    connection = apsw.Connection(name, flags=flags)
    connection.pragma("trusted_schema", False)
    return connection


def foreign_statements(connection: apsw.Connection, ours: Set[str]) -> list[str]:
    """What the schema of a file says that `ours` does not: a trigger or a view would run.

    Shadow tables of an index over text are its own, and SQLite's, to word.
    """
    sql = (
        "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT IN"
        " (SELECT name FROM pragma_table_list WHERE type = 'shadow' AND schema = 'main')"
    )
    # SQLite keeps the text of a statement, so what we put there is the same to the letter.
    return [f"{name}" for name, sql_text in connection.execute(sql) if sql_text not in ours]


@cache
def expected_statements(*steps: str) -> frozenset[str]:
    """The statements that the schema of a new file consists of, made by some steps."""
    # SQLite normalises statements as it stores them, so ours are read back from a database too.
    fresh = apsw.Connection(":memory:")
    for step in steps:
        fresh.execute(step)
    # An index that SQLite makes for itself, as for UNIQUE, has no statement.
    return frozenset(sql for (sql,) in fresh.execute("SELECT sql FROM sqlite_schema") if sql)
