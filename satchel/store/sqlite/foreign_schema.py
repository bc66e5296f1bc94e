"""Whether a database holds only what we put there: what else is in its schema would run with it."""

from __future__ import annotations

from collections.abc import Set
from functools import cache

import apsw


def strangers(connection: apsw.Connection, ours: Set[str]) -> list[str]:
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
def expected(*steps: str) -> frozenset[str]:
    """The statements that the schema of a new file consists of, made by some steps."""
    # SQLite normalises statements as it stores them, so ours are read back from a database too.
    fresh = apsw.Connection(":memory:")
    for step in steps:
        fresh.execute(step)
    # An index that SQLite makes for itself, as for UNIQUE, has no statement.
    return frozenset(sql for (sql,) in fresh.execute("SELECT sql FROM sqlite_schema") if sql)
