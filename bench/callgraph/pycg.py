"""The PyCG micro-benchmark: 119 small Python programs, each with the call graph its authors drew.

Names there are dotted: the module, then what is nested in it. Our edges are put into those names
here, by rules that do not look at the expected graph; `bench/CALL_GRAPH.md` says what is counted.
"""

from __future__ import annotations

import ast
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from bench.state import beside
from satchel.store.model import ProblemKind, ReferenceKind, SymbolKind
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import Edge, SymbolRecord
from satchel.workspace.project import Project, ignore_progress

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_QUICK = {"SATCHEL_INDEX_WORKERS": "1", "SATCHEL_VECTORS_ENGINE": "off"}
Edges = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Program:
    """One program: what it calls according to the benchmark, and according to Satchel."""

    category: str
    name: str
    expected: Edges
    found: Edges
    rules: Mapping[tuple[str, str], tuple[str, float]]
    """The rule and the confidence of each found edge, the surest."""


def programs(snippets: Path) -> Iterator[Program]:
    """Index every program below `snippets` in a copy and compare, by category and name."""
    for file in sorted(snippets.glob("*/*/callgraph.json")):
        with tempfile.TemporaryDirectory() as scratch:
            root = Path(scratch, "program")
            shutil.copytree(file.parent, root)
            (root / file.name).unlink()
            names = _names(root)
            project = Project.at(root, {**_QUICK, **beside(root)})
            project.refresh(ignore_progress)
            with project.snapshot() as snapshot:
                found = _found(snapshot, names)
        expected = json.loads(file.read_text("utf-8"))
        inside = frozenset(
            (source, target)
            for source, targets in expected.items()
            for target in targets
            if source in names.known and target in names.known
        )
        edges = frozenset(found)
        yield Program(file.parent.parent.name, file.parent.name, inside, edges, found)


@dataclass(frozen=True, slots=True)
class _Names:
    """The benchmark's names of everything a program defines."""

    at: dict[tuple[str, int, str], str]
    """By path, line of the name, and simple name; lambdas are called "<lambda>"."""
    known: frozenset[str]


def _names(root: Path) -> _Names:
    at: dict[tuple[str, int, str], str] = {}
    for file in sorted(root.rglob("*.py")):
        path = file.relative_to(root).as_posix()
        parts = PurePosixPath(path).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        at[path, 0, ""] = module
        _nested(ast.parse(file.read_text("utf-8")), module, path, at)
    return _Names(at, frozenset(at.values()))


def _nested(node: ast.AST, scope: str, path: str, at: dict[tuple[str, int, str], str]) -> None:
    """Name what `node` defines; lambdas are numbered within their scope, in source order."""
    n_lambdas = 0
    waiting = list(reversed(list(ast.iter_child_nodes(node))))
    while waiting:
        inner = waiting.pop()
        if not isinstance(inner, _SCOPES):
            waiting += reversed(list(ast.iter_child_nodes(inner)))
            continue
        name = "<lambda>" if isinstance(inner, ast.Lambda) else inner.name
        n_lambdas += name == "<lambda>"
        shown = f"<lambda{n_lambdas}>" if name == "<lambda>" else name
        at.setdefault((path, inner.lineno, name), f"{scope}.{shown}")
        _nested(inner, f"{scope}.{shown}", path, at)


def calls(snapshot: Snapshot) -> Iterator[tuple[Edge, SymbolRecord, SymbolRecord]]:
    """Every call with the symbols at its two ends, the surest first.

    Raises:
        RuntimeError: a file was not parsed: of its calls nothing could be told.
    """
    unread = {ProblemKind.GRAMMAR, ProblemKind.CRASH}
    failed = {detail for _, kind, _, detail in snapshot.files.problems() if kind in unread}
    if failed:
        raise RuntimeError(f"there is nothing to score: {'; '.join(sorted(failed))}")
    edges = [e for e in snapshot.graph.edges() if e.kind == ReferenceKind.CALL]
    ids = {edge.source for edge in edges} | {edge.target for edge in edges}
    records = {record.id: record for record in snapshot.symbols.by_id(sorted(ids))}
    for edge in sorted(edges, key=lambda edge: (-edge.confidence, edge.rule)):
        yield edge, records[edge.source], records[edge.target]


def _found(snapshot: Snapshot, names: _Names) -> dict[tuple[str, str], tuple[str, float]]:
    """Calls between functions, as the benchmark writes them.

    A class stands for nothing that runs, so it is no target: its constructor is. A decorator is
    called by what surrounds the decorated function; the body of a class and the value of a
    variable run in what surrounds those.
    """
    found: dict[tuple[str, str], tuple[str, float]] = {}
    for edge, source, target in calls(snapshot):
        if target.kind == SymbolKind.CLASS:
            continue
        decorates = edge.line < source.line
        ends = (_name(source, names, around=decorates), _name(target, names))
        found.setdefault(ends, (edge.rule, edge.confidence))
    return found


def _name(record: SymbolRecord, names: _Names, *, around: bool = False) -> str:
    module = names.at[record.path, 0, ""]
    if record.kind == SymbolKind.MODULE:
        return module
    own = names.at.get((record.path, record.line, record.name))
    own = own or names.at.get((record.path, record.line, "<lambda>"), "")
    if around or not own or record.kind == SymbolKind.CLASS:
        outer = (own or f"{module}.{record.qualified_name}").rpartition(".")[0]
        return outer if outer in names.known else module
    return own
