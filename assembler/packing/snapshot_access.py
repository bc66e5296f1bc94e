"""The functions through which packing reads a snapshot. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from satchel.assembler.packing.inputs import Expand, FindLists, LookAround, ReadSource
from satchel.assembler.packing.units import Around
from satchel.assembler.ranking import declared_options, expand, members
from satchel.assembler.ranking.declared_options import Listed
from satchel.assembler.values import Neighbour, Origin, Scored
from satchel.assembler.weights import Weights
from satchel.store.model import ProblemKind, RepoPath
from satchel.store.reading.snapshot import Snapshot


def reader(snapshot: Snapshot) -> ReadSource:
    """A function that returns the bytes of the file of a chunk, as indexed; b"" for one that is
    gone."""
    return lambda chunk: (
        snapshot.files.source(chunk.digest, chunk.language) if chunk.digest else b""
    )


def looker(snapshot: Snapshot) -> LookAround:
    """A function that returns the symbols in and around chunks, and looks each chunk up once.

    The neighbours of shown code are much the same in every round of packing.
    """
    known: dict[int, Around] = {}

    def look(items: Sequence[Scored]) -> Mapping[int, Around]:
        known.update(_around(snapshot, [i for i in items if i.chunk.id not in known]))
        return known

    return look


def _around(snapshot: Snapshot, items: Sequence[Scored]) -> dict[int, Around]:
    chunks = {item.chunk.id: item.chunk for item in items}
    # What is looked at here is read next.
    snapshot.files.read_ahead((c.digest, c.language) for c in chunks.values())
    inside = snapshot.chunks.symbols_in(chunks)
    # Symbols are read for all chunks at once, since a query for each chunk would add up.
    ids = {i for symbols in inside.values() for i in symbols} | {
        c.symbol_id for c in chunks.values()
    }
    # Id 0 stands for no symbol.
    found = {record.id: record for record in snapshot.symbols.by_id(sorted(ids - {0}))}
    return {
        chunk.id: Around(
            tuple(found[i] for i in inside.get(chunk.id, ())), found.get(chunk.symbol_id)
        )
        for chunk in chunks.values()
    }


def expander(
    snapshot: Snapshot,
    admits: expand.Admits,
    ranked: Sequence[Scored],
    weights: Weights,
    users: float,
    *,
    is_change: bool,
    by_use: bool,
) -> Expand:
    """A function that returns the neighbours of chunks in the call graph.

    Unless a change is asked for, callers and callees in the same file count more; `users` and
    `by_use` are those of `expand.Preference`.
    """
    relevance = {item.chunk.id: item.score for item in ranked}
    beside = 1.0 if is_change else weights.edges.beside
    wanted = expand.Preference(weights.packing.neighbours_per_seed, beside, users, by_use)
    surroundings = expand.Surroundings(snapshot, weights.edges)

    def neighbours(seeds: Sequence[Origin]) -> Sequence[Neighbour]:
        found = expand.expand(surroundings, seeds, relevance, admits, wanted)
        return [*found, *members.used(snapshot, seeds, relevance, admits, weights.edges)]

    return neighbours


def lists(
    snapshot: Snapshot,
    admits: expand.Admits,
    ranked: Sequence[Scored],
    weights: Weights,
    options: Sequence[str],
) -> FindLists:
    """A function that finds where the options are declared that the question names, and that shown
    code reads."""

    def found(seeds: Sequence[Origin]) -> Sequence[Listed]:
        named = declared_options.siblings(snapshot, options, ranked, admits)
        return [*named, *declared_options.declared(snapshot, seeds, ranked, admits, weights.edges)]

    return found


def broken(snapshot: Snapshot, paths: Iterable[RepoPath]) -> frozenset[RepoPath]:
    """The files, of some, that the parser could not read as a whole."""
    asked = frozenset(paths)
    # A wrong encoding is no broken syntax: such a file is parsed as a whole, with some characters
    # replaced.
    return frozenset(
        p
        for p, kind, *_ in snapshot.files.problems()
        if p in asked and kind != ProblemKind.ENCODING
    )
