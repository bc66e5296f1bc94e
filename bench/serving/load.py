"""The server under load, from cold, and under fire, each as one command.

    python -m bench.serving.load cold PATH              process start to first replies, indexed tree
    python -m bench.serving.load load PATH              50 clients over HTTP for a minute
    python -m bench.serving.load frames --n 100000      malformed frames over standard input, or
                                                   --over http (see bench.serving.fire)
    python -m bench.serving.load transcript PATH        one client, all tools, over stdio and HTTP

PATH is served as it is, so give a copy: its index lies in your cache folder.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import anyio
import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from bench.processes import SATCHEL, memory, processor_seconds
from bench.serving import fire
from tests.support.agent import Served, http_server, over_http, over_stdio
from tests.support.satchel import index
from tests.support.stdio_server import StdioServer

_QUESTIONS = (
    "how are errors reported to the caller",
    "parse the configuration file",
    "open a connection and retry",
    "where is the cache invalidated",
    "convert a value to text",
)
NAMES = ("get*", "parse", "close", "update*", "main", "render")
"""What is looked up."""


def main() -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(description="The server from cold, under load, under fire.")
    what = parser.add_subparsers(required=True, metavar="WHAT")
    for name, run in (("cold", _cold), ("load", _load), ("transcript", _transcript)):
        command = what.add_parser(name)
        command.add_argument("path", type=Path)
        command.add_argument("--clients", type=int, default=50)
        command.add_argument("--seconds", type=float, default=60.0)
        command.add_argument("--runs", type=int, default=5)
        command.set_defaults(run=run)
    fire.add(what.add_parser("frames"))
    args = parser.parse_args()
    args.run(args)


def _cold(args: argparse.Namespace) -> None:
    """Seconds from starting the process to its replies, by the clock and of the processors, and
    the memory that it holds then."""
    index(args.path).build_vectors(_ignore, _ignore)
    context = {"name": "context", "arguments": {"query": _QUESTIONS[0]}}
    search = {"name": "search", "arguments": {"query": _QUESTIONS[0]}}
    asked: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("tools/list", "tools/list", {}),
        ("first symbols", "tools/call", {"name": "symbols", "arguments": {"name": "main"}}),
        ("first search", "tools/call", search),
        ("first context", "tools/call", context),
        ("second context", "tools/call", context),
    )
    rows: dict[str, list[tuple[float, float, float]]] = {}
    for _ in range(args.runs):
        started = time.perf_counter()
        with StdioServer(args.path, command=SATCHEL) as server:

            def note(name: str) -> None:
                passed = time.perf_counter() - started  # noqa: B023
                pid = server.process.pid
                taken = (passed, processor_seconds(pid), memory(pid, ("Pss",)))
                rows.setdefault(name, []).append(taken)

            note("handshake")
            for name, method, params in asked:
                server.ask(method, params)
                note(name)
    print("| seconds since the start | median | worst | processor, median | worst | MB, worst |")
    print("|---|--:|--:|--:|--:|--:|")
    for name, taken in rows.items():
        *times, held = zip(*taken, strict=True)
        cells = [f"{pick(column):.2f}" for column in times for pick in (statistics.median, max)]
        print(f"| {name} | {' | '.join(cells)} | {max(held):.0f} |")


def _load(args: argparse.Namespace) -> None:
    """Clients that ask without a pause, each in a session of its own; latencies and failures."""
    index(args.path).build_vectors(_ignore, _ignore)
    latencies: dict[str, list[float]] = {}
    failures: Counter[str] = Counter()
    with http_server(args.path) as served:
        anyio.run(_crowd, served, args.clients, args.seconds, latencies, failures)
    every = sorted(second for seconds in latencies.values() for second in seconds)
    rate, failed = len(every) / args.seconds, sum(failures.values())
    print(
        f"{args.clients} clients, {args.seconds:.0f} s: {len(every):,} replies, {rate:.0f} a second"
    )
    print(f"{failed} failures")
    for failure, n in failures.most_common(5):
        print(f"  {n} x {failure}")
    print("| tool | replies | p50 ms | p90 | p99 | worst |\n|---|--:|--:|--:|--:|--:|")
    for tool, seconds in (*sorted(latencies.items()), ("all", every)):
        ordered = sorted(seconds)
        cells = " | ".join(f"{_quantile(ordered, q) * 1000:.0f}" for q in (0.5, 0.9, 0.99, 1.0))
        print(f"| {tool} | {len(ordered):,} | {cells} |")
    print("\n| answered within ms | replies |\n|--:|--:|")
    for bound, n in _histogram(every):
        print(f"| {bound:,} | {n:,} |")


async def _crowd(
    served: Served,
    n_clients: int,
    seconds: float,
    latencies: dict[str, list[float]],
    failures: Counter[str],
) -> None:
    async with anyio.create_task_group() as group:
        for number in range(n_clients):
            group.start_soon(_one, served, number, seconds, latencies, failures)


async def _one(
    served: Served,
    number: int,
    seconds: float,
    latencies: dict[str, list[float]],
    failures: Counter[str],
) -> None:
    random = Random(number)
    mode = "legacy" if number % 2 else "auto"
    async with httpx2.AsyncClient(headers=served.headers, timeout=120) as connection:
        transport = streamable_http_client(served.url, http_client=connection)
        async with Client(transport, mode=mode) as client:
            deadline = time.perf_counter() + seconds
            while time.perf_counter() < deadline:
                tool, arguments = call(random)
                started = time.perf_counter()
                try:
                    result = await client.call_tool(tool, arguments)
                    if result.is_error:
                        failures[f"{tool}: {result.content[0]}"] += 1
                except Exception as error:
                    failures[f"{tool}: {type(error).__name__} {error}"] += 1
                latencies.setdefault(tool, []).append(time.perf_counter() - started)


def call(random: Random) -> tuple[str, dict[str, object]]:
    """One of the questions of a client."""
    kind = random.randrange(4)
    if kind == 0:
        return "context", {"query": random.choice(_QUESTIONS), "budget_tokens": 1024}
    if kind == 1:
        return "search", {"query": random.choice(_QUESTIONS)}
    if kind == 2:
        return "symbols", {"name": random.choice(NAMES)}
    return "overview", {}


def _quantile(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def _histogram(ordered: Sequence[float]) -> list[tuple[int, int]]:
    """How many lie below each power of two of milliseconds and not below the one before."""
    buckets = Counter(1 << int(second * 1000).bit_length() for second in ordered)
    return sorted(buckets.items())


def _transcript(args: argparse.Namespace) -> None:
    """What a real client asks and hears about a real repository, as Markdown."""
    index(args.path).build_vectors(_ignore, _ignore)
    print("# What a client hears\n")
    print("A real client of the SDK asks a checkout of this project, first over standard input and")
    print("output, then over HTTP. Made by `python -m bench.serving.load transcript PATH`; long")
    print(f"replies are cut after {_SHOWN_LINES} lines, and say so.\n")
    print("## Over standard input and output\n")
    over_stdio(args.path, partial(_conversation, _DECISIONS[0]))
    print("\n## Over HTTP\n")
    with http_server(args.path) as served:
        over_http(served, partial(_conversation, _DECISIONS[1]), mode="legacy")


_CALLS: tuple[tuple[str, dict[str, object]], ...] = (
    ("context", {"query": "how does a pack stay within its token budget", "budget_tokens": 512}),
    ("search", {"query": "who may write the index", "max_results": 3}),
    ("symbols", {"name": "Project.snapshot"}),
    ("dependencies", {"symbol": "writer_lock", "direction": "callers", "depth": 1, "limit": 5}),
    ("changes", {"since": "HEAD~1", "limit": 5}),
    ("overview", {"scope": "mcp_server"}),
    ("remember", {}),
    ("recall", {"query": "what is decided about the server"}),
    ("revise", {"ids": ["ID"], "action": "reconsider", "reason": "teams serve many repositories"}),
    ("set_context", {"query": "change how a pack is rendered"}),
    ("context", {"query": "x", "budget_tokens": 10}),
)  # fmt: skip
_DECISIONS: tuple[dict[str, object], ...] = (
    {
        "kind": "decision",
        "summary": "Roots of the server come from configuration, never from a tool",
        "rationale": "an argument that names a folder reads any folder",
        "scope": "mcp_server/",
    },
    {
        "kind": "decision",
        "summary": "The server listens on the loopback address alone",
        "rationale": "a token in a file protects one user's machine, not a network",
        "scope": "mcp_server/transport/http.py",
    },
)
_SHOWN_LINES = 14
_WIDTH = 160
_ULID = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{26}\b")


async def _conversation(decision: dict[str, object], client: Client) -> None:
    about = client.server_info
    print(f"{about and about.name} {about and about.version}, protocol {client.protocol_version}\n")
    remembered = ""
    for tool, arguments in _CALLS:
        if tool == "remember":
            arguments = decision
        if tool == "revise":
            arguments = {**arguments, "ids": [remembered]}
        text = await _exchange(client.call_tool, tool, arguments)
        if tool == "remember":
            remembered = _ULID.findall(text)[0]


async def _exchange(
    call: Callable[..., Awaitable[object]], tool: str, arguments: dict[str, object]
) -> str:
    result = await call(tool, arguments)
    text: str = result.content[0].text  # type: ignore[attr-defined]
    lines = [line if len(line) <= _WIDTH else f"{line[:_WIDTH]}…" for line in text.splitlines()]
    more = [f"… {len(lines) - _SHOWN_LINES} more lines"] if len(lines) > _SHOWN_LINES else []
    said = json.dumps(arguments, ensure_ascii=False)
    print(f"`{tool}` `{said}`\n\n``````\n" + "\n".join([*lines[:_SHOWN_LINES], *more]))
    print("``````\n")
    return text


def _ignore(_done: int, _total: int) -> None:
    pass


if __name__ == "__main__":
    main()
