"""Faults, in short: PostgreSQL killed in the middle of a sync, and out of connections.

All of them, with a full disk: `python -m bench.hub.faults`. Many clients: `bench.hub.clients`.
"""

import os
import subprocess
from collections import Counter

import pytest

from bench.hub import clients, faults
from satchel.cli import command_line
from satchel.hub.database import Hub
from tests.hub.conftest import Running
from tests.support.satchel import TIMEOUT_S, warm_command


def test_a_hub_survives_its_postgresql_and_hears_no_wrong_answer() -> None:
    with faults.staged(small_disk=False) as stage:
        for name in ("killed", "out of connections"):
            stage.asked = faults.Asked()
            # A question is answered or refused with a clear error; anything else is listed.
            assert faults.run(stage, name) == [], name
            assert sum(stage.asked.seen.values()) > 0


def test_many_clients_at_once_are_all_answered(running: Running, owner: Hub) -> None:
    heard = clients.ask(running.address, clients.tokens(owner), 20, 0.0, 2)
    assert (heard.failures, heard.n_good) == (Counter(), 40)


def test_commands_wait_for_a_postgresql_that_comes_back_and_shout_what_was_not_revoked(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from satchel.hub import access, database

    with faults.staged(small_disk=False) as stage:
        for words in (("status",), ("validate",), ("revoke", "ann")):
            stage.postgres.kill()
            command = [warm_command(), "hub", words[0], stage.url, *words[1:]]
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
                assert run.stderr is not None and b"trying again" in run.stderr.readline()
                stage.postgres.start()
                _, errors = run.communicate(timeout=TIMEOUT_S)
            assert run.returncode == 0, errors
        with database.connected(stage.url) as hub:
            assert access.grants(hub) == []
            access.grant(hub, "ann", "*")
        stage.postgres.kill()
        monkeypatch.setattr(database, "PATIENCE_S", 0.5)
        assert command_line.run(["hub", "revoke", stage.url, "ann"], dict(os.environ)) == 1
        assert "NOT REVOKED: ann may read as before" in capfd.readouterr().err
        stage.postgres.start()


def test_what_waiting_does_not_change_is_said_at_once(
    url: str, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["hub", "status", url.replace("/hub", "/nothing", 1)]
    assert command_line.run(words, dict(os.environ)) == 1
    assert "trying again" not in capfd.readouterr().err
