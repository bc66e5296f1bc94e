"""What packing reads of an index. Pure."""

from collections.abc import Iterable, Mapping, Sequence

from satchel.assembler.packing.units import Around
from satchel.assembler.ranking.expand import Admits, Preference, Surroundings, expand
from satchel.assembler.ranking.members import Members
from satchel.assembler.values import Neighbour, Origin, Scored
from satchel.assembler.weights import EdgeWeights
from satchel.store.model import ProblemKind, RepoPath
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import ChunkRecord


def source_of(snapshot: Snapshot, chunk: ChunkRecord) -> bytes:
    """The whole file that a chunk is in, as indexed; b"" for one that is gone."""
    return snapshot.files.source(chunk.digest, chunk.language) if chunk.digest else b""


class IndexAccess:
    """An index as one question reads it, in which each thing is looked up once.

    `ranked` are its matches, best first; neighbours are what `admits` admits, as is `preferred`.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        admits: Admits,
        ranked: Sequence[Scored],
        weights: EdgeWeights,
        preferred: Preference,
    ) -> None:
        self._snapshot = snapshot
        relevance = {item.chunk.id: item.score for item in ranked}
        self._surroundings = Surroundings(snapshot, weights, preferred, relevance, admits)
        self._members = Members(snapshot, relevance, admits, weights)
        # The neighbours of shown code are much the same in every round of packing, and gaps between
        # excerpts are looked at after every piece.
        self._around: dict[int, Around] = {}
        self._chunks: dict[RepoPath, Sequence[ChunkRecord]] = {}

    def source(self, chunk: ChunkRecord) -> bytes:
        """The whole file that a chunk is in."""
        return source_of(self._snapshot, chunk)

    def chunks_of(self, path: RepoPath) -> Sequence[ChunkRecord]:
        """The chunks of a file, in its order."""
        if path not in self._chunks:
            self._chunks[path] = self._snapshot.chunks.of_file(path)
        return self._chunks[path]

    def around(self, items: Sequence[Scored]) -> Mapping[int, Around]:
        """For each chunk id, the symbols in it and around it."""
        chunks = {i.chunk.id: i.chunk for i in items if i.chunk.id not in self._around}
        if not chunks:
            return self._around
        # What is looked at here is read next.
        self._snapshot.files.read_ahead((c.digest, c.language) for c in chunks.values())
        inside = self._snapshot.chunks.symbols_in(chunks)
        # Symbols are read for all chunks at once, since a query for each chunk would add up.
        ids = {i for symbols in inside.values() for i in symbols} | {
            c.symbol_id for c in chunks.values()
        }
        # Id 0 stands for no symbol.
        found = {record.id: record for record in self._snapshot.symbols.by_id(sorted(ids - {0}))}
        for chunk in chunks.values():
            symbols = tuple(found[i] for i in inside.get(chunk.id, ()))
            self._around[chunk.id] = Around(symbols, found.get(chunk.symbol_id))
        return self._around

    def expand(self, seeds: Sequence[Origin]) -> Sequence[Neighbour]:
        """The neighbours of chunks in the call graph."""
        return [*expand(self._surroundings, seeds), *self._members.used(seeds)]

    def lost(self, paths: Iterable[RepoPath]) -> dict[RepoPath, str]:
        """What the parser could not read of some files, and from which line on."""
        asked = frozenset(paths)
        result: dict[RepoPath, str] = {}
        for path, kind, line, detail in self._snapshot.files.problems():
            # A wrong encoding is no broken syntax: such a file is parsed as a whole, with some
            # characters replaced.
            if path in asked and kind != ProblemKind.ENCODING:
                is_part = kind in (ProblemKind.SYNTAX, ProblemKind.LOST)
                result.setdefault(path, f"{detail}, from {line}" if is_part else "all lines")
        return result
