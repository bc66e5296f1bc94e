"""Edges that are valid again after a switch back to an earlier branch.

The edges of a file follow from its bytes and from the answers to its lookups. So stored edges are
right again when the file has the same bytes and no lookup has another answer than it had then.
Comparing the files tells which lookups have other answers (`indexer.callgraph.invalidation`); after
a switch and the switch back, none have.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import apsw

from satchel.store import codec
from satchel.store.model import Digest, FileFacts
from satchel.store.records import Edge
from satchel.store.sqlite.database import select
from satchel.store.sqlite.earlier import kept_edges, replaced
from satchel.store.sqlite.earlier.kept_edges import Candidate, FirstSymbols, KeptFile
from satchel.store.sqlite.earlier.replaced import Replaced
from satchel.store.sqlite.rows import encode_path
from satchel.store.sqlite.writer import Writer


class RestoredFile(NamedTuple):
    """A file whose edges are known; `kept` is the row they are kept in.

    `edges` are those to write, with the symbols that they leave; None where the index still has
    them.
    """

    file_id: int
    edges: tuple[range, list[Edge]] | None
    kept: int


def restored(
    connection: apsw.Connection, files: Sequence[int], now: Mapping[int, int]
) -> Iterator[RestoredFile]:
    """Those of some files with stale edges whose kept edges are right.

    `now` are the rows of `kept_edges` that have the edges which the index has, by file.
    """
    first_symbols = FirstSymbols(connection)
    done: set[int] = set()
    for different, group in _moments(connection, files):
        left = [file for file in group if file.file_id not in done]
        # Comparing a file costs about as much as deriving its edges.
        changed = _changed(connection, different) if len(different) <= len(left) else None
        if changed is None:
            continue
        for each in left:
            found = _restored(connection, each, changed, first_symbols, now)
            if found is not None:
                done.add(each.file_id)
                yield found
        if done.issuperset(files):
            return


def write(writer: Writer, files: Sequence[RestoredFile]) -> None:
    """Write what is known of files; from then on none of their edges count as stale."""
    for file in files:
        if file.edges is not None:
            writer.write_edges(*file.edges)
    writer.depend_as_kept((file.file_id, file.kept) for file in files)


def _restored(
    connection: apsw.Connection,
    file: Candidate,
    changed: set[int],
    first_symbols: FirstSymbols,
    now: Mapping[int, int],
) -> RestoredFile | None:
    """A file with the edges that were kept, unless they depend on keys that have changed."""
    if changed and kept_edges.depend_on(kept_edges.keys_of(connection, file.kept), changed):
        return None
    if now.get(file.file_id) == file.kept:
        return RestoredFile(file.file_id, None, file.kept)
    kept = kept_edges.edges_of(connection, file.kept)
    edges = _with_ids(file, kept, first_symbols) if kept else None
    if edges is None:
        return None
    symbols = range(file.first_symbol, file.first_symbol + file.n_symbols)
    return RestoredFile(file.file_id, (symbols, edges), file.kept)


def _with_ids(file: Candidate, kept: KeptFile, first_symbols: FirstSymbols) -> list[Edge] | None:
    """Kept edges with the ids of today; None where a target is not what it was."""
    firsts = list(map(first_symbols.of, kept.files))
    if None in firsts:
        return None
    return [
        Edge(
            file.first_symbol + edge.source, firsts[edge.file] + edge.target,  # type: ignore[operator]
            edge.kind, edge.line, edge.rule, edge.confidence,
        )
        for edge in kept.edges
    ]  # fmt: skip


def _moments(
    connection: apsw.Connection, files: Sequence[int]
) -> Iterator[tuple[list[Replaced], list[Candidate]]]:
    """The moments of the record that have kept edges of some files, those with the fewest
    differences first: the earlier contents of files that are different now, and the files whose
    edges are known from then."""
    whole_since = replaced.whole_since(connection)
    moments: list[tuple[list[Replaced], list[Candidate]]] = []
    for since, group in sorted(kept_edges.candidates(connection, files).items(), reverse=True):
        if since >= whole_since:
            different = replaced.different_since(connection, since)
            # A moment without any needs no others: mostly it leaves no file to ask about.
            if different:
                moments.append((different, group))
            else:
                yield different, group
    yield from sorted(moments, key=lambda moment: len(moment[0]))


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
    from satchel.indexer.callgraph.invalidation import changed_keys

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
