"""Answers by processes against answers by one interpreter, under the questions of many clients.

    python -m bench.serving.crowd PATH --workers 0 2 --runs 3 --seconds 20

The servers take turns, run by run. PATH is served as it is, with the state that the environment
names. Clients are as cheap as they can be, a connection and a few lines of JSON each, since they
share the processors with what is measured; half of them are of each era of the protocol. Memory is
that of all processes together by their proportional shares (PSS), and what each answering process
has for itself (USS), which is what one more costs; both as Linux counts them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import statistics
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from bench import processes, state
from bench.processes import SATCHEL, family, memory, processor_seconds
from bench.serving.load import call

_PATIENCE_S = 120.0
_WARM_S = 5.0
_ALONE = 40
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
    failures: int = 0
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
    args = parser.parse_args()
    found: dict[int, list[Measured]] = {workers: [] for workers in args.workers}
    for _ in range(args.runs):
        for workers in args.workers:
            found[workers].append(_run(args.path, workers, args.clients, args.seconds))
    n_cores = os.cpu_count()
    load = processes.load()
    print(f"{args.clients} clients, {args.seconds:.0f} s, {n_cores} cores, load {load:.1f}")
    print(
        "| processes | answers a second | alone, mean ms | all p50 | p95 | x alone x clients / "
        "cores | symbols p50 | p95 | context p95 | "
        "processor ms an answer | MB of all | of one more process | failed |"
    )
    print("|--:|" + "--:|" * 12)
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
        middle(quantiles("context", 0.95)), middle([1000 * run.processor for run in runs], 1),
        middle([run.memory for run in runs]), middle([mb for run in runs for mb in run.own]),
        str(sum(run.failures for run in runs)),
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


def _run(path: Path, workers: int, n_clients: int, seconds: float) -> Measured:
    measured = Measured()
    with _server(path, workers) as (port, token, process):
        asyncio.run(_ask(port, token, process.pid, n_clients, seconds, measured))
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
    # A server from before there were processes knows no such flag.
    flags = ["--workers", str(workers)] if workers else []
    process = subprocess.Popen(
        [*SATCHEL, "serve", "--root", str(path), "--http", str(port), *flags],
        stderr=subprocess.DEVNULL,
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
        token = (state.places(path, os.environ).index / "token").read_text("ascii").strip()
        yield port, token, process
    finally:
        process.terminate()
        process.wait(_PATIENCE_S)


async def _ask(
    port: int, token: str, pid: int, n_clients: int, seconds: float, measured: Measured
) -> None:
    async def opened(count: int) -> list[_Connection]:
        # Each just before its first question: one that is idle for five seconds is closed.
        return [await _Connection.opened(port, token, n % 2 == 1) for n in range(count)]

    await _crowd(await opened(4), _WARM_S, Measured())
    random, [single] = Random(0), await opened(1)
    for _ in range(_ALONE):
        started = time.perf_counter()
        await single.call(*call(random))
        measured.alone.append(time.perf_counter() - started)
    used = _used(pid)
    await _crowd(await opened(n_clients), seconds, measured)
    n_answers = len(measured.latencies[_ALL])
    measured.rate = n_answers / seconds
    measured.processor = (_used(pid) - used) / n_answers


async def _crowd(connections: Sequence[_Connection], seconds: float, measured: Measured) -> None:
    deadline = time.perf_counter() + seconds

    async def one(number: int, connection: _Connection) -> None:
        random = Random(number)
        while time.perf_counter() < deadline:
            tool, arguments = call(random)
            started = time.perf_counter()
            measured.failures += not await connection.call(tool, arguments)
            taken = time.perf_counter() - started
            for name in (tool, _ALL):
                measured.latencies.setdefault(name, []).append(taken)

    await asyncio.gather(*(one(*each) for each in enumerate(connections)))


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
    return b"answering.template" in Path(f"/proc/{pid}/cmdline").read_bytes()


def _used(pid: int) -> float:
    """Seconds of the processors that a process and all below it have used, those that ended too."""
    return sum(processor_seconds(each) for each in family(pid))


def _quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


if __name__ == "__main__":
    main()
