"""Answers by processes against answers by one interpreter, under the questions of many clients.

    python -m bench.serving.crowd PATH --workers 0 2 --runs 3 --seconds 20

The servers take turns, run by run. PATH is served as it is, with the state that the environment
names. Clients are as cheap as they can be, a connection and a few lines of JSON each, since they
share the processors with what is measured; half of them are of each era of the protocol. They begin
one after another within a second, or all at once with `--at-once`. What they use of the processors,
and how late their own loop is, stands beside what they measured.

Meanwhile a process of its own looks symbols up, over two connections, with a pause of 50 ms at the
mean: what a quick question waits for, read from a clock that the crowd does not hold up. A question
alone is timed before the crowd comes and after it has gone, since a machine that others use as well
changes in between. Memory is that of all processes together by their proportional shares (PSS), and
what each answering process has for itself (USS), which is what one more costs; both as Linux counts
them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import socket
import statistics
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from bench import processes, state
from bench.processes import SATCHEL, family, memory, processor_seconds
from bench.serving.load import NAMES, call

_PATIENCE_S = 120.0
_WARM_S = 5.0
_ALONE = 40
_BEGIN_S = 1.0
"""Within which the clients of a crowd begin."""
_LOOKING_UP = 2
_PAUSE_S = 0.05
_LAG_S = 0.005
_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "crowd", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
_LEGACY = "2025-11-25"
_ALL = "all"


@dataclass(slots=True)
class Measured:
    """What one run saw: seconds by tool, failures, and memory in MB."""

    alone: list[float] = field(default_factory=list)
    latencies: dict[str, list[float]] = field(default_factory=dict)
    looked_up: list[float] = field(default_factory=list)
    """Of the symbols that another process asked for meanwhile."""
    failures: int = 0
    clients: float = 0.0
    """Processors that the clients used."""
    lags: list[float] = field(default_factory=list)
    """How late the loop of the clients was."""
    rate: float = 0.0
    processor: float = 0.0
    """Seconds of the server's processes for one answer."""
    memory: float = 0.0
    own: list[float] = field(default_factory=list)


def main() -> None:
    """Run what the command line names, and print a table."""
    parser = argparse.ArgumentParser(description="Answers by processes and by one interpreter.")
    parser.add_argument("path", type=Path)
    parser.add_argument("--workers", type=int, nargs="+", default=[0, 2])
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--at-once", action="store_true", help="clients begin at one instant")
    args = parser.parse_args()
    found: dict[int, list[Measured]] = {workers: [] for workers in args.workers}
    for _ in range(args.runs):
        for workers in args.workers:
            crowd = _Crowd(args.clients, args.seconds, 0.0 if args.at_once else _BEGIN_S)
            found[workers].append(_run(args.path, workers, crowd))
    n_cores = os.cpu_count()
    load = processes.load()
    print(f"{args.clients} clients, {args.seconds:.0f} s, {n_cores} cores, load {load:.1f}")
    print(
        "| processes | answers a second | alone, mean ms | all p50 | p95 | x alone x clients / "
        "cores | symbols p50 | p95 | looked up beside: p50 | p95 | context p95 | "
        "processor ms an answer | MB of all | of one more process | failed | "
        "processors of the clients | their lag, p95 ms |"
    )
    print("|--:|" + "--:|" * 16)
    for workers, runs in found.items():
        print(_row(workers, runs, args.clients / n_cores))


