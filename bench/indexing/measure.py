"""How long indexing takes, from nothing: `python -m bench.indexing.measure [NAME=]FOLDER …`.

Each folder is indexed by the installed command line in a process of its own; in the same run the
same bytes are parsed barely: tree-sitter alone, one thread, one process, bytes already in memory,
every distinct content once, best of three. The ratio says what terms, definitions, call graph and
the writing of it all cost on top. Where files without a grammar dominate, the ratio says little,
so a copy that holds only the files with one is indexed as well.

Text, definitions and a call graph by names answer first: that is when another process that looks
every 20 ms sees them in the index. Edges that follow values come after that.

Seconds are wall clock, memory is as in `bench.indexing.costs`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tree_sitter import Parser

from bench.indexing.costs import Cost, Watcher, run_measured
from bench.state import state_folders
from satchel.indexer.extract import parse
from satchel.indexer.languages import detect
from satchel.store.model import ProblemKind, RepoPath
from satchel.store.reading.sqlite_snapshot import SqliteSnapshot
from satchel.store.sqlite import database

PARSE_RUNS = 3
START, END = "<!-- bench.indexing -->", "<!-- /bench.indexing -->"
_NOT_PARSED = {ProblemKind.CRASH, ProblemKind.LIMIT}


@dataclass(frozen=True, slots=True)
class Tool:
    """What is measured, and how often."""

    executable: str
    runs: int = 1


@dataclass(frozen=True, slots=True)
class Parsable:
    """The files of an index that were parsed with a grammar."""

    paths: tuple[RepoPath, ...]
    seconds: float
    """To parse their distinct contents barely, best of `PARSE_RUNS`."""
    size: int
    """Bytes of those contents."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """One run from nothing to its end. `answered` is the seconds until terms, definitions and the
    call graph by names answer."""

    cost: Cost
    answered: float


@dataclass(frozen=True, slots=True)
class Measured:
    """One tree. `status` is what `satchel status --json` says of it."""

    name: str
    text: Indexed
    vectors: Indexed | None
    """With vectors as well; None when they were not asked for."""
    parsable: Parsable
    parsed_only: Indexed
    """As `text`, for a copy that holds only the parsable files."""
    index_mb: float
    status: dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the folders and print, or put into a document, one column each."""
    options = _parser().parse_args(arguments)
    measured = []
    for name, root in options.trees:
        print(f"{name}: indexing {root}", file=sys.stderr)
        tool = Tool(options.satchel, options.runs)
        measured.append(measure(name, root, tool, options.vectors))
    report = table(measured)
    if options.json:
        print(json.dumps([_record(item) for item in measured], indent=2, sort_keys=True))
    else:
        print(report)
    if options.write:
        fill(options.write, report)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.indexing.measure", description=__doc__)
    parser.add_argument("trees", nargs="+", type=_tree, metavar="[NAME=]FOLDER")
    parser.add_argument("--json", action="store_true", help="everything measured, as JSON")
    parser.add_argument("--write", type=Path, help="put the table between this file's marks")
    parser.add_argument("--vectors", choices=("exact", "chroma"), help="measure them as well")
    parser.add_argument("--runs", type=int, default=1, help="index so often, keep the quickest")
    beside = Path(sys.executable).with_name("satchel")
    parser.add_argument("--satchel", default=str(beside), help="the executable to measure")
    return parser


def _tree(text: str) -> tuple[str, Path]:
    name, _, folder = text.rpartition("=")
    root = Path(folder).resolve()
    if not root.is_dir():
        raise argparse.ArgumentTypeError(f"{folder} is not a folder")
    return name or root.name, root


def measure(name: str, root: Path, tool: Tool, vectors: str | None = None) -> Measured:
    """Index `root` from nothing, leaving the last index in the cache folder."""
    with tempfile.TemporaryDirectory() as scratch:
        environment = _plain(scratch)
        text = _index(root, tool, environment, "off")
        parsable = _parse_barely(root)
        copy = Path(scratch, "copy")
        _copy(root, copy, parsable.paths)
        parsed_only = _index(copy, tool, environment, "off")
        both = _index(root, tool, environment, vectors) if vectors else None
        status = _output([tool.executable, "status", "--json", "--root", str(root)], environment)
    size = sum(file.stat().st_size for file in _index_of(root).rglob("*") if file.is_file())
    return Measured(name, text, both, parsable, parsed_only, size / 1e6, json.loads(status))


def _index_of(root: Path) -> Path:
    return state_folders(root, _inherited()).index


def _inherited() -> dict[str, str]:
    """The environment without settings of whoever runs this."""
    return {key: value for key, value in os.environ.items() if not key.startswith("SATCHEL_")}


def _plain(scratch: str) -> dict[str, str]:
    return _inherited() | {"XDG_CONFIG_HOME": scratch}


def _index(root: Path, tool: Tool, environment: Mapping[str, str], engine: str) -> Indexed:
    runs = [_index_once(root, tool, environment, engine) for _ in range(tool.runs)]
    return min(runs, key=lambda run: run.answered)


