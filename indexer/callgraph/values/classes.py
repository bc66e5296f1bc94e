"""Classes of one code base: what they inherit, where their members are looked up, who extends them.

Answers come from names, nesting and imports alone, and follow no values. So each is computed once,
without the solver; the evaluator builds on them.
"""

from functools import partial
from typing import NamedTuple

from satchel.indexer.callgraph.expressions.nodes import (
    Attribute,
    Expression,
    Name,
    argument_for,
    last_part,
)
from satchel.indexer.callgraph.expressions.parser import parse_arguments, parse_expression
from satchel.indexer.callgraph.tables import namespace_imports
from satchel.indexer.callgraph.tables.bindings import MEMBERS, SEPARATORS, Definition, SourceFile
from satchel.indexer.callgraph.tables.file_table import DEFAULT_EXPORT, makes_instances
from satchel.indexer.callgraph.tables.imported_names import imported_from
from satchel.indexer.callgraph.tables.index_tables import IndexTables, Remembered
from satchel.indexer.callgraph.tables.signatures import bounds_of_types, parameter_names
from satchel.indexer.callgraph.tables.visibility import is_visible
from satchel.indexer.languages.name_rules import ImportStyle, Library, MembersOutside
from satchel.store.model import CLASS_LIKE, FUNCTIONS, TYPES, Import, ReferenceKind, SymbolKind

_MAX_STEPS = 8
"""Aliases, re-exports and base classes in one chain; a longer chain is most likely a circle."""
_MAX_CALLS = 8
_MAX_ANCESTORS = 40
_MAX_SUBCLASSES = 30
_MAX_EXTENSIONS = 8
"""Of a name in other folders; with more of them they extend several types of that name."""
_FUNCTION, _NOWHERE = SymbolKind.FUNCTION, MembersOutside.NOWHERE
_TYPES_AND_MODULES = TYPES | {SymbolKind.MODULE}
_CLASSES_AND_MODULES = CLASS_LIKE | {SymbolKind.MODULE}
_EXTENDED = CLASS_LIKE - {SymbolKind.EXTENSION}
_FIELDS = frozenset({SymbolKind.FIELD, SymbolKind.VARIABLE, SymbolKind.CONSTANT})
_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "ReprEnum", "Flag", "IntFlag"})
_PATHS = frozenset({Name, Attribute})
_ROOT_CLASSES = frozenset({"object", "Generic", "Protocol", "ABC", "Object"})
"""Bases that are in no tree and have no member that anybody looks up."""


class Mro(NamedTuple):
    """The classes where members are looked up, itself first; and whether all bases are known."""

    classes: tuple[Definition, ...]
    is_complete: bool