def _row(workers: int, runs: Sequence[Measured], share: float) -> str:
    def middle(values: Sequence[float], digits: int = 0) -> str:
        return f"{statistics.median(values):,.{digits}f}" if values else "–"

    def quantiles(tool: str, quantile: float) -> list[float]:
        return [1000 * _quantile(run.latencies.get(tool, []), quantile) for run in runs]

    alone = [1000 * statistics.mean(run.alone) for run in runs]
    p95 = quantiles(_ALL, 0.95)
    cells = (
        str(workers), middle([run.rate for run in runs]), middle(alone, 1),
        middle(quantiles(_ALL, 0.5)), middle(p95),
        middle([one / (single * share) for one, single in zip(p95, alone, strict=True)], 2),
        middle(quantiles("symbols", 0.5)), middle(quantiles("symbols", 0.95)),
        *(middle([1000 * _quantile(run.looked_up, q) for run in runs]) for q in (0.5, 0.95)),
        middle(quantiles("context", 0.95)), middle([1000 * run.processor for run in runs], 1),
        middle([run.memory for run in runs]), middle([mb for run in runs for mb in run.own]),
        str(sum(run.failures for run in runs)),
        middle([run.clients for run in runs], 2),
        middle([1000 * _quantile(run.lags, 0.95) for run in runs]),
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


@dataclass(frozen=True, slots=True)
class _Crowd:
    """Clients that ask for so many seconds, each without a pause; they begin within `begin`."""

    n_clients: int
    seconds: float
    begin: float


def _run(path: Path, workers: int, crowd: _Crowd) -> Measured:
    measured = Measured()
    with _server(path, workers) as (port, token, process):
        asyncio.run(_ask(port, token, process.pid, crowd, measured))
        every = family(process.pid)
        measured.memory = sum(memory(pid, ("Pss",)) for pid in every)
        measured.own = [
            memory(pid, ("Private_Clean", "Private_Dirty"))
            for pid in every
            if _parent(pid) in every and _is_template(_parent(pid))
        ]
    return measured


@contextmanager
def _server(path: Path, workers: int) -> Iterator[tuple[int, str, subprocess.Popen[bytes]]]:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    flags = ["--workers", str(workers)]
    process = subprocess.Popen(
        [*SATCHEL, "serve", "--root", str(path), "--http", str(port), *flags],
        stderr=subprocess.DEVNULL,
        # Linux shares processors out among sessions, and real clients are not in the server's.
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                if time.monotonic() > deadline or process.poll() is not None:
                    raise
                time.sleep(0.05)
        token = (state.state_folders(path, os.environ).index / "token").read_text("ascii").strip()
        yield port, token, process
    finally:
        process.terminate()
        process.wait(_PATIENCE_S)


async def _ask(port: int, token: str, pid: int, crowd: _Crowd, measured: Measured) -> None:
    async def opened(count: int) -> list[_Connection]:
        # Each just before its first question: one that is idle for five seconds is closed.
        return [await _Connection.opened(port, token, n % 2 == 1) for n in range(count)]

    async def alone() -> None:
        random, [single] = Random(0), await opened(1)
        for _ in range(_ALONE):
            started = time.perf_counter()
            await single.call(*call(random))
            measured.alone.append(time.perf_counter() - started)

    await _asked(await opened(4), _Crowd(4, _WARM_S, 0.0), Measured())
    await alone()
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawn) as others:
        others.submit(os.getpid).result()  # its start is not to be measured
        used, own, began = _used(pid), time.process_time(), time.perf_counter()
        looking = others.submit(_look_up, port, token, crowd.seconds)
        await _asked(await opened(crowd.n_clients), crowd, measured)
        n_answers = len(measured.latencies[_ALL])
        measured.looked_up = await asyncio.wrap_future(looking)
        measured.clients = (time.process_time() - own) / (time.perf_counter() - began)
    measured.rate = n_answers / crowd.seconds
    measured.processor = (_used(pid) - used) / (n_answers + len(measured.looked_up))
    await alone()


async def _asked(connections: Sequence[_Connection], crowd: _Crowd, measured: Measured) -> None:
    began = time.perf_counter()
    deadline = began + crowd.seconds

    async def one(number: int, connection: _Connection) -> None:
        random = Random(number)
        await asyncio.sleep(crowd.begin * number / crowd.n_clients)
        while time.perf_counter() < deadline:
            tool, arguments = call(random)
            started = time.perf_counter()
            measured.failures += not await connection.call(tool, arguments)
            taken = time.perf_counter() - started
            for name in (tool, _ALL):
                measured.latencies.setdefault(name, []).append(taken)

    async def late() -> None:
        while time.perf_counter() < deadline:
            due = time.perf_counter() + _LAG_S
            await asyncio.sleep(_LAG_S)
            measured.lags.append(time.perf_counter() - due)

    await asyncio.gather(late(), *(one(*each) for each in enumerate(connections)))


def _look_up(port: int, token: str, seconds: float) -> list[float]:
    """How long symbols took that were looked up for so many seconds, in a process of its own."""
    return asyncio.run(_looked_up(port, token, seconds))


async def _looked_up(port: int, token: str, seconds: float) -> list[float]:
    taken: list[float] = []
    deadline = time.perf_counter() + seconds

    async def one(number: int) -> None:
        random = Random(number)
        connection = await _Connection.opened(port, token, number % 2 == 1)
        while time.perf_counter() < deadline:
            await asyncio.sleep(2 * _PAUSE_S * random.random())
            started = time.perf_counter()
            await connection.call("symbols", {"name": random.choice(NAMES)})
            taken.append(time.perf_counter() - started)

    await asyncio.gather(*map(one, range(_LOOKING_UP)))
    return taken


class _Connection:
    """A client on one connection, of either era."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, head: str, is_legacy: bool
    ) -> None:
        self._reader, self._writer, self._head = reader, writer, head
        self._is_legacy = is_legacy
        self._session = ""
        self._number = 0

    @classmethod
    async def opened(cls, port: int, token: str, is_legacy: bool) -> _Connection:
        """A client that has shaken hands."""
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
            "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n"
        )
        made = cls(reader, writer, head, is_legacy)
        if is_legacy:
            about = {"name": "crowd", "version": "1"}
            said = {"protocolVersion": _LEGACY, "capabilities": {}, "clientInfo": about}
            headers, _ = await made._request("initialize", said, "")
            session = f"mcp-session-id: {headers['mcp-session-id']}\r\n"
            made._session = f"{session}mcp-protocol-version: {_LEGACY}\r\n"
            await made._request("notifications/initialized", None, made._session)
        return made

    async def call(self, tool: str, arguments: Mapping[str, object]) -> bool:
        """Whether a tool answered without an error."""
        params: dict[str, Any] = {"name": tool, "arguments": arguments}
        said = self._session
        if not self._is_legacy:
            params["_meta"] = _META
            said = (
                "mcp-protocol-version: 2026-07-28\r\n"
                f"mcp-method: tools/call\r\nmcp-name: {tool}\r\n"
            )
        _, body = await self._request("tools/call", params, said)
        reply = json.loads(body[body.index(b"{") :].splitlines()[0])
        return "result" in reply and not reply["result"].get("isError")

    async def _request(
        self, method: str, params: object, headers: str
    ) -> tuple[dict[str, str], bytes]:
        asked: dict[str, object] = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            self._number += 1
            asked |= {"id": self._number, "params": params}
        body = json.dumps(asked).encode()
        head = f"{self._head}{headers}Content-Length: {len(body)}\r\n\r\n"
        self._writer.write(head.encode() + body)
        lines = (await self._reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[1:-2]
        found = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        if "chunked" not in found.get("transfer-encoding", ""):
            return found, await self._reader.readexactly(int(found.get("content-length", 0)))
        pieces = []
        while size := int(await self._reader.readuntil(b"\r\n"), 16):
            pieces.append(await self._reader.readexactly(size))
            await self._reader.readexactly(2)
        await self._reader.readexactly(2)
        return found, b"".join(pieces)


def _parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def _is_template(pid: int) -> bool:
    """Whether it forks those that answer; they have its command line and are below it."""
    return b"answering.fork_server" in Path(f"/proc/{pid}/cmdline").read_bytes()


def _used(pid: int) -> float:
    """Seconds of the processors that a process and all below it have used, those that ended too."""
    return sum(processor_seconds(each) for each in family(pid))


def _quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


if __name__ == "__main__":
    main()
