"""Syncing what changed: unchanged repositories cost a question, and webhooks wake who watches."""

import hmac
import json
import os
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import httpx2
import pytest

from satchel.hub import repositories, settings
from satchel.hub.building import unchanged, wanted
from satchel.hub.building.build import BuildTask, build
from satchel.hub.database import Hub, rows
from tests.support.agent import PATIENCE_S
from tests.support.git import git
from tests.support.satchel import warm_command

SECRET = "a secret of the team"


@pytest.fixture
def cloned(tmp_path: Path, url: str, hub: Hub) -> Path:
    """A repository with a git address, built."""
    root = tmp_path / "acme" / "one"
    root.mkdir(parents=True)
    (root / "main.py").write_text("def first():\n    return 1\n")
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "first")
    repositories.add(hub, repositories.read_sources([f"file://{root}"]))
    each = repositories.repositories(hub)[0]
    task = BuildTask(url, each.id, each.name, each.source, str(tmp_path / "scratch"))
    assert build(task, os.environ).problem == ""
    return root


def test_what_did_not_change_is_found_without_a_worker(cloned: Path, hub: Hub) -> None:
    listed = repositories.repositories(hub)
    assert unchanged.unchanged(hub, listed, os.environ) == {listed[0].id}
    hub.execute("UPDATE repositories SET problem = 'failed'")
    assert unchanged.unchanged(hub, listed, os.environ) == set()
    hub.execute("UPDATE repositories SET problem = ''")
    (cloned / "main.py").write_text("def second():\n    return 1\n")
    git(cloned, "commit", "--quiet", "--all", "--message", "second")
    assert unchanged.unchanged(hub, listed, os.environ) == set()


def test_two_ways_to_write_an_address_are_one_place() -> None:
    same = (
        "https://github.com/Acme/API.git", "git@github.com:acme/api.git", "https://github.com/acme/api/",
        "ssh://git@github.com:22/acme/api", "ssh://git@github.com/acme/api.git",
    )  # fmt: skip
    assert {wanted.place(address) for address in same} == {"github.com/acme/api"}
    assert wanted.place("https://gitlab.com/acme/api") != wanted.place(same[0])
    assert {wanted.place(wrong) for wrong in ("", "api", "a b/c", "--upload-pack=x")} == {""}


def test_webhooks_are_taken_from_who_knows_the_secret(
    address: str, hub: Hub, tmp_path: Path
) -> None:
    hook = address.replace("/mcp", "/hook")
    source = "https://git.example.org/acme/open.git"
    hub.execute("UPDATE sources SET source = %s WHERE repository_id = 1", (source,))
    body = json.dumps({"repository": {"clone_url": source.removesuffix(".git")}}).encode()
    lab = json.dumps({"project": {"git_ssh_url": "git@git.example.org:acme/open.git"}}).encode()
    signature = {
        "X-Hub-Signature-256": "sha256=" + hmac.new(SECRET.encode(), body, sha256).hexdigest()
    }

    def post(content: bytes, headers: dict[str, str]) -> int:
        return httpx2.post(hook, content=content, headers=headers, timeout=PATIENCE_S).status_code

    assert post(body, signature) == 401  # nothing is configured yet
    settings.put(hub, "webhook.secret", SECRET)
    for headers in ({}, {"X-Hub-Signature-256": "sha256=00"}, {"X-Gitlab-Token": "x"},
                    {"X-Hub-Signature-256": ""}, {"X-Gitlab-Token": ""}):  # fmt: skip
        assert post(body, headers) == 401
    assert post(body + b" ", signature) == 401
    assert rows(hub, "SELECT count(*) FROM repositories WHERE wanted_at IS NOT NULL") == [(0,)]
    assert post(body, signature) == 202
    assert wanted.wait(hub, 0) == [1]
    began = wanted.clock(hub)
    unchanged.mark(hub, [1], began)
    assert wanted.wait(hub, 0) == []
    assert post(lab, {"X-Gitlab-Token": SECRET}) == 202
    assert wanted.wait(hub, 0) == [1]
    # What was pushed while it was looked at is still wanted.
    unchanged.mark(hub, [1], began)
    assert wanted.wait(hub, 0) == [1]
    assert post(b"[1]", {"X-Gitlab-Token": SECRET}) == 400
    assert post(b"x" * 1_100_000, {"X-Gitlab-Token": SECRET}) in (400, 413)
    assert httpx2.get(hook, timeout=PATIENCE_S).status_code == 405


def test_who_waits_is_woken(cloned: Path, url: str, hub: Hub) -> None:
    source = repositories.repositories(hub)[0].source
    hub.execute("UPDATE sources SET source = 'https://git.example.org/acme/one'")
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(wanted.wait, hub, PATIENCE_S)
        # From another connection, as a server does; the row tells whoever listens too late.
        from satchel.hub import database

        with database.connected(url) as other:
            assert wanted.want(other, ["git@git.example.org:acme/one.git"]) != []
        assert len(found.result(PATIENCE_S)) == 1
    assert source.startswith("file://")


def test_sync_goes_on_watching_and_builds_what_was_pushed(
    cloned: Path, url: str, hub: Hub, tmp_path: Path
) -> None:
    process = subprocess.Popen(
        [warm_command(), "hub", "sync", url, "--watch", "5", "--workers", "1"],
        env={**os.environ, "SATCHEL_STATE_FOLDER": str(tmp_path / "state")},
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stderr is not None
        assert "1 unchanged" in process.stderr.readline()
        (cloned / "main.py").write_text("def pushed():\n    return 1\n")
        git(cloned, "commit", "--quiet", "--all", "--message", "second")
        for _ in range(PATIENCE_S * 4):
            if rows(hub, "SELECT 1 FROM content_symbols WHERE name = 'pushed'"):
                break
            threading.Event().wait(0.5)
        else:
            raise TimeoutError
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE_S)
