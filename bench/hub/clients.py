"""What do many clients at once get from a hub's server: figures, and failures.

python -m bench.hub.clients [--clients N] [--seconds S] [--servers N] [--keep DIR]

Each client has its own connection and one of twenty tokens, and asks search, context, symbols and
dependencies in turn, one after the other, for so many seconds. With --keep the hub of DIR is asked
that `bench.hub.selection` has built, else one of two small repositories. Prints replies, replies a
second, milliseconds of the processor (server and PostgreSQL) and of the clock a reply, memory of
the processes, how often a client was told to come again, and every kind of failure; exit 1 if
there was one. A client that is told to come again does so when it was told to.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen

import anyio
import httpx2
import psutil

from bench.hub.team import PATIENCE_S, headers, hub_of_two, message, result_of, served, spent
from bench.nothing import require
from satchel.hub import access, creation, database, demo
from satchel.hub.database import Hub

_TOKENS = 20
ASKED = (
    ("search", {"query": "retry with jitter"}),
    ("context", {"query": "where are requests retried", "budget_tokens": 1024}),
    ("symbols", {"name": "retry_with_jitter"}),
    ("dependencies", {"name": "retry_with_jitter"}),
)


@dataclass
class Heard:
    """Milliseconds of good replies by tool, and how often each kind of failure came.

    `n_put_off` counts replies that said when to come again; the wait belongs to the good reply.
    """

    ms: dict[str, list[float]] = field(default_factory=dict)
    n_put_off: int = 0
    failures: Counter[str] = field(default_factory=Counter)

    @property
    def n_good(self) -> int:
        """How many replies were good."""
        return sum(len(each) for each in self.ms.values())


def tokens(hub: Hub) -> list[str]:
    """Tokens of bob, who may read everything, without a limit of calls."""
    access.grant(hub, "bob", "*")
    return [access.new_token(hub, "bob", 1, calls_a_minute=100_000) for _ in range(_TOKENS)]


def ask(address: str, known: Sequence[str], n_clients: int, seconds: float, least: int) -> Heard:
    """What the clients hear in so many seconds; each asks `least` times whatever that takes."""
    heard = Heard()

    async def client(number: int, end: float) -> None:
        async with httpx2.AsyncClient(timeout=PATIENCE_S) as http:
            turn = number
            while time.monotonic() < end or turn < number + least:
                tool, arguments = ASKED[turn % len(ASKED)]
                turn += 1
                body, token = message(tool, arguments), known[number % len(known)]
                began = time.monotonic()
                why = await _asked(http, address, token, body, heard)
                if why:
                    heard.failures[f"{tool}: {why}"] += 1
                else:
                    heard.ms.setdefault(tool, []).append((time.monotonic() - began) * 1e3)

    async def main() -> None:
        end = time.monotonic() + seconds
        async with anyio.create_task_group() as group:
            for number in range(n_clients):
                group.start_soon(client, number, end)

    anyio.run(main)
    return heard


async def _asked(
    http: httpx2.AsyncClient, address: str, token: str, body: bytes, heard: Heard
) -> str:
    """Why a call failed, "" where it did not."""
    deadline = time.monotonic() + PATIENCE_S
    try:
        while True:
            reply = await http.post(address, content=body, headers=headers(token))
            again = reply.headers.get("Retry-After")
            if again is None or time.monotonic() > deadline:
                break
            heard.n_put_off += 1
            await anyio.sleep(float(again))
        text, is_error = result_of(reply.text) if reply.status_code == 200 else (reply.text, True)
    except (httpx2.HTTPError, ValueError) as error:
        return type(error).__name__
    return f"{reply.status_code} {text[:120]}" if is_error else ""


def memory(process: Popen[bytes]) -> list[float]:
    """MB that each process of a server holds for itself."""
    return sorted(
        each.memory_full_info().uss / 1e6
        for each in psutil.Process(process.pid).children()
        if "spawn_main" in " ".join(each.cmdline())
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--servers", type=int, default=4)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args(arguments)
    with ExitStack() as stack:
        if options.keep:
            url = stack.enter_context(demo.server(options.keep / "pg"))
            creation.init(url)
            hub = stack.enter_context(database.connected(url))
        else:
            url, hub = stack.enter_context(hub_of_two())
        address, process = stack.enter_context(served(url, "--workers", str(options.servers)))
        known = tokens(hub)
        until_now = spent(url, process.pid)
        began = time.monotonic()
        heard = ask(address, known, options.clients, options.seconds, 1)
        seconds = time.monotonic() - began
        processor = spent(url, process.pid) - until_now
        held = memory(process)
    require(heard.n_good + sum(heard.failures.values()), "reply")
    print(f"{options.clients} clients, {options.servers} processes, {seconds:.0f} s:"
          f" {heard.n_good:,} replies, {heard.n_good / seconds:.1f} a second,"
          f" {heard.n_put_off} put off, {sum(heard.failures.values())} failures;"
          f" {processor / max(1, heard.n_good) * 1e3:.0f} ms of the processor a reply;"
          f" MB a process {', '.join(f'{mb:.0f}' for mb in held)}")  # fmt: skip
    print("\n| tool | replies | p50 ms | p95 ms |\n|---|--:|--:|--:|")
    for tool, ms in sorted(heard.ms.items()):
        p95 = statistics.quantiles(ms, n=20)[-1] if len(ms) > 1 else ms[0]
        print(f"| {tool} | {len(ms):,} | {statistics.median(ms):.0f} | {p95:.0f} |")
    for why, count in heard.failures.most_common():
        print(f"FAILED {count} times: {why}")
    return int(bool(heard.failures))


if __name__ == "__main__":
    raise SystemExit(main())
