"""The rows of files in an index, for their tables, and which files use a name.

Asked for one by one, or all read at once: where every edge is derived every file is read and every
name asked for, and a statement for each costs more than its rows.
"""

import posixpath
from collections.abc import Sequence
from functools import cache
from sys import intern
from typing import Any, NamedTuple, Protocol

import apsw

from satchel.indexer.languages import detect
from satchel.store.model import Import, RepoPath
from satchel.store.sqlite.database import select
from satchel.store.sqlite.rows import decode_path, encode_path

SYMBOLS = (
    "SELECT s.id, s.file_id, s.name, s.qualified, s.kind, s.is_test, p.kind, s.parent_id,"
    " s.signature FROM symbols s LEFT JOIN symbols p ON p.id = s.parent_id WHERE s."
)
_FILE = "path, language, digest, first_symbol, n_symbols, size FROM files"
_IMPORTS = "module, name, alias, line FROM imports"
_INHERITING = "kind IN ('inherit', 'implement')"
_Row = tuple[Any, ...]


class FileRow(NamedTuple):
    """What the index says of a file itself; the path is as it is stored."""

    path: bytes
    language: str
    digest: str
    first_symbol: int
    n_symbols: int
    size: int


class FileRows(Protocol):
    """Where the rows of files come from."""

    def file(self, file_id: int) -> FileRow:
        """The file itself."""

    def symbols(self, file_id: int) -> Sequence[_Row]:
        """Its symbols as `SYMBOLS` has them, in order; the file's own comes first."""

    def imports(self, file_id: int) -> list[Import]:
        """What it imports, in order."""

    def bases(self, file_id: int) -> Sequence[tuple[int, str, str]]:
        """What its classes inherit from, in order: the class, receiver and name."""


class NameUses(Protocol):
    """Which files use something of a name. A family is that of their languages."""

    def callers(self, name: str, family: str) -> list[int]:
        """The files of a family that call something of a name, by path."""

    def is_called(self, name: str) -> bool:
        """Whether any file calls something of a name."""

    def subclasses(self, name: str, family: str) -> list[tuple[int, int]]:
        """(file, class) of those in a family that inherit something of a name, by path and
        position."""


class RowsByFile:
    """Asks the index each time."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._db = connection

    def file(self, file_id: int) -> FileRow:
        return FileRow(*select(self._db, f"SELECT {_FILE} WHERE id = ?", (file_id,))[0])

    def symbols(self, file_id: int) -> Sequence[_Row]:
        """Found by their ids, which are numbered in a row."""
        row = self.file(file_id)
        bounds = row.first_symbol, row.first_symbol + row.n_symbols - 1
        return select(self._db, f"{SYMBOLS}id BETWEEN ? AND ? ORDER BY s.id", bounds)

    def imports(self, file_id: int) -> list[Import]:
        sql = f"SELECT {_IMPORTS} WHERE file_id = ? ORDER BY rowid"
        return [_import(*row) for row in select(self._db, sql, (file_id,))]

    def bases(self, file_id: int) -> Sequence[tuple[int, str, str]]:
        sql = (
            "SELECT scope_id, receiver, name FROM refs"
            f" WHERE file_id = ? AND {_INHERITING} ORDER BY rowid"
        )
        return [(row[0], row[1], row[2]) for row in select(self._db, sql, (file_id,))]


class RowsOfAllFiles:
    """Has read everything, and gives the rows of a file out once: then its table has them."""

    def __init__(self, connection: apsw.Connection) -> None:
        rows = select(connection, f"SELECT id, {_FILE} ORDER BY path")
        self._files = {row[0]: FileRow(*row[1:]) for row in rows}
        self._symbols: dict[int, list[_Row]] = {}
        for row in select(connection, f"{SYMBOLS}id > 0 ORDER BY s.id"):
            self._symbols.setdefault(row[1], []).append(row)
        self._imports: dict[int, list[Import]] = {}
        for file_id, *parts in select(connection, f"SELECT file_id, {_IMPORTS} ORDER BY rowid"):
            self._imports.setdefault(file_id, []).append(_import(*parts))
        self._bases: dict[int, list[tuple[int, str, str]]] = {}
        sql = f"SELECT file_id, scope_id, receiver, name FROM refs WHERE {_INHERITING}"
        for file_id, class_id, receiver, name in select(connection, f"{sql} ORDER BY rowid"):
            self._bases.setdefault(file_id, []).append((class_id, receiver, name))

    def each_symbol(self) -> Sequence[_Row]:
        """All symbols that were not given out, by id within each file."""
        return [row for rows in self._symbols.values() for row in rows]

    def file(self, file_id: int) -> FileRow:
        return self._files[file_id]

    def symbols(self, file_id: int) -> Sequence[_Row]:
        # The table that is made of them keeps them, so that they are not held twice.
        return self._symbols.pop(file_id, ())

    def imports(self, file_id: int) -> list[Import]:
        return self._imports.pop(file_id, [])

    def bases(self, file_id: int) -> Sequence[tuple[int, str, str]]:
        return self._bases.pop(file_id, ())


class UsesByName:
    """Asks the index each time."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._db = connection

    def callers(self, name: str, family: str) -> list[int]:
        sql = (
            "SELECT DISTINCT f.id FROM refs r JOIN files f ON f.id = r.file_id"
            f" WHERE r.name = ? AND r.kind = 'call' AND {_of_languages(family)} ORDER BY f.path"
        )
        return [row[0] for row in select(self._db, sql, (name,))]

    def is_called(self, name: str) -> bool:
        # Names that are called everywhere would be listed file by file for nothing.
        sql = "SELECT 1 FROM refs WHERE name = ? AND kind = 'call' LIMIT 1"
        return bool(select(self._db, sql, (name,)))

    def subclasses(self, name: str, family: str) -> list[tuple[int, int]]:
        sql = (
            "SELECT DISTINCT f.id, r.scope_id FROM refs r JOIN files f ON f.id = r.file_id"
            f" WHERE r.name = ? AND r.{_INHERITING} AND {_of_languages(family)}"
            " ORDER BY f.path, r.scope_id"
        )
        return [(row[0], row[1]) for row in select(self._db, sql, (name,))]


