"""The values of the evaluator: values, sets of values, and the questions they answer.

The abstract domain is a set of values without order or time: whatever was assigned anywhere in a
scope may be there. A value carries the rule that is least sure on the way to it, as its position in
`indexer.callgraph.edge_rules.VALUE_RULES`; a larger position is less sure.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Protocol, TypeAlias

from msgspec import Struct

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.expressions.nodes import DictLiteral, Expression, ListLiteral
from satchel.indexer.callgraph.tables.bindings import Definition
from satchel.indexer.callgraph.tables.index_tables import IndexTables, Remembered
from satchel.indexer.callgraph.values.classes import Classes
from satchel.store.model import SymbolKind

HOLDERS_OF_VALUES = frozenset({SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.FIELD})
"""Symbols that are no value themselves, but hold one."""


class Def(Struct, frozen=True, gc=False):
    """A function or a class, not called."""

    symbol_id: int


class Instance(Struct, frozen=True, gc=False):
    """An instance of a class."""

    class_id: int


class BoundMethod(Struct, frozen=True, gc=False):
    """A method of an instance of `class_id`, which may have inherited it."""

    symbol_id: int
    class_id: int


class SuperOf(Struct, frozen=True, gc=False):
    """The receiver in methods of a class, seen from its base classes."""

    class_id: int


class Module(Struct, frozen=True, gc=False):
    """A file as a module."""

    file_id: int


class Package(Struct, frozen=True, gc=False):
    """The files of a folder as one module, as in Go; the first of them stands for it."""

    file_id: int


class ModulePath(Struct, frozen=True, gc=False):
    """The beginning `path` of what a file imports with dots: `a.b` of `import a.b.c`."""

    file_id: int
    path: str


# A literal is not evaluated where it is written: which part is wanted decides what is looked at.
class Collection(Struct, frozen=True, gc=False):
    """A literal of a list or dictionary, whose parts mean what they mean in a scope of a file."""

    file_id: int
    scope: int
    literal: ListLiteral | DictLiteral


class TypedCollection(Struct, frozen=True, gc=False):
    """A collection whose elements have a declared type, as seen from a scope of a file."""

    file_id: int
    scope: int
    element: Expression


class Receiver(Struct, frozen=True, gc=False):
    """In results of functions: the receiver, which is known only once the call is."""


class External(Struct, frozen=True, gc=False):
    """Something that is certainly defined outside of the tree."""


class Anything(Struct, frozen=True, gc=False):
    """Too many values to tell apart."""


What: TypeAlias = (
    Def | Instance | BoundMethod | SuperOf | Module | Package | ModulePath | Collection
    | TypedCollection | Receiver | External | Anything
)  # fmt: skip


UNKNOWN = frozenset({Anything, External})
"""Types of what nothing in the tree is known of."""


class Value(Struct, frozen=True, gc=False):
    """Something an expression may stand for, and the least sure rule that led to it."""

    what: What
    rule: int


# Two of one thing by different rules are two values; an edge takes the surer one.
Values: TypeAlias = frozenset[Value]

EMPTY: Values = frozenset()
ANYTHING: Values = frozenset({Value(Anything(), rules.LOCAL)})
OUTSIDE: Values = frozenset({Value(External(), rules.LOCAL)})


def union(several: Iterable[Values]) -> Values:
    """All values of several sets; most often one is not empty, which is returned as it is."""
    found = EMPTY
    for values in several:
        # Most unions have one member with values, which is then shared and not copied.
        if values:
            found = found | values if found else values
    return found


def in_order(values: Values) -> Iterable[Value]:
    """Values one by one, in the same order in every process, for code that asks about each.

    Answers do not depend on it (`values.solver`), but which questions are asked on the way does,
    and with them the keys that edges depend on. A set has no order that is the same in two
    processes, since hashes of values contain addresses.
    """
    return values if len(values) < 2 else _in_order(values)


@lru_cache(maxsize=1 << 10)
def _in_order(values: Values) -> tuple[Value, ...]:
    return tuple(sorted(values, key=repr))


def weakened(values: Values, rule: int) -> Values:
    """Values that are no surer than `rule`."""
    # Most sets are weak enough already: they are returned as they are, and share their memory.
    for value in values:
        if value.rule < rule:
            return frozenset([v if v.rule >= rule else Value(v.what, rule) for v in values])
    return values


def with_receiver(values: Values, class_id: int, rule: int) -> Values:
    """Values with the receiver put in, an instance of `class_id`, none surer than `rule`.

    Without a class (0) what stands for the receiver is left out.
    """
    for value in values:
        if value.rule < rule or type(value.what) is Receiver:
            break
    else:
        return values
    found: set[Value] = set()
    for value in values:
        if type(value.what) is not Receiver:
            found.add(Value(value.what, max(rule, value.rule)))
        elif class_id:
            found.add(Value(Instance(class_id), max(rule, value.rule)))
    return frozenset(found)


# Questions. Whether two are the same decides what is computed once, so they hold ids and names
# and no object that may be made twice.
class NameInScope(Struct, frozen=True, gc=False):
    """What does a name mean, seen from a scope of a file?"""

    file_id: int
    scope: int
    name: str


class NameInModule(Struct, frozen=True, gc=False):
    """What does a name mean at the top level of a file, to the file itself?"""

    file_id: int
    name: str


class ModuleMember(Struct, frozen=True, gc=False):
    """What does a module have under a name, seen from other files?"""

    file_id: int
    name: str


class InstanceMember(Struct, frozen=True, gc=False):
    """What is `instance.name`?"""

    class_id: int
    name: str


class SuperMember(Struct, frozen=True, gc=False):
    """What is `super.name` in methods of a class?"""

    class_id: int
    name: str


class ClassMember(Struct, frozen=True, gc=False):
    """What is `Class.name`?"""

    class_id: int
    name: str


class Result(Struct, frozen=True, gc=False):
    """What does a function return?"""

    function_id: int


class Elements(Struct, frozen=True, gc=False):
    """What does a collection hold at an index, or anywhere where that is None?"""

    collection: Collection
    index: Expression | None


class Parameter(Struct, frozen=True, gc=False):
    """What is a parameter given, by all calls that can be seen?"""

    function_id: int
    name: str


Question: TypeAlias = (
    NameInScope | NameInModule | ModuleMember | InstanceMember | SuperMember | ClassMember | Result
    | Elements | Parameter
)  # fmt: skip
"""What the solver finds least solutions of. Questions are asked again and again, by value."""


class Interpreter(Protocol):
    """What the parts of the evaluator ask each other for; `values.evaluate.Evaluator` is one.

    Names, members, imports and parameters are evaluated by modules of their own, which call each
    other in circles, as the languages do. Each of them imports this protocol and no other part.
    """

    tables: IndexTables
    classes: Classes
    fixtures: dict[str, Remembered[dict[str, list[Definition]]]]
    """Those of pytest under names that their decorators give them, by family."""

    def ask(self, question: Question) -> Values:
        """The answer to a question, as far as it is known."""

    def evaluate(self, file_id: int, scope: int, expression: Expression) -> Values:
        """What an expression in a scope of a file may stand for."""

    def member(self, value: Value, name: str) -> Values:
        """What `value.name` may stand for."""

    def call(self, value: Value) -> Values:
        """What calling a value returns."""


def is_partial_literal(value: Value) -> bool:
    """Whether all that is known of a value is what was put into it."""
    what = value.what
    return type(what) is Collection and type(what.literal) is DictLiteral and what.literal.is_part
