"""How long after a save a search finds it, while questions are asked.

A tree of `--files` Python files is served by two processes, `satchel serve` as an editor starts it:
one owns the index, one follows. This process is their client, and speaks MCP through their pipes.
`--askers` threads ask each of them without a pause. A file is saved with a function of a new name,
at random moments, and both servers are searched for that name at once and again until the reply
quotes it. The time of that search, and of reading its reply, is included.

Nothing is found that was not saved: the same search is made before each save and must not show it.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from random import Random

from bench.indexing.live_tree import grow
from bench.state import beside

_COMMAND = Path(sys.executable).with_name("satchel")
_QUESTIONS = (
    "how are connections closed when a request times out",
    "parse command line arguments",
    "where is the cache invalidated",
    "decode utf-8 with replacement characters",
    "class that schedules retries",
)
_GIVE_UP = 30.0
_EDGES_MS = (0, 25, 50, 75, 100, 150, 200, 250, 500, 1000, 5000, 30_000)
_ABOUT = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "latency", "version": "1"},
}


def main() -> None:
    """Measure, and print a histogram."""
    parser = argparse.ArgumentParser(prog="python -m bench.indexing.latency", description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--saves", type=int, default=200)
    parser.add_argument("--askers", type=int, default=1, help="who ask each server all the time")
    parser.add_argument("--tree", type=Path, help="where the tree is or will be (default: nowhere)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        _measure(options, options.tree or Path(folder) / "tree")


class _Client:
    """A server of our own, asked from any thread."""

    def __init__(self, root: Path) -> None:
        self._ids = itertools.count(1)
        self._sending = threading.Lock()
        self._replies: dict[int, Future[str]] = {}
        command = [str(_COMMAND), "serve", "--root", str(root)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, text=True, env={**os.environ, **beside(root)}
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._call("initialize", _ABOUT)
        self._send({"method": "notifications/initialized"})

    def __enter__(self) -> _Client:
        return self

    def __exit__(self, *_exc: object) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()
        self._reader.join()

    def search(self, query: str, **more: object) -> str:
        """What the server replies."""
        return self._call("tools/call", {"name": "search", "arguments": {"query": query, **more}})

    def _call(self, method: str, params: Mapping[str, object]) -> str:
        number, reply = next(self._ids), Future[str]()
        self._replies[number] = reply
        self._send({"id": number, "method": method, "params": params})
        return reply.result(120)

    def _send(self, message: Mapping[str, object]) -> None:
        assert self._process.stdin
        with self._sending:
            self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            message = json.loads(line)
            if message.get("id") in self._replies:
                content = message["result"].get("content", ())
                text = "\n".join(part["text"] for part in content)
                self._replies.pop(message["id"]).set_result(text)


def _measure(options: argparse.Namespace, tree: Path) -> None:
    files = grow(tree, options.files)
    command = [str(_COMMAND), "reindex", str(tree)]
    environment = {**os.environ, **beside(tree)}
    subprocess.run(command, check=True, capture_output=True, env=environment)
    done = threading.Event()
    asked: dict[str, list[float]] = {"owner": [], "follower": []}
    with ExitStack() as stack:
        servers = {name: stack.enter_context(_Client(tree)) for name in asked}
        threads = stack.enter_context(ThreadPoolExecutor(2 * options.askers + 2))
        stack.callback(done.set)
        for name, server in servers.items():
            for seed in range(options.askers):
                threads.submit(_ask, server, done, asked[name], seed)
        print(f"{len(files)} files, {options.saves} saves, {options.askers} ask each server")
        found = list(_save(servers, threads, tree, files, options.saves))
    for name, times in asked.items():
        print(f"{name}: {len(times)} questions, p50 {_share(times, 0.5):.0f} ms")
        _show(f"save to found by the {name}", [each[name] for each in found])


def _save(
    servers: dict[str, _Client],
    threads: ThreadPoolExecutor,
    tree: Path,
    files: list[Path],
    n_saves: int,
) -> Iterator[dict[str, float]]:
    """Milliseconds from each save until a search has found it, by server."""
    random, run = Random(5), time.time_ns()
    for number in range(n_saves):
        path, name = random.choice(files), f"probe_{run}_{number}"
        assert not any(_shows(server, name) for server in servers.values())
        text = path.read_text("utf-8", "replace")
        path.write_text(f"{text}\n\ndef {name}():\n    return {number}\n", encoding="utf-8")
        saved = time.perf_counter()
        times = {key: threads.submit(_find, each, name, saved) for key, each in servers.items()}
        yield {key: found.result() for key, found in times.items()}
        time.sleep(random.uniform(0, 0.3))


def _find(server: _Client, name: str, saved: float) -> float:
    while not _shows(server, name) and time.perf_counter() < saved + _GIVE_UP:
        time.sleep(0.002)
    return (time.perf_counter() - saved) * 1000


def _shows(server: _Client, name: str) -> bool:
    """Whether code that a search brings defines the name."""
    return f"def {name}():" in server.search(name, mode="full", max_results=5)


def _ask(server: _Client, done: threading.Event, asked: list[float], seed: int) -> None:
    random = Random(seed)
    while not done.is_set():
        started = time.perf_counter()
        server.search(random.choice(_QUESTIONS))
        asked.append((time.perf_counter() - started) * 1000)


def _show(what: str, latencies: list[float]) -> None:
    shares = ", ".join(f"p{p} {_share(latencies, p / 100):.0f} ms" for p in (50, 90, 95, 99))
    print(f"{what}: {shares}, worst {max(latencies):.0f} ms")
    for low, high in itertools.pairwise(_EDGES_MS):
        n = sum(low <= value < high for value in latencies)
        if n:
            print(f"{low:>6} to {high:>6} ms {n:>5} {'#' * round(60 * n / len(latencies))}")


def _share(values: list[float], share: float) -> float:
    """The value that `share` of all are at most."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


if __name__ == "__main__":
    main()
