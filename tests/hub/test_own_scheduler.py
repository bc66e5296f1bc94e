"""A sync with a scheduler and workers of the team's own, which speak TLS."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from bench.hub.team import until
from satchel.cli import command_line
from satchel.hub import repositories
from satchel.hub.database import Hub, rows
from tests.support.satchel import COMMAND, satchel

_SETTING = "DASK_DISTRIBUTED__COMM__TLS__"


@contextmanager
def _running(what: str, *words: str) -> Iterator[None]:
    process = subprocess.Popen(
        [sys.executable, "-m", "dask", what, *words, "--no-dashboard"], stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait()


@pytest.fixture
def tls(tmp_path: Path, cluster: ModuleType) -> Iterator[tuple[str, dict[str, str]]]:
    """The address of a scheduler with a worker, and the settings by which they are reached."""
    made = cluster.distributed.Security.temporary()
    (tmp_path / "cert.pem").write_text(made.tls_client_cert)
    (tmp_path / "key.pem").write_text(made.tls_client_key)
    cert, key = str(tmp_path / "cert.pem"), str(tmp_path / "key.pem")
    files = ("--tls-ca-file", cert, "--tls-cert", cert, "--tls-key", key)
    where = tmp_path / "scheduler.json"
    found = ("--scheduler-file", str(where))
    with ExitStack() as stack:
        stack.enter_context(
            _running("scheduler", "--host", "tls://127.0.0.1", "--port", "0", *files, *found)
        )
        until(where.exists)
        worker = ("--nworkers", "1", "--nthreads", "1", "--local-directory", str(tmp_path / "dask"))
        stack.enter_context(_running("worker", *files, *found, *worker))
        address = until(lambda: json.loads(where.read_text() or "{}").get("address"))
        yield address, {"CA_FILE": cert, "CLIENT__CERT": cert, "CLIENT__KEY": key}


def test_a_scheduler_with_tls_is_reached_by_who_has_its_certificates(
    hub: Hub, url: str, tmp_path: Path, tls: tuple[str, dict[str, str]]
) -> None:
    address, settings = tls
    (tmp_path / "one").mkdir()
    (tmp_path / "one/main.py").write_text("def one():\n    return 1\n")
    repositories.add(hub, [repositories.Source("one", str(tmp_path / "one"))])
    sync = ("hub", "sync", url, "--dask", address)
    refused = satchel(*sync, cwd=tmp_path)
    assert refused.returncode == 2 and b"no Dask scheduler answers" in refused.stderr
    assert b"COMM__TLS__CA_FILE" in refused.stderr and b"Traceback" not in refused.stderr
    named = {f"{_SETTING}{name}": value for name, value in settings.items()}
    # In a process of its own: Dask reads its settings when it is loaded.
    done = subprocess.run(
        [COMMAND, *sync],
        cwd=tmp_path,
        env={**os.environ, **named},
        capture_output=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert rows(hub, "SELECT problem, build_id IS NOT NULL FROM repositories") == [("", True)]
    assert b"does not speak TLS" not in done.stderr


def test_a_scheduler_without_tls_is_told_of(
    hub: Hub,
    url: str,
    tmp_path: Path,
    cluster: ModuleType,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cluster, "_SECONDS", 1)
    (tmp_path / "main.py").write_text("x = 1\n")
    repositories.add(hub, [repositories.Source("one", str(tmp_path))])
    words = ["hub", "sync", url, "--dask", "tcp://127.0.0.1:9"]
    assert command_line.run(words, {"XDG_CACHE_HOME": str(tmp_path / "cache")}) == 2
    assert "does not speak TLS" in capfd.readouterr().err
