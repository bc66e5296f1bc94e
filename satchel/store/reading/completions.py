"""Names and paths of an index that begin with some text, for completion in a shell.

A person waits for completions at each key press, so this loads SQLite and no record types, which
take longer to import than the rows to read.
"""

import os
from contextlib import closing
from pathlib import Path

from satchel.store.sqlite.database import connect, select


def names_and_paths(
    index: Path, name: str, path: str | None, limit: int
) -> tuple[list[str], list[str]]:
    """Names of definitions that begin with `name`, and paths that begin with `path`, each in order.

    At most `limit` of each; no names where `name` is "", no paths where `path` is None. For a name
    with an owner, such as `Mail.del`, qualified names are compared.

    Raises:
        FileNotFoundError, SatchelError: there is no index that can be read.
    """
    with closing(connect(index, writable=False)) as connection:
        start = os.fsencode(path or "")
        # Ranges, because LIKE would take "_" for any character.
        owner, _, last = name.rpartition(".")
        column = "qualified" if owner else "name"
        names = select(
            connection,
            f"SELECT DISTINCT {column} FROM symbols WHERE name >= ? AND name < ?"
            f" AND substr({column}, 1, ?) = ? ORDER BY {column} LIMIT ?",
            (last, last + "\U0010ffff", len(name), name, limit if name else 0),
        )
        paths = select(
            connection,
            "SELECT path FROM files WHERE path >= ? AND substr(path, 1, ?) = ? ORDER BY path"
            " LIMIT ?",
            (start, len(start), start, 0 if path is None else limit),
        )
    return [found for (found,) in names], [os.fsdecode(found) for (found,) in paths]
