"""The whole bench on a small corpus of ours, against a summary that was read and kept.

Twenty labelled questions about tests/fixtures/relay, asked through a command as in the real
bench. A changed weight may move an answer by a rank; that is not a fault by itself, so means
may differ a little from the golden ones: of 20 questions, one that falls from the first rank to the
second costs 0.018 NDCG, and from found to lost 0.05. A fault in reading, indexing, ranking or
packing moves many at once. `UPDATE_GOLDEN=1` writes the summary anew; read the difference.
"""

import json
import os
import shutil
from typing import Any

import pytest

from bench.retrieval import measure
from tests.support.satchel import ROOT, warm_command

FIXTURES = ROOT / "tests" / "fixtures"
CASES, GOLDEN = FIXTURES / "bench" / "cases.json", FIXTURES / "bench" / "golden.json"
UPDATE = os.environ.get("UPDATE_GOLDEN") == "1"
TOLERANCE = 0.05
"""Of a mean over all questions; of one kind of question it is twice that: there are fewer."""


@pytest.fixture(scope="module")
def summary(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    corpora = tmp_path_factory.mktemp("corpora")
    for name in ("relay", "relay-fixes"):
        shutil.copytree(FIXTURES / "relay", corpora / name)
    out = corpora / "summary.json"
    said = ["--cases", CASES, "--corpora", corpora, "--json", out, "--satchel", warm_command()]
    assert measure.main([str(word) for word in said]) == 0
    if UPDATE:
        shutil.copyfile(out, GOLDEN)
    found: dict[str, Any] = json.loads(out.read_text("utf-8"))
    return found


def test_scores_are_those_of_the_golden_summary(summary: dict[str, Any]):
    golden = json.loads(GOLDEN.read_text("utf-8"))
    assert summary["systems"].keys() == golden["systems"].keys()
    moved = []
    for system, wanted in golden["systems"].items():
        found = summary["systems"][system]
        assert (found["queries"], found["failed"]) == (wanted["queries"], [])
        for key, value in wanted["overall"].items():
            if not key.startswith("pack.fill"):
                moved += _moved(f"{system} {key}", found["overall"][key]["mean"], value["mean"], 1)
        for kind, means in wanted["by_kind"].items():
            for key in ("target.ndcg@10", "file.ndcg@10"):
                was, now = means[key], found["by_kind"][kind][key]
                moved += _moved(f"{system} {kind} {key}", now, was, 2)
    assert moved == []


def _moved(name: str, now: float, was: float, tolerances: int) -> list[str]:
    return [f"{name}: {was} is now {now}"] if abs(now - was) > tolerances * TOLERANCE else []


def test_no_pack_is_over_its_budget(summary: dict[str, Any]):
    overall = summary["systems"]["satchel"]["overall"]
    over = [value["mean"] for key, value in overall.items() if key.startswith("pack.over")]
    assert over == [0.0] * 5


def test_the_plain_baseline_is_beaten(summary: dict[str, Any]):
    ours, plain = (summary["systems"][name]["overall"] for name in ("satchel", "bm25"))
    assert ours["target.ndcg@10"]["mean"] > plain["target.ndcg@10"]["mean"]
    assert ours["target.pack@1000"]["mean"] > plain["target.rows@1000"]["mean"]
