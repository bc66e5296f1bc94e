"""Classes of one code base: what they inherit, in which order members are looked up, who extends
them. Only what can be said without following values: names, nesting and imports."""

from __future__ import annotations

from satchel.indexer.callgraph.expressions import expressions
from satchel.indexer.callgraph.expressions.expressions import Expression
from satchel.indexer.callgraph.tables import namespace_imports
from satchel.indexer.callgraph.tables.bindings import SEPARATORS, TYPES, Definition
from satchel.indexer.callgraph.tables.file_table import CLASS_LIKE
from satchel.indexer.callgraph.tables.import_paths import BY_PATH
from satchel.indexer.callgraph.tables.index_tables import Tables
from satchel.store.model import Import, ReferenceKind, SymbolKind

_MAX_STEPS = 8
_MAX_ANCESTORS = 40
_MAX_HEIRS = 30
_OPEN = frozenset({"go", "rust", "swift", "cpp", "c", "csharp", "ruby", "kotlin", "javascript",
                   "scala", "php", "lua", "zig", "elixir"})  # fmt: skip
"""Families where members may be written outside the body of their type."""
_HELD = frozenset({SymbolKind.FIELD, SymbolKind.VARIABLE, SymbolKind.CONSTANT})
_NEAR = frozenset({"go", "javascript"})
"""Those of them where that is in the same folder, or file."""


