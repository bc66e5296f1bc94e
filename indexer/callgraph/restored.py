"""Edges that are valid again after a switch back to an earlier branch.

The edges of a file follow from its bytes and from the answers to its lookups. So stored edges are
right again when the file has the same bytes and no lookup has another answer than it had then.
Comparing the files tells which lookups have other answers (`indexer.callgraph.invalidation`); after
a switch and the switch back, none have.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

import apsw

from satchel.indexer.callgraph.invalidation import changed_keys
from satchel.store import codec
from satchel.store.model import Digest, FileFacts
from satchel.store.records import Edge
from satchel.store.sqlite import kept_edges, replaced
from satchel.store.sqlite.database import select
from satchel.store.sqlite.kept_edges import Candidate, KeptFile, Places
from satchel.store.sqlite.replaced import Replaced
from satchel.store.sqlite.rows import encode_path
from satchel.store.sqlite.writer import Writer


class RestoredFile(NamedTuple):
    """A file whose edges are known, from these symbols, and the keys they depend on."""

    file_id: int
    sources: tuple[int, ...]
    edges: list[Edge]
    keys: set[int]


def restored(connection: apsw.Connection) -> Iterator[RestoredFile]:
    """The files with stale edges whose kept edges are right."""
    places = Places(connection)
    done: set[int] = set()
    # First the moment with the fewest differences: after a switch back there are none.
    for different, group in sorted(_moments(connection), key=lambda moment: len(moment[0])):
        files = [file for file in group if file.file_id not in done]
        # Comparing a file costs about as much as deriving its edges.
        changed = _changed(connection, different) if len(different) <= len(files) else None
        if changed is None:
            continue
        for file in files:
            kept = kept_edges.unpack(file)
            if kept is None or not changed.isdisjoint(keys := kept_edges.keys_of(kept)):
                continue
            edges = _placed(file, kept, places)
            if edges is not None:
                done.add(file.file_id)
                sources = range(file.first_symbol, file.first_symbol + file.n_symbols)
                yield RestoredFile(file.file_id, tuple(sources), edges, keys)


def _placed(file: Candidate, kept: KeptFile, places: Places) -> list[Edge] | None:
    """Kept edges with the ids of today; None where a target is not what it was."""
    edges = []
    for edge in kept.edges:
        target = places.symbol(edge)
        if target is None:
            return None
        source = file.first_symbol + edge.source
        edges.append(Edge(source, target, edge.kind, edge.line, edge.rule, edge.confidence))
    return edges


def _moments(connection: apsw.Connection) -> Iterator[tuple[list[Replaced], list[Candidate]]]:
    """For each moment of the record: the earlier contents of files that are different now, and the
    files whose edges are known from then."""
    whole_since = replaced.whole_since(connection)
    for since, group in groupby(kept_edges.candidates(connection), attrgetter("since")):
        if since >= whole_since:
            yield replaced.different_since(connection, since), list(group)


def _changed(connection: apsw.Connection, different: list[Replaced]) -> set[int] | None:
    """The keys of lookups that files answer differently now; None where that is not known."""
    changed: set[int] = set()
    for was in different:
        keys = _keys_of(connection, was)
        if keys is None:
            return None
        changed |= keys
    return changed


def _keys_of(connection: apsw.Connection, was: Replaced) -> set[int] | None:
    """The keys that a file answers differently now; None where its earlier contents are gone."""
    writer = Writer(connection)
    try:
        before = _facts(writer, was.digest, was.language) if was.digest else None
    except codec.Damaged:
        return None
    sql = "SELECT digest, language, is_test FROM files WHERE path = ?"
    now = select(connection, sql, (encode_path(was.path),))
    after, is_test = None, was.is_test
    for digest, language, is_test_now in now:
        after, is_test = _facts(writer, digest, language), bool(is_test_now)
    return changed_keys(was.path, before, after, is_test)


def _facts(writer: Writer, digest: Digest, language: str) -> FileFacts:
    known = writer.contents(digest, language)
    return codec.decode_all_facts(known.facts, known.flows)