def _index_once(root: Path, tool: Tool, environment: Mapping[str, str], engine: str) -> Indexed:
    database.remove(_index_of(root))
    command = [tool.executable, "reindex", "--quiet", "--yes", str(root)]
    watcher = Watcher(_index_of(root))
    watcher.start()
    try:
        cost = run_measured(command, {**environment, "SATCHEL_VECTORS_ENGINE": engine})
    finally:
        watcher.finish()
    return Indexed(cost, watcher.answered or cost.seconds)


def _parse_barely(root: Path) -> Parsable:
    """Parse what the index of `root` holds; files whose grammar failed there are left out."""
    contents: dict[str, list[bytes]] = {}
    paths: list[RepoPath] = []
    seen: set[tuple[str, str]] = set()
    connection = database.connect(_index_of(root), writable=False)
    with SqliteSnapshot(connection) as snapshot:
        failed = {path for path, kind, _, _ in snapshot.files.problems() if kind in _NOT_PARSED}
        for file in snapshot.files.all():
            language = detect.by_name(file.language)
            if not language.grammar or file.path in failed:
                continue
            paths.append(file.path)
            if (file.digest, file.language) not in seen:
                seen.add((file.digest, file.language))
                data = snapshot.files.source(file.digest, file.language)
                readable = language.prepare(data) if language.prepare else data
                contents.setdefault(language.grammar, []).append(readable)
    connection.close()
    seconds = min(_parse_all(contents) for _ in range(PARSE_RUNS))
    size = sum(len(data) for group in contents.values() for data in group)
    return Parsable(tuple(paths), seconds, size)


def _parse_all(contents: Mapping[str, list[bytes]]) -> float:
    parsers = {name: Parser(parse.grammar(name)) for name in contents}
    began = time.perf_counter()
    for name, group in contents.items():
        parser = parsers[name]
        for data in group:
            parser.parse(data)
    return time.perf_counter() - began


def _copy(root: Path, target: Path, paths: Sequence[RepoPath]) -> None:
    target.mkdir()
    for path in paths:
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / path, target / path)


def _output(command: Sequence[str], environment: Mapping[str, str]) -> str:
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=True
    )
    return done.stdout


def _record(item: Measured) -> dict[str, Any]:
    record = asdict(item)
    record["parsable"]["paths"] = len(item.parsable.paths)
    return record | {"ratios": _ratios(item)}


def _ratios(item: Measured) -> dict[str, float | None]:
    bare = item.parsable.seconds
    return {
        "text": item.text.answered / bare if bare else None,
        "values": item.text.cost.seconds / bare if bare else None,
        "vectors": item.vectors.cost.seconds / bare if item.vectors and bare else None,
        "parsed_only": item.parsed_only.answered / bare if bare else None,
    }


def table(measured: Sequence[Measured]) -> str:
    """The table of bench/INDEXING.md, as Markdown: a column for each tree."""
    columns = [_column(item) for item in measured]
    labels = list(columns[0]) if columns else []
    lines = [["", *(item.name for item in measured)], ["---"] + ["---:"] * len(measured)]
    lines += [[label, *(column[label] for column in columns)] for label in labels]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _column(item: Measured) -> dict[str, str]:
    status, ratios, vectors = item.status, _ratios(item), item.vectors
    peak = (vectors or item.text).cost
    rows = {
        "files": f"{status['files']:,}",
        "of them with a grammar": f"{len(item.parsable.paths):,}",
        "lines": f"{status['lines']:,}",
        "chunks": f"{status['chunks']:,}",
        "symbols": f"{status['symbols']:,}",
        "call-graph edges": f"{status['edges']:,}",
        "seconds until text, definitions and a graph by names answer": f"{item.text.answered:.1f}",
        "seconds until edges follow values": f"{item.text.cost.seconds:.1f}",
        "seconds until vectors are in too": f"{vectors.cost.seconds:.1f}" if vectors else "",
        "answering ÷ bare parsing": _ratio(ratios["text"]),
        "answering ÷ bare parsing, files with a grammar only": _ratio(ratios["parsed_only"]),
        "all edges ÷ bare parsing": _ratio(ratios["values"]),
        "with vectors ÷ bare parsing": _ratio(ratios["vectors"]) if vectors else "",
        "peak memory, all processes": f"{peak.together_mb:.0f} MB",
        "peak memory, largest process": f"{peak.largest_mb:.0f} MB",
        "index on disk": f"{item.index_mb:.1f} MB",
        "skipped": _tally(status["skipped"]),
        "problems": _tally(status["problems"]),
    }
    return {label: text for label, text in rows.items() if text}


def _ratio(value: float | None) -> str:
    return f"{value:.1f}" if value else "–"


def _tally(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{n:,} {name}" for name, n in counts.items()) or "none"


def fill(document: Path, text: str) -> None:
    """Put `text` between the two marks of a document."""
    before, start, rest = document.read_text("utf-8").partition(START)
    _, end, after = rest.partition(END)
    if not (start and end):
        raise SystemExit(f"{document} has no {START} … {END}")
    document.write_text(f"{before}{START}\n{text}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
