"""Small programs with the calls that they make: what the call graph is tried on, by category.

`bench/callgraph/programs/LANGUAGE/CATEGORY.txt` holds programs, each a header, files and edges:

    ### what the program is about
    //- main.js
    function f() {}
    f();
    => main -> f

Names are qualified within the file, and a module has the name of its file. A class is no end of an
edge where a constructor runs: that is. `~> a -> b` is a call that is known to be missed, and
`!> a -> b` one that is found though nothing makes it.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from bench.callgraph.pycg import Edges, Program, calls
from satchel.indexer.callgraph.values.model import HOLDERS_OF_VALUES
from satchel.indexer.extract.pool import Pool
from satchel.indexer.extract.process_limits import WorkerLimits
from satchel.indexer.refresh import refresh
from satchel.indexer.refresh_values import RefreshOptions
from satchel.indexer.scan.ignore_rules import WalkOptions
from satchel.store.model import CLASS_LIKE
from satchel.store.reading.snapshot import Snapshot
from satchel.store.reading.sqlite_snapshot import SqliteSnapshot
from satchel.store.sqlite.database import connect
from satchel.workspace.project import ignore_progress

PROGRAMS = Path(__file__).with_name("programs")
_EDGE = re.compile(r"^([=~!])> (\S+) -> (\S+)$", re.MULTILINE)
_FILE = re.compile(r"^//- (\S+)\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Written:
    """A program as it is written down."""

    language: str
    category: str
    name: str
    files: tuple[tuple[str, str], ...]
    """Path and text."""
    expected: Edges
    missed: Edges
    """Those of `expected` that are known to be missed."""
    wrong: Edges
    """Those found that nothing makes."""


def read(folder: Path) -> Iterator[Written]:
    """Every program below a folder that has a folder for each language, by path and place."""
    for path in sorted(folder.glob("*/*.txt")):
        for text in re.split(r"^### ", path.read_text("utf-8"), flags=re.MULTILINE)[1:]:
            name, _, rest = text.partition("\n")
            edges: dict[str, set[tuple[str, str]]] = {"=": set(), "~": set(), "!": set()}
            for sign, source, target in _EDGE.findall(rest):
                edges[sign].add((source, target))
            parts = _FILE.split(_EDGE.sub("", rest))[1:]
            yield Written(
                path.parent.name,
                path.stem,
                name.strip(),
                tuple(zip(parts[::2], (part.rstrip() + "\n" for part in parts[1::2]), strict=True)),
                frozenset(edges["="] | edges["~"]),
                frozenset(edges["~"]),
                frozenset(edges["!"]),
            )


def run(programs: Iterable[Written]) -> Iterator[tuple[Written, Program]]:
    """Index each program by itself, in a folder that is not kept, and read its calls."""
    limits = WorkerLimits(n_workers=1)
    with Pool(limits) as pool:
        for written in programs:
            with tempfile.TemporaryDirectory() as scratch:
                yield written, _run(written, Path(scratch), limits, pool)


def _run(written: Written, scratch: Path, limits: WorkerLimits, pool: Pool) -> Program:
    root, state = scratch / "program", scratch / "state"
    state.mkdir()
    for path, text in written.files:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    with indexed(root, state, limits, pool) as snapshot:
        found = _found(snapshot)
    category = f"{written.language}/{written.category}"
    return Program(category, written.name, written.expected, frozenset(found), found)


@contextmanager
def indexed(root: Path, state: Path, limits: WorkerLimits, pool: Pool) -> Iterator[Snapshot]:
    """The index of a small program, made in the folder `state`."""
    with closing(connect(state, writable=True)) as connection:
        options = RefreshOptions(WalkOptions(), limits, 0)
        refresh(connection, root, options, ignore_progress, pool=pool)
        with SqliteSnapshot(connection) as snapshot:
            yield snapshot


def _found(snapshot: Snapshot) -> dict[tuple[str, str], tuple[str, float]]:
    """Calls by the qualified names of their ends, each with its surest rule."""
    found: dict[tuple[str, str], tuple[str, float]] = {}
    for edge, source, target in calls(snapshot):
        if target.kind not in CLASS_LIKE:
            # A decorator is called by what surrounds the function, where the value of a variable
            # is computed as well.
            is_around = edge.line < source.line or source.kind in HOLDERS_OF_VALUES
            outer = source.qualified_name.rpartition(".")[0]
            stem = PurePosixPath(source.path).stem
            caller = (outer or stem) if is_around else source.qualified_name
            found.setdefault((caller, target.qualified_name), (edge.rule, edge.confidence))
    return found
