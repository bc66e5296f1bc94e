"""The command in a process that has loaded it already: most of a short command is its imports.

A server imports what commands use, then forks for each run, with the caller's working folder,
environment and streams. What happens from `main()` on is what happens in a process of its own.
Tests of how the command starts do start it (`tests.support.satchel.started`).
"""

from __future__ import annotations

import json
import os
import pkgutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path

from tests.support import fork_server, warm_workers
from tests.support.fork_server import ForkServer, receive, send, serve, unix_socket

_LOADED = ("cli", "store", "workspace", "indexer", "assembler", "knowledge", "validation")
_NOT_LOADED = ("chroma", "mirror", "worker", "table_encoder")
"""What the command itself loads only where a setting asks for it, or in processes of its own."""


class Server(ForkServer):
    """Runs commands; ends with the process that made it."""

    def __init__(self) -> None:
        super().__init__(__name__)

    def run(
        self, words: Sequence[str], cwd: Path, environment: Mapping[str, str], stdin: bytes,
        seconds: float, workers: str = "",
    ) -> subprocess.CompletedProcess[bytes]:  # fmt: skip
        """As `subprocess.run` does; `workers` is the place of a server of `warm_workers`.

        Raises:
            subprocess.TimeoutExpired: it ran for longer than `seconds` and was killed.
        """
        with (
            unix_socket() as asked,
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
        ):
            given.write(stdin)
            given.seek(0)
            asked.connect(self.place)
            send(asked, b"x", (given.fileno(), out.fileno(), err.fileno()))
            request = {
                "words": list(words), "cwd": str(cwd), "environment": dict(environment),
                "workers": workers,
            }  # fmt: skip
            asked.sendall(json.dumps(request).encode() + b"\n")
            asked.settimeout(seconds)
            with asked.makefile("rb") as said:
                pid = int(said.readline())
                try:
                    code = int(said.readline())
                except TimeoutError:
                    fork_server.kill(pid)
                    raise subprocess.TimeoutExpired(list(words), seconds) from None
            out.seek(0)
            err.seek(0)
            return subprocess.CompletedProcess(list(words), code, out.read(), err.read())


def main() -> int:
    """The server."""
    for name in _LOADED:
        room = import_module(f"satchel.{name}")
        for module in pkgutil.walk_packages(room.__path__, f"satchel.{name}."):
            if not any(word in module.name for word in _NOT_LOADED):
                import_module(module.name)
    return serve(_one)


def _one(asked: socket.socket) -> int:
    """Run one command in a process below this one, and tell how it ended."""
    _, streams = receive(asked, 1, 3)
    with asked.makefile("rb") as said:
        request = json.loads(said.readline())
    pid = fork_server.fork()
    if pid == 0:
        asked.close()
        if request["workers"]:
            warm_workers.use(request["workers"])
        return _run(request["words"], request["cwd"], request["environment"], streams)
    asked.sendall(b"%d\n" % pid)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    asked.sendall(b"%d\n" % code)
    os._exit(0)


def _run(words: list[str], cwd: str, environment: dict[str, str], streams: list[int]) -> int:
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False, buffering=1)  # noqa: SIM115
    sys.argv = [str(Path(sys.executable).with_name("satchel")), *words]
    from satchel.cli.main import main as command

    command()
    return 0
