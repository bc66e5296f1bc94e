"""Fixtures that every test may use: a project in one string, its index, an untouched home."""

import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

import satchel.cli  # noqa: F401  gives BLAS one thread, as for the command: others would spin
from satchel.indexer.extract import pool
from satchel.workspace.project import Project
from tests.support import warm, warm_workers
from tests.support.dealing import pytest_xdist_make_scheduler  # noqa: F401  a hook
from tests.support.satchel import index
from tests.ui.browser import IS_THERE, WHY_NOT

gc.set_threshold(50_000)  # as the command does; collection makes many objects and no garbage

# The same examples in every run and no deadline, so that a busy machine fails nothing.
hypothesis.settings.register_profile("quick", derandomize=True, deadline=None)
hypothesis.settings.register_profile("long", deadline=None, max_examples=2_000)
hypothesis.settings.load_profile("long" if os.environ.get("SATCHEL_LONG") == "1" else "quick")

collect_ignore = ["fixtures"]  # some of them look like tests

BuildProject = Callable[[str], Path]


def pytest_configure(config: pytest.Config) -> None:
    """With xdist this process starts the servers that its workers share, as they load for long.

    A run of some files waits for those that these need, when they need them.
    """
    if config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        of_all = config.args_source is not pytest.Config.ArgsSource.ARGS
        languages = warm_workers.EVERY if of_all else warm_workers.FEW
        os.environ[warm.SHARED] = warm.start(languages, at_once=of_all)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """As `make test` does in its last line, whichever process ran the tests."""
    if not IS_THERE:
        terminalreporter.write_line(WHY_NOT, yellow=True)


SLOW_FILES = (
    "indexer/test_hostile.py", "hostile_suite/test_hostile_suite.py", "hub/test_killed_workers.py",
    "indexer/test_incremental.py", "indexer/test_determinism.py", "packing/test_budget.py",
    "indexer/test_call_graph_programs.py", "indexer/test_languages.py", "workspace/test_state.py",
    "workspace/test_mirror.py", "hub/test_team_files.py", "hub/test_faults.py",
    "workspace/test_crashes.py", "mcp_server/test_answering.py", "mcp_server/test_serve.py",
    "hub/test_hostile_requests.py", "hub/test_servers.py", "validation/test_validate.py",
    "workspace/test_repair.py", "validation/test_corruption.py", "cli/test_setup.py",
    "ui/test_pages.py", "hub/test_team_guide.py", "workspace/test_live.py",
    "knowledge/test_knowledge.py", "cli/test_cli.py",
    "workspace/test_first_index.py", "bench/test_bench_smoke.py",
)  # fmt: skip
"""Those that take a quarter of a minute or more: a process that came to one last would keep CI."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow files come first: files are dealt out in the order of their tests."""
    ranks = {name: rank for rank, name in enumerate(SLOW_FILES)}
    folder = Path(__file__).parent
    items.sort(key=lambda i: ranks.get(i.path.relative_to(folder).as_posix(), len(ranks)))


def pytest_collection_finish() -> None:
    """No collection of garbage looks through all tests, and what they import, again."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _no_settings_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Neither git's nor Satchel's user files decide what a test sees, nor does one write there."""
    with pytest.MonkeyPatch.context() as patch:
        home = str(tmp_path_factory.mktemp("home"))
        patch.setenv("HOME", home)
        patch.setenv("XDG_CONFIG_HOME", home + "/.config")
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "SATCHEL_STATE_FOLDER", "SSL_CERT_FILE"):
            patch.delenv(name, raising=False)  # state lies below that home
        # An empty folder: to read the machine's authorities takes 40 ms for each client of HTTP.
        patch.setenv("SSL_CERT_DIR", str(tmp_path_factory.mktemp("authorities")))
        yield


@pytest.fixture(scope="session", autouse=True)
def _ctrl_c_reaches_what_tests_start() -> None:
    """A suite that runs in the background is started with it ignored, and would hand that on."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


STARTS_WORKERS = ("test_hostile.py", "test_hostile_suite.py", "test_crashes.py")
"""Tests of what happens to analysing processes, which these therefore start as the pool does."""


@pytest.fixture(scope="module", autouse=True)
def _warm_workers(request: pytest.FixtureRequest) -> Iterator[None]:
    """Elsewhere they are forked from one that has loaded everything."""
    with pytest.MonkeyPatch.context() as patch:
        if request.path.name not in STARTS_WORKERS:
            patch.setattr(pool, "start_process", warm_workers.start)
        yield


@pytest.fixture
def project(tmp_path: Path) -> BuildProject:
    """Builds a tree from "//- a.py", its lines, "//- b/c.py", its lines, … and returns its root."""

    def build(text: str) -> Path:
        root = tmp_path / "project"
        root.mkdir(exist_ok=True)
        for part in ("\n" + text).split("\n//- ")[1:]:
            name, _, body = part.partition("\n")
            path = root / name.strip()
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(body + "\n", encoding="utf-8")
        return root

    return build


@pytest.fixture
def indexed() -> Callable[[Path], Project]:
    """Brings the index of a folder up to date and returns the project."""
    return index


@pytest.fixture
def as_somebody_else():
    """A folder under an identity that permissions hold for, even when the tests run as root."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    is_root = os.geteuid() == 0
    yield folder, (lambda: os.seteuid(65534) if is_root else None)
    if is_root:
        os.seteuid(0)
    for path in folder.rglob("*"):
        path.chmod(0o755)
    shutil.rmtree(folder)
