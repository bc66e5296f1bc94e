"""Code next to a good match in the call graph is likelier to be meant."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from satchel.assembler.query.question import Question
from satchel.assembler.search import search
from satchel.assembler.values import Scored
from satchel.assembler.weights import DEFAULT, Linking
from satchel.store.model import RepoPath
from tests.support.satchel import index

UNLINKED = replace(DEFAULT, link=Linking(weight=0.0))
RETRY = '''"""Retry a request with a growing delay."""

from delays import next_delay


def retry_request(request):
    """Retry a request with a growing delay."""
    return request(next_delay(1))
'''
TWINS = {
    "delays.py": "def next_delay(attempt):\n    # the delay of a retry\n    return 2**attempt\n",
    "animal.py": "def next_sheep(attempt):\n    # the delay of a retry\n    return 2**attempt\n",
}


def found(root: Path, weights=DEFAULT) -> dict[str, dict[str, float]]:
    """Each file's best match: the shares of its signals."""
    with index(root).snapshot() as snapshot:
        reply = search(snapshot, Question("retry a request with delay"), 10, weights=weights)
    return {
        item.chunk.path: {evidence.signal: evidence.share for evidence in item.why}
        for item in reversed(reply.results)
    }


def project(root: Path) -> Path:
    for name, text in {"retry.py": RETRY, **TWINS}.items():
        (root / name).write_text(text, encoding="utf-8")
    return root


def test_what_a_match_calls_is_lifted_and_its_twin_is_not(tmp_path: Path):
    shares = found(project(tmp_path))
    assert 0 < shares["delays.py"]["linked"] <= DEFAULT.link.weight
    assert "linked" not in shares["animal.py"]
    assert shares["retry.py"]["linked"] < shares["delays.py"]["linked"]


def test_scores_stay_within_one_and_are_the_sum_of_their_shares(tmp_path: Path):
    with index(project(tmp_path)).snapshot() as snapshot:
        for weights in (DEFAULT, replace(DEFAULT, link=Linking(weight=9.0))):
            for item in search(snapshot, Question("retry delay"), 10, weights=weights).results:
                assert 0 < item.score <= 1
                assert abs(item.score - sum(e.share for e in item.why)) < 1e-9


def test_without_links_nothing_changes(tmp_path: Path):
    root = project(tmp_path)
    (root / "retry.py").write_text("def retry_request(request):\n    return request\n")
    assert found(root) == found(root, UNLINKED)


STORE = "def store_job(job):\n    # keeps a job\n    return job\n"
USER = """from {0} import store_job


def {1}_job(job):
    # keeps a job
    return store_job(job)
"""


def kept(root: Path, question: str = "how a job is kept", **link: float) -> dict[str, Scored]:
    """Each file's best match."""
    weights = replace(DEFAULT, link=replace(DEFAULT.link, **link))
    with index(root).snapshot() as snapshot:
        results = search(snapshot, Question(question), 20, weights=weights).results
    return {item.chunk.path: item for item in reversed(results)}


def jobs(root: Path) -> Path:
    """Two files that say the same; others that match use one of them, a test the other."""
    for name, text in {
        "alpha.py": STORE.replace("store_job", "stash_job"),
        "omega.py": STORE,
        "early.py": USER.format("omega", "early"),
        "later.py": USER.format("omega", "later"),
        "test_alpha.py": "from alpha import stash_job\n\n\ndef test_job():\n    stash_job(1)\n",
    }.items():
        (root / name).write_text(text, encoding="utf-8")
    return root


def test_what_other_matches_use_is_lifted_and_what_only_tests_use_is_not(tmp_path: Path):
    without, found = kept(jobs(tmp_path), used=0.0), kept(tmp_path, used=0.2)
    assert without["omega.py"].score / without["alpha.py"].score < (
        found["omega.py"].score / found["alpha.py"].score
    )
    assert "used" in found["omega.py"].shares
    assert not any("used" in item.shares for path, item in found.items() if path != "omega.py")
    for item in found.values():
        assert 0 < item.score <= 1
        assert abs(item.score - sum(item.shares.values())) < 1e-9


@pytest.mark.parametrize("question", ["store_job", "Fix how a job is kept"])
def test_a_name_and_a_wish_for_a_change_mean_one_place(tmp_path: Path, question: str):
    jobs(tmp_path)
    scores = [
        {path: item.score for path, item in kept(tmp_path, question, used=used).items()}
        for used in (0.0, 0.2)
    ]
    assert scores[0] == scores[1]


def test_files_used_are_those_of_product_code_each_once(tmp_path: Path):
    with index(jobs(tmp_path)).snapshot() as snapshot:
        used = snapshot.symbols.files_used
        every = [file.path for file in snapshot.files.all()]
        assert used(every) == [("early.py", "omega.py"), ("later.py", "omega.py")]
        assert used([RepoPath("early.py")]) == [("early.py", "omega.py")]
        assert used([RepoPath("omega.py"), RepoPath("nowhere.py")]) == []