class UsesOfAllNames:
    """Has read every use once.

    17.8 million lines have 1.1 million pairs of a name and a file that calls it, which take 50 MB.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        rows = select(connection, "SELECT id, language FROM files ORDER BY path")
        # Ids depend on the history of an index, paths do not.
        self._rank = {row[0]: rank for rank, row in enumerate(rows)}
        self._families = {file_id: detect.family_name(language) for file_id, language in rows}
        self._callers: dict[str, list[int]] = {}
        sql = "SELECT DISTINCT name, file_id FROM refs WHERE kind = 'call'"
        for name, file_id in select(connection, sql):
            self._callers.setdefault(name, []).append(file_id)
        # A class may name what it inherits from several times, under several receivers.
        self._subclasses: dict[str, set[tuple[int, int]]] = {}
        sql = f"SELECT file_id, scope_id, name FROM refs WHERE {_INHERITING}"
        for file_id, class_id, name in select(connection, sql):
            self._subclasses.setdefault(name, set()).add((file_id, class_id))

    def callers(self, name: str, family: str) -> list[int]:
        found = (f for f in self._callers.get(name, ()) if self._families[f] == family)
        return sorted(found, key=self._rank.__getitem__)

    def is_called(self, name: str) -> bool:
        return name in self._callers

    def subclasses(self, name: str, family: str) -> list[tuple[int, int]]:
        found = (s for s in self._subclasses.get(name, ()) if self._families[s[0]] == family)
        return sorted(found, key=lambda each: (self._rank[each[0]], each[1]))


@cache
def _of_languages(family: str) -> str:
    """The condition that a file `f` is of a family; names of languages are our own."""
    names = ", ".join(f"'{name}'" for name in detect.languages_of(family))
    return f"f.language IN ({names})"


def go_modules_of(connection: apsw.Connection) -> list[tuple[str, str]]:
    """(name, folder) of each Go module, as its `go.mod` says."""
    sql = (
        "SELECT s.name, f.path FROM symbols s JOIN files f ON f.id = s.file_id"
        " WHERE f.language = 'gomod' AND s.kind = 'section'"
    )
    return [(name, posixpath.dirname(decode_path(path))) for name, path in select(connection, sql)]


def methods_in(connection: apsw.Connection, directory: str) -> Sequence[tuple[str, str]]:
    """(qualified name, name) of the methods in the files of a folder, by qualified name.

    Not those in folders below it. `directory` is "." for the root.
    """
    sql = (
        "SELECT s.qualified, s.name FROM symbols s JOIN files f ON f.id = s.file_id"
        " WHERE f.path >= ? AND f.path < ? AND instr(substr(f.path, ?), x'2f') = 0"
        " AND s.id BETWEEN f.first_symbol AND f.first_symbol + f.n_symbols - 1"
        " AND s.kind = 'method' ORDER BY s.qualified"
    )
    before = encode_path(RepoPath("" if directory == "." else f"{directory}/"))
    rows = select(connection, sql, (before, before + b"\xff", len(before) + 1))
    return [(row[0], row[1]) for row in rows]


def marked_in(
    connection: apsw.Connection, marks: Sequence[str], family: str
) -> list[tuple[int, int, str]]:
    """(file, symbol, mark) of bases, annotations and decorators of some names, by path and
    position."""
    listed = ", ".join("?" * len(marks))
    sql = (
        "SELECT DISTINCT f.id, r.scope_id, r.name FROM refs r JOIN files f ON f.id = r.file_id"
        f" JOIN symbols s ON s.id = r.scope_id WHERE r.name IN ({listed})"
        f" AND (r.{_INHERITING} OR r.line < s.line OR r.kind = 'type' AND r.line = s.line)"
        f" AND {_of_languages(family)}"
        " ORDER BY f.path, r.scope_id, r.name"
    )
    return [(row[0], row[1], row[2]) for row in select(connection, sql, tuple(marks))]


def _import(module: str, name: str, alias: str, line: int) -> Import:
    # The same modules and names are imported by many files.
    return Import(intern(module), intern(name), intern(alias), line)
