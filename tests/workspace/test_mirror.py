"""Chroma where agents ask: servers in processes of their own, over stdio and HTTP, and kills."""

import os
import shutil
import signal
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from satchel.store.vectors.chroma import FOLDER, state_in
from satchel.workspace.lock import LOCK_NAME
from satchel.workspace.project import Project
from satchel.workspace.serving.channel import OtherProcess
from satchel.workspace.vectors import mirror_answers
from satchel.workspace.vectors.vector_search import mirror_query
from tests.support.agent import asked, http_server, over_http, over_stdio
from tests.support.satchel import ROOT, satchel

if find_spec("chromadb") is None:  # loading it takes a second, in each process that collects
    pytest.skip("the extra `chroma` is not installed", allow_module_level=True)
CHROMA = {"SATCHEL_VECTORS_ENGINE": "chroma"}
FALLBACK = "compared one by one"
PATIENCE_S = 120


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("SATCHEL_VECTORS_ENGINE", "chroma")
    root = shutil.copytree(ROOT / "tests" / "fixtures" / "relay", tmp_path / "relay")
    return Project.at(root, {**os.environ, **CHROMA})


def wait_for(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def answers(project: Project) -> bool:
    """Whether the owner of the index answers from a mirror that is as new as the index."""
    with project.snapshot() as snapshot:
        near = OtherProcess(project.folders.socket).nearest(
            mirror_query(project.directory, snapshot)
        )
    return not near.why


async def ask(client) -> str:
    return await asked(client, "context", query="which worker leases a job", budget_tokens=1024)


def test_a_server_asks_chroma_and_writes_it_after_a_save(project: Project):
    with http_server(project.root) as served:
        over_http(served, ask)
        wait_for(lambda: answers(project))
        before = state_in(project.directory / FOLDER)
        assert FALLBACK not in over_http(served, ask)
        # A second server follows and a command asks: neither opens Chroma, both are answered.
        assert FALLBACK not in over_stdio(project.root, ask, environment=CHROMA)
        shown = satchel("context", "which worker leases a job", cwd=project.root)
        assert FALLBACK not in (shown.stdout + shown.stderr).decode()
        (project.root / "extra.py").write_text("def lease_again(job):\n    return job\n")
        over_http(served, ask)
        # The file's text is found before its vectors are there, so the mirror is new only then.
        wait_for(lambda: state_in(project.directory / FOLDER) != before and answers(project))
        report = satchel("validate", "--level", "standard", cwd=project.root).stdout.decode()
        assert "V026" not in report


def test_killed_owners_lose_nothing_and_the_next_one_answers(project: Project):
    for n_kill in range(2):
        with http_server(project.root) as served:
            over_http(served, ask)
            (project.root / f"kill{n_kill}.py").write_text(f"def killed_{n_kill}():\n    pass\n")
            over_http(served, ask)  # the mirror is being written
            owner = int((project.directory / LOCK_NAME).read_text("ascii"))
            os.kill(owner, signal.SIGKILL)
            served.process.wait(PATIENCE_S)
    with http_server(project.root) as served:
        over_http(served, ask)
        wait_for(lambda: answers(project))
        assert FALLBACK not in over_http(served, ask)
    assert b"V026" not in satchel("validate", "--level", "standard", cwd=project.root).stdout


def test_who_finds_no_mirror_says_why_and_scans(project: Project):
    satchel("reindex", cwd=project.root)
    shutil.rmtree(project.directory / FOLDER)
    with project.snapshot() as snapshot:
        search, [why] = project.vector_search(snapshot, OtherProcess(project.folders.socket))
        assert why.endswith("no process keeps the Chroma mirror just now")
        assert search is not None and search("lease a job", 3)


def test_auto_asks_chroma_only_where_it_is_quicker_and_finds_as_much():
    crossing, end = mirror_answers.CHROMA_FROM, mirror_answers.CHROMA_BELOW
    assert not mirror_answers.uses_chroma("auto", crossing - 1)
    assert mirror_answers.uses_chroma("auto", crossing)
    assert mirror_answers.uses_chroma("auto", end - 1)
    assert not mirror_answers.uses_chroma("auto", end)
    assert mirror_answers.uses_chroma("chroma", 1)
    assert not mirror_answers.uses_chroma("exact", crossing)
