"""Twelve packs over a small project, as an agent gets them: read before they are kept.

`UPDATE_GOLDEN=1` writes them. Beside the bytes each one says what must be in it and what must not,
so that a new golden file cannot lose what made the pack good.
"""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from satchel.assembler import assemble
from satchel.assembler.kinds import Scope
from satchel.assembler.query.question import Question
from satchel.store import tokens
from satchel.store.reading.snapshot import Snapshot
from tests.support.satchel import ROOT, index

FIXTURES = ROOT / "tests" / "fixtures"
GOLDEN = FIXTURES / "packs"
UPDATE = os.environ.get("UPDATE_GOLDEN") == "1"

TRACE = """\
Traceback (most recent call last):
  File "/srv/app/relay/worker.py", line 46, in run_one
    tasks.find(job.task)(**job.payload)
  File "/srv/app/relay/tasks.py", line 23, in find
    raise UnknownTask(name) from None
relay.errors.UnknownTask: no task is called 'resize'
"""
PYTEST = """\
_______________ test_a_lease_that_ran_out_is_given_to_the_next ________________
tests/test_store.py:32: in test_a_lease_that_ran_out_is_given_to_the_next
    store.finish(first)
relay/store.py:82: in finish
    self._settle(job, State.DONE, job.run_at)
E   Failed: DID NOT RAISE <class 'relay.errors.LeaseLost'>
FAILED tests/test_store.py::test_a_lease_that_ran_out_is_given_to_the_next
"""
DIFF = """\
--- a/relay/retry.py
+++ b/relay/retry.py
@@ -19,2 +19,2 @@ class Backoff:
         \"\"\"Seconds to wait after attempt number `attempt`, counted from 1.\"\"\"
-        delay = min(self.longest, self.first ** attempt)
+        delay = min(self.longest, self.first * 2 ** (attempt - 1))
"""


@dataclass(frozen=True)
class Pack:
    """A question, what a good answer shows, and what would be a waste of its tokens."""

    question: Question
    budget: int
    shows: tuple[str, ...]
    not_this: tuple[str, ...] = ()


PACKS = {
    "retries": Pack(
        Question("how are failed jobs retried"), 700,
        ("def _failed(self, job):", "def gives_up(self, attempt)", "def run_one(self):"),
        ("class RelayClient", "def resize_image"),
    ),
    "dead-worker": Pack(
        Question("what happens to a job when its worker dies"), 1400,
        ("class _Heartbeat", "def run_one(self):", "its worker is taken for dead"),
        ("class RelayClient",),
    ),
    "symbol": Pack(Question("JobStore.lease"), 500, ("UPDATE jobs SET state = 'leased'",)),
    "small": Pack(Question("how are failed jobs retried"), 256, ("_failed",)),
    "tests": Pack(
        Question("buried after too many attempts", Scope.TEST), 400,
        ("def test_a_job_that_keeps_failing_is_buried",), ("class Worker:",),
    ),
    "trace": Pack(
        Question(TRACE), 600, ("def find(name):", "find in the trace", "def run_one(self):"),
        ("class Scheduler",),
    ),
    "failing-test": Pack(
        Question(PYTEST), 900,
        ("def finish(self, job):", "called by JobStore.finish", "def test_a_lease_that_ran_out"),
    ),
    "review": Pack(
        Question("", Scope.ALL, changes=DIFF), 600,
        ("changed here", "def delay(self, attempt):", "calls Backoff.delay"),
        ("class RelayClient",),
    ),
    "typescript": Pack(
        Question("put a buried job back from the browser"), 400, ("async kick(id: number)",),
    ),
    "settings": Pack(
        Question("RELAY_LEASE environment variable"), 400, ('os.environ.get("RELAY_LEASE"',),
    ),
    "schedule": Pack(
        Question("when is a daily job due next"), 500, ("class Daily", "midnight = "),
        ("class RelayClient",),
    ),
    "nothing": Pack(Question("kubernetes ingress certificates"), 256, ("none found",)),
}  # fmt: skip


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    root = tmp_path_factory.mktemp("golden") / "relay"
    shutil.copytree(FIXTURES / "relay", root)
    with index(root).snapshot() as snapshot:
        yield snapshot


@pytest.mark.parametrize("name", PACKS)
def test_a_pack_is_what_a_reader_called_good(snapshot: Snapshot, name: str):
    wanted = PACKS[name]
    pack = assemble.context(snapshot, wanted.question, wanted.budget)
    if UPDATE:
        GOLDEN.mkdir(exist_ok=True)
        (GOLDEN / f"{name}.txt").write_text(pack.text, "utf-8")
    assert tokens.count(pack.text) == pack.receipt.used <= wanted.budget
    assert [part for part in wanted.shows if part not in pack.text] == []
    assert [part for part in wanted.not_this if part in pack.text] == []
    assert pack.text == (GOLDEN / f"{name}.txt").read_text("utf-8")
