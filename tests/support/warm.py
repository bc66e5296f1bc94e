"""Programs in processes that have loaded them already: most of a short command is its imports.

A server imports what commands use, then forks for each run, with the caller's working folder,
environment and streams. What happens from `main()` on is what happens in a process of its own.
Tests of how the command starts, and of the process that it is, do start it
(`tests.support.satchel.started`, `COMMAND`).
"""

from __future__ import annotations

import atexit
import marshal
import os
import pkgutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from pathlib import Path

from tests.support import warm_client
from tests.support.fork_server import ForkServer, receive, serve
from tests.support.warm_client import ALL, PLAIN, SATCHEL, UPSTREAM, WORKERS

SHARED = "TESTS_WARM"
"""Variable with the folder of the servers of a run of several processes, which share them."""
_PLAIN = ("cli", "store", "workspace", "indexer", "assembler", "knowledge", "validation")
_ROOMS = {PLAIN: _PLAIN, ALL: (*_PLAIN, "mcp_server", "hub", "ui")}
_PROGRAMS = {SATCHEL: "satchel.cli.main", UPSTREAM: "tests.support.upstream"}
"""The modules with their `main()`."""
_NOT_LOADED = ("chroma", "mirror", "worker", "table_encoder")
"""What the command itself loads only where a setting asks for it, or in processes of its own."""


@cache
def folder() -> str:
    """The folder of the servers, which are started unless this run shares those of another process.

    They end with the process that started them.
    """
    from tests.support.warm_workers import FEW

    return os.environ.get(SHARED) or start(FEW, at_once=False)


def start(languages: Sequence[str], *, at_once: bool) -> str:
    """Starts servers; returns their folder. `languages` are those that workers are ready for.

    Who has them load `at_once` waits for none later, as some tests do for a bounded time.
    """
    place = tempfile.TemporaryDirectory(prefix="warm-")
    here = Path(place.name)
    here.chmod(0o755)  # some tests go on as somebody else
    code = Path(warm_client.__file__).read_text("utf-8")
    for name in _PROGRAMS:
        program = here / name
        program.write_text(f"#!{sys.executable} -IS\n{code}", encoding="utf-8")
        program.chmod(0o755)
    servers = [ForkServer(__name__, here / name, name, at_once=at_once) for name in _ROOMS]
    workers = ForkServer("tests.support.warm_workers", here / WORKERS, *languages, at_once=at_once)
    servers.append(workers)
    atexit.register(place.cleanup)
    for server in servers:
        atexit.register(server.close)
    return place.name


def run(
    words: Sequence[str], cwd: Path, environment: Mapping[str, str], stdin: bytes,
    seconds: float, workers: str = "",
) -> subprocess.CompletedProcess[bytes]:  # fmt: skip
    """As `subprocess.run` does; `workers` is the place of a server of `warm_workers`.

    Raises:
        subprocess.TimeoutExpired: it ran for longer than `seconds` and was killed.
    """
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        given.write(stdin)
        given.seek(0)
        streams = (given.fileno(), out.fileno(), err.fileno())
        with warm_client.ask(
            folder(), SATCHEL, words, str(cwd), environment, streams, workers
        ) as asked:
            asked.settimeout(seconds)
            with asked.makefile("rb") as said:
                said.readline()
                try:
                    code = int(said.readline())
                except TimeoutError:
                    raise subprocess.TimeoutExpired(list(words), seconds) from None
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(list(words), code, out.read(), err.read())


def main() -> int:
    """A server; its last argument says of what."""
    return serve(partial(_load, sys.argv[3]), _one, tells=True)


def _load(kind: str) -> None:
    if kind == ALL:
        import_module(_PROGRAMS[UPSTREAM])
    for name in _ROOMS[kind]:
        room = import_module(f"satchel.{name}")
        for module in pkgutil.walk_packages(room.__path__, f"satchel.{name}."):
            if not any(word in module.name for word in _NOT_LOADED):
                import_module(module.name)
    from satchel.assembler.query import artefacts
    from satchel.store import tokens
    from satchel.store.vectors import table_encoder

    # What a question reads besides: most of the processor time of one about a small project.
    tokens.count("words")
    table_encoder.shipped()
    artefacts.read("words")


def _one(asked: socket.socket) -> int:
    """Run one program."""
    _, streams = receive(asked, 1, 3)
    with asked.makefile("rb") as said:
        program, *request = marshal.loads(said.read(int(said.readline())))
    asked.close()
    return _run(streams, program, *request)


def _run(
    streams: list[int], program: str, words: list[str], cwd: str, environment: dict[str, str],
    workers: str,
) -> int:  # fmt: skip
    if workers:
        from tests.support import warm_workers

        warm_workers.use(workers)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False, buffering=1)  # noqa: SIM115
    sys.argv = [str(Path(sys.executable).with_name(program)), *words]
    import_module(_PROGRAMS[program]).main()
    return 0
