"""Edges that are valid again after a switch back to an earlier branch.

The edges of a file follow from its bytes and from the answers to its lookups. So stored edges are
right again when the file has the same bytes and no lookup has another answer than it had then.
Comparing the files tells which lookups have other answers (`indexer.callgraph.invalidation`); after
a switch and the switch back, none have.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import apsw

from satchel.store import codec
from satchel.store.model import Digest, FileFacts
from satchel.store.records import Edge
from satchel.store.sqlite.database import select
from satchel.store.sqlite.earlier import kept_edges, replaced
from satchel.store.sqlite.earlier.kept_edges import Candidate, FirstSymbols, KeptFile, Move
from satchel.store.sqlite.earlier.replaced import Replaced
from satchel.store.sqlite.rows import encode_path
from satchel.store.sqlite.writer import Writer


class RestoredFile(NamedTuple):
    """A file whose edges are known; `kept` is the row they are kept in.

    `edges` are those to write, with the symbols that they leave; None where the index still has
    them. Of some sources `moves` then says how much further down their lines are, by ids.
    """

    file_id: int
    edges: tuple[range, list[Edge]] | None
    moves: Sequence[Move]
    kept: int


class EdgesNow(NamedTuple):
    """The edges that the index has; those of `rewritten` files have the lines of before."""

    kept: Mapping[int, int]
    """The rows of `kept_edges` that have them, by file."""
    rewritten: Collection[int]


def restored(
    connection: apsw.Connection, files: Sequence[int], now: EdgesNow
) -> Iterator[RestoredFile]:
    """Those of some files with stale edges whose kept edges are right."""
    first_symbols = FirstSymbols(connection)
    done: set[int] = set()
    for file in _same_again(connection, files, now):
        done.add(file.file_id)
        yield file
    for different, group in _moments(connection, [file for file in files if file not in done]):
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


def _same_again(
    connection: apsw.Connection, files: Sequence[int], now: EdgesNow
) -> Iterator[RestoredFile]:
    """Files whose edges are what they were at the last moment from which nothing differs."""
    # After a switch back these are most, and two numbers tell it.
    since = kept_edges.latest(connection)
    while since is not None and since >= replaced.whole_since(connection):
        if not replaced.differs_since(connection, since):
            kept = kept_edges.kept_at(connection, since)
            for file in files:
                if now.kept.get(file) in kept:
                    yield RestoredFile(file, None, (), now.kept[file])
            return
        # The latest moment is that before this very switch, from which its files differ.
        since = kept_edges.latest(connection, before=since)


def write(writer: Writer, files: Sequence[RestoredFile]) -> None:
    """Write what is known of files; from then on none of their edges count as stale."""
    for file in files:
        if file.edges is not None:
            writer.write_edges(*file.edges)
    writer.move_lines(move for file in files for move in file.moves)
    writer.depend_as_kept((file.file_id, file.kept) for file in files)


def _restored(
    connection: apsw.Connection,
    file: Candidate,
    changed: set[int],
    first_symbols: FirstSymbols,
    now: EdgesNow,
) -> RestoredFile | None:
    """A file with the edges that were kept, unless they depend on keys that have changed."""
    if changed and kept_edges.depend_on(kept_edges.keys_of(connection, file.kept), changed):
        return None
    was, first = now.kept.get(file.file_id), file.first_symbol
    if was == file.kept:
        return RestoredFile(file.file_id, None, (), file.kept)
    # Equal edges lead to files of the same shape, so that none of them was dropped meanwhile.
    if was is not None and file.file_id in now.rewritten:
        moves = kept_edges.moves(connection, was, file.kept)
        if moves is not None:
            moves = [Move(move.shift, first + move.first, first + move.last) for move in moves]
            return RestoredFile(file.file_id, None, moves, file.kept)
    kept = kept_edges.edges_of(connection, file.kept)
    edges = _with_ids(file, *kept, first_symbols) if kept else None
    if edges is None:
        return None
    return RestoredFile(file.file_id, (range(first, first + file.n_symbols), edges), (), file.kept)


def _with_ids(
    file: Candidate, kept: KeptFile, first_lines: Mapping[int, int], first_symbols: FirstSymbols
) -> list[Edge] | None:
    """Kept edges with the ids of today; None where a target is not what it was."""
    firsts = list(map(first_symbols.of, kept.files))
    if None in firsts:
        return None
    return [
        Edge(
            file.first_symbol + edge.source, firsts[edge.file] + edge.target,  # type: ignore[operator]
            edge.kind, first_lines[edge.source] + edge.line, edge.rule, edge.confidence,
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
