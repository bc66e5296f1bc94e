"""Interfaces that types satisfy by their methods alone, as in Go.

A type satisfies an interface of the tree where it has every method of it, its own or one of what it
embeds, with the same types of parameters and results as written, packages left out. Of an interface
that embeds one from outside of the tree its methods in the tree decide, where these are two.
"""

from functools import partial

from satchel.indexer.callgraph.tables.bindings import Definition
from satchel.indexer.callgraph.tables.index_tables import IndexTables, Remembered
from satchel.indexer.callgraph.tables.signatures import parameter_names, types_of_method
from satchel.indexer.callgraph.values.classes import Classes
from satchel.indexer.languages.name_rules import Library
from satchel.store.model import SymbolKind

MAX_CANDIDATES = 200
"""Definitions of one method name; with more of them no interface is looked for by it."""
_PROTOCOL = "Protocol"
_SATISFYING = frozenset({SymbolKind.STRUCT, SymbolKind.TYPE})


class Structural:
    """Finds the interfaces that types satisfy; none in languages where a type declares them."""

    def __init__(self, tables: IndexTables, classes: Classes) -> None:
        self._tables = tables
        self._classes = classes
        self._interfaces: dict[int, Remembered[tuple[Definition, ...]]] = {}

    def interfaces_of(self, holder: Definition) -> list[Definition]:
        """The interfaces that a type satisfies, by path and position."""
        if holder.kind not in _SATISFYING or not holder.file.rules.satisfies_interfaces:
            return []
        order, _ = self._classes.mro(holder)
        # Only interfaces that share the name of a method with the type are compared: of most
        # interfaces it has none.
        near = {
            interface.id: interface
            for base in order
            for name in self._tables.methods_outside(base)
            for interface in self._with_method(name)
        }
        # Ids ascend by path and position.
        return [near[each] for each in sorted(near) if self._satisfies(holder, near[each])]

    def methods_behind(self, method: Definition, interface: Definition) -> list[Definition]:
        """What types that satisfy an interface have for one of its methods, by position."""
        if interface.file.rules.library is Library.PYTHON:
            return self._fulfilling(method, interface)
        if interface.kind != SymbolKind.INTERFACE:
            return []
        if not interface.file.rules.satisfies_interfaces:
            return []
        # From the name of the method to the types that have it: a tree has many types, and few of
        # them have a method of that name.
        same = self._tables.definitions_named(method.name)
        found: dict[int, Definition] = {}
        for each in same if len(same) <= MAX_CANDIDATES else ():
            is_double = each.is_test and not interface.is_test  # what a test makes up for itself
            is_same = each.file.family == interface.file.family
            if each.kind == SymbolKind.METHOD and is_same and not is_double:
                holder = self._classes.enclosing(each.file_id, each.id)
                if holder is None or holder.kind not in _SATISFYING:
                    continue
                # What embeds the type has the method as well, and may be what satisfies it.
                types = (holder, *self._classes.subclasses(holder))
                if any(self._satisfies(each_type, interface) for each_type in types):
                    found[each.id] = each
        return [found[each] for each in sorted(found)]

    def is_protocol(self, holder: Definition) -> bool:
        """Whether a class is a protocol of Python."""
        if holder.file.rules.library is not Library.PYTHON:
            return False
        table = self._tables.table_of(holder.file_id, holder.id)
        return any(base.name == _PROTOCOL for base in table.bases.get(holder.id, ()))

    def _fulfilling(self, method: Definition, protocol: Definition) -> list[Definition]:
        """What classes that fulfil a protocol of Python have for one of its methods."""
        if not self.is_protocol(protocol):
            return []
        table = self._tables.table_at(protocol.file_id, protocol.id)
        wanted = [d for d in table.members_of(protocol.id) if d.kind == SymbolKind.METHOD]
        same = self._tables.definitions_named(method.name)
        found: list[Definition] = []
        for each in same if len(same) <= MAX_CANDIDATES else ():
            is_double = each.is_test and not protocol.is_test
            if each.kind == SymbolKind.METHOD and each.id != method.id and not is_double:
                holder = self._classes.enclosing(each.file_id, each.id)
                if holder is not None and self._has_all(holder, wanted):
                    found.append(each)
        return found

    def _has_all(self, holder: Definition, wanted: list[Definition]) -> bool:
        """Whether a class has methods with the names of some, and as many parameters."""
        order, _ = self._classes.mro(holder)
        for method in wanted:
            own = next(
                (m for base in order for m in self._classes.members(base, method.name)), None
            )
            if own is None or len(parameter_names(own)) != len(parameter_names(method)):
                return False
        return holder.file.family == wanted[0].file.family if wanted else False

    def _with_method(self, name: str) -> list[Definition]:
        """The interfaces that have a method of a name, themselves or from one they embed."""
        same = self._tables.definitions_named(name)
        found: list[Definition] = []
        for each in same if len(same) <= MAX_CANDIDATES else ():
            if each.kind == SymbolKind.METHOD and each.file.rules.satisfies_interfaces:
                holder = self._tables.table(each.file_id).definitions.get(each.parent)
                if holder is not None and holder.kind == SymbolKind.INTERFACE:
                    # Interfaces that embed this one have the method as well.
                    below = self._classes.subclasses(holder)
                    found += [holder, *(d for d in below if d.kind == SymbolKind.INTERFACE)]
        return found

    def _satisfies(self, holder: Definition, interface: Definition) -> bool:
        wanted = self._methods(interface)
        # What a test declares is meant for types of tests.
        if not wanted or (interface.is_test and not holder.is_test):
            return False
        order, _ = self._classes.mro(holder)
        for method in wanted:
            # In Go a method in small letters is seen in its own package alone, so that no type of
            # another package can have it.
            is_hidden = not method.name[:1].isupper()
            if is_hidden and method.file.directory != holder.file.directory:
                return False
            own = next(
                (m for base in order for m in self._classes.members(base, method.name)), None
            )
            if own is None or own.kind != SymbolKind.METHOD:
                return False
            # A method of that name with other types is another method.
            if types_of_method(own.signature) != types_of_method(method.signature):
                return False
        return True

    def _methods(self, interface: Definition) -> tuple[Definition, ...]:
        """All methods of an interface; none where too few of them are in the tree to tell."""
        find = partial(self._find_methods, interface)
        return self._tables.remembered(self._interfaces, interface.id, find)

    def _find_methods(self, interface: Definition) -> tuple[Definition, ...]:
        order, is_complete = self._classes.mro(interface)
        known: list[Definition] = []
        for each in order:
            table = self._tables.table_at(each.file_id, each.id)
            if each.kind == SymbolKind.INTERFACE:
                known += table.members_of(each.id)
        # Where a base is unknown, a single method proves too little: many types have it.
        return tuple(known) if is_complete or len(known) > 1 else ()
