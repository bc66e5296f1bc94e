"""Scopes: "project", a path of the code base, or "symbol:Name"; which covers which, and how near.

A path covers what lies below it, by whole names: src/auth covers src/auth/token.py and not
src/authorization. "project" covers everything.
"""

from __future__ import annotations

import re

from knowledge.model import MAX_SCOPE
from store.errors import UsageError

PROJECT = "project"
SYMBOL = "symbol:"
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def read_scope(text: str) -> str:
    """A scope as it is stored.

    Raises:
        UsageError: it leaves the code base, or no path could look like it.
    """
    scope = text.strip().replace("\\", "/")
    if scope in ("", ".", "./", "/", PROJECT):
        return PROJECT
    if len(scope) > MAX_SCOPE or _CONTROL.search(scope):
        raise UsageError("scope is not a path", f"at most {MAX_SCOPE} printable characters")
    if scope.startswith(SYMBOL):
        return scope
    parts = [part for part in scope.removeprefix("/").split("/") if part not in ("", ".")]
    if ".." in parts:
        raise UsageError(f"scope {scope!r} leaves the code base", "name a path below its root")
    return "/".join(parts)


def covers(outer: str, inner: str) -> bool:
    """Whether `outer` is `inner` or holds it."""
    return outer in (PROJECT, inner) or inner.startswith(outer + "/")


def meet(one: str, other: str) -> bool:
    """Whether either covers the other."""
    return covers(one, other) or covers(other, one)


def around(scope: str) -> list[str]:
    """The scope and all that cover it, nearest first.

    >>> around("src/auth/token.py")
    ['src/auth/token.py', 'src/auth', 'src', 'project']
    """
    if scope == PROJECT:
        return [PROJECT]
    if scope.startswith(SYMBOL):
        return [scope, PROJECT]
    parts = scope.split("/")
    return ["/".join(parts[:n]) for n in range(len(parts), 0, -1)] + [PROJECT]


def nearness(item: str, focus: str) -> float:
    """1 for the same scope, 1/(1+levels between) up or down the tree, 0.5 for "project", else 0."""
    if item == focus:
        return 1.0
    if not meet(item, focus):
        return 0.0
    if PROJECT in (item, focus):
        return 0.5
    return 1.0 / (1.0 + abs(item.count("/") - focus.count("/")))
