"""Scopes: "project", a path or "symbol:Name"; which scope covers which, and how near two are.

A path covers what lies below it, by whole names: src/auth covers src/auth/token.py and not
src/authorization. "project" covers everything.
"""

import re
from collections.abc import Mapping

from msgspec import Struct, field

from satchel.knowledge.model import MAX_SCOPE
from satchel.store.errors import UsageError

PROJECT = "project"
SYMBOL = "symbol:"
PATH = "path:"
"""What the target of a link begins with, where it is a path; `SYMBOL`, where it is a symbol."""
ITEM = "item:"
"""What the target of a link begins with, where it is another item."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def normalize_scope(text: str) -> str:
    """A scope in the form that is stored: relative, with "/", without "." and empty parts.

    Raises:
        UsageError: it leaves the code base, or no path could look like it.
    """
    scope = text.strip().replace("\\", "/")
    # All the ways in which somebody says "everything here" are one scope.
    if scope in ("", ".", "./", "/", PROJECT):
        return PROJECT
    if len(scope) > MAX_SCOPE or _CONTROL.search(scope):
        raise UsageError("scope is not a path", f"at most {MAX_SCOPE} printable characters")
    if scope.startswith(SYMBOL):
        return scope
    # A leading slash means the root of the code base and not that of the disk.
    parts = [part for part in scope.removeprefix("/").split("/") if part not in ("", ".")]
    if ".." in parts:
        raise UsageError(f"scope {scope!r} leaves the code base", "name a path below its root")
    return "/".join(parts)


def covers(outer: str, inner: str) -> bool:
    """Whether `outer` is `inner` or contains it."""
    return outer in (PROJECT, inner) or inner.startswith(outer + "/")


def overlap(one: str, other: str) -> bool:
    """Whether either covers the other."""
    return covers(one, other) or covers(other, one)


def enclosing_scopes(scope: str) -> list[str]:
    """The scope and all that cover it, nearest first.

    >>> enclosing_scopes("src/auth/token.py")
    ['src/auth/token.py', 'src/auth', 'src', 'project']
    """
    if scope == PROJECT:
        return [PROJECT]
    if scope.startswith(SYMBOL):
        return [scope, PROJECT]  # its file is not known here; `ResolvedScope.enclosing` has it
    parts = scope.split("/")
    return ["/".join(parts[:n]) for n in range(len(parts), 0, -1)] + [PROJECT]


class ResolvedScope(Struct, frozen=True):
    """A scope with the symbols that the index finds for it.

    A symbol is written as a path below its file, `src/a.py/Class/method`, so that "a path covers
    what lies below it" holds for symbols without a rule of its own.
    """

    scope: str
    symbol_paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """For each "symbol:Name" that the scope is or covers, the paths of its definitions."""

    @property
    def enclosing(self) -> list[str]:
        """The scope and what covers it, without "project": each once, nearest first."""
        paths = self.symbol_paths.get(self.scope, ()) if self.scope.startswith(SYMBOL) else ()
        covering = [name for path in paths for name in enclosing_scopes(path)[1:]]
        names = dict.fromkeys([*enclosing_scopes(self.scope)[:-1], *covering])
        return [name for name in names if name != PROJECT]

    @property
    def symbols(self) -> list[str]:
        """The symbols that a path covers, in order; of a symbol, none."""
        return sorted(name for name in self.symbol_paths if name != self.scope)


def proximity(item: str, scope: ResolvedScope) -> float:
    """How near an item's scope is to another, 0..1.

    1 for the same, 1/(1 + levels between) up or down the tree, 0.5 for "project", else 0. A symbol
    with several definitions counts by the nearest of them.
    """
    ones = scope.symbol_paths.get(item, (item,))
    others = scope.symbol_paths.get(scope.scope, (scope.scope,))
    return max(_path_proximity(one, other) for one in ones for other in others)


def _path_proximity(item: str, other: str) -> float:
    if item == other:
        return 1.0
    if not overlap(item, other):
        return 0.0
    if PROJECT in (item, other):
        # The project has no depth to count levels from: it is as near as one level away.
        return 0.5
    return 1.0 / (1.0 + abs(item.count("/") - other.count("/")))
