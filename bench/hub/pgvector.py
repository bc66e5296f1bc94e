"""Would pgvector's HNSW answer for a hub's vectors, instead of comparing them exactly?

python -m bench.hub.pgvector CASES.json --keep DIR [--questions N]

DIR holds the hub that `bench.hub.selection` has built. Its vectors, as ranking compares them, are
put into a table of halfvec beside the number of their repository, with an HNSW index. Prints what
the index takes, and for each question's ten nearest chunks: recall against the exact comparison and
milliseconds, over all repositories and over the eight that answer (iterative scan on), beside what
the exact comparison takes with its vectors read from PostgreSQL.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench.retrieval import cases
from satchel.hub import asking, database, demo, selection
from satchel.hub.database import Hub, rows
from satchel.hub.reading.pg_snapshot import PgSnapshot, builds
from satchel.store.vectors.table_encoder import TableEncoder
from satchel.workspace.vectors.mirror_answers import shares_of

_NEAREST = 10
_ENCODER = TableEncoder()
Matrix = npt.NDArray[np.float32]
Found = list[tuple[int, int]]
"""Repositories and numbers of chunks, nearest first."""


def fill(hub: Hub) -> tuple[int, float, float]:
    """Make the table and its index; returns rows, seconds of the index, and MB of it."""
    hub.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
    hub.execute("SET search_path = satchel, public, pg_temp")
    hub.execute("CREATE TABLE near (build bigint, chunk bigint, made public.halfvec)")
    n_rows = 0
    with hub.cursor() as cursor, cursor.copy("COPY near FROM STDIN") as writer:
        for build in builds(hub):
            table = PgSnapshot(hub, [build]).vectors(_ENCODER, shares_of(_ENCODER))
            for chunk, row in zip(table.ids.tolist(), table.matrix, strict=True):
                n_rows += 1
                writer.write_row((build.id, chunk, _text(row)))
    [(width,)] = rows(hub, "SELECT public.vector_dims(made) FROM near LIMIT 1")
    hub.execute(f"ALTER TABLE near ALTER made TYPE public.halfvec({width})".encode())
    hub.execute("SET maintenance_work_mem = '512MB'")
    began = time.perf_counter()
    hub.execute("CREATE INDEX near_made ON near USING hnsw (made public.halfvec_cosine_ops)")
    seconds = time.perf_counter() - began
    [(size,)] = rows(hub, "SELECT pg_relation_size('near_made')")
    return n_rows, seconds, size / 1e6


def _text(row: Matrix) -> str:
    return "[" + ",".join(f"{value:.5g}" for value in row.tolist()) + "]"


def nearest(hub: Hub, vector: Matrix, chosen: Sequence[int], *, exact: bool) -> Found:
    """The ten nearest by pgvector, among some builds or, with none, among all."""
    among = "WHERE build = ANY (%(chosen)s)" if chosen else ""
    with hub.transaction():
        hub.execute(f"SET LOCAL enable_indexscan = {'off' if exact else 'on'}".encode())
        hub.execute("SET LOCAL hnsw.iterative_scan = strict_order")
        sql = f"SELECT build, chunk FROM near {among} ORDER BY made <=> %(asked)s::public.halfvec"
        values = {"chosen": list(chosen), "asked": _text(vector)}
        found = rows(hub, f"{sql} LIMIT {_NEAREST}", values)
    return [(build, chunk) for build, chunk in found]


def main(arguments: Sequence[str] | None = None) -> int:
    """Fill, ask and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=60)
    options = parser.parse_args(arguments)
    asked = [query.text for each in cases.load(options.cases) for query in each.queries]
    asked = asked[:: max(1, len(asked) // options.questions)][: options.questions]
    with demo.server(options.keep / "pg") as kept:
        with database.opened(kept) as owner:
            owner.execute("DROP DATABASE IF EXISTS near WITH (FORCE)")
            owner.execute("CREATE DATABASE near TEMPLATE postgres")
        url = kept.replace("/postgres?", "/near?")
        database.init(url)
        with database.connected(url) as hub:
            n_rows, seconds, size = fill(hub)
            print(f"{n_rows:,} vectors; HNSW: {seconds:.1f} s, {size:.1f} MB")
            _compare(hub, asked)
        with database.opened(kept) as owner:
            owner.execute("DROP DATABASE near WITH (FORCE)")
    return 0


def _compare(hub: Hub, asked: Sequence[str]) -> None:
    every = builds(hub)
    ms: dict[str, list[float]] = {name: [] for name in ("exact", "all", "chosen", "read")}
    recalls: dict[str, list[float]] = {"all": [], "chosen": []}
    for text in asked:
        vector = _ENCODER.encode([text])[0]
        ranked = selection.choose(hub, every, text, asking.AT_ONCE)
        ids = [each.build.id for each in ranked]
        began = time.perf_counter()
        snapshot = PgSnapshot(hub, [each.build for each in ranked])
        table = snapshot.vectors(_ENCODER, shares_of(_ENCODER))
        ms["read"].append((time.perf_counter() - began) * 1e3)
        began = time.perf_counter()
        np.argpartition(table.matrix @ vector, -_NEAREST)
        ms["exact"].append((time.perf_counter() - began) * 1e3)
        for name, among in (("all", list[int]()), ("chosen", ids)):
            truth = nearest(hub, vector, among, exact=True)
            began = time.perf_counter()
            found = nearest(hub, vector, among, exact=False)
            ms[name].append((time.perf_counter() - began) * 1e3)
            recalls[name].append(len(set(truth) & set(found)) / max(1, len(truth)))
    for name, said in (("all", "HNSW over all"), ("chosen", "HNSW over the eight that answer")):
        print(f"{said}: recall@{_NEAREST} {statistics.mean(recalls[name]):.3f},"
              f" p50 {statistics.median(ms[name]):.1f} ms")  # fmt: skip
    print(f"exact over the eight: p50 {statistics.median(ms['exact']):.1f} ms, and"
          f" {statistics.median(ms['read']):.0f} ms to read files and vectors")  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
