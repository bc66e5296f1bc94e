"""The facts of a file by the lookups that they answer: what `callgraph.invalidation` compares."""

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Sequence

from satchel.indexer.callgraph.tables.bindings import CALLABLES, local_names
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
from satchel.indexer.callgraph.tables.lookups import EVERYTHING, Lookup
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

GO_MODULE = "go.mod"
_PERHAPS_OUTER = frozenset(
    {FlowKind.PLACE, FlowKind.CALL, FlowKind.CHANGED, FlowKind.REPLACED, FlowKind.OUTER}
)
"""What may be about something that a scope further out binds."""
_ITSELF = ""
"""Stands for a name where a statement is about the scope itself."""


class Statements:
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
        self._called = set[str]()
        for symbol in facts.symbols:
            self._add_symbol(symbol)
        self._outer = {(f.scope, f.value) for f in facts.flows if f.place == "^"}
        for flow in facts.flows:
            # Which overload is called matters to the file itself.
            if not flow.place.startswith("("):
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
            self._add_to_scope(scope, (use.receiver, use.name), (_ITSELF,))
        elif use.kind == ReferenceKind.CALL:
            self.by_lookup[Lookup.CALLED, use.name] = [self._path]

    def _add_local_callees(self) -> None:
        """Add what may bind names that are called: such a call may be one of any function."""
        bound = [
            (self._names[scope + 1], sorted(written))
            for (scope, word), written in self._binding.items()
            if word in self._called
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
        is_signed = symbol.kind in CALLABLES or holder == SymbolKind.ENUM
        signature = symbol.signature if is_signed else ""
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
            own.add(_ITSELF)
        else:
            takes_apart = self._rules.members_are_items and ("{" in signature or "[" in signature)
            inside = NAMES.findall(signature) if takes_apart else ()
            self._add_to_scope(name, identity, {_ITSELF, *inside})
        self._add_to_scope(around, identity, own)

    def _add_flow(self, flow: Flow) -> None:
        kind, subject = flow_form(flow.place)
        statement = (self._names[flow.scope + 1], flow.place, flow.value)
        if kind in (FlowKind.CALL, FlowKind.DECORATOR):
            called = called_name(subject if kind is FlowKind.CALL else flow.value)
            if kind is FlowKind.CALL:
                self._called.add(called)
            self.by_lookup[Lookup.CALLS, called].append((self._path, statement))
            self.by_lookup[Lookup.CALL_SITES, self._path].append(statement)
        words = NAMES.findall(flow.place)
        self._bound.update(words, dictionary_keys(flow))
        about = _about(kind, subject, flow.value, words)
        holder = self._facts.symbols[flow.scope].parent if flow.scope >= 0 else -1
        if holder >= 0 and not self._self_names.isdisjoint(words[:1]):
            # An object of JavaScript, which its methods see as `this`.
            about = {*about, self._facts.symbols[holder].name}
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
        if kind is not FlowKind.CALL:
            return ()
        called = called_name(subject)
        if called in FILLING_ARGUMENTS or _ITSELF in about:
            return about
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
            return {_ITSELF, *NAMES.findall(value)}
        if called_name(callee) in FILLING:
            return {*words, *NAMES.findall(value)}
        return NAMES.findall(value) if NAMES_ONLY(value) else ()
    if kind in (FlowKind.DECLARED, FlowKind.OUTER):
        return NAMES.findall(value)
    if kind in (FlowKind.IMPLIED, FlowKind.RESULT, FlowKind.YIELD, FlowKind.DECORATOR):
        return {_ITSELF, *words}
    return {*words, DEFAULT_EXPORT} if "exports" in words else set(words)
