"""Opens knowledge.db: checks its version, migrates it forward, translates SQLite's errors.

Unlike the index, this file cannot be built again: nothing here ever deletes it. Every process may
write to it, and each waits for the others.
"""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import apsw
from msgspec import MsgspecError

from satchel.knowledge.storage.schema import APPLICATION_ID, MIGRATIONS, NAME, VERSION
from satchel.store import private
from satchel.store.errors import CorruptIndex, Locked, Unwritable
from satchel.store.platform.guarded import expected_statements, foreign_statements, opened
from satchel.store.sqlite.database import transaction

_BUSY_TIMEOUT_MS = 30_000
_PAUSE_MS = 10


def connect(directory: Path) -> apsw.Connection:
    """Open the file in `directory`, after creating or migrating it where that is needed.

    Raises:
        CorruptIndex: the file is damaged, something else, or of a newer version.
        Locked: another process did not let go of it for half a minute.
    """
    path = directory / NAME
    with explained_errors():
        with suppress(OSError):  # SQLite says better what is wrong
            private.touch(path)
        connection = opened(path, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
        try:
            # Another process may be making the file just now, so that even the first look waits.
            connection.set_busy_timeout(_BUSY_TIMEOUT_MS)
            try:
                connection.execute("SELECT 1 FROM sqlite_master").fetchall()
            except apsw.SQLError as error:  # the header claims a format that SQLite does not know
                raise apsw.CorruptError(str(error)) from error
            connection.pragma("cell_size_check", True)
            _enable_wal(connection)
            connection.pragma("synchronous", "full")  # a commit that was answered is on the disk
            connection.pragma("foreign_keys", True)
            connection.pragma("temp_store", "memory")
            if connection.pragma("user_version") != VERSION:
                # Another process may be making the file just now: version and schema are read, the
                # copy is made and the file is brought forward while nobody else may write.
                with transaction(connection):
                    version = _checked_version(connection)
                    # This comes before the first row is written, which a trigger would answer.
                    _refuse_foreign(connection, version)
                    if 0 < version < VERSION:
                        _copy(path, path.with_name(f"{path.name}.v{version}"))
                    for step in MIGRATIONS[version:]:
                        connection.execute(step)
                    connection.pragma("application_id", APPLICATION_ID)
                    connection.pragma("user_version", VERSION)
            _refuse_foreign(connection, VERSION)
        except BaseException:
            connection.close()
            raise
    return connection


def _refuse_foreign(connection: apsw.Connection, version: int) -> None:
    """Refuse a file in which triggers, views or other tables would speak for what is kept.

    Raises:
        CorruptIndex: its schema is not that of `version`.
    """
    others = foreign_statements(connection, expected_statements(*MIGRATIONS[:version]))
    if others:
        raise CorruptIndex(
            f"{NAME} holds what Satchel did not write: {', '.join(sorted(others)[:3])!r}",
            "move it away; it was not touched",
        )


def in_memory() -> apsw.Connection:
    """An empty file of knowledge that is gone with its connection."""
    connection = apsw.Connection(":memory:")
    connection.pragma("foreign_keys", True)
    for step in MIGRATIONS:
        connection.execute(step)
    return connection


def _enable_wal(connection: apsw.Connection) -> None:
    """Switch to write-ahead logging, however many processes open a new file at once.

    Raises:
        apsw.BusyError: others held the file for the whole timeout.
    """
    # SQLite's busy timeout does not apply to the exclusive lock that this switch takes, so two
    # processes that open a new file at once would see one of them fail.
    deadline = time.monotonic() + _BUSY_TIMEOUT_MS / 1_000
    while True:
        try:
            connection.pragma("journal_mode", "wal")
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE_MS / 1_000)
        else:
            return


def _copy(path: Path, backup: Path) -> None:
    """Copy the file under another name, whole or not at all, unless that is there already."""
    if backup.exists():
        return
    draft = backup.with_name(f"{backup.name}.new")
    draft.unlink(missing_ok=True)
    private.touch(draft)  # SQLite fills an empty file
    # A connection of its own: none can copy within a transaction. What is still in the write-ahead
    # log is copied too, what the caller has not committed is not.
    with closing(opened(path, apsw.SQLITE_OPEN_READONLY)) as source:
        source.execute("VACUUM INTO ?", (str(draft),))
    draft.replace(backup)


def _checked_version(connection: apsw.Connection) -> int:
    version = int(connection.pragma("user_version"))
    is_empty = not connection.execute("SELECT count(*) FROM sqlite_schema").get
    if not is_empty and connection.pragma("application_id") != APPLICATION_ID:
        raise CorruptIndex(f"{NAME} is not Satchel's", "move it away; it was not touched")
    if version > VERSION:
        raise CorruptIndex(
            f"{NAME} was written by a newer version of Satchel",
            "upgrade Satchel; the file was not touched",
        )
    return version


@contextmanager
def explained_errors() -> Iterator[None]:
    """Turn SQLite's errors into Satchel's, each with a hint of what to do.

    Raises:
        CorruptIndex: SQLite cannot make sense of it.
        Locked: another process holds it.
        Unwritable: the disk is full, read-only or fails.
    """
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError, MsgspecError, UnicodeDecodeError) as error:
        raise CorruptIndex(
            f"{NAME} is damaged: {error}",
            "restore it from a copy, or import the last export into a new one",
        ) from error
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.FullError, apsw.IOError) as error:
        hint = "see whether you may write there, and whether the disk has room; nothing was changed"
        raise Unwritable(f"{NAME} cannot be written: {error}", hint) from error
    except apsw.BusyError as error:
        raise Locked(f"{NAME} is in use by another process", "try again") from error
