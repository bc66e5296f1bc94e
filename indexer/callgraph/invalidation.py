"""Which edges an edit in another file changes: those whose lookups have another answer. Pure.

`tables.index_tables` leaves a key for each lookup. Here the facts of a file are grouped by the keys
of the lookups that they answer; where a group differs before and after an edit, every file that
made the lookup is derived again. Lines and positions are left out, so that most edits change
nothing for others. A kind of lookup that is added there and forgotten here leaves wrong edges:
`tests/indexer/test_stateful.py` compares with a fresh index after random edits.
"""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from satchel.indexer.callgraph.tables.bindings import CALLABLES, ENTRY_STEMS, local_names
from satchel.indexer.callgraph.tables.file_table import DEFAULT_EXPORT
from satchel.indexer.callgraph.tables.fill import (
    FILLING,
    FILLING_ARGUMENTS,
    INHERITING,
    MIXING,
    NAMES_ONLY,
)
from satchel.indexer.callgraph.tables.flow_texts import (
    NAMES,
    FlowKind,
    called_name,
    dictionary_keys,
    first_word,
    flow_form,
)
from satchel.indexer.callgraph.tables.lookups import ANY_PACKAGE, EVERYTHING, Lookup, lookup_key
from satchel.indexer.languages import detect
from satchel.indexer.languages.name_rules import EVENTS
from satchel.store.model import (
    BUILT_ON,
    CLASS_LIKE,
    FileFacts,
    Flow,
    Import,
    Reference,
    ReferenceKind,
    RepoPath,
    Symbol,
    SymbolKind,
)
from satchel.store.records import Edge

_K = TypeVar("_K")
GO_MODULE = "go.mod"
_PERHAPS_OUTER = frozenset(
    {FlowKind.PLACE, FlowKind.CALL, FlowKind.CHANGED, FlowKind.REPLACED, FlowKind.OUTER}
)
"""What may be about something that a scope further out binds."""
_ITSELF = ("",)
"""Stands for a name where a statement is about the scope itself."""


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
    was = _Statements(path, before, is_test) if before else None
    now = _Statements(path, after, is_test) if after else None
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
    """All that `_Statements` asks of a file: equal where only lines and positions differ."""
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


