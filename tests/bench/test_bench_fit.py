"""Refitting: a question as arrays ranks as the assembler does; folds keep repositories apart."""

import random
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bench.fitting import fit, fit_packs
from bench.fitting.fit_sheet import Sheet, sheet_of
from bench.peers import inprocess
from bench.retrieval import cases
from bench.retrieval.scoring import search_scores
from satchel.assembler.weights import DEFAULT, Linking, Packing, Weights
from satchel.store.tokens import count
from tests.support.satchel import ROOT

FIXTURES = ROOT / "tests" / "fixtures"
UNLINKED = replace(DEFAULT, link=Linking(weight=0.0))
_RANDOM = random.Random(3)


def varied() -> Weights:
    weights = UNLINKED
    for group, name in fit.FITTED:
        part = getattr(weights, group)
        value = getattr(part, name) * _RANDOM.uniform(0.3, 1.0)
        weights = replace(weights, **{group: replace(part, **{name: value})})
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


def test_packs_are_fitted_to_what_scores_best():
    """Signatures are best at 0.34 here, names at 1.6; nothing else counts."""

    def scores(weights: Packing) -> fit_packs.Scores:
        off = abs(weights.signature - 0.34) + abs(weights.by_name - 1.6)
        return np.full((3, len(fit_packs.LEVELS), 1), 1.0 - off)

    fitted = fit_packs.fit(fit_packs.PLAIN, scores, 1)
    assert (fitted.signature, fitted.by_name) == (0.35, 1.4)
    assert replace(fitted, signature=0.25, by_name=1.0) == fit_packs.PLAIN


def test_fitting_packs_prints_scores_and_weights(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    for name in ("relay", "relay-fixes"):
        shutil.copytree(FIXTURES / "relay", tmp_path / name)
    file = FIXTURES / "bench" / "cases.json"
    said = ["--fixes", file, "--corpora", tmp_path, "--folds", 2, "--rounds", 0, "--budgets", 300]
    assert fit_packs.main([str(word) for word in said]) == 0
    rows = [line.split("|") for line in capsys.readouterr().out.split("\n")]
    found = {row[1].strip(): row[2:-1] for row in rows if len(row) > 5}
    assert found["fitted, held out"] == found["fitted on everything"] == found["plain"]
    assert 0.3 < float(found["plain"][0]) <= 1
