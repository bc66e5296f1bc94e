"""What the files of an index say, as the evaluation of expressions asks for it; read when needed.

Every question that another file could answer differently leaves a key in `touched`. The edges of a
file depend on what was touched to find them, and on nothing else: `indexer.callgraph.linker` relies
on it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any
from zlib import crc32

import apsw

from satchel.indexer.callgraph.tables import flow_places
from satchel.indexer.callgraph.tables.bindings import (
    CALLABLES,
    MEMBERS,
    Definition,
    FileScope,
    Namesakes,
    Place,
    can_mean,
)
from satchel.indexer.callgraph.tables.file_table import FileTable
from satchel.indexer.callgraph.tables.flow_places import Site
from satchel.indexer.callgraph.tables.import_paths import Modules
from satchel.store import codec
from satchel.store.model import Flow, Import, ReferenceKind, SymbolKind
from satchel.store.sqlite.database import select
from satchel.store.sqlite.rows import decode_path

_SYMBOLS = (
    "SELECT s.id, s.file_id, s.name, s.qualified, s.kind, s.is_test, p.kind, s.parent_id,"
    " s.signature FROM symbols s LEFT JOIN symbols p ON p.id = s.parent_id WHERE s."
)
_ROOTS = (
    "SELECT s.name, f.path FROM symbols s JOIN files f ON f.id = s.file_id"
    " WHERE f.language = 'gomod' AND s.kind = 'section'"
)
_KINDS = {str(kind): kind for kind in SymbolKind}
_PLACED = 500
"""Files whose places are read between two moments at which there may be something else to do."""
_SEPARATORS = re.compile(r"[./\\:]+")


@lru_cache(maxsize=1 << 18)
def key(kind: str, *parts: str) -> int:
    """What stands for a question: the same in every process."""
    return crc32("\0".join((kind, *parts)).encode("utf-8", "surrogatepass"))


class Tables:
    """The files of one index."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.touched: set[int] = set()
        self.between: Callable[[], object] = int  # called before a file is read; it may raise
        self._db = connection
        self._places: dict[int, Place] = {}
        self._modules: Modules | None = None
        self._growing = self._grow()
        self._found: dict[tuple[str, str, str], tuple[list[int], tuple[int, int]]] = {}
        self.forget()

    def forget(self) -> None:
        """Let go of what was read, but for where files are; it is read again when asked for."""
        self.n_bytes = 0  # of source, in the files that are held
        self._files: dict[int, FileTable] = {}
        self._by_id: dict[int, Definition] = {}
        self._defined: dict[str, list[Definition]] = {}
        self._namesakes: dict[tuple[str, ReferenceKind, str], Namesakes] = {}
        self._sites: dict[str, tuple[list[Site], list[int]]] = {}
        self._heirs: dict[str, list[tuple[int, int]]] = {}

    def load_names(self) -> None:
        """Read everything that can be looked up by name at once, for a derivation of all edges."""
        used = "SELECT name FROM refs UNION SELECT name FROM imports"
        self._defined = {row[0]: [] for row in select(self._db, used)}
        self._load(f"name IN ({used})", ())

    def place(self, file_id: int) -> Place:
        """Where a file is."""
        place = self._places.get(file_id)
        if place is None:
            sql = "SELECT path, language FROM files WHERE id = ?"
            path, language = select(self._db, sql, (file_id,))[0]
            place = self._places[file_id] = Place.of(decode_path(path), language)
        return place

    def defined(self, name: str) -> list[Definition]:
        """Every definition called `name`, in a stable order."""
        self.touched.add(key("name", name))
        if name not in self._defined:
            self._defined[name] = []
            self._load("name = ?", (name,))
        return self._defined.get(name, [])

    def named(self, name: str, use: ReferenceKind, family: str) -> Namesakes:
        """What a use of `name` of one kind, in one language family, can mean."""
        index = (name, use, family)
        known = self._namesakes.get(index)
        if known is None:
            known = self._namesakes[index] = Namesakes.of(
                definition
                for definition in self.defined(name)
                if definition.place.family == family and can_mean(use, definition.kind)
            )
        else:
            self.touched.add(key("name", name))
        return known

    def definition(self, symbol_id: int) -> Definition:
        """A symbol that was given out before."""
        return self._by_id[symbol_id]

    def modules(self, user: Place, module: str) -> list[int]:
        """The files that an import means."""
        asked = (user.directory, user.family, module)
        known = self._found.get(asked)
        if known is None:
            last = _SEPARATORS.split(module.rstrip("./"))[-1]
            keys = (key("module", last), key("packages"))
            known = self._found[asked] = (self._tree().find(user, module), keys)
        self.touched.update(known[1])
        return known[0]

    def submodules(self, place: Place, name: str) -> list[int]:
        """The module `name` inside the package at `place`."""
        self.touched.add(key("module", name))
        return self._tree().child(place, name)

    def _tree(self) -> Modules:
        for _ in self._growing:
            self.between()
        assert self._modules is not None
        return self._modules

    def _grow(self) -> Iterator[None]:
        """Make the tree of modules, some files at a time."""
        rows = select(self._db, "SELECT id, path, language FROM files ORDER BY path")
        for number, (file_id, path, language) in enumerate(rows):
            if file_id not in self._places:
                self._places[file_id] = Place.of(decode_path(path), language)
            if number % _PLACED == 0:
                yield
        roots = [(r[0], posixpath.dirname(decode_path(r[1]))) for r in select(self._db, _ROOTS)]
        made = Modules.of((), roots)
        for number, (file_id, *_) in enumerate(rows):
            made.add(file_id, self._places[file_id])
            if number % _PLACED == 0:
                yield
        self._modules = made

    def sites(self, name: str, limit: int) -> list[Site]:
        """Calls of something whose last name is `name`, by path and position.

        No more is read once there are more than `limit`.
        """
        self.touched.add(key("calls", name))
        if name not in self._sites:
            sql = (
                "SELECT DISTINCT f.id FROM refs r JOIN files f ON f.id = r.file_id"
                " WHERE r.name = ? AND r.kind = 'call' ORDER BY f.path"
            )
            self._sites[name] = [], [row[0] for row in select(self._db, sql, (name,))][::-1]
        found, files = self._sites[name]
        while files and len(found) <= limit:
            found += self.file(files[-1]).sites.get(name, ())
            files.pop()  # whoever was interrupted goes on from there
        return found

    def heirs(self, name: str) -> list[tuple[int, int]]:
        """(file, class) of those that inherit something called `name`, by path and position."""
        self.touched.add(key("heirs", name))
        found = self._heirs.get(name)
        if found is None:
            sql = (
                "SELECT DISTINCT f.id, r.scope_id FROM refs r JOIN files f ON f.id = r.file_id"
                " WHERE r.name = ? AND r.kind IN ('inherit', 'implement')"
                " ORDER BY f.path, r.scope_id"
            )
            rows = select(self._db, sql, (name,))
            found = self._heirs[name] = [(row[0], row[1]) for row in rows]
        return found

    def read(self, file_id: int, scope: int) -> FileTable:
        """The table of a file, asked about one scope of it."""
        table = self._files.get(file_id) or self.file(file_id)
        known = table.keys.get(scope)
        if known is None:
            path = table.scope.place.path
            known = table.keys[scope] = key("scope", path, table.definitions[scope].qualified)
        self.touched.add(known)
        return table

    def imports(self, file_id: int) -> FileScope:
        """What a file imports."""
        table = self.file(file_id)
        self.touched.add(key("imports", table.scope.place.path))
        return table.scope

    def file(self, file_id: int) -> FileTable:
        """The table of a file."""
        table = self._files.get(file_id)
        if table is None:
            table = self._files[file_id] = self._table(file_id)
        return table

    def _table(self, file_id: int) -> FileTable:
        self.between()
        sql = "SELECT digest, language, first_symbol, n_symbols, size FROM files WHERE id = ?"
        digest, language, first, count, size = select(self._db, sql, (file_id,))[0]
        self.n_bytes += size
        sql = f"{_SYMBOLS}id BETWEEN ? AND ? ORDER BY s.id"
        rows = select(self._db, sql, (first, first + count - 1))
        found = [self._definition(row) for row in rows]
        children: dict[tuple[int, str], list[Definition]] = {}
        for definition in found[1:]:
            children.setdefault((definition.parent, definition.name), []).append(definition)
        sql = "SELECT module, name, alias, line FROM imports WHERE file_id = ? ORDER BY rowid"
        imports = [Import(*row) for row in select(self._db, sql, (file_id,))]
        scope = FileScope.of(self.place(file_id), imports)
        holders = frozenset(holder for holder, _ in children)
        table = FileTable(file_id, first, scope, {d.id: d for d in found}, children, holders)
        for class_id, receiver, name in select(
            self._db,
            "SELECT scope_id, receiver, name FROM refs"
            " WHERE file_id = ? AND kind IN ('inherit', 'implement') ORDER BY rowid",
            (file_id,),
        ):
            table.bases.setdefault(class_id, []).append((receiver, name))
        flow_places.fill(table, self._flows(digest, language))
        return table

    def _flows(self, digest: str, language: str) -> tuple[Flow, ...]:
        sql = "SELECT flows FROM contents WHERE digest = ? AND language = ?"
        return codec.decode_flows(select(self._db, sql, (digest, language))[0][0])

    def _load(self, condition: str, values: tuple[str, ...]) -> None:
        for row in select(self._db, f"{_SYMBOLS}{condition} ORDER BY s.id", values):
            definition = self._definition(row)
            self._defined.setdefault(definition.name, []).append(definition)

    def _definition(self, row: tuple[Any, ...]) -> Definition:
        symbol_id, file_id, name, qualified, kind, is_test, parent_kind, parent, signature = row
        if symbol_id in self._by_id:
            return self._by_id[symbol_id]
        known = _KINDS[kind]
        definition = self._by_id[symbol_id] = Definition(
            id=symbol_id,
            name=name,
            scope=qualified[: -len(name)].rstrip("."),
            top_level=parent_kind == SymbolKind.MODULE and known not in MEMBERS,
            kind=known,
            place=self.place(file_id),
            is_test=bool(is_test),
            file_id=file_id,
            parent=parent or 0,
            signature=signature if known in CALLABLES else "",
        )
        return definition
