"""Workers of this machine that die while they start: replaced, or the sync ends and says so."""

import multiprocessing
import os
import shlex
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bench.hub.team import until
from satchel.cli import command_line
from satchel.hub import database, repositories
from satchel.hub.building.build import BuildReport
from satchel.hub.database import Hub, rows

N_KILLED = 3
# Kills itself so often while it starts, then starts slowly.
DYING = """#!/bin/sh
echo . >> {starts}
if [ $(wc -l < {starts}) -le {n} ]; then kill -KILL $$; fi
sleep 1
exec {python} "$@"
"""


@pytest.fixture
def interpreter() -> Iterator[Callable[[str], None]]:
    """Says what a worker that is started from now on is run by."""
    yield multiprocessing.set_executable
    multiprocessing.set_executable(sys.executable)


@pytest.fixture
def two_added(hub: Hub, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "main.py").write_text(f"def {name}():\n    return 1\n")
        repositories.add(hub, [repositories.Source(name, str(tmp_path / name))])


def _kill_worker(client: Any) -> None:
    [worker] = until(lambda: list(client.run(os.getpid).values()))
    os.kill(worker, signal.SIGKILL)


def _problems(hub: Hub) -> list[tuple[str, bool]]:
    """What is noted of each repository, and whether readers see a build of it."""
    return rows(hub, "SELECT problem, build_id IS NOT NULL FROM repositories ORDER BY name")


@pytest.mark.usefixtures("two_added")
def test_a_worker_that_is_killed_while_it_starts_is_started_until_it_lives(
    hub: Hub, url: str, tmp_path: Path, interpreter, cluster: ModuleType
) -> None:
    starts = tmp_path / "starts"
    script = tmp_path / "python"
    python = shlex.quote(sys.executable)
    script.write_text(DYING.format(starts=shlex.quote(str(starts)), n=N_KILLED, python=python))
    script.chmod(0o755)
    # Shorter than a start: what Dask's own 15 s are on a busy machine.
    with (
        cluster.dask.config.set({"distributed.deploy.lost-worker-timeout": "100 ms"}),
        cluster.client("", 1, tmp_path / "dask") as client,
    ):
        interpreter(str(script))
        _kill_worker(client)
        tasks = cluster.tasks(url, repositories.repositories(hub), str(tmp_path / "scratch"))
        reports = cluster.build_all(client, tasks, os.environ, lambda _: None)
    assert [(report.problem, report.files) for report in reports] == [("", 1)] * 2
    assert len(starts.read_text().splitlines()) == N_KILLED + 1


@pytest.mark.usefixtures("two_added")
def test_a_sync_ends_when_no_worker_starts_and_the_next_one_goes_on(
    hub: Hub,
    url: str,
    tmp_path: Path,
    interpreter,
    cluster: ModuleType,
    capfd: pytest.CaptureFixture[str],
) -> None:
    reports = []
    with cluster.client("", 1, tmp_path / "dask", patience_s=1.0) as client:
        tasks = cluster.tasks(url, repositories.repositories(hub), str(tmp_path / "scratch"))
        # The second one waits as for another sync, until its worker has been killed.
        hub.execute("SELECT pg_advisory_lock(%s, %s)", (0x5A7C, tasks[1].repository))

        def on_built(report: BuildReport) -> None:
            reports.append(report)
            if not report.problem:
                interpreter(str(shutil.which("false")))
                _kill_worker(client)

        cluster.build_all(client, tasks, os.environ, on_built)
    hub.execute("SELECT pg_advisory_unlock_all()")
    assert [(each.name, each.problem) for each in reports] == [
        ("one", ""),
        ("two", "there was no worker for 1 s: each died while it started"),
    ]
    assert _problems(hub) == [("", True), ("", False)]

    environment = {**os.environ, "SATCHEL_STATE": str(tmp_path / "state")}
    arguments = ["hub", "sync", url, "--workers", "1"]
    assert command_line.run(arguments, environment) == 1
    assert "2 of 2 repositories failed" in capfd.readouterr().err
    [(one, has_build), (two, _)] = _problems(hub)
    assert has_build
    assert one.startswith("every worker died while it started")
    assert two == one

    interpreter(sys.executable)
    assert command_line.run(arguments, environment) == 0
    assert _problems(hub) == [("", True)] * 2


@pytest.mark.usefixtures("two_added")
def test_a_repository_whose_workers_died_is_tried_again_after_the_others(
    hub: Hub, url: str, tmp_path: Path, cluster: ModuleType
) -> None:
    killed: list[int] = []

    def kill_who_waits() -> None:
        """Let the first builds of `one` die, and the next one go on."""
        sql = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        with database.opened(url) as owner:
            for _ in range(2):
                # A session of a dead worker waits on until PostgreSQL notices.
                until(lambda: {pid for (pid,) in rows(owner, sql)} - set(killed))
                killed.extend({pid for (pid,) in rows(owner, sql)} - set(killed))
                _kill_worker(client)
        hub.execute("SELECT pg_advisory_unlock_all()")

    with (
        cluster.dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        cluster.client("", 1, tmp_path / "dask") as client,
    ):
        tasks = cluster.tasks(url, repositories.repositories(hub), str(tmp_path / "scratch"))
        hub.execute("SELECT pg_advisory_lock(%s, %s)", (0x5A7C, tasks[0].repository))
        thread = threading.Thread(target=kill_who_waits)
        thread.start()
        told: list[str] = []
        reports = cluster.build_all(client, tasks, os.environ, lambda r: told.append(r.name))
        thread.join()
    assert [(each.name, each.problem) for each in reports] == [("one", ""), ("two", "")]
    assert told == ["two", "one"]
    assert len(killed) == 2
