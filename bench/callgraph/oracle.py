"""Call edges according to an oracle that knows what each name means, and ours against them.

An oracle is a compiler: of each name in a repository it says which definition is meant. Its answers
come as a SCIP index (`bench.callgraph.scip`) or as rows of tab-separated text, one a name:

    path, 0-based line, first column, column behind the last, role, meaning

Columns count characters. The role is "definition", "name" or "call"; the meaning is any text that
a definition and its uses share. `bench/callgraph/oracles` has the programs that write such rows.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from satchel.store.model import ReferenceKind, RepoPath, SymbolKind
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import Edge, SymbolRecord
from satchel.workspace.project import Project, ignore_progress

Names = Mapping[RepoPath, list["Occurrence"]]
_CALLED = re.compile(r"\s*(?:<[^<>()]*>)?\s*\(|\s*!\(")
_CALLABLE = frozenset(
    {SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR, SymbolKind.CLASS,
     SymbolKind.STRUCT, SymbolKind.INTERFACE}
)  # fmt: skip
_IMPLIED = frozenset({"constructor", "handed"})
"""Rules whose edges stand for no name in the source that the oracle could resolve."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A name in a file: 0-based line, columns, and what the oracle calls what it means."""

    line: int
    start: int
    end: int
    symbol: str
    is_definition: bool
    is_call: bool = False
    """Where the oracle knows; else the text after it tells."""


@dataclass(frozen=True, slots=True)
class Judged:
    """An edge of ours, right or wrong according to the oracle."""

    rule: str
    confidence: float
    is_right: bool
    shown: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """One repository: edges the oracle has, how many of them we have, and ours one by one."""

    name: str
    expected: int
    found: int
    judged: tuple[Judged, ...]
    unjudged: int
    missing: tuple[str, ...]


def read(file: Path) -> dict[RepoPath, list[Occurrence]]:
    """The rows of a file of tab-separated text, by path."""
    found: dict[RepoPath, list[Occurrence]] = {}
    with file.open(encoding="utf-8", newline="") as text:
        for path, line, start, end, role, symbol in csv.reader(text, csv.excel_tab):
            occurrence = Occurrence(
                int(line), int(start), int(end), symbol, role == "definition", role == "call"
            )
            found.setdefault(RepoPath(path), []).append(occurrence)
    return found


def compare(name: str, root: Path, names: Names) -> Comparison:
    """Index `root` (into the cache folder) and hold the call edges against the oracle's."""
    project = Project.at(root, {"SATCHEL_VECTORS_ENGINE": "off"})
    project.refresh(ignore_progress)
    with project.snapshot() as snapshot:
        return _Repository(name, root, snapshot, names).compare()


class _Repository:
    """One repository as the oracle and we see it."""

    def __init__(
        self,
        name: str,
        root: Path,
        snapshot: Snapshot,
        documents: Names,
    ) -> None:
        self.name = name
        self._snapshot = snapshot
        self._documents = documents
        self._lines = {
            path: (root / path).read_text("utf-8", "replace").split("\n")
            for path in documents
            if (root / path).is_file()
        }
        self._symbols = {path: snapshot.symbols.of_file(path) for path in self._lines}
        self._owners = {r.id: r for records in self._symbols.values() for r in records}
        # Declarations of one symbol, overloads for example, are one target.
        self._same: dict[int, int] = {}
        self._defined = self._definitions()
        self._held = {
            occurrence.symbol
            for occurrences in documents.values()
            for occurrence in occurrences
            if occurrence.is_definition or occurrence.symbol.startswith("local ")
        }

    def _definitions(self) -> dict[str, SymbolRecord]:
        """Our symbol for each of the oracle's."""
        found: dict[str, SymbolRecord] = {}
        for path, records in self._symbols.items():
            at = {(r.line, r.name): r for r in records if r.kind in _CALLABLE}
            for occurrence in self._documents[path]:
                if occurrence.is_definition and not occurrence.symbol.startswith("local "):
                    text = self._text(path, occurrence)
                    record = at.get((occurrence.line + 1, text))
                    if record is not None:
                        first = found.setdefault(occurrence.symbol, record)
                        self._same[record.id] = first.id
        return found

    def _text(self, path: RepoPath, occurrence: Occurrence) -> str:
        lines = self._lines[path]
        line = lines[occurrence.line] if occurrence.line < len(lines) else ""
        return line[occurrence.start : occurrence.end]

    def compare(self) -> Comparison:
        """Edges by edges; the oracle is asked only about names that are called."""
        expected: dict[tuple[int, int], str] = {}
        said: dict[tuple[str, int, str], set[int]] = {}
        for path in self._lines:
            for occurrence in self._documents[path]:
                line = self._lines[path][occurrence.line : occurrence.line + 1]
                if occurrence.is_definition or not line:
                    continue
                if not (occurrence.is_call or _CALLED.match(line[0], occurrence.end)):
                    continue
                target = self._defined.get(occurrence.symbol)
                source = self._around(path, occurrence.line + 1)
                if target is None and occurrence.symbol in self._held:
                    continue  # a variable or a parameter: the oracle does not say what it holds
                text = self._text(path, occurrence)
                key = (path, occurrence.line + 1, text)
                said.setdefault(key, set()).add(self._whole(target) if target else 0)
                if target is not None and source is not None:
                    pair = (source.id, self._whole(target))
                    expected.setdefault(pair, f"{path}:{occurrence.line + 1} {text}")
        return self._judge(expected, said)

    def _around(self, path: RepoPath, line: int) -> SymbolRecord | None:
        """The innermost symbol of ours around a line."""
        inner = [r for r in self._symbols[path] if r.span.start_line <= line <= r.span.end_line]
        return max(inner, key=lambda r: (r.span.start_byte, -r.span.end_byte), default=None)

    def _whole(self, record: SymbolRecord) -> int:
        """A constructor counts as its class: oracles differ in which of them a call means."""
        if record.kind != SymbolKind.CONSTRUCTOR:
            return self._same.get(record.id, record.id)
        owner = record.qualified_name.rpartition(".")[0]
        holders = [
            r
            for r in self._symbols[record.path]
            if r.qualified_name == owner and r.kind in _CALLABLE
        ]
        return self._same.get(holders[0].id, holders[0].id) if holders else record.id

    def _judge(
        self, expected: Mapping[tuple[int, int], str], said: Mapping[tuple[str, int, str], set[int]]
    ) -> Comparison:
        ours: set[tuple[int, int]] = set()
        judged: list[Judged] = []
        unjudged = 0
        for edge in self._snapshot.graph.edges():
            source, target = self._owners.get(edge.source), self._owners.get(edge.target)
            if edge.kind != ReferenceKind.CALL or source is None or target is None:
                continue
            pair = (edge.source, self._whole(target))
            ours.add(pair)
            if edge.rule in _IMPLIED:
                continue
            others = said.get((source.path, edge.line, target.name))
            if pair in expected:
                judged.append(self._judged(edge, source, target, is_right=True))
            elif others:
                judged.append(self._judged(edge, source, target, is_right=pair[1] in others))
            else:
                unjudged += 1
        missing = [shown for pair, shown in expected.items() if pair not in ours]
        found = len(expected) - len(missing)
        return Comparison(
            self.name, len(expected), found, tuple(judged), unjudged, tuple(sorted(missing))
        )

    def _judged(
        self, edge: Edge, source: SymbolRecord, target: SymbolRecord, *, is_right: bool
    ) -> Judged:
        shown = f"{source.path}:{edge.line} {target.name} -> {target.path}:{target.line}"
        return Judged(edge.rule, edge.confidence, is_right, shown)
