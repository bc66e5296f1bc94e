"""What one file says, in the shape that evaluating expressions asks for: symbols, imports, and what
each of its names, attributes and results may hold.

`indexer.callgraph.tables.fill` reads flows into it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec import Struct

from satchel.indexer.callgraph.expressions.nodes import Expression
from satchel.indexer.callgraph.tables.bindings import Definition, FileImports
from satchel.indexer.callgraph.tables.signatures import parameter_names
from satchel.store.model import CLASS_LIKE, FUNCTIONS, SymbolKind

DEFAULT_EXPORT = "default"
_FUNCTION = SymbolKind.FUNCTION


# A tree has 20,000 to 150,000 of them. Without references to each other they form no garbage.
class CallSite(Struct, frozen=True, gc=False):
    """A call as written, in a scope of a file.

    A decorator is a call too: of the symbol `decorated`, 0 for others, and without arguments.
    """

    file_id: int
    scope: int
    callee: str
    arguments: str
    decorated: int = 0


_FEW_SITES = 16
"""So many calls of one name in a file are looked through each time."""


class Base(NamedTuple):
    """What a class inherits from, as written."""

    receiver: str
    name: str


class AssignedValue(NamedTuple):
    """What an attribute is given, and the scope that the expression is in."""

    scope: int
    value: Expression


@dataclass(slots=True)
class FileTable:
    """One file. Scopes and classes are symbol ids; lists are in source order."""

    id: int
    module: int
    """The symbol that is the file itself."""
    imports: FileImports
    definitions: dict[int, Definition]
    children: dict[tuple[int, str], list[Definition]]
    """By what holds them and name."""
    imports_key: int
    calls_key: int
    """Lookup keys of what it imports, and of what it calls."""
    with_children: frozenset[int] = frozenset()
    values: dict[tuple[int, str], list[Expression]] = field(default_factory=dict)
    """What names may hold, by scope and name."""
    implied: dict[int, list[Expression]] = field(default_factory=dict)
    """By scope, whose members bare names may be: Kotlin's `with`."""
    results: dict[int, list[Expression]] = field(default_factory=dict)
    yields: dict[int, list[Expression]] = field(default_factory=dict)
    decorators: dict[int, list[Expression]] = field(default_factory=dict)
    """The outermost first."""
    attributes: dict[tuple[int, str], list[AssignedValue]] = field(default_factory=dict)
    """What methods give to attributes of their receiver, by class and attribute."""
    given: dict[str, list[tuple[int, Expression, Expression]]] = field(default_factory=dict)
    """What is given to attributes of anything but the receiver, by attribute: the scope, whose
    attribute it is, and the value."""
    mixed_in: list[tuple[int, Expression, Expression]] = field(default_factory=list)
    """What gets the members of something else: the scope, what gets them, and whose they are."""
    call_sites: dict[str, list[CallSite]] = field(default_factory=dict)
    """Calls with arguments that may lead somewhere, by the last name of what is called."""
    bound_sites: dict[str, list[CallSite]] = field(default_factory=dict)
    """Calls that `bind`, `apply`, `partial` and the like make of what they are given."""
    overloaded_calls: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    """Argument lists by scope and name of what is called, where that tells overloads apart."""
    dictionary_keys: set[str] = field(default_factory=set)
    """Words that may be keys of dictionaries, which read as members of them."""
    bases: dict[int, list[Base]] = field(default_factory=dict)
    """By class, in order."""
    scope_keys: dict[tuple[int, str | None], int] = field(default_factory=dict)
    """Lookup keys of the scopes that were asked about, and of names in them; see
    `tables.index_tables`."""
    written_keys: dict[tuple[int, str], int] = field(default_factory=dict)
    """The same of names as places write them."""
    name_keys: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Lookup keys of the imported names that were asked about."""
    may_mean_more: dict[tuple[int, str], tuple[bool, tuple[int, ...]]] = field(default_factory=dict)
    """Of names and scopes that were asked about, whether a scope may say what the name means that
    nothing within the module binds; see `values.names`."""
    calls_of_local_names: list[CallSite] | None = None
    calls_of_attributes: list[CallSite] | None = None
    """Found when `values.arguments` first asks."""
    _parameters: frozenset[str] | None = None
    _bound: frozenset[str] | None = None
    _sites: dict[str, dict[int, list[CallSite]]] = field(default_factory=dict)

    def sites_in(self, scope: int, name: str) -> Sequence[CallSite]:
        """Calls in a scope of something with this last name, decorators apart, in source order."""
        sites = self.call_sites.get(name, ())
        if len(sites) <= _FEW_SITES:
            return [site for site in sites if site.scope == scope and not site.decorated]
        # A file of tests calls one name in hundreds of scopes, each of which asks.
        by_scope = self._sites.get(name)
        if by_scope is None:
            by_scope = self._sites[name] = {}
            for site in sites:
                if not site.decorated:
                    by_scope.setdefault(site.scope, []).append(site)
        return by_scope.get(scope, ())

    def parameters(self) -> frozenset[str]:
        """The names of the parameters of all functions here."""
        if self._parameters is None:
            self._parameters = frozenset(
                name.lstrip("*") for d in self.definitions.values() for name in parameter_names(d)
            )
        return self._parameters

    def binds_inside(self, name: str) -> bool:
        """Whether a scope within the module binds a name: by a value, a definition, a parameter."""
        if self._bound is None:
            bound = (*self.values, *self.children)
            inside = frozenset(name for scope, name in bound if scope != self.module)
            self._bound = inside | self.parameters()
        return name in self._bound

    def held_by(self, holder: int) -> list[Definition]:
        """What a symbol holds, in source order; what has the name of an earlier one beside it."""
        return [
            definition
            for (parent, _), several in self.children.items()
            if parent == holder
            for definition in several
        ]

    def members_of(self, holder: int) -> list[Definition]:
        """What a symbol holds and can be called, in the order of `held_by`."""
        return [each for each in self.held_by(holder) if each.kind in FUNCTIONS]

    def class_around(self, scope: int) -> int:
        """The innermost class that holds a scope, or is it; 0 for none."""
        while scope != self.module:
            definition = self.definitions[scope]
            if definition.kind in CLASS_LIKE:
                return scope
            scope = definition.parent
        return 0

    def constructor_around(self, scope: int) -> int:
        """The innermost function around a scope, or itself, that makes instances; 0 for none."""
        while scope != self.module:
            if makes_instances(self.definitions[scope]):
                return scope
            scope = self.definitions[scope].parent
        return 0


def makes_instances(definition: Definition) -> bool:
    """Whether a function may be called with `new`, as far as its name says: JavaScript."""
    is_function = definition.kind == _FUNCTION and definition.name[:1].isupper()
    return is_function and definition.file.rules.members_are_items
