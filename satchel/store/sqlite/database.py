"""Opening the index file: pragmas, versions, errors in words, and transactions.

SQLite comes with apsw because interpreters ship versions (3.7.0 to 3.51.2) that can lose commits in
WAL mode with two connections. A connection belongs to the thread that opened it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

import apsw

from satchel.store import private
from satchel.store.errors import CorruptIndex, Interrupted, Unwritable, UsageError
from satchel.store.platform.guarded import expected_statements, foreign_statements, opened
from satchel.store.sqlite.checksum import write_meta_checksum
from satchel.store.sqlite.schema import (
    APPLICATION_ID,
    DDL,
    FACTS_VERSION,
    FORGET_EARLIER,
    FORMAT_VERSION,
)

INDEX_NAME = "index.db"
_BUSY_TIMEOUT_MS = 5_000
_CACHE_KIB = 65_536
_READER_CACHE_KIB = 4_096
"""A question reads few pages twice, and each of several has a cache of its own: with 64 MB one
process had 13 to 28 MB more, and no question took less."""
_CHECKPOINT_PAGES = 16_384
"""64 MB of journal between checkpoints: a full index would copy its pages many times otherwise."""
_INCREMENTAL_VACUUM = 2
"""For `auto_vacuum`: free pages go back to the disk when `give_back_space` says so."""
_FREE_SHARE = 0.125
_VACUUM_PAGES = 8_192
"""How much of the file may be free pages, which saves use up, and how many go back at once."""
_REBUILD_FOLDER = "rebuild"
_BATCH = 500
_STEPS = 20_000
"""SQLite instructions between two looks at whether anybody still waits: some tenths of a ms."""
_VERSIONS = FORMAT_VERSION * 1000 + FACTS_VERSION
"""Both as the one number that the file's header has room for."""
_T = TypeVar("_T")
SQLiteError = apsw.Error  # whatever SQLite says went wrong
Connection = apsw.Connection


class _Schema(StrEnum):
    """Whose schema the file of an index has."""

    EMPTY = "empty"
    OURS = "ours"
    FOREIGN = "foreign"
    """That of another version, or of another program."""


def file_in(directory: Path) -> Path:
    """The file of the index in a folder."""
    return directory / INDEX_NAME


def inode(directory: Path) -> int:
    """Tells the file of an index from those that were in its folder before. Raises: OSError."""
    return file_in(directory).stat().st_ino


def connect(directory: Path, *, writable: bool) -> apsw.Connection:
    """Open the index in `directory`; with `writable`, create it when there is none.

    A file of another format is replaced when `writable`: the index is a cache.

    Raises:
        CorruptIndex: the file is damaged, is not an index, or (read-only) has another format.
        Unwritable: the disk is full, read-only or fails.
        UsageError: read-only, and the index was interrupted before it held anything.
        FileNotFoundError: read-only and there is no index.
    """
    path = directory / INDEX_NAME
    if not writable and not path.exists():
        raise FileNotFoundError(path)
    try:
        with explained_errors():
            connection, schema = _opened(path, writable)
    except apsw.SQLError as error:  # the schema itself is damaged and is no SQL any more
        raise CorruptIndex(
            f"{INDEX_NAME} cannot be read: {error}", "run `satchel reindex --full` to rebuild it"
        ) from error
    if schema is _Schema.OURS:
        return connection
    if not writable:
        connection.close()
        if schema is _Schema.EMPTY:
            raise UsageError(f"{INDEX_NAME} holds nothing yet", "run `satchel reindex`")
        raise CorruptIndex(
            f"{INDEX_NAME} was written by another version, or holds what Satchel did not write",
            "run `satchel reindex` to rebuild it",
        )
    if schema is _Schema.FOREIGN:
        connection.close()
        remove(directory)
        connection = _open(path, writable)
    _create(connection)
    return connection


def library_version() -> str:
    """The version of SQLite in use."""
    return apsw.sqlite_lib_version()


def copy(source: Path, target: Path, *, keep_stats: bool = False) -> bool:
    """Copy the index in `source` over the one in `target`; False when it is not complete.

    Whoever reads `target` sees the old index or the new one. Unless `keep_stats` the copy is for
    another tree: the stat of every file is forgotten, so that its bytes are compared.

    Raises: CorruptIndex, Unwritable, FileNotFoundError: there is no index in `source` to copy.
    """
    with explained_errors():
        origin = connect(source, writable=False)
        try:
            if scalar(origin, "SELECT value FROM meta WHERE key = 'state'") == "building":
                return False
            with closing(_open(target / INDEX_NAME, writable=True)) as copied:
                # SQLite's own copying: readers of `target` keep their snapshot, and the pages are
                # those of one moment even while somebody writes to `source`.
                with copied.backup("main", origin, "main") as backup:
                    backup.step()
                if not keep_stats:
                    with transaction(copied):
                        # A time of 0 is that of no file, so the bytes of each one are read and
                        # compared.
                        copied.execute("UPDATE files SET mtime_ns = 0")
                        copied.execute("UPDATE skipped SET inode = 0")
                        copied.execute(FORGET_EARLIER)
                        write_meta_checksum(copied)
        finally:
            origin.close()
    return True


