"""The tables of an index's files for evaluating expressions, read when needed.

Every question that another file could answer differently leaves a key in `lookups`. The edges of a
file depend on the keys that were left while they were derived, and on nothing else: that is what
`indexer.callgraph.linker` and `indexer.callgraph.invalidation` rely on. So a method that looks
anything up leaves its key each time, also where the answer is remembered.
"""

from collections.abc import Callable, Iterator
from sys import intern
from typing import Any, TypeVar

import apsw

from satchel.indexer.callgraph.tables.bindings import (
    CALLABLES,
    CALLBACKS,
    MEMBERS,
    READABLE,
    Candidates,
    Definition,
    FileImports,
    SourceFile,
    can_mean,
)
from satchel.indexer.callgraph.tables.file_rows import (
    SYMBOLS,
    FileRows,
    NameUses,
    RowsByFile,
    RowsOfAllFiles,
    UsesByName,
    UsesOfAllNames,
    go_modules_of,
    marked_in,
    methods_in,
)
from satchel.indexer.callgraph.tables.file_table import Base, CallSite, FileTable
from satchel.indexer.callgraph.tables.fill import fill
from satchel.indexer.callgraph.tables.flow_texts import first_word
from satchel.indexer.callgraph.tables.folder_links import FolderLinks
from satchel.indexer.callgraph.tables.import_paths import GoModule, ModuleIndex
from satchel.indexer.callgraph.tables.lookups import (
    ANY_PACKAGE,
    EVERYTHING,
    Lookup,
    lookup_key,
    narrower,
)
from satchel.indexer.languages.operators import RUN_BY_OPERATORS
from satchel.store import codec
from satchel.store.model import (
    CLASS_LIKE,
    ROOT_TARGET,
    ReferenceKind,
    RepoPath,
    SkipReason,
    SymbolKind,
)
from satchel.store.sqlite.database import select
from satchel.store.sqlite.rows import ByValue, decode_path

_CALL = ReferenceKind.CALL
_K = TypeVar("_K")
_V = TypeVar("_V")
Remembered = tuple[_V, tuple[int, ...]]
"""An answer, and the keys of the lookups that it depends on."""
_LINKS = "SELECT path, detail FROM skipped WHERE reason = ? AND detail <> '' ORDER BY path"
_KINDS = ByValue(SymbolKind)
_FIELD = SymbolKind.FIELD
_MODULE, _PROPERTY = SymbolKind.MODULE, SymbolKind.PROPERTY
_SIGNED = CALLABLES | {SymbolKind.TYPE}
"""What is asked for its signature."""
_FILES_AT_ONCE = 500
"""Files whose paths are read between two moments at which there may be something else to do."""


