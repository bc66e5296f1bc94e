"""How do answers of a hub slow down with the number of its repositories?

python -m bench.hub.growth CASES.json --keep DIR [--sizes N …] [--questions N]

DIR holds the hub that `bench.hub.selection` has built from the same cases; a copy of its database
is grown. More repositories than were built are copies: rows of a build under other names, whose
contents are shared as vendored code is. Fewer are grants: the table stays, and the person may read
so many. One client asks a server over HTTP, question after question. Prints milliseconds a reply,
over all repositories and over one, by the clock and by the processor (server and PostgreSQL
together), MB of the server, and MB in PostgreSQL.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx2
import psutil

from bench.hub.team import PATIENCE_S, call, message, new_database, result_of, served, spent
from bench.retrieval import cases
from satchel.hub import access, creation, database, demo, repositories
from satchel.hub.database import Hub, rows

_TABLES = ("files", "skipped", "edges", "postings", "field_lengths", "packages")
"""Those whose rows belong to a build."""


@dataclass(frozen=True)
class Taken:
    """Milliseconds a reply: middle and 95th of a hundred by the clock, mean by the processor."""

    p50: float
    p95: float
    processor: float

    def __str__(self) -> str:
        return f"{self.p50:.0f} / {self.p95:.0f} / {self.processor:.0f}"


def grow(hub: Hub, n: int) -> None:
    """Copy builds until the hub has `n` repositories, in turn and by name."""
    listed = [each.name for each in repositories.repositories(hub) if each.built]
    originals = [name for name in listed if "-copy-" not in name]
    for number in range(len(listed), n):
        original = originals[number % len(originals)]
        _copy(hub, original, f"{original}-copy-{number // len(originals)}")
    hub.execute("ANALYZE")


def _copy(hub: Hub, original: str, name: str) -> None:
    with hub.transaction():
        [(number,)] = rows(
            hub, "INSERT INTO repositories (name) VALUES (%s) RETURNING id", (name,)
        )  # fmt: skip
        hub.execute("INSERT INTO sources VALUES (%s, 'copy')", (number,))
        [(build,)] = rows(hub, "SELECT build_id FROM repositories WHERE name = %s", (original,))
        names = _columns(hub, "builds", ("id", "repository_id"))
        [(made,)] = rows(
            hub,
            f"INSERT INTO builds (repository_id, {names}) SELECT %s, {names} FROM builds"
            " WHERE id = %s RETURNING id",
            (number, build),
        )
        for table in _TABLES:
            names = _columns(hub, table, ("build_id",))
            sql = f"INSERT INTO {table} (build_id, {names}) SELECT %s, {names} FROM {table}"
            hub.execute(f"{sql} WHERE build_id = %s".encode(), (made, build))
        hub.execute("UPDATE repositories SET build_id = %s WHERE id = %s", (made, number))


def _columns(hub: Hub, table: str, without: Sequence[str]) -> str:
    sql = (
        "SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute"
        " WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped"
        " AND attname <> ALL (%s::text[])"
    )
    return str(rows(hub, sql, (f"satchel.{table}", list(without)))[0][0])


def reader(hub: Hub, n: int) -> str:
    """A token of somebody who may read `n` repositories, or all where there are no more."""
    listed = [each.name for each in repositories.repositories(hub) if each.built]
    for glob in listed[:n] if n < len(listed) else ["*"]:
        access.grant(hub, f"reads-{n}", glob)
    return access.new_token(hub, f"reads-{n}", 1, calls_a_minute=100_000)


def measure(
    url: str, address: str, server: int, token: str, calls: Sequence[tuple[str, dict[str, object]]]
) -> Taken:
    """What calls take, one after the other. Raises: RuntimeError where one fails."""
    before = spent(url, server)
    ms: list[float] = []
    with httpx2.Client(timeout=PATIENCE_S) as http:
        for tool, arguments in calls:
            began = time.perf_counter()
            text, is_error = result_of(call(http, address, token, message(tool, arguments)).text)
            ms.append((time.perf_counter() - began) * 1e3)
            if is_error:
                raise RuntimeError(text)
    taken = spent(url, server) - before
    p95 = statistics.quantiles(ms, n=20)[-1] if len(ms) > 1 else ms[0]
    return Taken(statistics.median(ms), p95, taken / len(ms) * 1e3)


def main(arguments: Sequence[str] | None = None) -> int:
    """Grow, ask and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1, 10, 30, 100, 300])
    parser.add_argument("--questions", type=int, default=40)
    options = parser.parse_args(arguments)
    asked = [query.text for each in cases.load(options.cases) for query in each.queries]
    asked = asked[:: max(1, len(asked) // options.questions)][: options.questions]
    with demo.server(options.keep / "pg") as kept:
        url = new_database(kept, "growth", "postgres")
        creation.init(url)
        with database.connected(url) as hub:
            _print_sizes(hub, url, options.sizes, asked)
    return 0


def _print_sizes(hub: Hub, url: str, sizes: Sequence[int], asked: Sequence[str]) -> None:
    one = next(each.name for each in repositories.repositories(hub) if each.built)
    print("Milliseconds: p50 / p95 by the clock / mean by the processor.\n")
    print("| repositories | lines | MB in PostgreSQL | search, all | context, all | search, one |"
          " context, one | MB of the server |\n|--:|--:|--:|--:|--:|--:|--:|--:|")  # fmt: skip
    for n in sorted(sizes):
        grow(hub, n)
        token = reader(hub, n)
        lines = rows(hub, "SELECT sum(n_lines)::bigint FROM builds")[0][0]
        size = repositories.sizes(hub)[1] / 1e6
        with served(url) as (address, process):
            cells = []
            for pattern in ("*", one):
                for tool, more in (("search", {}), ("context", {"budget_tokens": 2048})):
                    calls = [(tool, {"query": q, "repositories": pattern, **more}) for q in asked]
                    measure(url, address, process.pid, token, calls[:2])  # what is loaded once
                    cells.append(str(measure(url, address, process.pid, token, calls)))
            held = psutil.Process(process.pid).memory_full_info().uss / 1e6
        print(f"| {n} | {lines:,} | {size:,.0f} | {' | '.join(cells)} | {held:.0f} |", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
