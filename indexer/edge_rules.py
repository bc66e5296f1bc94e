"""The rules by which a use is resolved, and how often each is right.

One table. A path through several rules is as sure as the least sure of them. `origin` says what the
confidence was measured on; see bench/RESULTS.md for the reliability of each.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule and the share of its edges that are right, 0 to 1."""

    name: str
    confidence: float
    origin: str


# Those of `indexer.evaluate`, surest first: the position is what a value carries.
FOLLOWED = (
    Rule("local", 0.95, "a name of the scope or its module"),
    Rule("import", 0.95, "a name of another module, through any number of re-exports"),
    Rule("package", 0.95, "a name of another file of the folder, where that is the scope"),
    Rule("inherited", 0.9, "a member of a base class"),
    Rule("constructed", 0.9, "a member of what a constructor gave"),
    Rule("declared", 0.9, "a member of a declared type"),
    Rule("assigned", 0.9, "what a name was assigned"),
    Rule("returned", 0.85, "what a function returned"),
    Rule("decorated", 0.8, "what a decorator made of a function"),
    Rule("argument", 0.75, "what a parameter was given at some call"),
    Rule("heir", 0.7, "a member that only a derived class has"),
)
(
    PLAIN, IMPORTED, SHARED, INHERITED, CONSTRUCTED, DECLARED, ASSIGNED, RETURNED, DECORATED,
    ARGUMENT, HEIR,
) = range(len(FOLLOWED))  # fmt: skip

SELF = Rule("self", 0.95, "a member of the class around, through its own name for the receiver")
QUALIFIED = Rule("qualified", 0.9, "a member of a type or a module that is named")
CONSTRUCTOR = Rule("constructor", 0.9, "what a call of a class runs; as sure as the class is")

HANDED = Rule("handed", 0.7, "a function handed to something outside of the tree")

# Those of `indexer.resolve`, by name alone.
NAMESPACE = Rule("import", 0.9, "an import that agrees with the path of the definition's file")
PACKAGE = Rule("package", 0.8, "defined in this folder, where folders share their names")
UNIQUE = Rule("unique", 0.6, "the only definition of that name in languages that mix")
UNIQUE_MEMBER = Rule("unique", 0.4, "the only definition of that name, used on a receiver")
