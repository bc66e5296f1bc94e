"""The write side: facts in, rows out. Every method expects an open transaction.

Files are added and removed whole. Ids of symbols only grow, so that removed files leave gaps; ids
of chunks are used again (see `satchel.store.sqlite.chunk_ids`).
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, starmap
from typing import NamedTuple

import apsw
import numpy as np
import numpy.typing as npt
from msgspec import structs

from satchel.store import codec, postings
from satchel.store.model import Digest, Generation, RepoPath
from satchel.store.records import Analyzed, Edge, FileStat, IndexedFile, KnownFile, SkippedRecord
from satchel.store.sqlite import chunk_id_log, term_rows, vectors
from satchel.store.sqlite import rows as table_rows
from satchel.store.sqlite.checksum import set_meta
from satchel.store.sqlite.chunk_id_log import IdRange
from satchel.store.sqlite.chunk_ids import ChunkIdAllocator
from satchel.store.sqlite.database import scalar, select
from satchel.store.sqlite.rows import EDGE_COLUMNS, Row, encode_path
from satchel.store.vectors.shipped_table import shipped_name

Keys = npt.NDArray[np.uint32]
_FILES_AT_ONCE = 400
"""Files whose dependencies are read at once: some 20 ms."""


class FileIds(NamedTuple):
    """The ids of the chunks and symbols of a file, its module first, and its shape."""

    chunks: IdRange
    symbols: range
    shape: bytes


class Writer:
    """Writes one index through one connection."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._db = connection
        term_rows.prepare(connection)

    # -- contents: what bytes say, whoever holds them

    def put_contents(self, analyzed: Iterable[Analyzed]) -> None:
        """Remember what some bytes say; bytes already known are left alone."""
        made = list(analyzed)
        # IGNORE, since two files of one batch may have the same bytes.
        self._db.executemany(
            "INSERT OR IGNORE INTO contents VALUES (?, ?, ?, ?, ?, ?)",
            ((a.digest, a.language, a.facts, a.source, a.postings, a.flows) for a in made),
        )
        self.put_grams((a.digest, a.language, a.grams) for a in made)
        name = shipped_name()
        self.put_vectors((a.digest, a.language, name, a.vectors) for a in made if a.vectors)

    def put_grams(self, signed: Iterable[tuple[str, str, bytes]]) -> None:
        """Remember the signatures (`store.grams`) of some bytes, by digest and language."""
        self._db.executemany("INSERT OR REPLACE INTO grams VALUES (?, ?, ?)", signed)

    def has_contents(self, digest: Digest, language: str) -> bool:
        """Whether these bytes were analysed before, at any path or branch."""
        sql = "SELECT 1 FROM contents WHERE digest = ? AND language = ?"
        return scalar(self._db, sql, (digest, language)) is not None

    def contents(self, digest: Digest, language: str) -> Analyzed:
        """What is known of the bytes of a file.

        Raises:
            codec.Damaged: nothing is, though a file of the index has them.
        """
        sql = (
            "SELECT facts, postings, source, flows FROM contents WHERE digest = ? AND language = ?"
        )
        rows = select(self._db, sql, (digest, language))
        if not rows:
            raise codec.Damaged(f"the contents {digest} of a file are not there")
        return Analyzed(digest, language, *rows[0])

    # -- files: the working tree

    def add_files(self, files: Sequence[IndexedFile]) -> list[int]:
        """Add files that are not in the index; returns the id of each one's first symbol."""
        allocator = ChunkIdAllocator(self._db, self._meta("next_chunk"))
        next_symbol = self._meta("next_symbol")
        indexed: list[tuple[int, IndexedFile]] = []
        added: list[tuple[IndexedFile, int, int]] = []
        for file in files:
            facts = file.facts
            first_chunk = allocator.allocate(len(facts.chunks))
            self._db.execute(
                "INSERT INTO files VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                table_rows.file_row(file, first_chunk, next_symbol),
            )
            file_id = self._db.last_insert_rowid()
            chunk_id_log.record(self._db, first_chunk, len(facts.chunks))
            # Chunks are written file by file, because the allocator looks at the table for the
            # next file; all other rows are written for all files at once.
            chunks = table_rows.chunk_rows(file, file_id, first_chunk, next_symbol)
            self._add_rows("chunks", 11, chunks)
            added.append((file, file_id, next_symbol))
            indexed.append((first_chunk, file))
            next_symbol += len(facts.symbols) + 1  # the module symbol comes first
        self._add_rows("symbols", 15, chain.from_iterable(starmap(table_rows.symbol_rows, added)))
        self._add_rows("refs", 6, chain.from_iterable(starmap(table_rows.reference_rows, added)))
        with_id = [(file, file_id) for file, file_id, _ in added]
        self._add_rows("imports", 5, chain.from_iterable(starmap(table_rows.import_rows, with_id)))
        self._add_rows(
            "problems", 4, chain.from_iterable(starmap(table_rows.problem_rows, with_id))
        )
        self._set_meta(next_chunk=allocator.cursor, next_symbol=next_symbol)
        self._add_terms(indexed)
        return [first_symbol for _, _, first_symbol in added]

    def index_again(self, files: Iterable[tuple[int, IndexedFile]]) -> None:
        """Add the terms of (first chunk id, file) to an index that has lost them, ids ascending."""
        self._add_terms(list(files))

    def reserve(self, next_symbol: int) -> None:
        """Give out no symbol id below `next_symbol`, and let no array in memory be updated.

        For an index that has lost rows in a way that the log of chunk ids does not know of.
        """
        next_symbol = max(next_symbol, self._meta("next_symbol"))
        self._set_meta(next_symbol=next_symbol, rewritten=chunk_id_log.clear(self._db))

    def _add_terms(self, files: Sequence[tuple[int, IndexedFile]]) -> None:
        """Add the terms of the bytes and of the paths of (first chunk id, file)."""
        paths = ((file.path, first, len(file.facts.chunks)) for first, file in files)
        indexed = [(first, file.postings) for first, file in files]
        indexed.append((0, postings.index_paths(paths)))
        term_rows.add(self._db, indexed)
        term_rows.count_lengths(self._db, (each for _, each in indexed))

    def _add_rows(self, table: str, width: int, made: Iterable[Row]) -> None:
        self._db.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * width)})", made)

    def touch_file(self, file_id: int, stat: FileStat) -> None:
        """Remember a new `stat` of a file whose bytes have not changed."""
        self._db.execute(
            "UPDATE files SET size = ?, mtime_ns = ?, inode = ? WHERE id = ?",
            (stat.size, stat.times_ns, stat.inode, file_id),
        )

    def remove_files(self, files: Sequence[KnownFile]) -> None:
        """Take files out, with everything they added and every edge from or to them."""
        rows: set[tuple[str, int]] = set()
        ranges = [self._remove_terms(file, rows) for file in files]
        term_rows.remove(self._db, rows, ranges)
        for file in files:
            self._remove_rows(file)

    def _remove_terms(self, file: KnownFile, rows: set[tuple[str, int]]) -> IdRange:
        """The chunks of a file, whose terms and blocks are added to `rows`."""
        first_chunk, n_chunks, packed = select(
            self._db,
            "SELECT first_chunk, n_chunks, postings FROM files"
            " JOIN contents USING (digest, language) WHERE files.id = ?",
            (file.id,),
        )[0]
        chunk_id_log.record(self._db, first_chunk, n_chunks)
        # Terms are found by indexing the file once more, not by searching: the postings of the
        # whole index would have to be read for the ids of one file.
        content = codec.decode_postings(packed)
        path = postings.index_paths([(file.path, first_chunk, n_chunks)])
        term_rows.count_lengths(self._db, (content, path), -1)
        chunks = IdRange(first_chunk, n_chunks)
        rows.update(term_rows.keys_of((*content.terms, *path.terms), chunks))
        return chunks

    def _remove_rows(self, file: KnownFile) -> None:
        sql = "SELECT first_chunk, n_chunks, first_symbol, n_symbols FROM files WHERE id = ?"
        first_chunk, n_chunks, first_symbol, n_symbols = select(self._db, sql, (file.id,))[0]
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

    def edges_into(self, symbols: range) -> list[Edge]:
        """The edges that other symbols have into these."""
        rows = select(
            self._db,
            f"SELECT {EDGE_COLUMNS} FROM edges"
            " WHERE target_id BETWEEN ?1 AND ?2 AND source_id NOT BETWEEN ?1 AND ?2",
            (symbols.start, symbols.stop - 1),
        )
        return [Edge(*row) for row in rows]

    def ids_of(self, file_id: int) -> FileIds:
        """The ids of what a file has."""
        sql = "SELECT first_chunk, n_chunks, first_symbol, n_symbols, shape FROM files WHERE id = ?"
        chunk, n_chunks, symbol, n_symbols, shape = select(self._db, sql, (file_id,))[0]
        return FileIds(IdRange(chunk, n_chunks), range(symbol, symbol + n_symbols), shape)

    # -- what was left out, what was derived, where we are

    def change_skipped(self, gone: Iterable[RepoPath], changed: Iterable[SkippedRecord]) -> None:
        """Take paths off the list of what is not in the index, then put others on it."""
        paths = ((encode_path(path),) for path in gone)
        self._db.executemany("DELETE FROM skipped WHERE path = ?", paths)
        self._db.executemany(
            "INSERT OR REPLACE INTO skipped VALUES (?, ?, ?, ?, ?, ?)",
            # A stat of 0 equals that of no file, so the path is looked at again each time.
            (
                (
                    encode_path(s.path),
                    s.reason,
                    s.detail,
                    *structs.astuple(s.stat or FileStat(0, 0, 0)),
                )
                for s in changed
            ),
        )

    def replace_edges(self, file_id: int, edges: Iterable[Edge], keys: Iterable[int]) -> None:
        """Replace the edges that leave the symbols of a file, and the keys they depend on."""
        self.write_edges(self.ids_of(file_id).symbols, edges)
        self.put_depends(file_id, keys)

    def write_edges(self, symbols: range, edges: Iterable[Edge]) -> None:
        """Replace the edges that leave some symbols."""
        # Most edges of a file that is derived again are what they were: reading them costs a tenth
        # of writing them to the table and to its index.
        sql = f"SELECT {EDGE_COLUMNS} FROM edges WHERE source_id BETWEEN ? AND ?"
        before = {row[:3]: row for row in select(self._db, sql, (symbols[0], symbols[-1]))}
        now = {(e.source, e.target, e.kind): structs.astuple(e) for e in edges}
        self._db.executemany(
            "DELETE FROM edges WHERE source_id = ? AND target_id = ? AND kind = ?",
            before.keys() - now.keys(),
        )
        self._db.executemany(
            "INSERT INTO edges VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
            " line = excluded.line, rule = excluded.rule, confidence = excluded.confidence",
            (row for key, row in now.items() if row != before.get(key)),
        )

    def put_depends(self, file_id: int, keys: Iterable[int]) -> None:
        """Set what the edges of a file depend on; from then on none of them count as stale."""
        self._db.execute(
            "INSERT OR REPLACE INTO depends VALUES (?, 0, ?)", (file_id, codec.encode_keys(keys))
        )

    def depend_as_kept(self, files: Iterable[tuple[int, int]]) -> None:
        """Set that files have the edges of rows of `kept_edges`, and depend on what those say."""
        # Comparing costs less than writing: most files of a switch have the same on both branches.
        self._db.executemany(
            "INSERT INTO depends SELECT ?, id, keys FROM kept_edges WHERE id = ?"
            " ON CONFLICT DO UPDATE SET kept = excluded.kept, keys = excluded.keys"
            " WHERE kept != excluded.kept OR keys != excluded.keys",
            files,
        )

    def add_edges(self, edges: Iterable[Edge]) -> None:
        """Add edges; one that is there already is replaced."""
        self._db.executemany(
            "INSERT OR REPLACE INTO edges VALUES (?, ?, ?, ?, ?, ?)",
            map(structs.astuple, edges),
        )

    def move_edges(self, edges: Iterable[Edge]) -> None:
        """Add edges whose target has a new id; those whose source is gone are left out."""
        self._db.executemany(
            "INSERT OR REPLACE INTO edges SELECT ?1, ?2, ?3, ?4, ?5, ?6"
            " WHERE EXISTS (SELECT 1 FROM symbols WHERE id = ?1)",
            map(structs.astuple, edges),
        )

    def mark_stale(self, keys: Iterable[int]) -> None:
        """Mark the edges that depend on some keys as stale; `forget_stale_dependencies` finds them.

        Which files those are takes long to say, and a save should not wait for it: the keys are
        put down (in the table `behind`), and the files are looked for when nobody waits.
        """
        self._db.executemany("INSERT OR IGNORE INTO behind VALUES (?)", ((key,) for key in keys))

    def forget_stale_dependencies(self, after: int) -> int | None:
        """Forget what edges depend on, of files whose edges are stale: they are derived again.

        Looks at some hundred files whose ids follow `after`; returns the last of them, None when
        all were looked at and no key is marked as stale any more.
        """
        stale = np.array([row[0] for row in select(self._db, "SELECT key FROM behind")], "<u4")
        last, found = self._depending(stale, after)
        if last is None:
            self._db.execute("DELETE FROM behind")
        self.forget_dependencies(found)
        return last

    def forget_dependencies(self, files: Iterable[int]) -> None:
        """Forget what the edges of files depend on: from then on they are stale."""
        self._db.executemany("DELETE FROM depends WHERE file_id = ?", ((id,) for id in files))

    def depending_on(self, keys: Iterable[int]) -> Iterator[int]:
        """The files whose edges depend on some keys, by id."""
        stale = np.array(sorted(keys), dtype="<u4")
        after: int | None = -1
        while after is not None:
            after, found = self._depending(stale, after)
            yield from found

    def _depending(self, stale: Keys, after: int) -> tuple[int | None, list[int]]:
        """Which of some hundred files that follow `after` depend on keys, and the last of them."""
        sql = "SELECT file_id, keys FROM depends WHERE file_id > ? ORDER BY file_id LIMIT ?"
        files = select(self._db, sql, (after, _FILES_AT_ONCE)) if len(stale) else []
        if not files:
            return None, []
        ends = np.cumsum([len(packed) // 4 for _, packed in files])
        every = np.frombuffer(b"".join(packed for _, packed in files), dtype="<u4")
        # A bitmap of the low 16 bits rules most keys out at a tenth of the price of `isin`.
        likely = np.zeros(1 << 16, dtype=np.bool_)
        likely[stale & 0xFFFF] = True
        places = np.flatnonzero(likely[every & 0xFFFF])
        places = places[np.isin(every[places], stale)]
        found = np.unique(np.searchsorted(ends, places, side="right")).tolist()
        return int(files[-1][0]), [files[n][0] for n in found]

    def put_vectors(self, made: Iterable[tuple[str, str, str, bytes]]) -> None:
        """Store (digest, language, encoder, float16 matrix in chunk order) rows and checksums."""
        self._db.executemany(
            "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?)",
            ((*row, vectors.checksum(*row)) for row in made),
        )

    def advance(self, *, complete: bool, linked: bool = True) -> Generation:
        """Close a batch that changed files, with the next generation.

        `complete` says that the index has the whole tree, `linked` that no edge is stale.
        """
        generation = self._meta("generation") + 1
        state = ("complete" if linked else "linking") if complete else "building"
        log_start = chunk_id_log.trim(self._db)
        # `text` is the content generation: it follows every batch that changed more than edges.
        self._set_meta(generation=generation, text=generation, state=state, rewritten=log_start)
        return Generation(generation)

    def advance_edges(self, *, linked: bool) -> Generation:
        """Close a batch that changed edges alone; `linked` says that none is stale any more."""
        generation = self._meta("generation") + 1
        self._set_meta(generation=generation, state="complete" if linked else "linking")
        return Generation(generation)

    def set_head(self, head: str) -> None:
        """Remember which commit was checked out when the tree was last looked at; "" for none."""
        self._set_meta(head=head)

    def set_tests(self, tests: str) -> None:
        """Remember by which patterns of its own the project's tests were told, a line each."""
        self._set_meta(tests=tests)

    def _meta(self, key: str) -> int:
        return int(scalar(self._db, "SELECT value FROM meta WHERE key = ?", (key,)))

    def _set_meta(self, **values: int | str) -> None:
        set_meta(self._db, **values)