class Classes:
    """Inheritance, members and nesting of classes, from the tables of one index."""

    def __init__(self, tables: IndexTables) -> None:
        self._tables = tables
        self._mros: dict[int, Remembered[Mro]] = {}
        self._subclasses: dict[int, Remembered[tuple[Definition, ...]]] = {}
        self._enclosing: dict[int, Remembered[Definition | None]] = {}
        self._outside: dict[tuple[int, str], tuple[Definition, ...]] = {}
        self._exported: dict[tuple[int, str, int], Remembered[list[Definition]]] = {}

    def mro(self, holder: Definition) -> Mro:
        """The method resolution order of a class.

        Depth first; a class that comes twice keeps its later place. That is Python's order (C3)
        except for rare diamonds.
        """
        return self._tables.remembered(self._mros, holder.id, partial(self._find_mro, holder))

    def _find_mro(self, holder: Definition) -> Mro:
        found: list[Definition] = []
        is_complete = self._collect_bases(holder, found, 0)
        # A class that is reached twice stands behind all that inherit from it.
        last = {definition.id: i for i, definition in enumerate(found)}
        return Mro(tuple(d for i, d in enumerate(found) if last[d.id] == i), is_complete)

    # Of several classes that a base may be only the first is followed: an order for each choice
    # would be too many.
    def _collect_bases(self, holder: Definition, found: list[Definition], depth: int) -> bool:
        """Add a class and what it inherits, depth first; whether all of it is known."""
        if depth > _MAX_STEPS or len(found) > _MAX_ANCESTORS:
            return False
        found.append(holder)
        is_complete = True
        table = self._tables.table_of(holder.file_id, holder.id)
        # Most of what extensions are for is outside of the tree, and says nothing of the type.
        for base in self._bases_of_extensions(holder):
            self._collect_bases(base, found, depth + 1)
        if holder.kind == _FUNCTION:  # what it inherits from is assigned beside it
            self._tables.table_at(holder.file_id, table.module)
        for receiver, name in table.bases.get(holder.id, ()):
            if name in _ROOT_CLASSES:
                continue
            bases = self._bases_in_head(holder, receiver, name)
            bases = bases or self._class_from_function(holder.file_id, name)
            bases = bases or self._classes_passed_as(holder, name)
            is_complete = is_complete and bool(bases)
            for base in bases[:1]:
                if base.id != holder.id:
                    is_complete = self._collect_bases(base, found, depth + 1) and is_complete
        return is_complete

    def _bases_of_extensions(self, holder: Definition) -> list[Definition]:
        """The traits that extensions of a type are written for."""
        found: list[Definition] = []
        for part in self._extensions(holder):
            table = self._tables.table_of(part.file_id, part.id)
            for receiver, name in table.bases.get(part.id, ()):
                found += self._bases_in_head(part, receiver, name)[:1]
        return [each for each in found if each.id != holder.id]

    def _bases_in_head(self, holder: Definition, receiver: str, name: str) -> list[Definition]:
        """The types that a base in the head of a class, or of an extension, may mean."""
        # A broken class head leaves its bases to the file, which has nothing around it.
        scope = holder.parent or holder.id
        path = parse_expression(f"{receiver}.{name}" if receiver else name)
        return self.named(holder.file_id, scope, path)

    def _extensions(self, holder: Definition) -> list[Definition]:
        """The extensions that give a type further bases: `impl Trait for Type` of Rust; of a class
        of Objective-C also where else it is declared."""
        if (
            holder.file.rules.members_outside is not MembersOutside.ANYWHERE
            or holder.kind not in _EXTENDED
        ):
            return []
        found = [
            d
            for d in self._tables.definitions_named(holder.name)
            if d.file.family == holder.file.family
            and (
                d.kind == SymbolKind.EXTENSION
                or (holder.file.rules.classes_are_global and d.kind == holder.kind)
            )
        ]
        near = [d for d in found if d.file.directory == holder.file.directory]
        return near or (found if len(found) <= _MAX_EXTENSIONS else [])

    def _class_from_function(self, file_id: int, name: str) -> list[Definition]:
        """The class that a function of JavaScript makes: a mixin, `extends name(Base)`."""
        if not self._tables.file(file_id).rules.members_are_items:
            return []
        functions = self._functions_named(file_id, name)
        for function in functions[:1]:
            table = self._tables.table_at(function.file_id, function.id)
            inside = table.held_by(function.id)
            made = [d for d in inside if d.kind in CLASS_LIKE]
            # The methods of a class without a name are the function's.
            is_class = makes_instances(function) or any(d.kind == SymbolKind.METHOD for d in inside)
            return made[:1] or (functions[:1] if is_class else [])
        return []

    def _classes_passed_as(self, holder: Definition, name: str) -> list[Definition]:
        """The class that calls hand to a function, where the classes it makes inherit from its
        parameter."""
        table = self._tables.table(holder.file_id)
        function = table.definitions.get(holder.parent)
        names = parameter_names(function) if function else ()
        if function is None or function.kind not in FUNCTIONS or name not in names:
            return []
        if names[0] in function.file.language.self_names:
            names = names[1:]  # what is before the dot is no argument
        if name not in names:
            return []
        found: dict[int, Definition] = {}
        # With many calls each makes a class of its own, which no one class here can be.
        for site in self._tables.call_sites(function.name, function.file.family, _MAX_CALLS):
            given = argument_for(name, names, parse_arguments(site.arguments))
            for base in self.named(site.file_id, site.scope, given) if given else ():
                found[base.id] = base
        return list(found.values())

    def _functions_named(self, file_id: int, name: str) -> list[Definition]:
        """Functions of a module, or of those it imports the name from."""
        table = self._tables.table(file_id)
        self._tables.table_for(file_id, table.module, name)
        found = list(table.children.get((table.module, name), ()))
        imports = self._tables.imports_of(file_id, name)
        for binding in imports.by_local_name.get(name, ()) if not found else ():
            for module in self._tables.imported_files(imports.file, binding.module):
                other = self._tables.table(module)
                self._tables.table_for(module, other.module, binding.name)
                found += other.children.get((other.module, binding.name), ())
        return [d for d in found if d.kind == SymbolKind.FUNCTION]

    def subclasses(self, holder: Definition) -> tuple[Definition, ...]:
        """Classes that inherit from one, at any distance, nearest first.

        No class is asked for its subclasses once there are 30.
        """
        # Asked for every method of a class: four of five times the answer is there.
        find = partial(self._find_subclasses, holder)
        return self._tables.remembered(self._subclasses, holder.id, find)

    def _find_subclasses(self, holder: Definition) -> tuple[Definition, ...]:
        found: dict[int, Definition] = {}
        waiting = [holder]
        while waiting and len(found) < _MAX_SUBCLASSES:
            base = waiting.pop(0)
            for file_id, class_id in self._tables.subclasses(base.name, base.file.family):
                if class_id in found:
                    continue
                subclass = self._tables.table(file_id).definitions[class_id]
                # A base of that name may be another class.
                if any(known.id == base.id for known in self.mro(subclass).classes[1:]):
                    found[class_id] = subclass
                    waiting.append(subclass)
        return tuple(found.values())

    def members(self, holder: Definition, name: str) -> tuple[Definition, ...]:
        """What a class itself defines under a name, in source order."""
        table = self._tables.table_for(holder.file_id, holder.id, name)
        inside = table.children.get((holder.id, name), ())
        if holder.kind == _FUNCTION:  # that makes instances; its own functions are none
            inside = [d for d in inside if d.kind in MEMBERS]
        where = holder.file.rules.members_outside
        # In Rust a field and a method may share a name: a field is no reason not to look further.
        if where is _NOWHERE or any(d.kind not in _FIELDS for d in inside):
            return tuple(inside)
        known = self._outside.get((holder.id, name))
        if known is None:
            known = self._outside[holder.id, name] = self._members_outside(holder, name, where)
        self._tables.definitions_named(name)  # leaves its key, for who asks again
        return (*inside, *known) if inside else known

    def _members_outside(
        self, holder: Definition, name: str, where: MembersOutside
    ) -> tuple[Definition, ...]:
        """Members written elsewhere: with a receiver, in an `impl`, in an extension."""
        found = [
            d
            for d in self._tables.definitions_named(name)
            if d.file.family == holder.file.family
            and d.id != holder.id
            and d.scope.endswith(holder.name)  # most scopes need not be taken apart
            and d.scope
            and SEPARATORS.split(d.scope)[-1] == holder.name
        ]
        in_file = [d for d in found if d.file_id == holder.file_id]
        if in_file or where is MembersOutside.SAME_FILE:
            return tuple(in_file)
        in_folder = [d for d in found if d.file.directory == holder.file.directory]
        if in_folder or where is MembersOutside.SAME_FOLDER:
            return tuple(in_folder)
        # There may be several types of this name, and nothing tells which of them is extended.
        return tuple(found) if len(found) == 1 else ()

    def named(
        self, file_id: int, scope: int, expression: Expression, steps: int = 0
    ) -> list[Definition]:
        """The classes that a name or a path of names stands for, seen from a scope."""
        if steps > _MAX_STEPS:
            return []
        if type(expression) is Name:
            return self._named_in_scope(file_id, scope, expression.name, steps)
        if type(expression) is not Attribute:
            return []
        name, rules = expression.name, self._tables.file(file_id).rules
        types = _CLASSES_AND_MODULES if rules.modules_are_types else CLASS_LIKE
        for holder in self.named(file_id, scope, expression.of, steps + 1):
            if inside := [d for d in self.members(holder, name) if d.kind in types]:
                return inside
        inside = self._in_imported_module(file_id, expression, steps)
        # Where a file is a module, what stands before a name says in which it lies.
        has_namespaces = rules.imports is ImportStyle.NAMESPACE and not rules.files_are_modules
        return inside if inside or not has_namespaces else self.nearest(file_id, 0, name)

    def _named_in_scope(self, file_id: int, scope: int, name: str, steps: int) -> list[Definition]:
        """From a scope outwards, then by imports, then where the language lets it be elsewhere."""
        table = self._tables.table(file_id)
        has_mixins = table.imports.file.rules.modules_are_types
        types = _TYPES_AND_MODULES if has_mixins else TYPES
        innermost = scope
        while True:
            self._tables.table_for(file_id, scope, name)
            if found := [d for d in table.children.get((scope, name), ()) if d.kind in types]:
                return found
            values = table.values.get((scope, name), ())
            if len(values) == 1 and type(values[0]) in _PATHS:  # an alias
                return self.named(file_id, scope, values[0], steps + 1)
            if scope == table.module:
                break
            scope = table.definitions[scope].parent
        return self._imported(file_id, name, steps) or self.nearest(file_id, innermost, name)

    def is_enum(self, holder: Definition) -> bool:
        """Whether a class is an enum of Python, whose calls and items are its constants."""
        if holder.file.rules.library is not Library.PYTHON:
            return False
        return any(
            base.name in _ENUMS
            for each in self.mro(holder).classes
            for base in self._tables.table_of(each.file_id, each.id).bases.get(each.id, ())
        )

    def _imported(self, file_id: int, name: str, steps: int) -> list[Definition]:
        """The classes that an imported name stands for, through any number of modules."""
        find = partial(self._find_imported, file_id, name, steps)
        # Modules that export all of others lead to the same modules again and again.
        if not self._tables.table(file_id).imports.stars:
            return find()
        return self._tables.remembered(self._exported, (file_id, name, steps), find)

    def _find_imported(self, file_id: int, name: str, steps: int) -> list[Definition]:
        for module, original in imported_from(self._tables, file_id, name):
            if found := self._in_module(module, original, steps + 1):
                return found
        return []

    def _in_module(self, file_id: int, name: str, steps: int) -> list[Definition]:
        if steps > _MAX_STEPS:
            return []
        return self._named_in_scope(file_id, self._tables.table(file_id).module, name, steps)

    def _in_imported_module(
        self, file_id: int, expression: Attribute, steps: int
    ) -> list[Definition]:
        """`module.Class`, where the module was imported."""
        last = last_part(expression.of)
        imports = self._tables.imports_of(file_id, last)
        file, find = imports.file, self._tables.imported_files
        for binding in imports.by_local_name.get(last, ()):
            modules = find(file, binding.module)
            if binding.name not in ("", "*", DEFAULT_EXPORT):
                inside: list[int] = []
                for module in modules:
                    package = self._tables.file(module)
                    inside += self._tables.submodules(package, binding.name)
                modules = inside or find(file, f"{binding.module.rstrip('.')}.{binding.name}")
            for module in modules:
                if found := self._in_module(module, expression.name, steps + 1):
                    return found
        return []

    def nearest(self, file_id: int, scope: int, name: str) -> list[Definition]:
        """The type that a name means without its import being followed: by the namespace that is
        imported, then of the same folder, then the only one there is.

        None where imports are paths, and so are followed. A Go type is of the same folder. `scope`
        is that of a bare name, which cannot mean every type inside of another; 0 for the end of a
        path.
        """
        imports = self._tables.imports_of(file_id, name)
        file, rules = imports.file, imports.file.rules
        if rules.imports in (ImportStyle.DOTTED, ImportStyle.SCRIPT):
            return []
        use = ReferenceKind.IMPLEMENT if rules.modules_are_types else ReferenceKind.TYPE
        known = self._tables.candidates(name, use, file.family)
        binds_packages = rules.imports is ImportStyle.MODULE  # and no types
        bindings = [*imports.by_local_name.get(name, ())] if not binds_packages else []
        # In Rust the methods that a tree adds to such a type are found by a namesake in the tree.
        of_library = (namespace_imports.is_of_standard_library(each, file) for each in bindings)
        if rules.values_are_typed and any(of_library):
            return []
        bindings += imports.stars if rules.star_imports_namespaces else ()
        for binding in bindings:
            if imported := self._by_import(binding, name, use, file):
                return [imported]
        near = [d for d in known.all if d.file.package == file.package and d.top_level]
        if near or binds_packages:
            return near[:1]
        product = [d for d in known.product if d.kind != SymbolKind.EXTENSION]
        if scope:
            table = self._tables.table(file_id)
            self._tables.table_of(file_id, table.class_around(scope) or table.module)
            qualified = table.definitions[scope].qualified if scope != table.module else ""
            bases = [name for _, name in table.bases.get(table.class_around(scope), ())]
            product = [d for d in product if is_visible(d, qualified, imports, bases)]
        if rules.classes_are_global:  # one that is declared in a header and defined elsewhere
            return sorted(product, key=lambda d: d.file.path.endswith(rules.header_extensions))[:1]
        # Several in one file are a class and its companion: the first stands for both.
        return product[:1] if len({(d.file_id, d.scope) for d in product}) == 1 else []

    def _by_import(
        self, written: Import, name: str, use: ReferenceKind, file: SourceFile
    ) -> Definition | None:
        """The type that an import of a namespace, or of a type by its whole path, means."""
        binding = _of_a_type(written)
        meant = self._tables.candidates(_imported_as(binding, name), use, file.family)
        found = namespace_imports.in_module(meant, binding, file)
        is_one = binding is not written and len(meant.product) == 1
        return meant.product[0] if found is None and is_one else found

    def bounds(self, file_id: int, scope: int, of: Expression) -> list[Definition]:
        """The types to which what stands around a scope binds a type parameter: `<T: Reader>`."""
        table = self._tables.table(file_id)
        name = of.name if type(of) is Name else ""
        around: list[Definition] = []
        while name and scope != table.module:
            around.append(table.definitions[scope])
            scope = table.definitions[scope].parent
        # A method may be written outside of its type.
        holder = self.enclosing(file_id, around[0].id) if around else None
        for each in (*around, *([holder] if holder else ())):
            self._tables.table_of(each.file_id, each.id)
            if name in each.signature and (bounds := bounds_of_types(each.signature).get(name)):
                paths = map(parse_expression, bounds)
                found = [self.named(each.file_id, each.parent, path) for path in paths]
                return [first for several in found for first in several[:1]]
        return []

    def enclosing(self, file_id: int, scope: int) -> Definition | None:
        """The class whose members see each other at a scope.

        In an extension it is the class that is extended. A method that is written outside of its
        class, as in Go, names the class in its own qualified name.
        """
        find = partial(self._find_enclosing, file_id, scope)
        return self._tables.remembered(self._enclosing, scope, find)

    def _find_enclosing(self, file_id: int, scope: int) -> Definition | None:
        table = self._tables.table(file_id)
        holder = table.class_around(scope)
        if holder:
            # An extension has the name of what it extends, which may be in another file.
            found = table.definitions[holder]
            if found.kind != SymbolKind.EXTENSION:
                return found
            extended = self._named_in_scope(file_id, found.parent, found.name, 0)
            return extended[0] if extended else found
        while scope != table.module:
            definition = table.definitions[scope]
            owner = SEPARATORS.split(definition.scope)[-1]
            holder_of_it = table.definitions[definition.parent]
            # In a namespace it names the class behind that.
            is_inside = holder_of_it.kind == SymbolKind.MODULE and definition.kind in MEMBERS
            is_outside = is_inside and definition.scope != holder_of_it.qualified
            if owner and (definition.parent == table.module or is_outside):
                owners = self._named_in_scope(file_id, definition.parent, owner, 0)
                functions = table.children.get((table.module, owner), ())
                owners = owners or [d for d in functions if makes_instances(d)]
                return owners[0] if owners else None
            if makes_instances(definition):
                return definition
            scope = definition.parent
        return None


def _of_a_type(binding: Import) -> Import:
    """An import that gives a whole path another name, as one of the last part: `using A = B.C`."""
    if not binding.alias or binding.name:
        return binding
    parts = SEPARATORS.split(binding.module)
    return Import(".".join(parts[:-1]), parts[-1], binding.alias, binding.line)


def _imported_as(binding: Import, name: str) -> str:
    """What an import calls that is used under a name, which may be an alias."""
    original = SEPARATORS.split(binding.name)[-1] if binding.alias else name
    return name if original in ("", "*") else original
