"""Methods and fields of subclasses that a call on a base class may mean.

Rapid type analysis after Bacon and Sweeney ("Fast Static Analysis of C++ Virtual Function Calls",
1996): a subclass counts if it is instantiated in the tree, as far as its name says. The method that
runs is the first in its own method resolution order, which may be one of another base.
"""

import re
from functools import partial

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.expressions.nodes import Expression
from satchel.indexer.callgraph.tables.bindings import Definition
from satchel.indexer.callgraph.tables.index_tables import IndexTables, Remembered
from satchel.indexer.callgraph.values.classes import Classes
from satchel.indexer.callgraph.values.dispatch.structural import Structural
from satchel.indexer.callgraph.values.model import (
    EMPTY,
    Interpreter,
    Values,
    union,
    weakened,
)
from satchel.indexer.languages.name_rules import Library
from satchel.store.model import FUNCTIONS, SymbolKind

MAX_OVERRIDERS = 6
"""A method with more overriders has no edges to them: each of them is too unlikely."""
_METHODS = frozenset({SymbolKind.METHOD, SymbolKind.FUNCTION, SymbolKind.PROPERTY})
_INTERFACES = frozenset({SymbolKind.INTERFACE, SymbolKind.TRAIT})
_ABSTRACT = re.compile(r"(?:^|[\s)])abstract\s").search
_PURE = re.compile(r"\bvirtual\b.*=\s*0;?$").search
"""A function of C++ that only subclasses have."""
_WITHOUT_CALL = FUNCTIONS | {SymbolKind.EXTENSION}
"""Subclasses that are instantiated without a call of their name: a class without a name, which
stands for its function, and what a type is extended with to implement a trait."""
_NOT_OVERRIDDEN = ("private ", "static ", "final ", "#")


class Overriders:
    """Finds overriding methods; each answer is computed once, its lookups are logged each time."""

    def __init__(self, tables: IndexTables, classes: Classes, structural: Structural) -> None:
        self._tables = tables
        self._classes = classes
        self._structural = structural
        self._known: dict[tuple[int, int], Remembered[tuple[Definition, ...]]] = {}

    def of(self, method: Definition, holder: Definition) -> tuple[Definition, ...]:
        """What may run instead of a method, called on an instance of `holder`; by subclass."""
        # By the beginning of the signature, where languages write what cannot be overridden.
        if method.kind not in _METHODS or method.signature.startswith(_NOT_OVERRIDDEN):
            return ()
        # A method is called in hundreds of places: what its subclasses have is found once.
        find = partial(self._find, method, holder)
        return self._tables.remembered(self._known, (method.id, holder.id), find)

    def _find(self, method: Definition, holder: Definition) -> tuple[Definition, ...]:
        found = self._of_constants(method, holder)
        subclasses = self._classes.subclasses(holder)
        made = [each for each in subclasses if self._is_instantiated(each)]
        # A container makes what the tree does not: where product code makes no implementation of an
        # interface or of an abstract class, each of a few may be the one.
        is_open = is_filled_in(holder) or _PURE(method.signature) is not None
        is_open = is_open and len(subclasses) <= MAX_OVERRIDERS
        for subclass in subclasses if is_open and all(each.is_test for each in made) else made:
            for base in self._classes.mro(subclass).classes:
                own = self._classes.members(base, method.name)
                run = next((each for each in own if each.kind in _METHODS), None)
                if run is not None:
                    if run.id != method.id:
                        found[run.id] = run
                    break
        for each in self._structural.methods_behind(method, holder):
            found[each.id] = each
        return tuple(found.values()) if len(found) <= MAX_OVERRIDERS else ()

    def _is_instantiated(self, subclass: Definition) -> bool:
        """Whether there may be instances of a class that are not of a subclass of it."""
        if subclass.kind in _WITHOUT_CALL or self._tables.is_called(subclass.name):
            return True
        # Python passes classes as values: one without subclasses is there to be instantiated.
        is_python = subclass.file.rules.library is Library.PYTHON
        return is_python and not self._classes.subclasses(subclass)

    def _of_constants(self, method: Definition, holder: Definition) -> dict[int, Definition]:
        """What constants of an enum have instead of one of its methods."""
        if holder.kind != SymbolKind.ENUM:
            return {}
        table = self._tables.table_at(holder.file_id, holder.id)
        constants = [d for d in table.held_by(holder.id) if d.kind == SymbolKind.CONSTANT]
        return {
            own.id: own
            for constant in constants
            for own in table.children.get((constant.id, method.name), ())
            if own.kind in _METHODS
        }


def is_filled_in(holder: Definition) -> bool:
    """Whether a type has no instances but those of other types: an interface, an abstract class."""
    return holder.kind in _INTERFACES or _ABSTRACT(holder.signature) is not None


def subclasses_of_uninstantiated(
    interpreter: Interpreter, holder: Definition
) -> tuple[Definition, ...]:
    """The subclasses of a class that is not instantiated itself, so that its instances are theirs.

    () for a class that is called by its name, and in languages where that is no instantiation.
    """
    calls_instantiate = holder.file.rules.library in (Library.PYTHON, Library.SCRIPT)
    if not calls_instantiate or interpreter.tables.is_called(holder.name):
        return ()
    return interpreter.classes.subclasses(holder)


def fields_of_subclasses(interpreter: Interpreter, holder: Definition, name: str) -> Values:
    """The values that subclasses give to a field of a class that is not instantiated itself."""
    table = interpreter.tables.table_for(holder.file_id, holder.id, name)
    # A field that only subclasses have is found by `members`.
    if (holder.id, name) not in table.values:
        return EMPTY
    given: list[tuple[Definition, Expression]] = []
    for subclass in subclasses_of_uninstantiated(interpreter, holder):
        own = interpreter.tables.table_for(subclass.file_id, subclass.id, name)
        given += [(subclass, value) for value in own.values.get((subclass.id, name), ())]
    # Where each of many gives its own, none of them is likely.
    found = union(
        interpreter.evaluate(subclass.file_id, subclass.id, value)
        for subclass, value in (given if len(given) <= MAX_OVERRIDERS else ())
    )
    return weakened(found, rules.OF_SUBCLASS)
