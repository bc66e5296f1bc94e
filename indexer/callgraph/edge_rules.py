"""The rules by which a use is resolved, and how often each is right.

One table. A path through several rules is as sure as the least sure of them. `origin` says what the
confidence was measured on; see bench/CALL_GRAPH.md for the reliability of each.
"""

from dataclasses import dataclass

from satchel.store.records import SATISFIES


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule and the share of its edges that are right, 0 to 1."""

    name: str
    confidence: float
    origin: str


# Those of `indexer.callgraph.values`, surest first: the position is what a value carries. `origin`
# has the share that the compilers of thirteen repositories found right; "PyCG" where they are
# silent. Names lie in the index and in what clients parse, so they stay.
VALUE_RULES = (
    Rule("local", 0.95, "a name of the scope or its module: .96 of 9,721"),
    Rule("import", 0.95, "a name of another module, through re-exports: .97 of 10,732"),
    Rule("package", 0.95, "a name of another file of the package: .93 of 7,801"),
    Rule("inherited", 0.95, "a member of a base class: .98 of 1,025"),
    Rule("constructed", 0.95, "a member of what a constructor gave: .91 of 826"),
    Rule("declared", 0.95, "a member of a declared type: .96 of 10,659"),
    Rule("assigned", 0.95, "what a name was assigned: .99 of 2,048"),
    Rule("returned", 0.9, "what a function returned: .98 of 5,295"),
    Rule("decorated", 0.6, "what a decorator made of a function: PyCG"),
    Rule("argument", 0.3, "what a parameter was given: 27 of PyCG's 27, 3 of 31 elsewhere"),
    Rule("heir", 0.3, "a member that only a subclass has: .28 of 71"),
)
(
    LOCAL, IMPORTED, PACKAGE_NAME, INHERITED, CONSTRUCTED, DECLARED, ASSIGNED, RETURNED, DECORATED,
    ARGUMENT, OF_SUBCLASS,
) = range(len(VALUE_RULES))  # fmt: skip

SELF = Rule("self", 0.95, "a member of the class around, through its receiver: .99 of 2,943")
QUALIFIED = Rule("qualified", 0.8, "a member of a type or a module that is named: .83 of 324")
OVERRIDE = Rule("override", 0.3, "what a subclass that is made has instead: no oracle says")
IMPLEMENTATION = Rule("override", 0.6, "the only one that an interface has: no oracle says")
EXTENSION = Rule(
    "extension", 0.8, "the one extension of that name that a file sees: 32 of 35 read (C#, Kotlin)"
)
EXTENSION_OF_SOME_TYPE = Rule("extension", 0.3, "as above, where several types have one")
HELD = Rule("held", 0.8, "a constant of another module that holds a function without a name")
METHODS = Rule(SATISFIES, 0.8, "a type has every method of an interface, with the same types")
CONSTRUCTOR = Rule("constructor", 0.9, "what a call of a class runs; as sure as the class is")

CALLBACK = Rule("handed", 0.6, "a function that is an argument of something outside of the tree")
EVENT = Rule("event", 0.5, "what is declared to handle a value that is published: no oracle says")

# Those of `indexer.callgraph.by_name`.
NAMESPACE = Rule("import", 0.8, "an import that agrees with the path of a file: .74 of 27")
PACKAGE = Rule("package", 0.8, "defined in this folder, where folders share their names")
UNIQUE = Rule("unique", 0.8, "the only definition of that name in languages that mix: .98 of 353")
UNIQUE_OVERLOAD = Rule(
    "unique", 0.6, "the first of the only functions of that name, which differ by parameters"
)
UNIQUE_MEMBER = Rule(
    "unique",
    0.3,
    "the only definition of that name, on a receiver: .53 of 476, .30 in Python and TypeScript",
)
