"""The parts of a joined snapshot: which paths and ids are whose, and how they are shifted.

A path begins with the folder of its part. Ids of chunks are moved by whole blocks, ids of symbols
and files by a fixed stride. Parts come in the order of their folders as paths, so that what each
lists by path is by path when it is put side by side. One part may have no folder: it comes first
with all it has, and the folders of others may lie in it, or be the same for several.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, structs
from msgspec.structs import replace

from satchel.store.model import RepoPath
from satchel.store.postings import BLOCK_BITS
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import ChunkRecord, KnownFile, ReferenceRecord, SymbolRecord
from satchel.store.sqlite.rows import encode_path

_STRIDE_BITS = 40
"""No index has so many symbols, and 64 bits hold more parts than there will be."""


class Part(Struct, frozen=True):
    """One index within the tree: its folder with a "/" behind (or ""), and what is added to its
    ids."""

    folder: str
    snapshot: Snapshot
    number: int
    first_chunk: int
    end_chunk: int

    @property
    def first_symbol(self) -> int:
        """What is added to ids of symbols and of files."""
        return self.number << _STRIDE_BITS

    def path(self, path: RepoPath) -> RepoPath:
        """A path of the part, as the tree has it."""
        return RepoPath(self.folder + path)

    def symbol_id(self, symbol_id: int) -> int:
        """An id of the part, as the tree has it; 0 stands for none and stays."""
        return symbol_id + self.first_symbol if symbol_id else 0

    def file(self, record: KnownFile) -> KnownFile:
        """A file of the part, as the tree has it."""
        return structs.replace(
            record, id=record.id + self.first_symbol, path=self.path(record.path)
        )

    def symbol(self, record: SymbolRecord) -> SymbolRecord:
        """A symbol of the part, as the tree has it."""
        return replace(
            record, id=record.id + self.first_symbol, path=self.path(record.path),
            parent_id=self.symbol_id(record.parent_id),
        )  # fmt: skip

    def chunk(self, record: ChunkRecord) -> ChunkRecord:
        """A chunk of the part, as the tree has it."""
        return replace(
            record, id=record.id + self.first_chunk, path=self.path(record.path),
            symbol_id=self.symbol_id(record.symbol_id),
        )  # fmt: skip

    def use(self, record: ReferenceRecord) -> ReferenceRecord:
        """A use in the part, as the tree has it."""
        return replace(record, scope=self.symbol_id(record.scope), path=self.path(record.path))


class Parts:
    """All parts of a snapshot."""

    def __init__(self, snapshots: Sequence[tuple[str, Snapshot]]) -> None:
        """`snapshots` with the folder of each, without a "/" behind, in any order."""
        # As paths are compared, "a-b/" comes before "a/", other than the names alone would have it.
        in_order = [(f"{folder}/" if folder else "", each) for folder, each in snapshots]
        in_order.sort(key=lambda item: encode_path(RepoPath(item[0])))
        made: list[Part] = []
        chunk = 0
        for number, (folder, snapshot) in enumerate(in_order):
            end = chunk + len(snapshot.chunks.layout().file_of)
            made.append(Part(folder, snapshot, number, chunk, end))
            # Blocks of vectors and of postings hold ids of one part.
            chunk = -(-end >> BLOCK_BITS) << BLOCK_BITS
        self._parts = tuple(made)
        # A part without chunks begins where the next one does; the later one is found.
        self._first_chunks = [part.first_chunk for part in made]

    def __iter__(self) -> Iterator[Part]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    @property
    def n_chunk_ids(self) -> int:
        """One more than the largest id of a chunk may be."""
        return self._parts[-1].end_chunk if self._parts else 0

    def of_path(self, path: str) -> tuple[Part, RepoPath] | None:
        """The part that a path lies in, and the path there; None outside of all."""
        around = [part for part in self._parts if path.startswith(part.folder)]
        # The nearest folder counts, since that of the part without one is around all others.
        longest = max((len(part.folder) for part in around), default=0)
        nearest = [part for part in around if len(part.folder) == longest]
        for part in nearest:
            inside = RepoPath(path[longest:])
            # Modules of one file each may share a folder: then whoever has the file is asked.
            if len(nearest) == 1 or part.snapshot.files.identity(inside):
                return part, inside
        return None

    def below(self, prefix: str) -> Iterator[tuple[Part, str]]:
        """Every part that holds paths with a prefix, and what the prefix is there."""
        for part in self._parts:
            if prefix.startswith(part.folder):
                yield part, prefix[len(part.folder) :]
            elif part.folder.startswith(prefix):
                yield part, ""

    def by_folders(self, paths: Sequence[RepoPath]) -> Iterator[tuple[Part, list[RepoPath]]]:
        """Every part with something at or below one of some paths, and what they are there."""
        for part in self._parts:
            inside: list[RepoPath] = []
            for path in paths:
                if not path or part.folder.startswith(f"{path}/"):
                    inside = [RepoPath("")]
                    break
                if path.startswith(part.folder):
                    inside.append(RepoPath(path[len(part.folder) :]))
            if inside:
                yield part, inside

    def of_symbols(self, ids: Iterable[int]) -> list[tuple[Part, list[int]]]:
        """Ids of symbols as their parts have them, in the order of the parts."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        for number in ids:
            if 0 < number < len(self._parts) << _STRIDE_BITS:
                part = self._parts[number >> _STRIDE_BITS]
                found[part.number].append(number - part.first_symbol)
        return [(self._parts[number], found[number]) for number in sorted(found)]

    def of_chunks(self, ids: Iterable[int]) -> list[tuple[Part, list[int]]]:
        """Ids of chunks as their parts have them, in the order of the parts."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        for number in ids:
            at = bisect_right(self._first_chunks, number) - 1
            if at >= 0 and number < self._parts[at].end_chunk:
                found[at].append(number - self._parts[at].first_chunk)
        return [(self._parts[number], found[number]) for number in sorted(found)]
