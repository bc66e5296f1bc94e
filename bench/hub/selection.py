"""Does a question find its repository among all of a hub, and what is lost by choosing?

python -m bench.hub.selection CASES.json FOLDER --keep DIR [--every N]

CASES.json is a file of cases as `bench.retrieval` takes it and FOLDER/NAME the trees, of which the
root of each case is built into a hub that is kept in DIR. Prints how often the right repository is
among the first that are chosen, and over every Nth question the share whose first hit lies in it
and NDCG@10: asked over all, with the repository named in the question's words, and with it named as
a parameter, against the same questions to that repository alone.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.retrieval import cases
from bench.retrieval.cases import Query, Repository
from bench.retrieval.metrics import Row, first_ranks, ndcg
from satchel.assembler.query.question import Question
from satchel.assembler.search import search
from satchel.hub import asking, creation, database, demo, repositories, selection
from satchel.hub.building.build import BuildTask, build
from satchel.hub.database import Hub, rows
from satchel.hub.reading.file_table import Build
from satchel.hub.reading.pg_snapshot import builds
from satchel.questions.request import About
from satchel.store.vectors.table_encoder import TableEncoder

_DEPTH = 10
_ENCODER = TableEncoder()


@dataclass
class Asked:
    """One way to ask: first hits in the right repository, and gains."""

    first: list[bool] = field(default_factory=list)
    gain: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        n = max(1, len(self.gain))
        return f"{sum(self.first) / n:.3f} | {sum(self.gain) / n:.3f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Build what is missing, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args(arguments)
    asked = cases.load(options.cases)
    with demo.server(options.keep / "pg") as url:
        creation.init(url)
        with database.connected(url) as hub:
            for each in asked:
                _build(hub, url, options.keep, each, options.folder)
            pairs = [(each, query) for each in asked for query in each.queries]
            _print_places(hub, pairs)
            _print_ways(hub, pairs[:: options.every])
    return 0


def _build(hub: Hub, url: str, keep: Path, each: Repository, folder: Path) -> None:
    tree = each.indexed(folder)
    repositories.add(hub, [repositories.Source(each.name, str(tree))])
    sql = (
        "SELECT r.id, coalesce(b.tree, '') <> '' FROM repositories r"
        " LEFT JOIN builds b ON b.id = r.build_id WHERE r.name = %s"
    )
    number, is_built = rows(hub, sql, (each.name,))[0]
    if not is_built:
        task = BuildTask(url, number, each.name, str(tree), str(keep / "scratch"))
        report = build(task, os.environ)
        print(f"{each.name}: {report.problem or f'{report.lines:,} lines'}", flush=True)


def _print_places(hub: Hub, pairs: Sequence[tuple[Repository, Query]]) -> None:
    with database.reading(hub):
        found = builds(hub)
        places = []
        for each, query in pairs:
            ranked = selection.choose(hub, found, query.text, len(found))
            places.append([one.build.repository for one in ranked].index(each.name))
    print(f"\n{len(pairs)} questions, {len(found)} repositories; the right one is among the first")
    for limit in (1, 3, 5, asking.AT_ONCE, 10):
        share = sum(place < limit for place in places) / len(places)
        print(f"{limit:3}: {share:.3f}")


def _print_ways(hub: Hub, pairs: Sequence[tuple[Repository, Query]]) -> None:
    ways = {"over all": Asked(), "named in words": Asked(), "named": Asked()}
    with database.reading(hub):
        found = builds(hub)
    n_same = 0
    for each, query in pairs:
        _ask(hub, "*", query.text, each, query, ways["over all"])
        _ask(hub, each.name, query.text, each, query, ways["named"])
        # What is put to the same repository in the same words has the same answer.
        if _is_put_to(found, each.name, f"{query.text} in {each.name}", query.text):
            n_same += 1
            for values in ("first", "gain"):
                last = getattr(ways["named"], values)[-1]
                getattr(ways["named in words"], values).append(last)
        else:
            words = f"{query.text} in {each.name}"
            _ask(hub, "*", words, each, query, ways["named in words"])
    print(
        f"\n| {len(pairs)} questions | first hit in the right one | NDCG@{_DEPTH} |\n|---|--:|--:|"
    )
    for name, way in ways.items():
        print(f"| {name} | {way} |")
    print(f"\n{n_same} of {len(pairs)} that are named in words ask what the parameter asks")


def _is_put_to(found: Sequence[Build], name: str, words: str, asked: str) -> bool:
    """Whether a question that names a repository in words is put to it, and asks the same."""
    chosen, rest = selection.addressed(found, words)
    return [build.repository for build in chosen] == [name] and rest == asked


def _ask(hub: Hub, pattern: str, text: str, each: Repository, query: Query, way: Asked) -> None:
    with asking.view(hub, pattern, About(text), _ENCODER, named=True) as view:
        question = Question(view.question, likely=view.likely)
        reply = search(view.snapshot, question, _DEPTH, vectors=view.vectors)
    prefix = f"{each.name}/"
    found = [
        # What lies elsewhere covers nothing, whatever it is called.
        Row(r.chunk.path.removeprefix(prefix) if r.chunk.path.startswith(prefix) else "\0",
            r.chunk.span.start_line, r.chunk.span.end_line)
        for r in reply.results
    ]  # fmt: skip
    way.first.append(bool(found) and found[0].path != "\0")
    way.gain.append(ndcg(first_ranks(found, query.levels["target"]), _DEPTH))


if __name__ == "__main__":
    raise SystemExit(main())
