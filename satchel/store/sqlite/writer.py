"""The write side: facts in, rows out. Every method expects an open transaction.

Files are added and removed whole. Ids of symbols only grow, so what a removed file leaves behind is
gaps; those of chunks are used again (see `satchel.store.sqlite.chunk_ids`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple
from itertools import chain, starmap
from typing import Any

import apsw
import numpy as np

from satchel.store import codec, postings
from satchel.store.model import Digest, Generation, RepoPath
from satchel.store.postings import FilePostings
from satchel.store.records import Analyzed, Edge, FileStat, KnownFile, Projection, SkippedRecord
from satchel.store.sqlite import reused_ids, rows, vectors
from satchel.store.sqlite.checksum import seal_meta
from satchel.store.sqlite.chunk_ids import Room
from satchel.store.sqlite.database import scalar, select
from satchel.store.sqlite.rows import Row, encode_path

_LOOKED_AT = 400
"""Files whose dependencies are read at once: some 20 ms."""


class Writer:
    """Writes one index through one connection."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._db = connection
        merged: Any = postings.merged
        self._db.create_scalar_function("merged", merged, 2, deterministic=True)

    # -- contents: what bytes say, whoever holds them

    def put_contents(self, analyzed: Iterable[Analyzed]) -> None:
        """Remember what some bytes say; bytes already known are left alone."""
        self._db.executemany(
            "INSERT OR IGNORE INTO contents VALUES (?, ?, ?, ?, ?, ?)",
            ((a.digest, a.language, a.facts, a.source, a.postings, a.flows) for a in analyzed),
        )

    def has_contents(self, digest: Digest, language: str) -> bool:
        """Whether these bytes were analysed before, at any path or branch."""
        sql = "SELECT 1 FROM contents WHERE digest = ? AND language = ?"
        return scalar(self._db, sql, (digest, language)) is not None

    def contents(self, digest: Digest, language: str) -> Analyzed:
        """What is known of some bytes.

        Raises:
            KeyError: nothing is.
        """
        sql = (
            "SELECT facts, postings, source, flows FROM contents WHERE digest = ? AND language = ?"
        )
        rows = select(self._db, sql, (digest, language))
        if not rows:
            raise KeyError(digest)
        return Analyzed(digest, language, *rows[0])

    # -- files: the working tree

    def add_files(self, projections: Sequence[Projection]) -> list[int]:
        """Add files that are not in the index; each gets fresh ids, its first symbol's is told."""
        room, next_symbol = Room(self._db, self._meta("next_chunk")), self._meta("next_symbol")
        indexed: list[tuple[int, FilePostings]] = []
        added: list[tuple[Projection, int, int]] = []
        for projection in projections:
            facts = projection.facts
            first_chunk = room.take(len(facts.chunks))
            file_id = self._add_file(projection, first_chunk, next_symbol)
            added.append((projection, file_id, next_symbol))
            indexed += _postings_of(projection, first_chunk)
            next_symbol += len(facts.symbols) + 1
        self._add_rows("symbols", 15, chain.from_iterable(starmap(rows.symbol_rows, added)))
        self._add_rows("refs", 6, chain.from_iterable(starmap(rows.reference_rows, added)))
        files = [added_file[:2] for added_file in added]
        self._add_rows("imports", 5, chain.from_iterable(starmap(rows.import_rows, files)))
        self._add_rows("problems", 4, chain.from_iterable(starmap(rows.problem_rows, files)))
        self._set_meta(next_chunk=room.cursor, next_symbol=next_symbol)
        self._add_postings(indexed)
        return [first_symbol for _, _, first_symbol in added]

    def index_again(self, files: Iterable[tuple[int, Projection]]) -> None:
        """Add the terms of (first chunk id, file) to an index that has lost them, ids ascending."""
        self._add_postings([item for first, file in files for item in _postings_of(file, first)])

    def reserve(self, next_symbol: int) -> None:
        """Rows were lost: give out no symbol id below this one, and follow no array from before."""
        next_symbol = max(next_symbol, self._meta("next_symbol"))
        self._set_meta(next_symbol=next_symbol, rewritten=reused_ids.forget(self._db))

    def _add_file(self, projection: Projection, first_chunk: int, first_symbol: int) -> int:
        self._db.execute(
            "INSERT INTO files VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            rows.file_row(projection, first_chunk, first_symbol),
        )
        file_id = self._db.last_insert_rowid()
        reused_ids.note(self._db, first_chunk, len(projection.facts.chunks))
        made = rows.chunk_rows(projection, file_id, first_chunk, first_symbol)
        self._add_rows("chunks", 11, made)
        return file_id

    def _add_rows(self, table: str, width: int, made: Iterable[Row]) -> None:
        self._db.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * width)})", made)

    def _add_postings(self, indexed: Sequence[tuple[int, FilePostings]]) -> None:
        self._db.executemany(
            "INSERT INTO postings VALUES (?, ?, ?) ON CONFLICT (term, block) DO UPDATE"
            " SET entries = merged(entries, excluded.entries)",
            postings.rows(indexed),
        )
        self._count_lengths(indexed, 1)

    def _count_lengths(self, indexed: Sequence[tuple[int, FilePostings]], sign: int) -> None:
        totals = [sum(column) for column in zip(*(p.lengths for _, p in indexed), strict=True)]
        self._db.executemany(
            "INSERT INTO field_lengths VALUES (?, ?) ON CONFLICT (field) DO UPDATE"
            " SET total = total + excluded.total",
            ((field, sign * total) for field, total in enumerate(totals)),
        )

    def touch_file(self, file_id: int, stat: FileStat) -> None:
        """Remember a new `stat` of a file whose bytes have not changed."""
        self._db.execute(
            "UPDATE files SET size = ?, mtime_ns = ?, inode = ? WHERE id = ?",
            (stat.size, stat.mtime_ns, stat.inode, file_id),
        )

    def remove_file(self, file: KnownFile) -> None:
        """Take a file out, with everything it added and every edge from or to it."""
        row = select(
            self._db,
            "SELECT first_chunk, n_chunks, first_symbol, n_symbols, postings FROM files"
            " JOIN contents USING (digest, language) WHERE files.id = ?",
            (file.id,),
        )[0]
        first_chunk, n_chunks, first_symbol, n_symbols, packed = row
        reused_ids.note(self._db, first_chunk, n_chunks)
        content = codec.decode_postings(packed)
        path = postings.index_path(file.path, n_chunks)
        self._remove_postings(sorted({*content.terms, *path.terms}), first_chunk, n_chunks)
        self._count_lengths([(first_chunk, content), (first_chunk, path)], -1)
        symbols = (first_symbol, first_symbol + n_symbols - 1)
        self._db.execute("DELETE FROM edges WHERE source_id BETWEEN ? AND ?", symbols)
        self._db.execute("DELETE FROM edges WHERE target_id BETWEEN ? AND ?", symbols)
        self._db.execute("DELETE FROM symbols WHERE id BETWEEN ? AND ?", symbols)
        self._db.execute(
            "DELETE FROM chunks WHERE id BETWEEN ? AND ?", (first_chunk, first_chunk + n_chunks - 1)
        )
        for table in ("refs", "imports", "problems", "depends"):
            self._db.execute(f"DELETE FROM {table} WHERE file_id = ?", (file.id,))
        self._db.execute("DELETE FROM files WHERE id = ?", (file.id,))

    def edges_into(self, file_id: int) -> tuple[int, list[Edge]]:
        """The first symbol id of a file, and the edges that other files have into it."""
        sql = "SELECT first_symbol, n_symbols FROM files WHERE id = ?"
        first, count = select(self._db, sql, (file_id,))[0]
        rows = select(
            self._db,
            "SELECT source_id, target_id, kind, line, rule, confidence FROM edges"
            " WHERE target_id BETWEEN ?1 AND ?2 AND source_id NOT BETWEEN ?1 AND ?2",
            (first, first + count - 1),
        )
        return first, [Edge(*row) for row in rows]

    def _remove_postings(self, terms: Sequence[str], first_chunk: int, n_chunks: int) -> None:
        blocks = (first_chunk >> postings.BLOCK_BITS, first_chunk + n_chunks >> postings.BLOCK_BITS)
        for term in terms:
            held = select(
                self._db,
                "SELECT block, entries FROM postings WHERE term = ? AND block BETWEEN ? AND ?",
                (term, *blocks),
            )
            for block, packed in held:
                rest = postings.without(block, packed, first_chunk, n_chunks)
                if rest:
                    self._db.execute(
                        "UPDATE postings SET entries = ? WHERE term = ? AND block = ?",
                        (rest, term, block),
                    )
                else:
                    self._db.execute(
                        "DELETE FROM postings WHERE term = ? AND block = ?", (term, block)
                    )

    # -- what was left out, what was derived, where we are

    def change_skipped(self, gone: Iterable[RepoPath], changed: Iterable[SkippedRecord]) -> None:
        """Take paths off the list of what is not in the index, then put others on it."""
        paths = ((encode_path(path),) for path in gone)
        self._db.executemany("DELETE FROM skipped WHERE path = ?", paths)
        self._db.executemany(
            "INSERT OR REPLACE INTO skipped VALUES (?, ?, ?, ?, ?, ?)",
            (
                (encode_path(s.path), s.reason, s.detail, *astuple(s.stat or FileStat(0, 0, 0)))
                for s in changed
            ),
        )

    def replace_edges(
        self, file_id: int, sources: Iterable[int], edges: Iterable[Edge], keys: Iterable[int]
    ) -> None:
        """Replace the edges that leave the symbols of a file, and the keys they depend on."""
        self._db.executemany(
            "DELETE FROM edges WHERE source_id = ?", ((source,) for source in sources)
        )
        self.add_edges(edges)
        self.put_depends(file_id, keys)

    def put_depends(self, file_id: int, keys: Iterable[int]) -> None:
        """Say what the edges of a file depend on, and so that none of them are behind."""
        packed = np.array(sorted(keys), dtype="<u4").tobytes()
        self._db.execute("INSERT OR REPLACE INTO depends VALUES (?, ?)", (file_id, packed))

    def add_edges(self, edges: Iterable[Edge]) -> None:
        """Add edges; one that is there already is replaced."""
        self._db.executemany(
            "INSERT OR REPLACE INTO edges VALUES (?, ?, ?, ?, ?, ?)",
            ((e.source, e.target, e.kind, e.line, e.rule, e.confidence) for e in edges),
        )

    def move_edges(self, edges: Iterable[Edge]) -> None:
        """Add edges whose target has a new id; those whose source is gone are left out."""
        self._db.executemany(
            "INSERT OR REPLACE INTO edges SELECT ?1, ?2, ?3, ?4, ?5, ?6"
            " WHERE EXISTS (SELECT 1 FROM symbols WHERE id = ?1)",
            ((e.source, e.target, e.kind, e.line, e.rule, e.confidence) for e in edges),
        )

    def put_behind(self, keys: Iterable[int]) -> None:
        """Remember keys that mean something else now, for `unlink_behind`."""
        self._db.executemany("INSERT OR IGNORE INTO behind VALUES (?)", ((key,) for key in keys))

    def unlink_behind(self, after: int) -> int | None:
        """Forget what edges depend on, of files that depend on keys that mean something else now.

        Their edges are to be derived again. Looks at some hundred files whose ids follow `after`;
        returns where to go on, None when all were looked at and the keys are forgotten.
        """
        changed = np.array([row[0] for row in select(self._db, "SELECT key FROM behind")], "<u4")
        sql = "SELECT file_id, keys FROM depends WHERE file_id > ? ORDER BY file_id LIMIT ?"
        held = select(self._db, sql, (after, _LOOKED_AT)) if len(changed) else []
        if not held:
            self._db.execute("DELETE FROM behind")
            return None
        ends = np.cumsum([len(packed) // 4 for _, packed in held])
        every = np.frombuffer(b"".join(packed for _, packed in held), dtype="<u4")
        likely = np.zeros(1 << 16, dtype=np.bool_)  # tells most apart at a tenth of the price
        likely[changed & 0xFFFF] = True
        places = np.flatnonzero(likely[every & 0xFFFF])
        places = places[np.isin(every[places], changed)]
        files = np.unique(np.searchsorted(ends, places, side="right")).tolist()
        self._db.executemany(
            "DELETE FROM depends WHERE file_id = ?", ((held[n][0],) for n in files)
        )
        return int(held[-1][0])

    def put_vectors(self, made: Iterable[tuple[str, str, str, bytes]]) -> None:
        """Store (digest, language, encoder, float16 matrix in chunk order) rows, sealed."""
        self._db.executemany(
            "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?)",
            ((*row, vectors.seal(*row)) for row in made),
        )

    def advance(self, *, complete: bool, linked: bool = True) -> Generation:
        """Close a batch: count the generation up, say if the whole tree is in, and all edges."""
        generation = self._meta("generation") + 1
        state = ("complete" if linked else "linking") if complete else "building"
        known = reused_ids.prune(self._db)
        self._set_meta(generation=generation, text=generation, state=state, rewritten=known)
        return Generation(generation)

    def advance_edges(self, *, linked: bool) -> Generation:
        """Close a batch that changed nothing but edges; say if all of them are in."""
        generation = self._meta("generation") + 1
        self._set_meta(generation=generation, state="complete" if linked else "linking")
        return Generation(generation)

    def set_head(self, head: str) -> None:
        """Remember which commit was checked out when the tree was last looked at; "" for none."""
        self._set_meta(head=head)

    def _meta(self, key: str) -> int:
        return int(scalar(self._db, "SELECT value FROM meta WHERE key = ?", (key,)))

    def _set_meta(self, **values: int | str) -> None:
        self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values.items())
        seal_meta(self._db)


def _postings_of(projection: Projection, first_chunk: int) -> list[tuple[int, FilePostings]]:
    """What a file adds to the lexical index: of its bytes, and of its path."""
    of_path = postings.index_path(projection.path, len(projection.facts.chunks))
    return [(first_chunk, projection.postings), (first_chunk, of_path)]
