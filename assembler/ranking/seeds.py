"""Where in the code base an artefact points: frames and hunks resolved to chunks. Pure.

A frame's path is matched by its tail, since a trace was printed on another machine or in another
folder; frames of libraries that are not in the index resolve to nothing and are ignored. A line may
have moved since the trace was printed, so a function that is named beats the line it was on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from satchel.assembler.query.pasted import Artefact
from satchel.assembler.query.traces import Frame
from satchel.assembler.ranking import rank
from satchel.assembler.values import Scored
from satchel.assembler.weights import Pointing
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import ChunkRecord, SymbolRecord

_LIBRARIES = re.compile(
    r"/(?:site-packages|dist-packages|node_modules|vendor/bundle|gems|\.cargo/registry|rustc"
    r"|pkg/mod|lib/python\d[\w.]*|usr/(?:lib|include)|go/src/runtime)/"
)
_MAX_SAME = 4
"""A name that more files than this have in common points at none of them."""


@dataclass(frozen=True, slots=True)
class Seed:
    """A chunk that a frame points at, with the lines it names; `strength` is in 0..1."""

    chunk: ChunkRecord
    strength: float
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True)
class Seeds:
    """Seeds, best first, each chunk once; `outside` are paths that no indexed file matches.

    `marks` are all of them, also where several point into one chunk.
    """

    found: tuple[Seed, ...]
    outside: tuple[str, ...]
    marks: tuple[Seed, ...] = ()

    def lines(self) -> dict[RepoPath, list[tuple[int, int]]]:
        """The lines that are named in each file, ascending."""
        named: dict[RepoPath, set[tuple[int, int]]] = {}
        for seed in self.marks:
            if seed.first_line:
                lines = (seed.first_line, seed.last_line)
                named.setdefault(seed.chunk.path, set()).add(lines)
        return {path: sorted(lines) for path, lines in named.items()}


def resolve(snapshot: Snapshot, artefact: Artefact, weights: Pointing) -> Seeds:
    """The chunks that an artefact points at."""
    tree = _Tree(snapshot)
    strongest: dict[int, Seed] = {}
    outside: list[str] = []
    marks: list[Seed] = []
    strength = 1.0
    for frame in artefact.frames:
        paths = tree.matching(frame.path)
        if not paths:
            outside.append(frame.path)
            continue
        for path in paths:
            for seed in tree.seeds(path, frame, strength / len(paths), weights):
                marks.append(seed)
                known = strongest.get(seed.chunk.id)
                if known is None or known.strength < seed.strength:
                    strongest[seed.chunk.id] = seed
        strength = max(weights.least, strength * weights.next_frame)
    found = sorted(
        strongest.values(),
        key=lambda s: (-s.strength, s.chunk.path, s.chunk.span.start_byte),
    )
    return Seeds(tuple(found), tuple(dict.fromkeys(outside)), tuple(marks))


def lift(ranked: Iterable[Scored], seeds: Sequence[Seed], weight: float) -> list[Scored]:
    """A ranking in which being pointed at is a signal of `weight` against all others together.

    Seeds come into the ranking if the search had not found them. Without seeds nothing changes.
    """
    listed = list(ranked)
    if not seeds:
        return listed
    pointed = {seed.chunk.id: seed for seed in seeds}
    known = {item.chunk.id for item in listed}
    listed += [Scored(seed.chunk, 0.0) for seed in seeds if seed.chunk.id not in known]
    return sorted((_lifted(item, pointed, weight) for item in listed), key=rank.order)


def _lifted(item: Scored, pointed: dict[int, Seed], weight: float) -> Scored:
    seed = pointed.get(item.chunk.id)
    return rank.with_signal(item, "pointed at", seed.strength if seed else 0.0, weight)


class _Tree:
    """The files of a snapshot by name, and their chunks and symbols as they are needed."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._by_name: dict[str, list[RepoPath]] = {}
        for known in snapshot.files.all():
            self._by_name.setdefault(known.path.rpartition("/")[2], []).append(known.path)
        self._chunks: dict[RepoPath, list[ChunkRecord]] = {}
        self._symbols: dict[RepoPath, list[SymbolRecord]] = {}

    def matching(self, written: str) -> list[RepoPath]:
        """Files that a path as written can mean; those with the longest common tail, by path."""
        path = written.replace("\\", "/").removeprefix("file://").removeprefix("webpack://")
        path = re.sub(r"[?#].*$", "", path)
        parts = [part for part in path.split("/") if part not in ("", ".", "..")]
        if not parts:
            return []
        same = self._by_name.get(parts[-1], [])
        library = _LIBRARIES.search(path)
        if library:
            same = [p for p in same if library.group() in f"/{p}"]
        tails = [(_tail(parts, p.split("/")), p) for p in same]
        longest = max((n for n, _ in tails), default=0)
        found = sorted(p for n, p in tails if n == longest and n)
        return found if len(found) <= _MAX_SAME else []

    def seeds(
        self, path: RepoPath, frame: Frame, strength: float, weights: Pointing
    ) -> Iterable[Seed]:
        chunks = self._chunks_of(path)
        symbol = self._named(path, frame)
        if not frame.line and symbol is None:
            for chunk in chunks:
                yield Seed(chunk, strength * weights.whole_file, 0, 0)
            return
        first, last = frame.line, max(frame.line, frame.end_line)
        if symbol and not symbol.span.start_line <= first <= symbol.span.end_line:
            first = last = symbol.line
        for chunk in chunks:
            if chunk.span.start_line <= last and chunk.span.end_line >= first:
                yield Seed(chunk, strength, first, last)
            elif symbol and chunk.symbol_id == symbol.id:
                # Another part of the same long function.
                yield Seed(chunk, strength * weights.same_function, first, last)

    def _named(self, path: RepoPath, frame: Frame) -> SymbolRecord | None:
        """The function a frame names, the one nearest to its line; None when it names none."""
        if path not in self._symbols:
            self._symbols[path] = self._snapshot.symbols.of_file(path)
        same = [s for s in self._symbols[path] if frame.name and s.name == frame.name]
        return min(same, key=lambda s: _distance(s, frame.line), default=None)

    def _chunks_of(self, path: RepoPath) -> list[ChunkRecord]:
        if path not in self._chunks:
            self._chunks[path] = self._snapshot.chunks.of_file(path)
        return self._chunks[path]


def _tail(written: Sequence[str], indexed: Sequence[str]) -> int:
    """How many parts the two end with alike; 0 unless one of them is the end of the other."""
    n = 0
    for one, other in zip(reversed(written), reversed(indexed), strict=False):
        if one != other:
            return 0
        n += 1
    return n


def _distance(symbol: SymbolRecord, line: int) -> tuple[int, int]:
    span = symbol.span
    return max(0, span.start_line - line, line - span.end_line), span.start_line