@contextmanager
def rebuilding(directory: Path) -> Iterator[apsw.Connection]:
    """An empty index to fill, which takes the place of the one in `directory` at the end.

    Until then the old index answers, and when something is raised, it stays.
    """
    import shutil  # with every format of archives, for which no look-up waits

    aside = directory / _REBUILD_FOLDER
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(mode=0o700)
    with closing(connect(aside, writable=True)) as connection:
        yield connection
    try:
        copy(aside, directory, keep_stats=True)
    except CorruptIndex:  # the old index is so damaged that SQLite cannot write over it
        remove(directory)
        copy(aside, directory, keep_stats=True)
    shutil.rmtree(aside)


def remove(directory: Path) -> None:
    """Delete the index file and its journals."""
    for suffix in ("", "-wal", "-shm"):
        (directory / (INDEX_NAME + suffix)).unlink(missing_ok=True)


def pages(connection: apsw.Connection) -> tuple[int, int, int]:
    """(pages that hold nothing, pages of the file, bytes of a page)."""
    free, total, size = (
        int(str(connection.pragma(n))) for n in ("freelist_count", "page_count", "page_size")
    )
    return free, total, size


def give_back_space(connection: apsw.Connection) -> None:
    """Give back to the disk what a much smaller index has left free, and empty the journal."""
    free, total, _ = pages(connection)
    # Some free pages stay: the next saves would otherwise enlarge the file again.
    excess = free - int(_FREE_SHARE * total)
    if excess > 0:
        connection.execute(f"PRAGMA incremental_vacuum({min(excess, _VACUUM_PAGES)})").fetchall()
    connection.pragma("wal_checkpoint(truncate)")


def _opened(path: Path, writable: bool) -> tuple[apsw.Connection, _Schema]:
    """A connection, and whose schema it found."""
    try:
        connection = _open(path, writable)
        return connection, _schema_of(connection)
    except (apsw.ReadOnlyError, apsw.CantOpenError):
        # In WAL mode even reading writes to shared memory beside the file, which a read-only folder
        # does not allow. Without a journal nobody has the index open, and it can be read like a
        # file that never changes.
        if writable or path.with_name(f"{path.name}-wal").exists():
            raise
    connection = opened(path, apsw.SQLITE_OPEN_READONLY, immutable=True)
    _set_up(connection)
    return connection, _schema_of(connection)


def _open(path: Path, writable: bool) -> apsw.Connection:
    flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if writable else 0)
    if writable:
        with suppress(OSError):  # SQLite says better what is wrong
            private.touch(path)
    connection = opened(path, flags)
    connection.set_busy_timeout(_BUSY_TIMEOUT_MS)
    if writable:
        connection.pragma("auto_vacuum", _INCREMENTAL_VACUUM)  # works on a new file alone
        connection.pragma("journal_mode", "wal")
        connection.wal_autocheckpoint(_CHECKPOINT_PAGES)
    _set_up(connection, _CACHE_KIB if writable else _READER_CACHE_KIB)
    return connection


def _set_up(connection: apsw.Connection, cache_kib: int = _CACHE_KIB) -> None:
    connection.pragma("cell_size_check", True)  # damage is found when a page is read
    # In WAL mode a power cut can then lose the last transactions, but damage nothing; what is lost
    # is indexed again.
    connection.pragma("synchronous", "normal")
    connection.pragma("cache_size", -cache_kib)
    connection.pragma("temp_store", "memory")


def _schema_of(connection: apsw.Connection) -> _Schema:
    if not connection.execute("SELECT count(*) FROM sqlite_schema").get:
        return _Schema.EMPTY
    if connection.pragma("application_id") != APPLICATION_ID:
        return _Schema.FOREIGN
    # Numbers prove nothing by themselves: a file from elsewhere may have them and a trigger
    # besides.
    if connection.pragma("user_version") != _VERSIONS or foreign_statements(
        connection, expected_statements(DDL)
    ):
        return _Schema.FOREIGN
    return _Schema.OURS


def _create(connection: apsw.Connection) -> None:
    with transaction(connection):
        connection.execute(DDL)
        connection.pragma("application_id", APPLICATION_ID)
        connection.pragma("user_version", _VERSIONS)
        connection.executemany(
            "INSERT INTO meta VALUES (?, ?)",
            [("generation", 0), ("text", 0), ("state", "building"), ("next_chunk", 0),
             ("next_symbol", 1), ("rewritten", 0)],
        )  # fmt: skip
        write_meta_checksum(connection)


