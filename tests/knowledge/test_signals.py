"""What a question does not ask for is lowered; a signal that is missing gives up its weight."""

from pathlib import Path

import pytest

from satchel.assembler.kinds import Scope
from satchel.assembler.query.question import Question
from satchel.assembler.ranking.path_roles import role_of
from satchel.assembler.search import search
from satchel.assembler.weights import DEFAULT
from tests.support.satchel import index

SAID = "Rate limits: how many requests a client may send in a minute.\n"
PLACES = {
    "docs/limits.md": ("# Limits\n\n" + SAID, "documentation"),
    "examples/limits.py": (f'"""{SAID}"""\n\n\ndef rate_limits(): ...\n', "example"),
    "limits.toml": (f"# {SAID}[rate_limits]\nrequests = 1\n", "configuration"),
    "tests/test_limits.py": (f'"""{SAID}"""\n\n\ndef test_rate_limits(): ...\n', "tests"),
}


def score(root: Path, path: str, text: str) -> float:
    with index(root).snapshot() as snapshot:
        reply = search(snapshot, Question(text, Scope.ALL), 50)
    return {item.chunk.path: item.score for item in reversed(reply.results)}[path]


@pytest.mark.parametrize("path", PLACES)
def test_a_place_is_lowered_while_the_question_does_not_ask_for_it(tmp_path: Path, path: str):
    source, asked = PLACES[path]
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text(source, encoding="utf-8")
    unasked = score(tmp_path, path, "rate limits of requests a client may send")
    asked_for = score(tmp_path, path, f"{asked} rate limits of requests a client may send")
    assert asked_for > 1.8 * unasked


@pytest.mark.parametrize(
    ("path", "declares"),
    [("a/b.h", True), ("b.hpp", True), ("b.d.ts", True), ("b.pyi", True), ("h.c", False)],
)
def test_headers_and_stubs_repeat_what_is_defined_elsewhere(path: str, declares: bool):
    assert role_of(path, "", False).is_declaration == declares


def test_a_missing_signal_gives_its_weight_to_the_others(tmp_path: Path):
    (tmp_path / "limits.py").write_text(f"def rate_limits():\n    # {SAID}    return 1\n")
    with index(tmp_path).snapshot() as snapshot:
        chunk = snapshot.chunks.of_file("limits.py")[0]

        def share(vectors) -> float:
            reply = search(snapshot, Question("rate limits"), 1, vectors=vectors)
            return {e.signal: e.share for e in reply.results[0].why}["terms"]

        signal = DEFAULT.signal
        # Terms and the file weigh 1, the definition and the folder as much as the vectors.
        others = 1.0 + signal.secondary + signal.path + 1.0 + signal.secondary
        with_vectors = share(lambda *_: [(chunk.id, 0.9)])
        assert share(None) / with_vectors == pytest.approx(1 + signal.secondary / others)
