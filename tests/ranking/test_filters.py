"""Scope and path filter what is answered, not only what is shown first; shares explain scores."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.assembler.assemble import context
from satchel.assembler.kinds import Scope
from satchel.assembler.query.question import Question
from satchel.assembler.ranking.rank import SIGNALS
from satchel.assembler.search import search
from satchel.store.reading.snapshot import Snapshot
from tests.support.satchel import ROOT, index

QUESTION = "worker leases a job and runs it"


@pytest.fixture(scope="module")
def relay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    root = tmp_path_factory.mktemp("filters") / "relay"
    shutil.copytree(ROOT / "tests" / "fixtures" / "relay", root)
    with index(root).snapshot() as snapshot:
        yield snapshot


def paths(snapshot: Snapshot, question: Question) -> set[Path]:
    """Every file that a search or a pack shows."""
    found = {item.chunk.path for item in search(snapshot, question, 200).results}
    found |= {excerpt.path for excerpt in context(snapshot, question, 8000).excerpts}
    return {Path(path) for path in found}


@pytest.mark.parametrize(
    ("scope", "tests", "code"),
    [(Scope.IMPL, False, True), (Scope.TEST, True, False), (Scope.ALL, True, True)],
)
def test_a_scope_admits_its_own_and_nothing_else(
    relay: Snapshot, scope: Scope, tests: bool, code: bool
):
    tops = {path.parts[0] for path in paths(relay, Question(QUESTION, scope))}
    assert ("tests" in tops, "relay" in tops) == (tests, code)


def test_a_path_admits_what_is_below_it_and_nothing_else(relay: Snapshot):
    found = paths(relay, Question(QUESTION, Scope.ALL, "relay/s"))
    assert {path.name for path in found} == {"store.py", "schedule.py"}


@pytest.mark.parametrize("path", ["nowhere/", "Relay/"])
def test_an_empty_answer_is_empty_and_says_how_much_was_searched(relay: Snapshot, path: str):
    question = Question(QUESTION, Scope.ALL, path)
    reply = search(relay, question, 10)
    assert reply.results == ()
    assert reply.n_searched == relay.files.count()
    said = context(relay, question, 512)
    assert said.excerpts == ()
    assert f"no indexed file's path starts with {path}" in said.text


def test_shares_are_of_known_signals_and_add_up_to_the_score(relay: Snapshot):
    for question in (QUESTION, "JobStore.lease", "when is a failed job tried again, and how often"):
        for item in search(relay, Question(question, Scope.ALL), 50).results:
            shares = [evidence.share for evidence in item.why]
            assert {evidence.signal for evidence in item.why} <= {
                *SIGNALS,
                "linked",
                "used",
                "quoted",
            }
            assert shares == sorted(shares, reverse=True)
            assert sum(shares) == pytest.approx(item.score)
            assert all(0 < share <= 1 for share in shares)
