"""Edges that are valid again after a switch back to an earlier branch.

The edges of a file follow from its bytes and from the answers to its lookups. So stored edges are
right again when the file has the same bytes and no lookup has another answer than it had then.
Comparing the files tells which lookups have other answers (`indexer.callgraph.invalidation`); after
a switch and the switch back, none have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import apsw

from satchel.indexer.callgraph.invalidation import changed_keys
from satchel.store import codec
from satchel.store.model import Digest, FileFacts
from satchel.store.records import Edge
from satchel.store.sqlite.database import select
from satchel.store.sqlite.earlier import kept_edges, replaced
from satchel.store.sqlite.earlier.kept_edges import Candidate, KeptFile, Places
from satchel.store.sqlite.earlier.replaced import Replaced
from satchel.store.sqlite.rows import encode_path
from satchel.store.sqlite.writer import Writer


class RestoredFile(NamedTuple):
    """A file whose edges are known, from these symbols, and the keys they depend on.

    `edges` is None where the index still has them; `kept` is the row they are kept in.
    """

    file_id: int
    sources: range
    edges: list[Edge] | None
    keys: bytes
    kept: int


def restored(
    connection: apsw.Connection, files: Sequence[int], now: Mapping[int, int]
) -> Iterator[RestoredFile]:
    """Those of some files with stale edges whose kept edges are right.

    `now` names the rows that have the edges of files as they are in the index.
    """
    places = Places(connection)
    done: set[int] = set()
    # First the moment with the fewest differences: after a switch back there are none.
    for different, group in sorted(_moments(connection, files), key=lambda moment: len(moment[0])):
        left = [file for file in group if file.file_id not in done]
        # Comparing a file costs about as much as deriving its edges.
        changed = _changed(connection, different) if len(different) <= len(left) else None
        if changed is None:
            continue
        for file in left:
            found = _restored(connection, file, changed, places, now)
            if found is not None:
                done.add(file.file_id)
                yield found


def _restored(
    connection: apsw.Connection, file: Candidate, changed: set[int], places: Places,
    now: Mapping[int, int],
) -> RestoredFile | None:  # fmt: skip
    """A file with the edges that were kept, unless they depend on keys that have changed."""
    sources = range(file.first_symbol, file.first_symbol + file.n_symbols)
    keys = kept_edges.keys_of(connection, file.kept)
    if changed and kept_edges.depend_on(keys, changed):
        return None
    if now.get(file.file_id) == file.kept:
        return RestoredFile(file.file_id, sources, None, keys, file.kept)
    kept = kept_edges.unpacked(connection, file.kept)
    edges = _placed(file, kept, places) if kept else None
    return None if edges is None else RestoredFile(file.file_id, sources, edges, keys, file.kept)


def _placed(file: Candidate, kept: KeptFile, places: Places) -> list[Edge] | None:
    """Kept edges with the ids of today; None where a target is not what it was."""
    firsts = [places.first_symbol(place) for place in kept.places]
    if None in firsts:
        return None
    return [
        Edge(
            file.first_symbol + edge.source, firsts[edge.place] + edge.target,  # type: ignore[operator]
            edge.kind, edge.line, edge.rule, edge.confidence,
        )
        for edge in kept.edges
    ]  # fmt: skip


def _moments(
    connection: apsw.Connection, files: Sequence[int]
) -> Iterator[tuple[list[Replaced], list[Candidate]]]:
    """For each moment of the record, the latest first: the earlier contents of files that are
    different now, and the files whose edges are known from then."""
    whole_since = replaced.whole_since(connection)
    for since, group in sorted(kept_edges.candidates(connection, files).items(), reverse=True):
        if since >= whole_since:
            yield replaced.different_since(connection, since), group


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
