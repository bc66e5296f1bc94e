"""What no first index in Python can do without: `python -m bench.indexing.floor [NAME=]FOLDER …`.

Each step is measured alone, in one process and one thread, as processor seconds and as a multiple
of bare parsing (`bench.indexing.measure`), the best of three: running the query of each language
over a syntax tree that is there; reading from Python where each captured node begins and ends, and
its text; finding the terms of all texts and counting them; compressing the sources; writing the
rows of the finished index into an empty one, in one transaction. What a step needs is made before
it begins and not counted. Only "analysing" makes symbols, references, flows and chunks: that is
what the Python between the steps above it costs. The index of each folder is brought up to date and
read; the folder is not changed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw
from tree_sitter import Node, Parser, QueryCursor

from bench.retrieval import report
from satchel.indexer.extract import analyze, fields, parse
from satchel.indexer.extract.pool import BATCH_FILES
from satchel.indexer.extract.source import Source
from satchel.indexer.languages import detect
from satchel.indexer.languages.spec import Language
from satchel.store import codec, postings
from satchel.store.reading.sqlite_snapshot import SqliteSnapshot
from satchel.store.sqlite import database, term_rows
from satchel.store.sqlite.schema import DDL
from satchel.workspace.project import Project

RUNS = 3
TABLES = (
    ("rows of text and definitions", ("contents", "files", "chunks", "symbols", "refs", "imports")),
    ("rows of terms", ("postings", "grams")),
    ("rows of vectors", ("vectors",)),
    ("rows of edges", ("edges", "depends")),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of files that are alike, their language, and what was packed of them."""

    data: bytes
    language: Language
    facts: bytes


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table with a column for each folder."""
    parser = argparse.ArgumentParser(prog="python -m bench.indexing.floor", description=__doc__)
    parser.add_argument("trees", nargs="+", metavar="[NAME=]FOLDER")
    columns: dict[str, dict[str, float]] = {}
    for tree in parser.parse_args(arguments).trees:
        name, _, folder = tree.rpartition("=")
        columns[name or Path(folder).name] = _measured(Path(folder))
    rows = [["", *(head for name in columns for head in (f"{name}, s", "÷ parsing"))]]
    for step in next(iter(columns.values())):
        rows.append([step])
        for steps in columns.values():
            rows[-1] += [f"{steps[step]:.2f}", f"{steps[step] / steps['bare parsing']:.2f}"]
    print(report.markdown(rows))
    return 0


def _measured(folder: Path) -> dict[str, float]:
    """Seconds of each step, best of `RUNS`."""
    project = Project.at(folder, {})
    project.refresh(lambda _: None)
    connection = database.connect(project.directory, writable=False)
    contents = list(_contents(connection))
    steps = {**_of_texts(contents), **_of_rows(connection)}
    connection.close()
    return steps


def _contents(connection: apsw.Connection) -> Iterator[Content]:
    seen: set[tuple[str, str]] = set()
    with SqliteSnapshot(connection) as snapshot:
        for file in snapshot.files.all():
            if (file.digest, file.language) in seen:
                continue
            seen.add((file.digest, file.language))
            sql = "SELECT facts FROM contents WHERE digest = ? AND language = ?"
            facts = database.scalar(connection, sql, (file.digest, file.language))
            language = detect.by_name(file.language)
            yield Content(snapshot.files.source(file.digest, file.language), language, facts)


def _of_texts(contents: Sequence[Content]) -> dict[str, float]:
    best: dict[str, float] = {}
    for _ in range(RUNS):
        clock = _Clock()
        for start in range(0, len(contents), BATCH_FILES):
            batch = contents[start : start + BATCH_FILES]
            texts = [
                fields.chunk_texts(codec.decode_facts(each.facts), Source.of(each.data))
                for each in batch
            ]
            for content in batch:
                if content.language.grammar:
                    _parse_and_match(content, clock)
            with clock.step("analysing (parsing, query and nodes included)"):
                for content in batch:
                    analyze.analyze(content.data, content.language)
            with clock.step("terms"):
                postings.index_terms(postings.count_terms(texts))
            with clock.step("compressing"):
                for content in batch:
                    codec.compress(content.data)
        best = {name: min(best.get(name, s), s) for name, s in clock.seconds.items()}
    return best


def _parse_and_match(content: Content, clock: _Clock) -> None:
    language = content.language
    readable = language.prepare(content.data) if language.prepare else content.data
    parser = Parser(parse.grammar(language.grammar))
    compiled = parse.query(language.grammar, language.query).anywhere
    with clock.step("bare parsing"):
        tree = parser.parse(readable)
    with clock.step("one query"):
        found = QueryCursor(compiled).matches(tree.root_node)
    text = readable.decode("utf-8", "replace")
    with clock.step("reading captured nodes"):
        _read(found, text)


def _read(found: Sequence[tuple[int, dict[str, list[Node]]]], text: str) -> None:
    for _, match in found:
        for nodes in match.values():
            for node in nodes:
                text[node.start_byte : node.end_byte]


def _of_rows(source: apsw.Connection) -> dict[str, float]:
    steps: dict[str, float] = {}
    for name, tables in TABLES:
        rows = {table: list(source.execute(f"SELECT * FROM {table}")) for table in tables}
        steps[name] = min(_written(rows) for _ in range(RUNS))
    return steps


def _written(rows: Mapping[str, list[tuple[Any, ...]]]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        connection = apsw.Connection(str(Path(folder, "index.db")))
        connection.pragma("journal_mode", "wal")
        connection.pragma("synchronous", "normal")
        connection.execute(DDL)
        term_rows.prepare(connection)
        began = time.process_time()
        with database.transaction(connection):
            for table, of_table in rows.items():
                marks = ", ".join("?" * len(of_table[0])) if of_table else "?"
                connection.executemany(f"INSERT INTO {table} VALUES ({marks})", of_table)
        seconds = time.process_time() - began
        connection.close()
    return seconds


class _Clock:
    """Adds up processor seconds by name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Count what is done meanwhile."""
        began = time.process_time()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.process_time() - began


if __name__ == "__main__":
    sys.exit(main())
