"""Suites in the form of SWARM-CG: small programs, each in a folder with its `callgraph.json`.

`benchmarks/javascript/swarm_js` names everything with dots, the module first, and lists every
function of a program. `benchmarks/java/cats` (the Java Call Graph Tests of OPAL) names
`package.Class:method(types)` and lists some edges of each program only, so that it says what is
missed and not what is wrong. Parameters are left out, so that overloads are one; functions without
a name are no symbols of ours, and what a program does not define is in no index.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from bench.callgraph.programs import indexed
from bench.callgraph.pycg import Edges, Program, calls
from satchel.indexer.callgraph.values.model import HOLDERS_OF_VALUES
from satchel.indexer.extract.pool import Pool
from satchel.indexer.extract.process_limits import WorkerLimits
from satchel.store.model import CLASS_LIKE, SymbolKind
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import SymbolRecord

_PARAMETERS = re.compile(r"\(.*\)$")
_PACKAGE = re.compile(rb"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)


def programs(folder: Path) -> Iterator[Program]:
    """Index every program below a folder in a copy and compare, by category and name."""
    limits = WorkerLimits(n_workers=1)
    with Pool(limits) as pool:
        for file in sorted(folder.rglob("callgraph.json")):
            with tempfile.TemporaryDirectory() as scratch:
                yield _program(file, Path(scratch), limits, pool)


def _program(file: Path, scratch: Path, limits: WorkerLimits, pool: Pool) -> Program:
    root, state = scratch / "program", scratch / "state"
    state.mkdir()
    shutil.copytree(file.parent, root)
    for extra in (root / file.name, root / "README.md"):
        extra.unlink(missing_ok=True)
    is_java = any(root.rglob("*.java"))
    with indexed(root, state, limits, pool) as snapshot:
        found = _found(snapshot, root)
        defined = _defined(snapshot, root)
    written = json.loads(file.read_text("utf-8"))
    expected = _expected(written, defined, is_java=is_java)
    known = {end for edge in expected for end in edge} if is_java else set(written)
    judged = {
        edge: rule
        for edge, rule in found.items()
        if (edge in expected if is_java else known.issuperset(edge))
    }
    return Program(file.parent.parent.name, file.parent.name, expected, frozenset(judged), judged)


def _expected(written: dict[str, list[str]], defined: frozenset[str], *, is_java: bool) -> Edges:
    edges = {(s, t) for s, targets in written.items() for t in targets}
    if not is_java:
        return frozenset((s, t) for s, t in edges if t in written and "<" not in s + t)
    plain = {(_plain(source), _plain(target)) for source, target in edges}
    return frozenset(edge for edge in plain if defined.issuperset(edge))


def _plain(name: str) -> str:
    """`p.Outer$Inner:method(int)` as `p.Outer.Inner.method`."""
    holder, _, method = _PARAMETERS.sub("", name).partition(":")
    holder = holder.replace("$", ".").replace("/", ".")
    return f"{holder}.{holder.rpartition('.')[2] if method == '<init>' else method}"


def _found(snapshot: Snapshot, root: Path) -> dict[tuple[str, str], tuple[str, float]]:
    """Calls by the names of the suite; classes run nothing, their constructors do."""
    found: dict[tuple[str, str], tuple[str, float]] = {}
    for edge, source, target in calls(snapshot):
        if target.kind in CLASS_LIKE:
            continue
        name = _name(source, root)
        if edge.line < source.line or source.kind in HOLDERS_OF_VALUES:
            name = name.rpartition(".")[0]
        found.setdefault((name, _name(target, root)), (edge.rule, edge.confidence))
    return found


def _defined(snapshot: Snapshot, root: Path) -> frozenset[str]:
    return frozenset(
        _name(record, root)
        for file in snapshot.files.all()
        for record in snapshot.symbols.of_file(file.path)
    )


def _name(record: SymbolRecord, root: Path) -> str:
    path = PurePosixPath(record.path)
    if path.suffix == ".java":
        package = _PACKAGE.search((root / path).read_bytes())
        module = package[1].decode() if package else ""
    else:
        parts = path.with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "index" and len(parts) > 1 else parts)
    if record.kind == SymbolKind.MODULE:
        return module
    return f"{module}.{record.qualified_name}".lstrip(".")
