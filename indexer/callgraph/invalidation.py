"""Which edges an edit in another file changes: those whose lookups have another answer. Pure.

`tables.index_tables` leaves a key for each lookup, and `tables.statements` groups the facts of a
file by the lookups that they answer; where a group differs before and after an edit, every file
that made the lookup is derived again. Lines and positions are left out, so that most edits change
nothing for others. A kind of lookup that is added there and forgotten here leaves wrong edges:
`tests/indexer/test_stateful.py` compares with a fresh index after random edits.
"""

import posixpath
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from satchel.indexer.callgraph.tables.bindings import ENTRY_STEMS
from satchel.indexer.callgraph.tables.lookups import ANY_PACKAGE, Lookup, lookup_key
from satchel.indexer.callgraph.tables.statements import Statements
from satchel.indexer.languages import detect
from satchel.store.model import FileFacts, RepoPath
from satchel.store.records import Edge

_K = TypeVar("_K")


@dataclass(frozen=True, slots=True)
class PreviousFile:
    """A file before the edit: its facts, its first symbol id, and the edges into it."""

    facts: FileFacts
    is_test: bool
    first_symbol: int
    incoming: tuple[Edge, ...]


def changed_keys(
    path: RepoPath, before: FileFacts | None, after: FileFacts | None, is_test: bool
) -> set[int]:
    """The keys of the lookups whose answer an edit changes, and with it edges in another file.

    `before` and `after` are the two versions of the file; None where it is not there.
    """
    if before is not None and after is not None and says_the_same(before, after):
        return set()
    was = Statements(path, before, is_test) if before else None
    now = Statements(path, after, is_test) if after else None
    differing = _differing(was.by_lookup if was else {}, now.by_lookup if now else {})
    changed = {lookup_key(*each) for each in differing}
    if was and now:
        given, holders = _differing(was.given, now.given), was.holders & now.holders
        changed |= {lookup_key(Lookup.SCOPE, path, h, name) for h in holders for name in given}
    else:
        # What imports may call a file that came or went.
        folder, name = posixpath.split(path)
        stem = name.split(".", 1)[0]
        names = {stem, posixpath.splitext(name)[0], posixpath.basename(folder)}
        # An entry file stands for its folder, and `packages/name/src/index.ts` for the one above.
        if stem in ENTRY_STEMS or stem == "main":  # `package.main` of a Node package
            names.add(posixpath.basename(posixpath.dirname(folder)))
            names.add(ANY_PACKAGE)
        changed |= {lookup_key(Lookup.MODULE, each) for each in names}
        facts = before or after
        if facts and detect.by_name(facts.language).names.files_are_components:
            changed.add(lookup_key(Lookup.NAME, posixpath.splitext(name)[0]))
    return changed


def _differing(was: Mapping[_K, object], now: Mapping[_K, object]) -> set[_K]:
    return {each for each in was.keys() | now.keys() if was.get(each) != now.get(each)}


def says_the_same(before: FileFacts, after: FileFacts) -> bool:
    """Whether two versions of a file differ in lines and positions alone."""
    return _without_positions(before) == _without_positions(after)


def _without_positions(facts: FileFacts) -> tuple[object, ...]:
    """All that `Statements` asks of a file: equal where only lines and positions differ."""
    # Comparing these takes a tenth of the time of grouping them by key.
    return (
        facts.flows,
        [(s.name, s.qualified_name, s.kind, s.parent, s.signature, s.is_test)
         for s in facts.symbols],
        [(use.scope, use.name, use.receiver, use.kind) for use in facts.references],
        [(each.module, each.name, each.alias) for each in facts.imports],
    )  # fmt: skip


def keys_of_link(path: RepoPath) -> set[int]:
    """What imports may mean otherwise when a link to a folder came, went or leads elsewhere."""
    # Anything below the folder may have been named through it.
    return {lookup_key(Lookup.MODULE, posixpath.basename(path)), lookup_key(Lookup.GO_MODULES)}


def moved_edges(before: PreviousFile, after: FileFacts, first_symbol: int) -> Iterable[Edge]:
    """The edges that came into a file, to where the same definitions are now."""
    # By name and not by position: an edit above a function moves it, and its callers keep it.
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
