"""Are packs from PostgreSQL the bytes of packs from SQLite, and what do both take?

python -m bench.hub.equality QUESTIONS.json FOLDER [--trees N] [--keep DIR]

QUESTIONS.json is a list of {"name", "queries": [{"query", …}]}; FOLDER/NAME is the tree. PostgreSQL
and the workers' indexes lie in DIR, or in a folder that is removed. Prints a row a tree and the
totals: packs and results that are the same bytes, milliseconds a pack, bytes in PostgreSQL a line.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from satchel.assembler import assemble
from satchel.assembler.query.question import Question
from satchel.assembler.ranking.candidates import VectorSearch
from satchel.assembler.search import search
from satchel.hub import creation, database, demo, repositories
from satchel.hub.building.build import BuildTask, build
from satchel.hub.database import Hub, rows
from satchel.hub.reading.pg_snapshot import PgSnapshot, builds
from satchel.store.reading.snapshot import Snapshot
from satchel.workspace.project import Project

BUDGETS = (1024, 4096)
RESULTS = 20


@dataclass
class Totals:
    """What was compared so far; times in milliseconds."""

    packs: int = 0
    equal: int = 0
    searches: int = 0
    equal_searches: int = 0
    here_ms: list[float] = field(default_factory=list)
    there_ms: list[float] = field(default_factory=list)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare and print; the exit code says whether anything differed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--trees", type=int, default=1_000)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args(arguments)
    asked = json.loads(options.questions.read_text("utf-8"))[: options.trees]
    totals = Totals()
    with tempfile.TemporaryDirectory() as scratch:
        where = options.keep or Path(scratch)
        with demo.server(where / "pg") as url:
            creation.init(url)
            with database.connected(url) as hub:
                print("| tree | lines | build s | parsed | new | packs equal | results equal |")
                print("|---|--:|--:|--:|--:|--:|--:|")
                for entry in asked:
                    _tree(
                        hub, url, where / "scratch", options.folder / entry["name"], entry, totals
                    )
                _print_totals(hub, totals)
    return 0 if (totals.packs, totals.searches) == (totals.equal, totals.equal_searches) else 1


def _tree(
    hub: Hub,
    url: str,
    scratch: Path,
    tree: Path,
    entry: dict[str, list[dict[str, str]]],
    totals: Totals,
) -> None:
    repositories.add(hub, [repositories.Source(tree.name, str(tree))])
    number = rows(hub, "SELECT id FROM repositories WHERE name = %s", (tree.name,))[0][0]
    report = build(BuildTask(url, number, tree.name, str(tree), str(scratch)), os.environ)
    state = scratch / str(number) / "state"
    project = Project.at(tree, {"SATCHEL_STATE_FOLDER": str(state)})
    before = (totals.packs, totals.equal, totals.searches, totals.equal_searches)
    with project.snapshot() as here, database.reading(hub):
        there = PgSnapshot(hub, [b for b in builds(hub) if b.repository == tree.name])
        vectors, _ = project.vector_search(here)
        theirs, _ = project.vector_search(there)
        for each in entry["queries"]:
            _ask(here, there, vectors, theirs, each["query"], totals)
    packs, equal, searches, same = (
        now - then
        for now, then in zip(
            (totals.packs, totals.equal, totals.searches, totals.equal_searches),
            before,
            strict=True,
        )
    )
    print(
        f"| {tree.name} | {report.lines:,} | {report.seconds:.1f} | {report.parsed:,} |"
        f" {report.new_contents:,} | {equal}/{packs} | {same}/{searches} |",
        flush=True,
    )


def _ask(
    here: Snapshot,
    there: Snapshot,
    vectors: VectorSearch | None,
    theirs: VectorSearch | None,
    query: str,
    totals: Totals,
) -> None:
    question = Question(query)
    for budget in BUDGETS:
        start = time.perf_counter()
        mine = assemble.context(here, question, budget, assemble.PackOptions(vectors=vectors))
        middle = time.perf_counter()
        other = assemble.context(there, question, budget, assemble.PackOptions(vectors=theirs))
        totals.here_ms.append((middle - start) * 1e3)
        totals.there_ms.append((time.perf_counter() - middle) * 1e3)
        totals.packs += 1
        totals.equal += mine.text.replace(_generation(here), _generation(there)) == other.text
    totals.searches += 1
    found = search(here, question, RESULTS, vectors=vectors)
    again = search(there, question, RESULTS, vectors=theirs)
    totals.equal_searches += found.results == again.results


def _generation(snapshot: Snapshot) -> str:
    return f"generation {snapshot.generation},"


def _print_totals(hub: Hub, totals: Totals) -> None:
    contents, size = repositories.sizes(hub)
    lines, files = rows(hub, "SELECT sum(n_lines)::bigint, sum(n_files)::bigint FROM builds")[0]
    print(
        f"\n{totals.equal} of {totals.packs} packs and {totals.equal_searches} of {totals.searches}"
        f" results are the same bytes; a pack takes p50 {statistics.median(totals.here_ms):.0f} ms"
        f" from SQLite, {statistics.median(totals.there_ms):.0f} ms from PostgreSQL"
        f"\n{lines:,} lines, {files:,} files, {contents:,} contents,"
        f" {size / 1e6:,.0f} MB in PostgreSQL: {size / max(1, lines):.0f} bytes a line"
    )


if __name__ == "__main__":
    raise SystemExit(main())
