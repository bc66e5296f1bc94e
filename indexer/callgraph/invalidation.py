"""What a changed file means for the edges of others: questions with another answer now. Pure.

Every key that `indexer.callgraph.tables.index_tables` can touch for a file is given here with what
the file says under it; where that differs before and after, whoever asked must ask again. Lines and
positions are left out, so that most edits change nothing for others.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from satchel.indexer.callgraph.tables.bindings import CALLABLES, ENTRY_STEMS
from satchel.indexer.callgraph.tables.flow_places import IS_PLAIN, NAMES, item_names, last_name
from satchel.indexer.callgraph.tables.index_tables import key
from satchel.store.model import FileFacts, Flow, ReferenceKind, RepoPath, Symbol
from satchel.store.records import Edge

GO_MODULE = "go.mod"
_BASES = frozenset({ReferenceKind.INHERIT, ReferenceKind.IMPLEMENT})
_Said = dict[int, list[object]]


@dataclass(frozen=True, slots=True)
class Before:
    """A file as it was: what it said, its first symbol id, and the edges that came in."""

    facts: FileFacts
    is_test: bool
    first_symbol: int
    incoming: tuple[Edge, ...]


def changed_keys(
    path: RepoPath, before: FileFacts | None, after: FileFacts | None, is_test: bool
) -> set[int]:
    """The keys under which a file says something else now; None where it is not there."""
    was = _says(path, before, is_test) if before else {}
    now = _says(path, after, is_test) if after else {}
    changed = {each for each in was.keys() | now.keys() if was.get(each) != now.get(each)}
    if before is None or after is None:
        changed |= _as_module(path)
    return changed


def _as_module(path: RepoPath) -> set[int]:
    """What imports may call a file that came or went."""
    folder, name = posixpath.split(path)
    stem = name.split(".", 1)[0]
    names = {stem, posixpath.splitext(name)[0], posixpath.basename(folder)}
    if stem in ENTRY_STEMS or stem == "main":
        names.add(posixpath.basename(posixpath.dirname(folder)))
    entered = {key("packages")} if stem in ENTRY_STEMS else set()
    return {key("module", each) for each in names} | entered


def _says(path: RepoPath, facts: FileFacts, is_test: bool) -> _Said:
    said: _Said = {}
    names = [""] + [symbol.qualified_name for symbol in facts.symbols]
    for symbol in facts.symbols:
        what = _identity(symbol, facts, is_test)
        said.setdefault(key("name", symbol.name), []).append((path, what))
        for scope in {names[symbol.parent + 1], symbol.qualified_name}:
            _at(said, path, scope).append(what)
    for flow in facts.flows:
        _flow(said, path, flow, facts, names)
    for use in facts.references:
        if use.kind in _BASES:
            scope = names[use.scope + 1]
            said.setdefault(key("heirs", use.name), []).append((path, scope))
            _at(said, path, scope).append((use.receiver, use.name))
    for binding in facts.imports:
        said.setdefault(key("held", binding.alias or binding.name), [path])
    if posixpath.basename(path) == GO_MODULE:
        said[key("packages")] = list(names)
    said[key("imports", path)] = [(i.module, i.name, i.alias) for i in facts.imports]
    return said


def _at(said: _Said, path: RepoPath, scope: str) -> list[object]:
    stem = posixpath.splitext(posixpath.basename(path))[0]
    return said.setdefault(key("scope", path, scope or stem), [])


def _identity(symbol: Symbol, facts: FileFacts, is_test: bool) -> tuple[object, ...]:
    holder = facts.symbols[symbol.parent].kind if symbol.parent >= 0 else ""
    signature = symbol.signature if symbol.kind in CALLABLES else ""
    tested = is_test or symbol.is_test
    return (symbol.qualified_name, symbol.kind, symbol.parent < 0, holder, signature, tested)


def _flow(said: _Said, path: RepoPath, flow: Flow, facts: FileFacts, names: list[str]) -> None:
    if flow.place.startswith("("):
        return  # the arguments of a call matter to the file itself
    what = (names[flow.scope + 1], flow.place, flow.value)
    if flow.place.endswith("(") or flow.place == "@":
        callee = flow.place[:-1] if flow.place != "@" else flow.value.partition("(")[0]
        said.setdefault(key("calls", last_name(callee)), []).append((path, what))
        said.setdefault(key("sites", path), []).append(what)
    for name in {*NAMES.findall(flow.place), *item_names(flow)}:
        said.setdefault(key("held", name), [path])
    scope = flow.scope
    _at(said, path, names[scope + 1]).append(what)
    if IS_PLAIN(flow.place) is None:
        while scope >= 0:  # it may be put into what a scope further out binds
            scope = facts.symbols[scope].parent
            _at(said, path, names[scope + 1]).append(what)


def moved(before: Before, after: FileFacts, first_symbol: int) -> Iterable[Edge]:
    """The edges that came into a file, to where the same definitions are now."""
    now = {each: first_symbol + i for i, each in enumerate(_numbered(after))}
    was = _numbered(before.facts)
    for edge in before.incoming:
        target = now.get(was[edge.target - before.first_symbol])
        if target is not None:
            yield Edge(edge.source, target, edge.kind, edge.line, edge.rule, edge.confidence)


def _numbered(facts: FileFacts) -> list[tuple[str, str, int]]:
    """The symbols of a file, its module first, each as the n-th of its name and kind."""
    seen: Counter[tuple[str, str]] = Counter()
    found: list[tuple[str, str, int]] = [("", "module of the file", 0)]
    for symbol in facts.symbols:
        name = (symbol.qualified_name, str(symbol.kind))
        found.append((*name, seen[name]))
        seen[name] += 1
    return found