class _Statements:
    """The facts of a file, by the lookups that they answer.

    Two versions of a file are compared by equality, so a statement may be anything that differs
    whenever the answer to a lookup may differ.
    """

    def __init__(self, path: RepoPath, facts: FileFacts, is_test: bool) -> None:
        self.by_lookup: defaultdict[tuple[Lookup, *tuple[str, ...]], list[object]] = defaultdict(
            list
        )
        self.given: defaultdict[str, list[object]] = defaultdict(list)
        """What is given to attributes of anything, which may be an instance of any class here."""
        self.holders = {
            symbol.qualified_name
            for symbol in facts.symbols
            if symbol.kind in CLASS_LIKE or symbol.name[:1].isupper()
        }
        """Classes, and functions that may make instances."""
        self._path, self._facts, self._is_test = path, facts, is_test
        self._names = [""] + [symbol.qualified_name for symbol in facts.symbols]
        self._stem = posixpath.splitext(posixpath.basename(path))[0]
        language = detect.by_name(facts.language)
        self._rules, self._self_names = language.names, frozenset(language.self_names)
        self._bound = {binding.alias or binding.name for binding in facts.imports}
        self._binding = _binding(facts)
        for symbol in facts.symbols:
            self._add_symbol(symbol)
        self._outer = {(f.scope, f.value) for f in facts.flows if f.place == "^"}
        for flow in facts.flows:
            self._add_flow(flow)
        for use in facts.references:
            self._add_use(use)
        self._add_marks(facts.references)
        self._add_local_callees()
        for binding in facts.imports:
            self._add_import(binding)
        # That a name is bound at all is what uses of names without a definition wait for; where it
        # is bound and to what changes nothing for them.
        for name in self._bound:
            self.by_lookup[Lookup.BOUND, name] = [path]
        if posixpath.basename(path) == GO_MODULE:
            self.by_lookup[Lookup.GO_MODULES,] = list(self._names)

    def _add_import(self, binding: Import) -> None:
        statement = (binding.module, binding.name, binding.alias)
        self.by_lookup[Lookup.IMPORTS, self._path].append(statement)
        local = local_names(binding, self._rules.imports)
        # A name that the file defines may be imported beside it, as by `try` and `except`.
        for name in map(first_word, local):
            self.by_lookup[Lookup.SCOPE, self._path, self._stem, name].append(statement)
        names = {*local, binding.module.partition(".")[0]}
        for name in names | {EVERYTHING} if binding.name == EVERYTHING else names:
            self.by_lookup[Lookup.IMPORTS, self._path, name].append(statement)

    def _add_use(self, use: Reference) -> None:
        if use.kind in BUILT_ON:
            scope = self._names[use.scope + 1]
            self.by_lookup[Lookup.SUBCLASSES, use.name].append((self._path, scope))
            self._add_to_scope(scope, (use.receiver, use.name), _ITSELF)
        elif use.kind == ReferenceKind.CALL:
            self.by_lookup[Lookup.CALLED, use.name] = [self._path]

    def _add_local_callees(self) -> None:
        """Add what may bind names that are called: such a call may be one of any function."""
        flows = [flow_form(flow.place) for flow in self._facts.flows]
        called = {called_name(subject) for kind, subject in flows if kind is FlowKind.CALL}
        bound = [
            (self._names[scope + 1], sorted(written))
            for (scope, word), written in self._binding.items()
            if word in called
        ]
        if bound:
            self.by_lookup[Lookup.CALL_SITES, self._path].append(bound)

    def _add_marks(self, uses: Sequence[Reference]) -> None:
        marks = [use for use in uses if use.name in EVENTS.marks]
        types: dict[int, list[str]] = {mark.scope: [] for mark in marks}
        for use in uses if marks else ():
            if use.kind == ReferenceKind.TYPE and use.scope in types:
                types[use.scope].append(use.name)
        for mark in marks:
            said = self._path, self._names[mark.scope + 1], tuple(types[mark.scope])
            self.by_lookup[Lookup.MARKED, mark.name].append(said)

    def _add_to_scope(self, scope: str, statement: object, about: Iterable[str]) -> None:
        """Add a statement of a scope about some names, "" being the scope itself.

        The scope "" is the file, whose symbol has the name of its stem.
        """
        lookup = (Lookup.SCOPE, self._path, scope or self._stem)
        self.by_lookup[lookup].append(statement)
        for name in about:
            self.by_lookup[*lookup, name].append(statement)

    def _add_symbol(self, symbol: Symbol) -> None:
        facts = self._facts
        holder = facts.symbols[symbol.parent].kind if symbol.parent >= 0 else ""
        signature = symbol.signature if symbol.kind in CALLABLES else ""
        is_test = self._is_test or symbol.is_test
        name, is_top = symbol.qualified_name, symbol.parent < 0
        identity = (name, symbol.kind, is_top, holder, signature, is_test)
        self.by_lookup[Lookup.NAME, symbol.name].append((self._path, identity))
        if symbol.kind == SymbolKind.METHOD:
            folder = posixpath.dirname(self._path) or "."
            self.by_lookup[Lookup.METHODS, folder].append(name)
        # Seen from the scope that holds it, and from its own, whose signature it is.
        own = {first_word(symbol.name)}
        around = self._names[symbol.parent + 1]
        if around == name:
            own.update(_ITSELF)
        else:
            takes_apart = self._rules.members_are_items and ("{" in signature or "[" in signature)
            inside = NAMES.findall(signature) if takes_apart else ()
            self._add_to_scope(name, identity, {*_ITSELF, *inside})
        self._add_to_scope(around, identity, own)

    def _add_flow(self, flow: Flow) -> None:
        kind, subject = flow_form(flow.place)
        if kind is FlowKind.OVERLOADED_CALL:
            return  # which overload is called matters to the file itself
        statement = (self._names[flow.scope + 1], flow.place, flow.value)
        if kind in (FlowKind.CALL, FlowKind.DECORATOR):
            is_call = kind is FlowKind.CALL
            callee = subject if is_call else flow.value
            self.by_lookup[Lookup.CALLS, called_name(callee)].append((self._path, statement))
            self.by_lookup[Lookup.CALL_SITES, self._path].append(statement)
        words = NAMES.findall(flow.place)
        self._bound.update(words, dictionary_keys(flow))
        about = _about(kind, subject, flow.value, words)
        for name in self._attributes_given(kind, subject, words, about):
            self.given[name].append(statement)
        scope = flow.scope
        self._add_to_scope(self._names[scope + 1], statement, about)
        is_outer = (flow.scope, flow.place) in self._outer
        if kind in _PERHAPS_OUTER or is_outer:
            inside: set[str] = set()
            while scope >= 0:  # it may be put into what a scope further out binds, if none before
                inside.update(*(self._binding.get((scope, word), ()) for word in about))
                scope = self._facts.symbols[scope].parent
                self._add_to_scope(self._names[scope + 1], (*statement, *sorted(inside)), about)

    def _attributes_given(
        self, kind: FlowKind, subject: str, words: Sequence[str], about: Iterable[str]
    ) -> Iterable[str]:
        """The attributes of anything but the receiver to which a flow may give something, "" for
        all that an object has."""
        behind = words[2:] if not self._self_names.isdisjoint(words[:1]) else words[1:]
        if kind in (FlowKind.PLACE, FlowKind.REPLACED):
            return behind
        called = called_name(subject) if kind is FlowKind.CALL else ""
        if called in FILLING_ARGUMENTS or _ITSELF[0] in about:
            return about if called else ()
        return behind[:-1] if called in FILLING else ()