class Classes:
    """Inheritance as the tables say it."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._orders: dict[int, tuple[tuple[Definition, ...], bool, frozenset[int]]] = {}
        self._members: dict[tuple[int, str], tuple[Definition, ...]] = {}

    def order(self, holder: Definition) -> tuple[tuple[Definition, ...], bool]:
        """Where members of a class are looked up, itself first; and whether that is all.

        Depth first, of what comes twice the later place: Python's order but for rare diamonds.
        """
        known = self._orders.get(holder.id)
        if known is None:
            outer = self._tables.touched
            self._tables.touched = set()
            found: list[Definition] = []
            complete = self._collect(holder, found, 0)
            last = {definition.id: i for i, definition in enumerate(found)}
            order = tuple(d for i, d in enumerate(found) if last[d.id] == i)
            known = (order, complete, frozenset(self._tables.touched))
            self._orders[holder.id] = known
            self._tables.touched = outer
        self._tables.touched |= known[2]
        return known[0], known[1]

    def _collect(self, holder: Definition, found: list[Definition], depth: int) -> bool:
        if depth > _MAX_STEPS or len(found) > _MAX_ANCESTORS:
            return False
        found.append(holder)
        complete = True
        table = self._tables.read(holder.file_id, holder.id)
        for receiver, name in table.bases.get(holder.id, ()):
            text = f"{receiver}.{name}" if receiver else name
            if name in ("object", "Generic", "Protocol", "ABC", "Object"):
                continue
            # A broken class head leaves its bases to the file, which has nothing around it.
            scope = holder.parent or holder.id
            bases = self.named(holder.file_id, scope, expressions.read(text))
            complete = complete and bool(bases)
            for base in bases[:1]:
                if base.id != holder.id:
                    complete = self._collect(base, found, depth + 1) and complete
        return complete

    def heirs(self, holder: Definition) -> list[Definition]:
        """Classes that inherit from one, at any distance, nearest first."""
        found: dict[int, Definition] = {}
        waiting = [holder]
        while waiting and len(found) < _MAX_HEIRS:
            base = waiting.pop(0)
            for file_id, class_id in self._tables.heirs(base.name):
                heir = self._tables.file(file_id).definitions[class_id]
                if class_id in found or heir.place.family != base.place.family:
                    continue
                if any(known.id == base.id for known in self.order(heir)[0][1:]):
                    found[class_id] = heir
                    waiting.append(heir)
        return list(found.values())

    def members(self, holder: Definition, name: str) -> tuple[Definition, ...]:
        """What a class itself defines under a name, in source order."""
        table = self._tables.read(holder.file_id, holder.id)
        inside = table.children.get((holder.id, name), ())
        # In Rust a field and a method may share a name; the one says nothing of the other.
        if any(d.kind not in _HELD for d in inside) or holder.place.family not in _OPEN:
            return tuple(inside)
        known = self._members.get((holder.id, name))
        if known is None:
            known = self._members[holder.id, name] = self._outside(holder, name)
        self._tables.defined(name)
        return (*inside, *known) if inside else known

    def _outside(self, holder: Definition, name: str) -> tuple[Definition, ...]:
        """Members written elsewhere: with a receiver, in an `impl`, in an extension."""
        found = [
            d
            for d in self._tables.defined(name)
            if d.place.family == holder.place.family
            and d.id != holder.id
            and SEPARATORS.split(d.scope)[-1] == holder.name
            and d.scope
        ]
        for near in (
            [d for d in found if d.file_id == holder.file_id],
            [
                d
                for d in found
                if d.place.directory == holder.place.directory and d.place.family != "javascript"
            ],
        ):
            if near:
                return tuple(near)
        anywhere = holder.place.family not in _NEAR and len(found) == 1
        return tuple(found) if anywhere else ()

    def named(
        self, file_id: int, scope: int, expression: Expression, steps: int = 0
    ) -> list[Definition]:
        """The classes that a name or a path of names stands for, seen from a scope."""
        if steps > _MAX_STEPS:
            return []
        if expression[0] == "attr":
            name = expression[2]
            for holder in self.named(file_id, scope, expression[1], steps + 1):
                inside = [d for d in self.members(holder, name) if d.kind in CLASS_LIKE]
                if inside:
                    return inside
            inside = self._in_modules(file_id, expression, steps)
            is_path = self._tables.place(file_id).family in BY_PATH
            return inside if inside or is_path else self.elsewhere(file_id, name)
        return (
            self._by_name(file_id, scope, expression[1], steps) if expression[0] == "name" else []
        )

    def _by_name(self, file_id: int, scope: int, name: str, steps: int) -> list[Definition]:
        table = self._tables.file(file_id)
        while True:
            self._tables.read(file_id, scope)
            found = [d for d in table.children.get((scope, name), ()) if _is_type(d)]
            if found:
                return found
            aliases = table.flows.get((scope, name), ())
            if len(aliases) == 1 and aliases[0][0] in ("name", "attr"):
                return self.named(file_id, scope, aliases[0], steps + 1)
            if scope == table.module:
                break
            scope = table.definitions[scope].parent
        return self.imported(file_id, name, steps) or self.elsewhere(file_id, name)

    def imported(self, file_id: int, name: str, steps: int) -> list[Definition]:
        """The classes that an imported name stands for, through any number of modules."""
        scope = self._tables.imports(file_id)
        bindings = [*scope.by_local_name.get(name, ()), *scope.stars]
        for binding in bindings:
            original = binding.name if binding.name not in ("", "*") else name
            for module in self._tables.modules(scope.place, binding.module):
                found = self._in_module(module, original, steps + 1)
                if found:
                    return found
        return []

    def _in_module(self, file_id: int, name: str, steps: int) -> list[Definition]:
        if steps > _MAX_STEPS:
            return []
        return self._by_name(file_id, self._tables.file(file_id).module, name, steps)

    def _in_modules(self, file_id: int, expression: Expression, steps: int) -> list[Definition]:
        """`module.Class`, where the module was imported."""
        scope = self._tables.imports(file_id)
        path = _dotted(expression[1])
        for binding in scope.by_local_name.get(path.rpartition(".")[2], ()):
            for module in self._module_files(scope.place.family, binding, file_id):
                found = self._in_module(module, expression[2], steps + 1)
                if found:
                    return found
        return []

    def _module_files(self, _family: str, binding: Import, file_id: int) -> list[int]:
        place = self._tables.place(file_id)
        if binding.name in ("", "*", "default"):
            return self._tables.modules(place, binding.module)
        inside = []
        for module in self._tables.modules(place, binding.module):
            inside += self._tables.submodules(self._tables.place(module), binding.name)
        return inside or self._tables.modules(place, f"{binding.module.rstrip('.')}.{binding.name}")

    def elsewhere(self, file_id: int, name: str) -> list[Definition]:
        """Where imports are no paths, or a folder shares its names: the type nearest by."""
        scope = self._tables.imports(file_id)
        place = scope.place
        if place.family in ("python", "javascript"):
            return []
        known = self._tables.named(name, ReferenceKind.TYPE, place.family)
        for binding in scope.by_local_name.get(name, ()) if place.family != "go" else ():
            found = namespace_imports.in_module(known, binding, place)
            if found is not None:
                return [found]
        for binding in scope.stars if place.family == "java" else ():
            if (found := namespace_imports.in_module(known, binding, place)) is not None:
                return [found]
        near = [d for d in known.all if d.place.package == place.package and d.top_level]
        if near or place.family == "go":
            return near[:1]
        product = [d for d in known.product if d.kind != SymbolKind.EXTENSION]
        return product if len(product) == 1 else []

    def around(self, file_id: int, scope: int) -> Definition | None:
        """The class whose members see each other at a scope."""
        table = self._tables.file(file_id)
        holder = table.holder(scope)
        if holder:
            found = table.definitions[holder]
            if found.kind != SymbolKind.EXTENSION:
                return found
            return next(iter(self._by_name(file_id, found.parent, found.name, 0)), found)
        while scope != table.module:
            definition = table.definitions[scope]
            owner = SEPARATORS.split(definition.scope)[-1]
            if owner and definition.parent == table.module:
                return next(iter(self._by_name(file_id, table.module, owner, 0)), None)
            scope = definition.parent
        return None


def _is_type(definition: Definition) -> bool:
    """Whether a definition is one of a type, or a module that Ruby mixes into one."""
    mixed_in = definition.kind == SymbolKind.MODULE and definition.place.family == "ruby"
    return mixed_in or definition.kind in TYPES


def _dotted(expression: Expression) -> str:
    if expression[0] == "name":
        return str(expression[1])
    return f"{_dotted(expression[1])}.{expression[2]}" if expression[0] == "attr" else ""