@contextmanager
def explained_errors() -> Iterator[None]:
    """Turn errors of SQLite into errors with a hint of what to do.

    Raises:
        CorruptIndex: SQLite found a page that makes no sense.
        Unwritable: the disk is full, read-only or fails; everything committed before is kept.
    """
    try:
        yield
    # A text that is no UTF-8 any more is met where SQLite hands it over, whatever is asked.
    except _signs_of_damage() as error:
        raise CorruptIndex(
            f"{INDEX_NAME} is damaged: {error}", "run `satchel reindex --full` to rebuild it"
        ) from error
    except apsw.FullError as error:
        hint = "free some space; the index keeps what it held"
        raise Unwritable("the disk is full", hint) from error
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.IOError, apsw.PermissionsError) as error:
        hint = (
            "see whether you may read and write its folder, and whether the disk is mounted"
            " read-only or fails; the index keeps what it held"
        )
        raise Unwritable(f"{INDEX_NAME} cannot be used: {error}", hint) from error
    except apsw.BusyError as error:
        raise Unwritable(f"{INDEX_NAME} is busy: {error}", "try again") from error


def _signs_of_damage() -> tuple[type[Exception], ...]:
    """What is raised by whoever unpacks a row; asked for when something was."""
    from msgspec import MsgspecError

    from satchel.store.codec import Damaged

    return apsw.CorruptError, apsw.NotADBError, Damaged, MsgspecError, UnicodeDecodeError


def never() -> bool:
    """A condition for stopping that is never met."""
    return False


@contextmanager
def interruptible(connection: apsw.Connection, stop: Callable[[], bool]) -> Iterator[None]:
    """End queries on `connection` as soon as `stop` returns true.

    Raises:
        Interrupted: a query was ended.
    """
    connection.set_progress_handler(stop, _STEPS)
    try:
        yield
    except apsw.InterruptError as error:
        raise Interrupted("the request was stopped", "ask for less, or again later") from error


@contextmanager
def transaction(connection: apsw.Connection, *, keep: bool = True) -> Iterator[None]:
    """All or nothing: commits at the end (unless `keep` is off), rolls back when one raises."""
    # IMMEDIATE takes the right to write now. A transaction that begins by reading would fail at its
    # first write if another connection had written in between.
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:  # Ctrl-C too must not leave half a batch
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT" if keep else "ROLLBACK")


def select(
    connection: apsw.Connection, sql: str, values: Sequence[Any] = ()
) -> list[tuple[Any, ...]]:
    """All rows of a query; columns are typed by the caller, who wrote the SQL."""
    return connection.execute(sql, values).fetchall()


def select_many(connection: apsw.Connection, sql: str, ids: Iterable[int]) -> list[tuple[Any, ...]]:
    """All rows of a query that takes one id, for each of some."""
    return connection.executemany(sql, ((each,) for each in ids)).fetchall()


def select_in(
    connection: apsw.Connection, sql: str, keys: Iterable[Any], values: Sequence[Any] = ()
) -> Iterator[tuple[Any, ...]]:
    """The rows of a query that has `IN (KEYS)`, for as many keys at once as a statement takes.

    `values` are bound behind the keys.
    """
    for batch in batches(list(keys)):
        # Of few lengths, so that most statements are known to the connection.
        n_marks = 1 << (len(batch) - 1).bit_length()
        repeated = [batch[-1]] * (n_marks - len(batch))
        marked = sql.replace("KEYS", ",".join("?" * n_marks))
        yield from select(connection, marked, (*batch, *repeated, *values))


def scalar(connection: apsw.Connection, sql: str, values: Sequence[Any] = ()) -> Any:  # noqa: ANN401
    """The first column of the first row, None when there is none."""
    return connection.execute(sql, values).get


def next_id(connection: apsw.Connection, table: str) -> int:
    """One more than the largest id of a table, 0 when it is empty."""
    return int(scalar(connection, f"SELECT coalesce(max(id) + 1, 0) FROM {table}"))


def text_identity(connection: apsw.Connection) -> str:
    """Tells the text that an index holds from that of any other time, and of an index that was
    made anew and has come to the same generation."""
    inode = Path(connection.filename).stat().st_ino
    text = scalar(connection, "SELECT value FROM meta WHERE key = 'text'")
    return f"{inode} {connection.pragma('schema_version')} {text}"


def n_chunks(connection: apsw.Connection) -> int:
    """How many chunks the files of an index have, by what each file says: their rows are not
    counted."""
    return int(scalar(connection, "SELECT coalesce(sum(n_chunks), 0) FROM files"))


def batches(items: Sequence[_T]) -> Iterator[Sequence[_T]]:
    """`items` in runs short enough for one statement's parameters."""
    for start in range(0, len(items), _BATCH):
        yield items[start : start + _BATCH]