def _binding(facts: FileFacts) -> dict[tuple[int, str], set[str]]:
    """What may bind a word in a scope of a file, as it is written, by scope and word."""
    found: defaultdict[tuple[int, str], set[str]] = defaultdict(set)
    for scope, symbol in enumerate(facts.symbols):
        found[symbol.parent, first_word(symbol.name)].add(symbol.name)
        for word in NAMES.findall(symbol.signature if symbol.kind in CALLABLES else ""):
            found[scope, word].add(symbol.signature)
    for flow in facts.flows:
        kind, _ = flow_form(flow.place)
        if kind is not FlowKind.CALL:
            place = flow.value if kind is FlowKind.DECLARED else flow.place
            for word in NAMES.findall(place):
                found[flow.scope, word].add(place)
    return found


def _about(kind: FlowKind, subject: str, value: str, words: Sequence[str]) -> Iterable[str]:
    """The names that a flow may say something about (`tables.fill`), by their words; "" for the
    scope itself. `words` are those of its place."""
    if kind is FlowKind.NAME:
        return words
    if kind is FlowKind.CALL:
        callee = subject.removeprefix("=")
        if callee == MIXING or callee in INHERITING:
            return {*_ITSELF, *NAMES.findall(value)}
        if called_name(callee) in FILLING:
            return {*words, *NAMES.findall(value)}
        return NAMES.findall(value) if NAMES_ONLY(value) else ()
    if kind in (FlowKind.DECLARED, FlowKind.OUTER):
        return NAMES.findall(value)
    if kind in (FlowKind.RESULT, FlowKind.YIELD, FlowKind.DECORATOR):
        return {*_ITSELF, *words}
    return {*words, DEFAULT_EXPORT} if "exports" in words else set(words)


def moved_edges(before: PreviousFile, after: FileFacts, first_symbol: int) -> Iterable[Edge]:
    """The edges that came into a file, to where the same definitions are now."""
    # By name and not by position: an edit above a function moves it, and its callers keep it.
    now = {each: first_symbol + i for i, each in enumerate(_numbered(after))}
    was = _numbered(before.facts)
    for edge in before.incoming:
        target = now.get(was[edge.target - before.first_symbol])
        if target is not None:
            yield Edge(edge.source, target, edge.kind, edge.line, edge.rule, edge.confidence)


def replaced_symbols(before: FileFacts, after: FileFacts) -> list[int] | None:
    """Where the symbols of a file are others than before, its module being number 0.

    None when not every symbol that there still is stands where it stood.
    """
    if len(before.symbols) != len(after.symbols):
        return None
    if all(
        a.qualified_name == b.qualified_name and a.kind is b.kind
        for a, b in zip(before.symbols, after.symbols, strict=True)
    ):
        return []  # mostly, and told in less time than numbering them takes
    was, now = _numbered(before), _numbered(after)
    others = [n for n, each in enumerate(now) if each != was[n]]
    stays = {was[n] for n in others}.isdisjoint(now[n] for n in others)
    return others if stays else None


def _numbered(facts: FileFacts) -> list[tuple[str, str, int]]:
    """The symbols of a file, its module first, each as the n-th of its name and kind."""
    seen: Counter[tuple[str, str]] = Counter()
    found: list[tuple[str, str, int]] = [("", "module of the file", 0)]
    for symbol in facts.symbols:
        name = (symbol.qualified_name, str(symbol.kind))
        found.append((*name, seen[name]))
        seen[name] += 1
    return found
