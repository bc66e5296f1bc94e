"""Rows of a hub that somebody planted: items that a pull takes, and dumps that are restored."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from satchel.hub import checks, database
from satchel.hub.database import Hub
from satchel.store import codec
from satchel.store.errors import SatchelError
from tests.hostile_suite.names import ESCAPE, HIDDEN, VOICE, said_safely
from tests.support.satchel import TIMEOUT_S, warm_command

TIMES = {"created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-02T00:00:00Z"}
LINE = {"kind": "note", "summary": "x", "scope": "a.py", "confidence": 0.5, **TIMES}


@pytest.fixture
def api(tmp_path: Path, built) -> Path:
    """The tree of a repository that is built."""
    tree = tmp_path / "api"
    tree.mkdir()
    (tree / "a.py").write_text("def a():\n    pass\n")
    assert built(tree).problem == ""
    return tree


def _line(number: str, **more: object) -> str:
    return json.dumps({"id": number, **LINE, **more}, ensure_ascii=False)


def _planted(hub: Hub, number: str, line: str) -> None:
    hub.execute("DELETE FROM knowledge")
    hub.execute("INSERT INTO knowledge VALUES (%s, 'api', 'eve', 'team', %s)", (number, line))


def test_what_a_hub_holds_writes_over_nothing_private_and_is_shown_quoted(
    tmp_path: Path, api: Path, url: str, hub: Hub
) -> None:
    own_place = {"SATCHEL_STATE_FOLDER": str(tmp_path / "ann"), "SATCHEL_KNOWLEDGE_ACTOR": "ann"}

    def ann(*words: str) -> tuple[int, str]:
        done = subprocess.run(
            [warm_command(), *words, "--root", api], env={**os.environ, **own_place}, text=True,
            capture_output=True, timeout=TIMEOUT_S, check=False,
        )  # fmt: skip
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout + done.stderr

    own = ann("remember", "note", "mine alone", "--privacy", "private")[1].split()[0]
    other = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    for line in (
        _line(own), "[]", f"{_line(other)}\n{_line(own)}", _line(other, privacy="private"),
    ):  # fmt: skip
        _planted(hub, other, line)
        code, said = ann("knowledge", "pull", "--hub", url)
        assert code == 2 and "hub" in said, (line, said)
    # An item of this user's own name and private here stays what it is.
    _planted(hub, own, _line(own, summary="theirs"))
    assert "1 in conflict" in ann("knowledge", "pull", "--hub", url)[1]
    assert "mine alone" in ann("recall", "alone")[1]
    spoken = f"{ESCAPE}{HIDDEN}\n{VOICE}"
    links = [{"rel": "affects", "dst": "path:../../x"}]
    said = {"summary": spoken, "detail": "a\u2028b\x85c", "actor": spoken, "links": links}
    _planted(hub, other, _line(other, scope="../../etc", **said))
    for words in (("pull", "--hub", url), ("push", "--hub", url)):
        said_safely(ann("knowledge", *words)[1])
    said_safely(ann("recall", "note")[1])
    said_safely(ann("recall", "note", "--hub", url)[1])
    assert not (tmp_path / "etc").exists()


@pytest.mark.usefixtures("api")
def test_a_dump_that_brings_more_than_a_hub_is_told_of(url: str, hub: Hub) -> None:
    hub.execute("UPDATE repositories SET problem = %s", (f"{ESCAPE}{HIDDEN}\n{VOICE}",))
    name = 'x"; DROP TABLE satchel.grants; --'.replace('"', '""')
    hub.execute(f'CREATE TABLE "{name}" (a int)'.encode())
    hub.execute("CREATE FUNCTION acts() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN END $$")
    hub.execute("CREATE TRIGGER acts BEFORE UPDATE ON grants EXECUTE FUNCTION acts()")
    hub.execute("CREATE RULE acts AS ON DELETE TO grants DO INSTEAD NOTHING")
    hub.execute("CREATE VIEW acts AS SELECT 1")
    hub.execute("CREATE POLICY acts ON tokens TO public USING (true)")
    # Nothing, written so that it unpacks to far more than any file has.
    bomb = codec.compress(bytes(300 << 20))
    hub.execute("UPDATE contents SET source = %s", (bomb,))
    done = subprocess.run(
        [warm_command(), "hub", "backup-check", url],
        capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
    )  # fmt: skip
    assert done.returncode == 4, done.stderr
    said_safely(done.stdout + done.stderr)
    found = {line.split(":")[0] for line in done.stdout.splitlines() if line.startswith("FOUND")}
    assert found >= {"FOUND  actors", "FOUND  text", "FOUND  walls"}
    for kind in ("trigger", "rule", "function", "policy"):
        assert f"a {kind} that is none of Satchel" in done.stdout
    with database.reading(hub):
        assert checks.fingerprint(hub)["grants"][0] == 0


@pytest.mark.parametrize("address", ["/dev/zero", "pipe", "postgresql://\x1b[2J/x", "link", "."])
def test_what_is_no_address_is_no_backup(tmp_path: Path, address: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    given = str(tmp_path / address) if address in ("pipe", "link", ".") else address
    began = time.process_time()
    with pytest.raises(SatchelError), database.connected(given):
        pass
    assert time.process_time() - began < 20
