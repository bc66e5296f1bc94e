"""A checksum over `meta`: its few rows say what an index is, and only make sense together.

On disk it is the row of `meta` with the key `seal`.
"""

import apsw

from satchel.store.platform.blake2 import blake2b


def meta_checksum(connection: apsw.Connection) -> str:
    """BLAKE2b-64 of every row of `meta` but the checksum itself, in hex."""
    # In the order of keys, since SQLite promises none by itself.
    sql = "SELECT key, value FROM meta WHERE key != 'seal' ORDER BY key"
    rows = connection.execute(sql).fetchall()
    # `repr` tells the number 1 from the text "1", as SQLite does.
    return blake2b(repr(rows).encode(), digest_size=8).hexdigest()


def set_meta(connection: apsw.Connection, **values: int | str) -> None:
    """Set rows of `meta`; expects an open transaction."""
    connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values.items())
    # One checksum covers all rows of `meta`, so it is renewed whenever any of them changes.
    write_meta_checksum(connection)


def write_meta_checksum(connection: apsw.Connection) -> None:
    """Store the checksum of the rows as they are; expects an open transaction."""
    sql = "INSERT OR REPLACE INTO meta VALUES ('seal', ?)"
    connection.execute(sql, (meta_checksum(connection),))