class IndexTables:
    """The files of one index.

    `before_reading` is called before a file is read; it may raise, and the question can then be
    asked again.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self.lookups: set[int] = set()
        self.before_reading: Callable[[], object] = int  # does nothing
        self._db = connection
        self._uses: NameUses = UsesByName(connection)
        self._source_files: dict[int, SourceFile] = {}
        self._module_index: ModuleIndex | None = None
        # A generator, so that whoever was interrupted goes on where it stopped.
        self._building = self._build_module_index()
        self._imported: dict[tuple[str, str, str], tuple[list[int], set[int]]] = {}
        self.release()

    def release(self) -> None:
        """Let go of what was read; it is read again when asked for.

        Where files are, and which use a name where that was read for all, is kept.
        """
        self.n_bytes = 0  # of source, in the files that are held
        self._rows: FileRows = RowsByFile(self._db)
        self._files: dict[int, FileTable] = {}
        self._by_id: dict[int, Definition] = {}
        self._defined: dict[str, list[Definition]] = {}
        self._unread_names: frozenset[str] | None = None
        """Those that something is defined under and that were not read, where that is known."""
        self._candidates: dict[tuple[str, ReferenceKind, str], Candidates] = {}
        self._callbacks: dict[str, bool] = {}
        self._read: dict[tuple[str, str, bool], bool] = {}
        self.extending: dict[tuple[str, ReferenceKind, str], Remembered[list[Definition]]] = {}
        """What extends a type under a name, for uses of a kind in a language; see `extensions`."""
        # What is asked for by name has its key beside it: both are looked up at once.
        self._name_keys: dict[str, int] = {}
        self._call_sites: dict[tuple[str, str], tuple[list[CallSite], list[int], int]] = {}
        self._subclasses: dict[tuple[str, str], tuple[list[tuple[int, int]], int]] = {}
        self._called: dict[str, tuple[bool, int]] = {}
        self._methods: dict[str, dict[str, dict[str, None]]] = {}

    def preload_names(self) -> None:
        """Read everything that can be looked up by name at once, for a derivation of all edges."""
        # Names that nothing uses are not read; those that nothing defines get an empty list.
        used = "SELECT name FROM refs UNION SELECT name FROM imports"
        self._defined = {row[0]: [] for row in select(self._db, used)}
        self._load_definitions(f"name IN ({used})", ())
        # So that a name which nothing defines need not be looked for in the index.
        unused = select(self._db, f"SELECT name FROM symbols EXCEPT SELECT * FROM ({used})")
        self._unread_names = frozenset(row[0] for row in unused)

    def preload_uses(self) -> None:
        """Read which files use a name, for all names at once."""
        self._uses = UsesOfAllNames(self._db)

    def preload_files(self) -> None:
        """Read the rows of all files at once, and what is looked up by name with them."""
        self._rows = rows = RowsOfAllFiles(self._db)
        self._defined = {}
        for definition in map(self._definition, rows.each_symbol()):
            self._defined.setdefault(definition.name, []).append(definition)
        for found in self._defined.values():
            if len(found) > 1:
                found.sort(key=_by_path)
        self._unread_names = frozenset()

    def remembered(self, known: dict[_K, Remembered[_V]], key: _K, find: Callable[[], _V]) -> _V:
        """What `find` answers, found once; who asks later depends on the same lookups."""
        answered = known.get(key)
        if answered is None:
            outer, self.lookups = self.lookups, set()
            # A pause may end this in the middle: then nothing is kept, and it is asked again.
            try:
                found = find()
                # Kept as a tuple: a set takes four times its memory.
                answered = known[key] = found, tuple(self.lookups)
            finally:
                self.lookups = outer
        self.lookups.update(answered[1])
        return answered[0]

    def file(self, file_id: int) -> SourceFile:
        """A file as the rules see it."""
        known = self._source_files.get(file_id)
        if known is None:
            row = self._rows.file(file_id)
            known = self._source_files[file_id] = SourceFile.of(decode_path(row.path), row.language)
        return known

    def definition(self, symbol_id: int) -> Definition:
        """A symbol that was given out before."""
        return self._by_id[symbol_id]

    def definitions_named(self, name: str) -> list[Definition]:
        """Every definition called `name`, by path and place."""
        self.note_name(name)
        found = self._defined.get(name)
        if found is None:
            self._defined[name] = []
            if self._unread_names is None or name in self._unread_names:
                self._load_definitions("name = ?", (name,))
            found = self._defined[name]
        return found

    def note_name(self, name: str) -> None:
        """Leave the key of what is defined under a name."""
        key = self._name_keys.get(name)
        if key is None:
            key = self._name_keys[name] = lookup_key(Lookup.NAME, name)
        self.lookups.add(key)

    def runs_nothing(self, name: str) -> bool:
        """Whether it is an operator's method that no class has: most are for numbers and texts."""
        return name in RUN_BY_OPERATORS and not self.definitions_named(name)

    def names_a_callback(self, name: str) -> bool:
        """Whether anything called `name` is a function that can be handed on."""
        # Asked for every argument of every call that nothing else explains.
        known = self._callbacks.get(name)
        if known is None:
            kinds = {definition.kind for definition in self.definitions_named(name)}
            known = self._callbacks[name] = not kinds.isdisjoint(CALLBACKS)
        else:
            self.note_name(name)
        return known

    def means_when_read(self, name: str, user: SourceFile, *, is_member: bool) -> bool:
        """Whether anything called `name` runs, or is handed on, where a file reads the name."""
        # Where calls are followed through names, what is handed on is found by the calls; what
        # stands alone is handed to an element.
        of_properties = is_member and user.rules.calls_through_local_names
        of_properties = of_properties and name not in user.rules.operators.names
        asked = (user.family, name, of_properties)
        known = self._read.get(asked)
        if known is None:
            named = [d for d in self.definitions_named(name) if d.file.family == user.family]
            telling = {_PROPERTY} if of_properties else READABLE
            # A field of tests may be where another gets its data from.
            known = self._read[asked] = any(
                d.kind in telling or (d.is_test and d.kind is _FIELD and not of_properties)
                for d in named
            )
        else:
            self.note_name(name)
        return known

    def candidates(self, name: str, use: ReferenceKind, family: str) -> Candidates:
        """What a use of `name` of one kind, in one language family, can mean."""
        index = (name, use, family)
        known = self._candidates.get(index)
        if known is None:
            known = self._candidates[index] = Candidates.of(
                definition
                for definition in self.definitions_named(name)
                if definition.file.family == family
                and (
                    can_mean(use, definition.kind)
                    or definition.file.rules.names_are_addresses
                    # Of a module of Verilog instances are made.
                    or (use is _CALL and definition.parent and definition.file.language.uses)
                )
            )
        else:
            self.note_name(name)
        return known

    def imported_files(self, user: SourceFile, module: str) -> list[int]:
        """The files that an import means, in path order."""
        # Answered once for all files of a folder.
        asked = (user.directory, user.family, module)
        known = self._imported.get(asked)
        if known is None:
            modules = self._modules()
            keys = self._keys_of_modules(*modules.names_for(user, module))
            known = self._imported[asked] = (modules.find(user, module), keys)
        self.lookups.update(known[1])
        return known[0]

    def submodules(self, package: SourceFile, name: str) -> list[int]:
        """The module `name` inside the package whose entry file is `package`."""
        self.lookups |= self._keys_of_modules(name)
        return self._modules().child(package, name)

    def _keys_of_modules(self, *names: str) -> set[int]:
        """The keys of modules by the last parts of their paths."""
        # A name may be that of a linked folder, and the entry file of that lie elsewhere.
        linked = (ANY_PACKAGE,) if self._modules().links.targets else ()
        keys = {lookup_key(Lookup.MODULE, each) for each in (*names, *linked)}
        return keys | {lookup_key(Lookup.GO_MODULES)}

    def _modules(self) -> ModuleIndex:
        for _ in self._building:
            self.before_reading()
        assert self._module_index is not None
        return self._module_index

    def _build_module_index(self) -> Iterator[None]:
        """Make the index of modules, some files at a time: 10,000 files take longer than a pause
        between two saves."""
        rows = select(self._db, "SELECT id, path, language FROM files ORDER BY path")
        for number, (file_id, path, language) in enumerate(rows):
            if file_id not in self._source_files:
                self._source_files[file_id] = SourceFile.of(decode_path(path), language)
            if number % _FILES_AT_ONCE == 0:
                yield
        go_modules = [GoModule(*module) for module in go_modules_of(self._db)]
        links = FolderLinks.of(
            (decode_path(path), "" if target == ROOT_TARGET else target)
            for path, target in select(self._db, _LINKS, (SkipReason.SYMLINK,))
        )
        made = ModuleIndex.of(go_modules, links)
        for number, (file_id, *_) in enumerate(rows):
            made.add(file_id, self._source_files[file_id])
            if number % _FILES_AT_ONCE == 0:
                yield
        self._module_index = made

    def call_sites(self, name: str, family: str, limit: int) -> list[CallSite]:
        """Calls of something whose last name is `name`, by path and position.

        Only those in languages of a family: others cannot call what is defined in one of them. No
        more is read once there are more than `limit`.
        """
        known = self._call_sites.get((name, family))
        if known is None:
            files = self._uses.callers(name, family)
            known = [], files[::-1], lookup_key(Lookup.CALLS, name)
            self._call_sites[name, family] = known
        found, unread, key = known
        self.lookups.add(key)
        while unread and len(found) <= limit:
            found += self.table(unread[-1]).call_sites.get(name, ())
            unread.pop()  # after the read: whoever was interrupted goes on from there
        return found

    def subclasses(self, name: str, family: str) -> list[tuple[int, int]]:
        """(file, class) of those in languages of a family that inherit something called `name`, by
        path and position."""
        known = self._subclasses.get((name, family))
        if known is None:
            found = self._uses.subclasses(name, family)
            known = self._subclasses[name, family] = found, lookup_key(Lookup.SUBCLASSES, name)
        self.lookups.add(known[1])
        return known[0]

    def is_called(self, name: str) -> bool:
        """Whether anything in the tree calls something of a name."""
        known = self._called.get(name)
        if known is None:
            is_called = self._uses.is_called(name)
            known = self._called[name] = is_called, lookup_key(Lookup.CALLED, name)
        self.lookups.add(known[1])
        return known[0]

    def methods_outside(self, holder: Definition) -> list[str]:
        """The names of the methods that the folder of a type has for it, in order."""
        directory = holder.file.directory
        self.lookups.add(lookup_key(Lookup.METHODS, directory))
        known = self._methods.get(directory)
        if known is None:
            known = self._methods[directory] = {}
            for qualified, name in methods_in(self._db, directory):
                owner = qualified[: -len(name)].rstrip(".")
                if owner and "." not in owner:
                    known.setdefault(owner, {})[name] = None
        return list(known.get(holder.name, ()))

    def marked(self, marks: frozenset[str], family: str) -> list[tuple[int, int, str]]:
        """(file, symbol, mark) of what has one of some marks, in languages of a family, by path and
        position."""
        self.lookups.update(lookup_key(Lookup.MARKED, mark) for mark in marks)
        return marked_in(self._db, sorted(marks), family)

    def types_of_mark(self, symbol_id: int) -> list[str]:
        """The types that stand before the name of a symbol and beside it: those of annotations."""
        sql = (
            "SELECT r.name FROM symbols s JOIN refs r ON r.file_id = s.file_id"
            " AND r.scope_id = s.id WHERE s.id = ? AND r.kind = 'type' AND r.line <= s.line"
            " ORDER BY r.rowid"
        )
        return [row[0] for row in select(self._db, sql, (symbol_id,))]

    def line(self, symbol_id: int) -> int:
        """The line of the name of a symbol."""
        return int(select(self._db, "SELECT line FROM symbols WHERE id = ?", (symbol_id,))[0][0])

    def table_at(self, file_id: int, scope: int, about: str | None = None) -> FileTable:
        """The table of a file, for asking anything about one scope of it, or only what is `about` a
        word; "" is the scope itself, as in `table_of`."""
        table = self._files.get(file_id) or self.table(file_id)
        known = table.scope_keys.get((scope, about))
        self.lookups.add(self._key_at(table, scope, about) if known is None else known)
        return table

    def _key_at(self, table: FileTable, scope: int, about: str | None) -> int:
        """The key of asking about a scope, made once."""
        known = table.scope_keys.get((scope, None))
        if known is None:
            parts = (table.imports.file.path, table.definitions[scope].qualified)
            known = table.scope_keys[scope, None] = lookup_key(Lookup.SCOPE, *parts)
        if about is not None:
            known = table.scope_keys[scope, about] = narrower(known, about)
        return known

    def table_of(self, file_id: int, scope: int, *names: str) -> FileTable:
        """The table of a file, for asking what a scope is: its signature, decorators, bases,
        results; of names in it only what `names` mean."""
        for name in names:
            self.table_for(file_id, scope, name)
        return self.table_at(file_id, scope, "")

    def table_for(self, file_id: int, scope: int, name: str) -> FileTable:
        """The table of a file, for asking what one name means in a scope, or as a member of it."""
        # Asked more often than anything else: the key is kept under the name as it is written.
        table = self._files.get(file_id) or self.table(file_id)
        known = table.written_keys.get((scope, name))
        if known is None:
            # A place may write the name with more than words: `$x`. Without any, all is asked for.
            known = self._key_at(table, scope, first_word(name) or None)
            table.written_keys[scope, name] = known
        self.lookups.add(known)
        return table

    def table_within(self, file_id: int, scope: int, name: str) -> FileTable:
        """The table of a file, for asking what one name means to the code in a scope."""
        # What calls give to the parameters of a function is told by much that is in it.
        definition = self.table(file_id).definitions[scope]
        is_holder = definition.kind in CLASS_LIKE or definition.parent == 0
        return self.table_for(file_id, scope, name) if is_holder else self.table_at(file_id, scope)

    def imports(self, file_id: int) -> FileImports:
        """What a file imports, for asking about any of it."""
        table = self.table(file_id)
        self.lookups.add(table.imports_key)
        return table.imports

    def imports_of(self, file_id: int, name: str) -> FileImports:
        """What a file imports, for asking what brings one name: an import of it, or of a module of
        which everything is imported."""
        table = self.table(file_id)
        keys = table.name_keys.get(name)
        if keys is None:
            of_all = table.imports_key
            keys = table.name_keys[name] = narrower(of_all, name), narrower(of_all, EVERYTHING)
        self.lookups.update(keys)
        return table.imports

    def calls_in(self, file_id: int) -> FileTable:
        """The table of a file, for asking about calls that it makes anywhere."""
        table = self.table(file_id)
        self.lookups.add(table.calls_key)
        return table

    def table(self, file_id: int) -> FileTable:
        """The table of a file; leaves no key, for what an edit of the file itself decides."""
        table = self._files.get(file_id)
        if table is None:
            table = self._files[file_id] = self._read_table(file_id)
        return table

    def _read_table(self, file_id: int) -> FileTable:
        self.before_reading()
        row = self._rows.file(file_id)
        self.n_bytes += row.size
        # The file's own symbol comes first and is nobody's child.
        found = [self._definition(each) for each in self._rows.symbols(file_id)]
        children: dict[tuple[int, str], list[Definition]] = {}
        for definition in found[1:]:
            children.setdefault((definition.parent, definition.name), []).append(definition)
        imports = FileImports.of(self.file(file_id), self._rows.imports(file_id))
        by_id = {d.id: d for d in found}
        with_children = frozenset(holder for holder, _ in children)
        path = imports.file.path
        keys = lookup_key(Lookup.IMPORTS, path), lookup_key(Lookup.CALL_SITES, path)
        table = FileTable(file_id, row.first_symbol, imports, by_id, children, *keys, with_children)
        for class_id, receiver, name in self._rows.bases(file_id):
            table.bases.setdefault(class_id, []).append(Base(receiver, name))
        sql = "SELECT flows FROM contents WHERE digest = ? AND language = ?"
        flows = select(self._db, sql, (row.digest, row.language))[0][0]
        fill(table, codec.decode_flows(flows))
        return table

    def _load_definitions(self, condition: str, values: tuple[str, ...]) -> None:
        loaded: set[str] = set()
        for row in select(self._db, f"{SYMBOLS}{condition} ORDER BY s.id", values):
            definition = self._definition(row)
            self._defined.setdefault(definition.name, []).append(definition)
            loaded.add(definition.name)
        # Files have ids in the order in which they came, and of equal candidates the first counts.
        for name in loaded:
            self._defined[name].sort(key=_by_path)

    def _definition(self, row: tuple[Any, ...]) -> Definition:
        symbol_id, file_id, name, qualified, kind, is_test, parent_kind, parent, signature = row
        # One object for a symbol, whether it was reached by its name or by its file.
        if symbol_id in self._by_id:
            return self._by_id[symbol_id]
        known, file = _KINDS[kind], self.file(file_id)
        is_top = parent_kind == _MODULE and known not in MEMBERS
        if parent_kind is not None and known == SymbolKind.METHOD:
            is_top = _KINDS[parent_kind] in file.rules.called_without_receiver
        if parent is None and file.rules.files_are_components:
            # `pages/login.vue` has a name, but nothing uses it by that: components have capitals.
            known, is_top = SymbolKind.FUNCTION, name[:1].isupper()
        definition = self._by_id[symbol_id] = Definition(
            id=symbol_id,
            name=intern(name),
            scope=intern(qualified[: -len(name)].rstrip(".")),
            top_level=is_top,
            kind=known,
            file=file,
            is_test=bool(is_test),
            file_id=file_id,
            parent=parent or 0,
            signature=signature if known in _SIGNED or parent_kind == SymbolKind.ENUM else "",
        )
        return definition


def _by_path(definition: Definition) -> tuple[RepoPath, int]:
    return definition.file.path, definition.id
