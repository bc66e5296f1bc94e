"""Where in the code base an artefact points: frames and hunks resolved to functions and chunks.

A frame's path is matched by its end (`assembler.lookup.written_paths`); frames of libraries that
are not developed here resolve to nothing. A line may have moved since the trace was printed, so a
function that is named beats the line it was on. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

from satchel.assembler.lookup.written_paths import WrittenPaths, is_end_of
from satchel.assembler.query.artefacts import Artefact
from satchel.assembler.query.traces import Frame
from satchel.assembler.weights import Pointing
from satchel.store.model import FUNCTIONS, Import, RepoPath
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import ChunkRecord, KnownFile, SymbolRecord


class Seed(Struct, frozen=True):
    """A chunk that a frame points at, with the lines it names; `strength` is in 0..1."""

    chunk: ChunkRecord
    strength: float
    first_line: int
    last_line: int


class Located(Struct, frozen=True):
    """A frame in the code base: its lines now, and the innermost function that they are in."""

    frame: Frame
    path: RepoPath
    first_line: int
    last_line: int
    function: SymbolRecord | None
    is_test: bool


class Seeds(Struct, frozen=True):
    """Seeds, best first, each chunk once; `outside` are paths that no indexed file matches.

    `marks` are all of them, also where several point into one chunk; `located` the frames that
    were found and have a line, in the order of the artefact.
    """

    found: tuple[Seed, ...]
    outside: tuple[str, ...]
    marks: tuple[Seed, ...] = ()
    located: tuple[Located, ...] = ()
    frames_outside: tuple[str, ...] = ()
    """Files of `outside` that a trace gives a line of."""

    def lines(self) -> dict[RepoPath, list[tuple[int, int]]]:
        """The lines that are named in each file, ascending."""
        named: dict[RepoPath, set[tuple[int, int]]] = {}
        for seed in self.marks:
            if seed.first_line:
                lines = (seed.first_line, seed.last_line)
                named.setdefault(seed.chunk.path, set()).add(lines)
        return {path: sorted(lines) for path, lines in named.items()}


def resolve(tree: Tree, artefact: Artefact, weights: Pointing) -> Seeds:
    """The chunks that an artefact points at."""
    strongest: dict[int, Seed] = {}
    outside: list[Frame] = []
    marks: list[Seed] = []
    located: list[Located] = []
    strength = 1.0
    for frame in artefact.frames:
        paths = tree.matching(frame.path, frame.name)
        # Whoever only names a file may name one of a project of their own that ends alike.
        if not (frame.line or frame.name):
            paths = [path for path in paths if is_end_of(path, frame.path)]
        if not paths:
            outside.append(frame)
            continue
        for path in paths:
            place = tree.located(path, frame)
            if place.first_line:
                located.append(place)
            for seed in tree.seeds(place, strength / len(paths), weights):
                marks.append(seed)
                known = strongest.get(seed.chunk.id)
                if known is None or known.strength < seed.strength:
                    strongest[seed.chunk.id] = seed
        # Frames outside do not use up strength: the first one of this code base tells most,
        # wherever it stands.
        strength = max(weights.least, strength * weights.next_frame)
    found = sorted(
        strongest.values(),
        key=lambda s: (-s.strength, s.chunk.path, s.chunk.span.start_byte),
    )
    paths_outside = tuple(dict.fromkeys(frame.path for frame in outside))
    frames_outside = tuple(dict.fromkeys(frame.path for frame in outside if frame.line))
    return Seeds(tuple(found), paths_outside, tuple(marks), tuple(located), frames_outside)


class Tree:
    """The files of a snapshot by the end of their paths, and what is in them as it is needed."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.files: dict[RepoPath, KnownFile] = {f.path: f for f in snapshot.files.all()}
        self._paths = WrittenPaths(list(self.files), self.source, self.defines)
        self._chunks: dict[RepoPath, list[ChunkRecord]] = {}
        self._lines: dict[RepoPath, list[str]] = {}
        self._symbols: dict[RepoPath, list[SymbolRecord]] = {}
        self._kinds: dict[str, tuple[str, bool]] = {}

    def matching(self, written: str, name: str = "") -> list[RepoPath]:
        """Files that a path as written can mean, by path; see `WrittenPaths.matching`."""
        return self._paths.matching(written, name)

    def kind_beside(self, path: RepoPath) -> tuple[str, bool]:
        """The language of files with the suffix of a path, "" for none, and whether all of those in
        its folder are tests; of a folder without any, whether the path says so."""
        if not self._kinds:
            for each in self.files.values():
                folder, _, name = each.path.rpartition("/")
                suffix = name.rpartition(".")[2]
                _, are_tests = self._kinds.get(f"{folder}/.{suffix}", ("", True))
                self._kinds[f"{folder}/.{suffix}"] = each.language, are_tests and each.is_test
                self._kinds.setdefault(suffix, (each.language, False))
        folder, _, name = path.rpartition("/")
        suffix = name.rpartition(".")[2]
        language, _ = self._kinds.get(suffix, ("", False))
        return self._kinds.get(f"{folder}/.{suffix}", (language, "test" in path.lower()))

    def source(self, path: RepoPath) -> bytes:
        """The bytes of a file, as indexed."""
        known = self.files[path]
        return self.snapshot.files.source(known.digest, known.language)

    def lines(self, path: RepoPath) -> list[str]:
        """The lines of a file as text; bytes that are no UTF-8 are replaced."""
        if path not in self._lines:
            self._lines[path] = self.source(path).decode("utf-8", "replace").split("\n")
        return self._lines[path]

    def symbols(self, path: RepoPath) -> list[SymbolRecord]:
        """The definitions of a file, in source order."""
        if path not in self._symbols:
            self._symbols[path] = self.snapshot.symbols.of_file(path)
        return self._symbols[path]

    def defines(self, path: RepoPath, name: str) -> bool:
        """Whether a file defines something that is called so."""
        return any(symbol.name == name for symbol in self.symbols(path))

    def imports(self, path: RepoPath) -> tuple[Import, ...]:
        """What a file imports."""
        file = self.files[path]
        return self.snapshot.files.facts(file.digest, file.language).imports

    def function_at(self, path: RepoPath, line: int) -> SymbolRecord | None:
        """The innermost function around a line, None between functions."""
        return innermost_function(self.symbols(path), line)

    def located(self, path: RepoPath, frame: Frame) -> Located:
        """Where a frame of a file is now: its function, where the trace names one of the file."""
        first, last = frame.line, max(frame.line, frame.end_line)
        function = self._function_of_frame(path, frame)
        # The code has moved since the trace was printed, so the line of the definition stands for
        # the one that was named.
        if function and not function.span.start_line <= first <= function.span.end_line:
            first = last = function.line
        elif first:
            # The heading of a hunk names the class above it, of which one method changed: of what
            # holds the line the innermost function is meant.
            function = self.function_at(path, first) or function
        return Located(frame, path, first, last, function, self.files[path].is_test)

    def seeds(self, place: Located, strength: float, weights: Pointing) -> Iterable[Seed]:
        """The chunks of a place: all of the file where no line is known."""
        first, last, function = place.first_line, place.last_line, place.function
        path = place.path
        if path not in self._chunks:
            self._chunks[path] = self.snapshot.chunks.of_file(path)
        for chunk in self._chunks[path]:
            if not first:
                yield Seed(chunk, strength * weights.least, 0, 0)
            elif chunk.span.start_line <= last and chunk.span.end_line >= first:
                yield Seed(chunk, strength, first, last)
            elif function and chunk.symbol_id == function.id:
                # Another part of the same long function.
                yield Seed(chunk, strength * weights.same_function, first, last)

    def _function_of_frame(self, path: RepoPath, frame: Frame) -> SymbolRecord | None:
        """The function a frame names, the one nearest to its line; None when it names none.

        Some runtimes name what is called on the line instead: then the line is right as it is.
        """
        named = [s for s in self.symbols(path) if frame.name and s.name == frame.name]
        same = [s for s in named if frame.parent in s.qualified_name.split(".")] or named
        found = min(same, key=lambda s: _distance(s, frame.line), default=None)
        if found and frame.line and _distance(found, frame.line)[0] and self._calls(path, frame):
            return None
        return found

    def _calls(self, path: RepoPath, frame: Frame) -> bool:
        lines = self.source(path).split(b"\n")
        line = lines[frame.line - 1] if frame.line <= len(lines) else b""
        return bool(re.search(rb"\b%s\b" % re.escape(frame.name.encode()), line))


def innermost_function(symbols: Iterable[SymbolRecord], line: int) -> SymbolRecord | None:
    """The innermost function around a line of a file with these symbols; None between functions."""
    around = [
        symbol
        for symbol in symbols
        if symbol.kind in FUNCTIONS and symbol.span.start_line <= line <= symbol.span.end_line
    ]
    # The shortest function around a line is the innermost; ids break ties in source order.
    return min(around, key=lambda s: (s.span.end_byte - s.span.start_byte, s.id), default=None)


def _distance(symbol: SymbolRecord, line: int) -> tuple[int, int]:
    span = symbol.span
    return max(0, span.start_line - line, line - span.end_line), span.start_line
