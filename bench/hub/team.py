"""A small team to try things on: a hub of two repositories, its server's processes, raw calls."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import httpx2
import psutil

from bench.processes import SATCHEL, processor_seconds
from satchel.hub import access, creation, database, demo, repositories
from satchel.hub.building.build import BuildReport, BuildTask, build
from satchel.hub.database import Hub, rows

T = TypeVar("T")
PATIENCE_S = 240.0
CANARY = "only_in_closed"
"""A word of the repository `closed`, and of nothing else."""
_HEADERS = {"Accept": "application/json, text/event-stream"}


def new_database(server: str, name: str, template: str = "template1") -> str:
    """The address of a new database of a server, empty or a copy; one of that name is dropped."""
    with database.opened(server) as owner:
        owner.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())
        owner.execute(f"CREATE DATABASE {name} TEMPLATE {template}".encode())
    return address_of(server, name)


def address_of(server: str, name: str) -> str:
    """The address of a database of a server."""
    return server.replace("/postgres?", f"/{name}?")


@contextmanager
def hub_of_two() -> Iterator[tuple[str, Hub]]:
    """A PostgreSQL with the repositories `open` and `closed`; ann may read one, bob both."""
    with tempfile.TemporaryDirectory() as scratch, demo.server(None) as url:
        creation.init(url)
        with database.connected(url) as hub:
            build_two(url, hub, Path(scratch))
            yield url, hub


def build_two(url: str, hub: Hub, folder: Path) -> None:
    """Make the two repositories in a folder, build them, and let ann and bob read."""
    for name in ("open", "closed"):
        build_named(url, hub, folder, two_files(folder / name))
    access.grant(hub, "ann", "open")
    access.grant(hub, "bob", "*")


def two_files(root: Path) -> Path:
    """A tree with a file of its own and one that others have too."""
    root.mkdir(parents=True)
    body = f"def only_in_{root.name}():\n    return retry_with_jitter()\n"
    (root / "own.py").write_text(f"from shared import retry_with_jitter\n{body}", "utf-8")
    (root / "shared.py").write_text("def retry_with_jitter():\n    return 1\n", "utf-8")
    return root


def build_named(url: str, hub: Hub, scratch: Path, root: Path, name: str = "") -> None:
    """Add a tree to a hub and build it here. Raises: RuntimeError when that fails."""
    report = build_folder(url, hub, scratch / "scratch", root, name)
    if report.problem:
        raise RuntimeError(report.problem)


def build_folder(url: str, hub: Hub, scratch: Path, root: Path, name: str = "") -> BuildReport:
    """Add a tree to a hub and build it in this process, as a worker does."""
    name = name or root.name
    repositories.add(hub, [repositories.Source(name, str(root))])
    number = rows(hub, "SELECT id FROM repositories WHERE name = %s", (name,))[0][0]
    return build(BuildTask(url, number, name, str(root), str(scratch)), os.environ)


@contextmanager
def served(
    url: str, *options: str, satchel: Sequence[str] = SATCHEL
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The address of a server of a hub and its main process, which ends with this."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = (*satchel, "hub", "serve", url, "--port", str(port), *options)
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        until(lambda: listens(port) or process.poll() is not None)
        if process.poll() is not None:
            raise RuntimeError("the server did not start")
        yield f"http://127.0.0.1:{port}/mcp", process
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def spent(url: str, pid: int) -> float:
    """Processor seconds of a process, those it started, and the PostgreSQL of `url`, until now."""
    with database.opened(url) as owner:
        data = Path(str(rows(owner, "SHOW data_directory")[0][0]))
    postgres = psutil.Process(int((data / "postmaster.pid").read_text("utf-8").splitlines()[0]))
    parents = (postgres, psutil.Process(pid))
    every = {each.pid for parent in parents for each in (parent, *parent.children(recursive=True))}
    total = 0.0
    for each in every:
        # One that has ended counts with the process that waited for it.
        with suppress(FileNotFoundError):
            total += processor_seconds(each)
    return total


def listens(port: int) -> bool:
    """Whether somebody listens on a port of this machine."""
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def until(holds: Callable[[], T]) -> T:
    """What `holds` returns, as soon as that is something. Raises: TimeoutError."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        found = holds()
        if found:
            return found
        threading.Event().wait(0.1)
    raise TimeoutError


def message(tool: str, arguments: object) -> bytes:
    """A call of a tool as it goes over the wire."""
    params = {"name": tool, "arguments": arguments}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return json.dumps(call).encode()


def headers(token: str) -> dict[str, str]:
    """The headers of a call with a token."""
    return {**_HEADERS, "Content-Type": "application/json", "Authorization": f"Bearer {token}"}


def call(http: httpx2.Client, address: str, token: str, body: bytes) -> httpx2.Response:
    """One call, whatever its body."""
    return http.post(address, content=body, headers=headers(token))


def result_of(text: str) -> tuple[str, bool]:
    """The text of a tool's reply, and whether it is an error. Raises: ValueError."""
    data = next((line[6:] for line in text.splitlines() if line.startswith("data: ")), text)
    reply = json.loads(data)
    if "error" in reply:
        return str(reply["error"]["message"]), True
    result = reply["result"]
    said = "\n".join(str(part.get("text", "")) for part in result["content"])
    return said, bool(result.get("isError"))
