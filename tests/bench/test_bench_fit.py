"""Refitting: a question as arrays ranks as the assembler does; folds keep repositories apart."""

import random
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from bench.fitting import fit
from bench.fitting.fit_sheet import Sheet, sheet_of
from bench.peers import inprocess
from bench.retrieval import cases
from bench.retrieval.scoring import search_scores
from satchel.assembler.weights import DEFAULT, Linking, Weights
from satchel.store.tokens import count
from tests.support.satchel import ROOT

FIXTURES = ROOT / "tests" / "fixtures"
# A sheet is of the weighted sum, which the learned ranking would put in another order.
UNLINKED = structs.replace(DEFAULT, link=Linking(weight=0.0), is_learned=False)
_RANDOM = random.Random(3)


def varied() -> Weights:
    weights = UNLINKED
    for group, name in fit.FITTED:
        part = getattr(weights, group)
        value = getattr(part, name) * _RANDOM.uniform(0.3, 1.0)
        weights = structs.replace(weights, **{group: structs.replace(part, **{name: value})})
    return weights


@pytest.mark.parametrize("weights", [UNLINKED, *(varied() for _ in range(4))])
def test_a_sheet_ranks_as_the_assembler_does(tmp_path: Path, weights: Weights):
    shutil.copytree(FIXTURES / "relay", tmp_path / "relay")
    questions, fixes = cases.load(FIXTURES / "bench" / "cases.json")
    names = {
        "questions": {"NDCG@10": "target.ndcg@10"},
        "fixes": {"functions": "target.ndcg@10", "files": "file.ndcg@10"},
    }
    with inprocess.opened(tmp_path / "relay") as index:
        for kind, repository in (("questions", questions), ("fixes", fixes)):
            for query in repository.queries:
                real = search_scores(index.search(query.text, weights), query, count)
                sheet = sheet_of(index, kind, repository.name, query).scores(weights)
                for measure, key in names[kind].items():
                    assert sheet[measure] == pytest.approx(real[key], abs=1e-9), query.text


def test_a_fold_holds_whole_repositories_and_each_is_in_one(tmp_path: Path):
    shutil.copytree(FIXTURES / "relay", tmp_path / "relay")
    questions, _ = cases.load(FIXTURES / "bench" / "cases.json")
    with inprocess.opened(tmp_path / "relay") as index:
        made = sheet_of(index, "questions", "r0", questions.queries[0])
    sheets: list[Sheet] = [
        replace(made, kind=kind, repository=f"r{n}")
        for kind in ("questions", "fixes")
        for n in range(11)
        for _ in range(2)
    ]
    dealt = fit.folds(sheets, 5)
    assert dealt == fit.folds(sheets[::-1], 5)
    assert len(dealt) == 22
    for kind in ("questions", "fixes"):
        sizes = Counter(fold for (of, _), fold in dealt.items() if of == kind)
        assert sorted(sizes.values()) == [2, 2, 2, 2, 3]
