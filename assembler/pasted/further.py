"""Code that is some calls away from the shown code and matches the pasted words.

A failing test calls what begins the work, and the place that decides stands one call or two
further; all that can be called from there is noise. So of what is reached in a few steps only what
the search finds as well is shown, with the functions that lead to it. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import log, sqrt

from msgspec import Struct

from satchel.assembler.kinds import brief
from satchel.assembler.pasted import nearest
from satchel.assembler.pasted.seeds import Tree
from satchel.assembler.pasted.test_names import family
from satchel.assembler.ranking import members
from satchel.assembler.values import SURE, Required
from satchel.store.model import FUNCTIONS, ReferenceKind, RepoPath, SymbolKind
from satchel.store.records import SymbolRecord

MAX_STEPS = 3
"""Steps from what a failing test calls: it begins the work that goes wrong further on."""
_MAX_WALKED = 20
"""Functions of one step that are followed, those that match best."""
_MAX_SHOWN = 4
"""Ends of walks that are shown; what leads to them comes as well."""
_FURTHER = 0.5
"""What a step is worth against the one before it."""
_FLOOR = 0.35
"""Of the best, below which nothing is shown."""
_LEAST = 0.03
"""What is worth less has no more than usual words in common with what was pasted."""
_UNFOUND = 0.003
"""Relevance of what is called directly, though no words find it."""
_MAX_MEANT = 2
"""A name that more definitions than this share does not tell which one is meant."""
_LEAST_NAME = 4
"""Letters of a name that is taken for a function without a call of it: shorter ones are words."""
_NAME = re.compile(r"(?:(?<=[.(&:>])|(?<=[,=])\s*)[^\W\d]\w*|[^\W\d]\w*(?:_|[a-z](?=[A-Z]))\w*")
"""A name where code has a value, or of several words: no word of a comment."""


class _Reached(Struct, frozen=True):
    """A function, in how many steps it was reached, and from which."""

    symbol: SymbolRecord
    steps: int
    source: SymbolRecord


def reached(
    tree: Tree,
    shown: Sequence[SymbolRecord],
    text: str,
    relevance: Mapping[int, float],
    max_steps: int = 1,
) -> list[Required]:
    """The functions that lead from those that are shown to what a text is about, and these."""
    texts = _Texts(tree)
    found = _walked(tree, texts, shown, relevance, max_steps)
    worth = _worth(texts, list(found.values()), text, relevance)
    least = max(_LEAST, _FLOOR * max(worth.values(), default=0.0))
    best = sorted(worth, key=lambda i: (-worth[i], found[i].symbol.path, found[i].symbol.line))
    chosen: dict[int, _Reached] = {}
    for each in best[:_MAX_SHOWN]:
        if worth[each] >= least:
            for step in _way(found, found[each]):
                chosen[step.symbol.id] = step
    return [nearest.neighbour(step.symbol, _reason(step)) for step in chosen.values()]


def _reason(step: _Reached) -> str:
    return f"called by {brief(step.source.qualified_name)}"


def _way(found: Mapping[int, _Reached], end: _Reached) -> list[_Reached]:
    """The steps to a function, from the nearest on."""
    way = [end]
    while way[-1].source.id in found:
        way.append(found[way[-1].source.id])
    return way[::-1]


def _walked(
    tree: Tree,
    texts: _Texts,
    shown: Sequence[SymbolRecord],
    relevance: Mapping[int, float],
    max_steps: int,
) -> dict[int, _Reached]:
    """What is reached from some functions, the shortest way to each, by id."""
    found: dict[int, _Reached] = {}
    seen = {symbol.id for symbol in shown}
    spans = [(s.path, s.span.start_line, s.span.end_line) for s in shown]
    layer = list(shown)
    for steps in range(1, max_steps + 1):
        new: dict[int, _Reached] = {}
        for source, symbol in _onward(tree, texts, layer, is_first=steps == 1):
            inside = any(p == symbol.path and a <= symbol.line <= b for p, a, b in spans)
            if symbol.id not in seen and not symbol.is_test and not inside:
                new.setdefault(symbol.id, _Reached(symbol, steps, source))
        seen |= new.keys()
        found |= new
        best = sorted(new.values(), key=lambda r: (-relevance.get(r.symbol.id, 0.0), r.symbol.id))
        layer = [each.symbol for each in best[:_MAX_WALKED]]
    return found


def _onward(
    tree: Tree, texts: _Texts, layer: Sequence[SymbolRecord], *, is_first: bool
) -> Iterator[tuple[SymbolRecord, SymbolRecord]]:
    """Pairs of a function and what it leads to."""
    owner = {
        inner.id: symbol
        for symbol in layer
        for inner in tree.symbols(symbol.path)
        if symbol.span.start_line <= inner.line <= symbol.span.end_line
    } | {symbol.id: symbol for symbol in layer}
    yield from _called(tree, owner)
    for symbol in layer:
        words = texts.names(symbol)
        for other in tree.symbols(symbol.path):
            # A function that is handed on is named and not called.
            is_named = len(other.name) >= _LEAST_NAME and other.name in words
            if is_named and other.kind in FUNCTIONS - {SymbolKind.CONSTRUCTOR}:
                yield symbol, other
    if is_first:
        # To read the uses of hundreds of functions would take longer than all else.
        yield from _of_values(tree, owner)


def _called(
    tree: Tree, owner: Mapping[int, SymbolRecord]
) -> Iterator[tuple[SymbolRecord, SymbolRecord]]:
    """What is surely called, but for constructors of base classes."""
    edges = tree.snapshot.symbols.edges_from(sorted(owner))
    sure = [e for e in edges if e.kind == ReferenceKind.CALL and e.confidence >= SURE]
    targets = {s.id: s for s in tree.snapshot.symbols.by_id(sorted({e.target for e in sure}))}
    for edge in sure:
        source, target = owner[edge.source], targets[edge.target]
        is_of_base = source.kind == target.kind == SymbolKind.CONSTRUCTOR
        if target.kind in FUNCTIONS and not is_of_base:
            yield source, target


def _of_values(
    tree: Tree, owner: Mapping[int, SymbolRecord]
) -> Iterator[tuple[SymbolRecord, SymbolRecord]]:
    """Constants and fields whose members are called: their lines may hold functions."""
    for use in tree.snapshot.symbols.references_from(sorted(owner)):
        of = re.split(r"[.:>]+", use.receiver)[-1]
        if use.kind == ReferenceKind.CALL and len(of) >= _LEAST_NAME:
            meant = [
                s
                for s in tree.snapshot.symbols.named(of)
                if s.kind in members.KINDS and not s.is_test and family(s.path) == family(use.path)
            ]
            if len(meant) <= _MAX_MEANT:
                yield from ((owner[use.scope], value) for value in meant)


def _worth(
    texts: _Texts, found: Sequence[_Reached], text: str, relevance: Mapping[int, float]
) -> dict[int, float]:
    """What each is worth by its id: by what the search says of it, by the words that it shares with
    a text, each by how few have it, and by how near it is."""
    listed = [r for r in found if relevance.get(r.symbol.id) or r.steps == 1]
    wanted = set(nearest.split(text))
    held = {r.symbol.id: texts.words(r.symbol) for r in listed}
    holding = Counter(word for words in held.values() for word in words & wanted)
    rare = {word: log((len(listed) + 1) / n) for word, n in holding.items()}

    def shared(words: Collection[str]) -> float:
        return sum(rare[word] for word in words if word in rare)

    return {
        r.symbol.id: (relevance.get(r.symbol.id, 0.0) + _UNFOUND)
        * (
            # A long function has many words.
            shared(held[r.symbol.id]) / sqrt(len(held[r.symbol.id]) + 1)
            + shared(set(nearest.split(r.symbol.name))) / 2
        )
        * _FURTHER ** (r.steps - 1)
        for r in listed
    }


class _Texts:
    """The words of functions, each file read once."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._sources: dict[RepoPath, bytes] = {}

    def _text(self, symbol: SymbolRecord) -> str:
        if symbol.path not in self._sources:
            self._sources[symbol.path] = self._tree.source(symbol.path)
        span = symbol.span
        text = self._sources[symbol.path][span.start_byte : span.end_byte]
        return text.decode("utf-8", "replace")

    def words(self, symbol: SymbolRecord) -> set[str]:
        """Its words in small letters, those within names by themselves."""
        return set(nearest.split(self._text(symbol)))

    def names(self, symbol: SymbolRecord) -> set[str]:
        """The names of values in it."""
        return {name.strip() for name in _NAME.findall(self._text(symbol))}
