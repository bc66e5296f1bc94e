"""The lookups in the tables of an index, and the key that each of them records."""

from enum import StrEnum
from zlib import crc32


class Lookup(StrEnum):
    """What may be looked up; the values are part of keys that lie on disk, so they stay."""

    NAME = "name"
    """What is defined under a name."""
    MODULE = "module"
    """Which files an import means, by the last part of its path."""
    GO_MODULES = "packages"
    CALLS = "calls"
    """Who calls something of a name."""
    SUBCLASSES = "heirs"
    """Who inherits from something of a name."""
    SCOPE = "scope"
    """What a scope of a file says, by path and qualified name; with a name of its own what that
    means there, with an empty one what the scope itself is."""
    IMPORTS = "imports"
    """What a file imports, by its path; with a name what brings that."""
    BOUND = "held"
    """Whether anything binds a name: an import, a value, an attribute, a key."""
    CALLED = "made"
    """Whether anything calls a name, as an instantiation of a class does."""
    METHODS = "methods"
    """Which methods a folder has for types of a name, written outside of their bodies."""
    CALL_SITES = "sites"
    """What a file calls."""
    MARKED = "marked"
    """What is marked with a name: by an annotation, a decorator, a type that it implements."""


ANY_PACKAGE = ""
"""Stands for a name in the key of whether any folder became a package, or is none any more."""
EVERYTHING = "*"
"""Stands for a name in the key of an import that brings all that a module has."""


def lookup_key(kind: Lookup, *parts: str) -> int:
    """What stands for a question: 32 bits, the same in every process.

    Two questions with one key cost a derivation too many, and no edge.
    """
    return crc32("\0".join((kind, *parts)).encode("utf-8", "surrogatepass"))


def narrower(key: int, part: str) -> int:
    """The key of a question with one part more, which `lookup_key` gives for all its parts."""
    return crc32(f"\0{part}".encode("utf-8", "surrogatepass"), key)
