"""Which methods of subclasses a call may run that is written for a class or an interface.

Rapid type analysis after Bacon and Sweeney ("Fast Static Analysis of C++ Virtual Function Calls",
1996): a subclass counts where something in the tree makes an instance of it, as far as its name
says. What it runs is the first method in its own order, which it may have from another base.
"""

from __future__ import annotations

from functools import partial

from satchel.indexer.callgraph.tables.bindings import Definition
from satchel.indexer.callgraph.tables.index_tables import IndexTables
from satchel.indexer.callgraph.values.classes import Classes
from satchel.indexer.callgraph.values.structural import Structural
from satchel.store.model import FUNCTIONS, SymbolKind

MAX_OVERRIDERS = 6
"""A method with more of them tells nothing about any."""
_METHODS = frozenset({SymbolKind.METHOD, SymbolKind.FUNCTION})
_MADE = FUNCTIONS | {SymbolKind.EXTENSION}
"""A class without a name is made where it is written, in a function; what is extended to fulfil a
trait is made as a literal, which is no call."""
_NOT_OVERRIDDEN = ("private ", "static ", "final ", "#")


class Overriders:
    """Answers are computed once; the keys of their lookups are left each time."""

    def __init__(self, tables: IndexTables, classes: Classes, structural: Structural) -> None:
        self._tables = tables
        self._classes = classes
        self._structural = structural
        self._known: dict[tuple[int, int], tuple[tuple[Definition, ...], tuple[int, ...]]] = {}

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
        for subclass in self._classes.subclasses(holder):
            # Of a class without an instance nothing runs.
            if subclass.kind not in _MADE and not self._tables.is_made(subclass.name):
                continue
            for place in self._classes.order(subclass).classes:
                own = self._classes.members(place, method.name)
                run = next((each for each in own if each.kind in _METHODS), None)
                if run is not None:
                    if run.id != method.id:
                        found[run.id] = run
                    break
        for each in self._structural.methods_behind(method, holder):
            found[each.id] = each
        # Where so many may run, an edge to each of them says nothing.
        return tuple(found.values()) if len(found) <= MAX_OVERRIDERS else ()

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
