"""Faults, in short: PostgreSQL killed in the middle of a sync, and out of connections.

All of them, with a full disk: `python -m bench.hub.faults`. Many clients: `bench.hub.clients`.
"""

from collections import Counter

from bench.hub import clients, faults
from satchel.hub.database import Hub
from tests.hub.conftest import Running


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
