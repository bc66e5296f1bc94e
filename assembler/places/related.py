"""Functions that changed code calls or names and that are about the same words as the change. Pure.

Most of what a changed function calls is noise. So only those are shown that share rare words with
the diff; those that the search finds as well come first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import log, sqrt

from msgspec import Struct

from satchel.assembler.kinds import brief
from satchel.assembler.places import nearest
from satchel.assembler.places.seeds import Tree
from satchel.assembler.places.test_names import family
from satchel.assembler.ranking import members
from satchel.assembler.values import MAX_MEANT, Required
from satchel.store.model import FUNCTIONS, ReferenceKind, RepoPath, SymbolKind
from satchel.store.records import SURE, SymbolRecord

_MAX_SHOWN = 4
_FLOOR = 0.35
"""Nothing is shown below this share (0..1) of the best."""
_LEAST = 0.03
"""What is worth less has no more than usual words in common with what was pasted."""
_UNFOUND = 0.003
"""Relevance of what is called though no words find it."""
_LEAST_NAME = 4
"""Letters of a name that is taken for a function without a call of it: shorter ones are words."""
_NAME = re.compile(r"(?:(?<=[.(&:>])|(?<=[,=])\s*)[^\W\d]\w*|[^\W\d]\w*(?:_|[a-z](?=[A-Z]))\w*")
"""A name where code has a value, or of several words: no word of a comment."""


class _Related(Struct, frozen=True):
    """A function or value, and the function that leads to it."""

    symbol: SymbolRecord
    source: SymbolRecord


def related(
    tree: Tree, functions: Sequence[SymbolRecord], text: str, relevance: Mapping[int, float]
) -> list[Required]:
    """What some functions call or name that is about a text, the best first.

    `relevance` has the scores of the search, in 0..1, by the id of a symbol.
    """
    texts = _Texts(tree)
    found = _one_step_from(tree, texts, functions)
    worth = _worth(texts, list(found.values()), text, relevance)
    least = max(_LEAST, _FLOOR * max(worth.values(), default=0.0))
    best = sorted(worth, key=lambda i: (-worth[i], found[i].symbol.path, found[i].symbol.line))
    return [
        nearest.neighbour(found[i].symbol, f"called by {brief(found[i].source.qualified_name)}")
        for i in best[:_MAX_SHOWN]
        if worth[i] >= least
    ]


def _one_step_from(
    tree: Tree, texts: _Texts, functions: Sequence[SymbolRecord]
) -> dict[int, _Related]:
    """What some functions lead to outside of them, by id."""
    found: dict[int, _Related] = {}
    spans = [(s.path, s.span.start_line, s.span.end_line) for s in functions]
    owner = {
        inner.id: symbol
        for symbol in functions
        for inner in tree.symbols(symbol.path)
        if symbol.span.start_line <= inner.line <= symbol.span.end_line
    } | {symbol.id: symbol for symbol in functions}
    for source, symbol in (
        *_called_functions(tree, owner),
        *_named_functions(tree, texts, functions),
        *_of_values(tree, owner),
    ):
        inside = any(p == symbol.path and a <= symbol.line <= b for p, a, b in spans)
        if not symbol.is_test and not inside:
            found.setdefault(symbol.id, _Related(symbol, source))
    return found


def _called_functions(
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


def _named_functions(
    tree: Tree, texts: _Texts, functions: Sequence[SymbolRecord]
) -> Iterator[tuple[SymbolRecord, SymbolRecord]]:
    """Functions of the same file that are named and not called, as one that is handed on is."""
    for symbol in functions:
        words = texts.names(symbol)
        for other in tree.symbols(symbol.path):
            is_named = len(other.name) >= _LEAST_NAME and other.name in words
            if is_named and other.kind in FUNCTIONS - {SymbolKind.CONSTRUCTOR}:
                yield symbol, other


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
            if len(meant) <= MAX_MEANT:
                yield from ((owner[use.scope], value) for value in meant)


def _worth(
    texts: _Texts, found: Sequence[_Related], text: str, relevance: Mapping[int, float]
) -> dict[int, float]:
    """What each is worth by its id: by what the search says of it, and by the words that it shares
    with a text, each by how few have it."""
    wanted = set(nearest.split(text))
    held = {r.symbol.id: texts.words(r.symbol) for r in found}
    holding = Counter(word for words in held.values() for word in words & wanted)
    rare = {word: log((len(found) + 1) / n) for word, n in holding.items()}
    worth: dict[int, float] = {}
    for each in found:
        words, name = held[each.symbol.id], set(nearest.split(each.symbol.name))
        # A long function has many words.
        shared = sum(rare.get(word, 0.0) for word in sorted(words)) / sqrt(len(words) + 1)
        shared += sum(rare.get(word, 0.0) for word in sorted(name)) / 2
        worth[each.symbol.id] = (relevance.get(each.symbol.id, 0.0) + _UNFOUND) * shared
    return worth


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
