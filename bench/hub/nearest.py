"""How many of the nearest vectors does the index of pgvector find, and what does either way take?

python -m bench.hub.nearest CASES.json --keep DIR [--every N]

DIR holds the hub that `bench.hub.selection` has built from the same cases. Every Nth question is
asked as somebody who may read all of it: in the eight repositories that are chosen for it and in
all. Prints the share of the 50 and of the 400 nearest that the index finds, mean and least, and
milliseconds by the clock: by the index, and by loading the vectors and comparing all of them.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.retrieval import cases
from satchel.hub import access, asking, creation, database, demo, nearest, selection
from satchel.hub.database import Hub, rows
from satchel.hub.reading.file_table import Build
from satchel.hub.reading.pg_snapshot import PgSnapshot, builds
from satchel.store.sqlite import vectors
from satchel.store.vectors.table_encoder import TableEncoder
from satchel.workspace.vectors.mirror_answers import shares_of

_DEPTHS = (50, 400)
"""400 is how many the ranking asks for."""
_ENCODER = TableEncoder()


@dataclass
class Heard:
    """Over questions: recall by depth, and milliseconds of either way."""

    recall: dict[int, list[float]] = field(default_factory=dict)
    by_index: list[float] = field(default_factory=list)
    by_scan: list[float] = field(default_factory=list)


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask both ways and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--every", type=int, default=10)
    options = parser.parse_args(arguments)
    asked = [query.text for each in cases.load(options.cases) for query in each.queries]
    with demo.server(options.keep / "pg") as url:
        creation.init(url)
        with database.connected(url) as hub:
            access.grant(hub, "bob", "*")
            nearest.keep_index(hub, least=1)
            hub.execute("ANALYZE")
            [(n, size)] = rows(
                hub, "SELECT count(*), pg_relation_size('place_vectors_near') FROM place_vectors"
            )
            with database.reading(hub, access.role_of("bob")):
                found = builds(hub)
                print(f"{n:,} vectors of {len(found)} repositories, index {size / 1e6:,.0f} MB\n")
                print("| repositories | questions | recall@50 | recall@400 | index, ms | all, ms |")
                print("|--:|--:|--:|--:|--:|--:|")
                for limit in (asking.AT_ONCE, len(found)):
                    _print(limit, _heard(hub, found, asked[:: options.every], limit))
    return 0


def _heard(hub: Hub, found: Sequence[Build], asked: Sequence[str], limit: int) -> Heard:
    heard = Heard()
    for question in asked:
        wanted = _ENCODER.encode([question])[0]
        if not wanted.any():
            continue
        chosen = [each.build for each in selection.choose(hub, found, question, limit)]
        snapshot = PgSnapshot(hub, chosen, named=True)
        began = time.perf_counter()
        table = snapshot.vectors(_ENCODER, shares_of(_ENCODER))
        exact = vectors.nearest(table, wanted, _DEPTHS[-1])
        middle = time.perf_counter()
        index = nearest.index(hub)
        assert index is not None  # `keep_index` made it
        near = nearest.nearest(hub, index, snapshot.parts, _ENCODER.name, wanted, _DEPTHS[-1])
        heard.by_index.append((time.perf_counter() - middle) * 1e3)
        heard.by_scan.append((middle - began) * 1e3)
        for depth in _DEPTHS:
            names = [str(chunk) for chunk, _ in near]
            share = vectors.recall(names, [(str(c), score) for c, score in exact], depth)
            heard.recall.setdefault(depth, []).append(share)
    return heard


def _print(limit: int, heard: Heard) -> None:
    shares = " | ".join(
        f"{statistics.mean(found):.3f} (least {min(found):.2f})" for found in heard.recall.values()
    )
    print(
        f"| {limit} | {len(heard.by_index)} | {shares} | {statistics.median(heard.by_index):.0f} |"
        f" {statistics.median(heard.by_scan):.0f} |",
        flush=True,
    )


if __name__ == "__main__":
    raise SystemExit(main())
