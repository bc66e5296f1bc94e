"""Code next to a good match in the call graph is likelier to be meant."""

from pathlib import Path

from msgspec.structs import replace

from satchel.assembler.query.question import Question
from satchel.assembler.search import search
from satchel.assembler.weights import DEFAULT, Linking
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
