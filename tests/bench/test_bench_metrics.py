"""The bench's metric functions, against values worked out by hand."""

from __future__ import annotations

import importlib
import json
import math
import random
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.peers.bm25 import Bm25
from bench.peers.systems import Pack, SystemFailed
from bench.retrieval import cases, report, scoring, sealed
from bench.retrieval.metrics import (
    Row,
    bootstrap,
    covers,
    distinct_files,
    first_ranks,
    ndcg,
    recall,
    rows_within,
    same_path,
)
from satchel.evaluation.bm25_windows import terms, windows


def row(path, start=1, end=10, text="x"):
    return Row(path, start, end, text)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a/b.py", "a/b.py", True),
        ("src/a/b.py", "a/b.py", True),
        ("b.py", "src/a/b.py", True),
        ("xb.py", "b.py", False),
        ("a/b.py", "a/c.py", False),
    ],
)
def test_paths_match_by_equality_or_whole_suffix(one, other, same):
    assert same_path(one, other) is same


@pytest.mark.parametrize(
    ("start", "end", "hit"), [(1, 9, False), (1, 10, True), (20, 30, True), (21, 30, False)]
)
def test_a_span_is_covered_by_one_shared_line(start, end, hit):
    assert covers(row("a.py", start, end), cases.Target("a.py", ((10, 20),))) is hit


def test_a_target_without_spans_is_covered_by_any_line_of_its_file():
    assert covers(row("a.py", 900, 901), cases.Target("a.py"))
    assert not covers(row("b.py", 900, 901), cases.Target("a.py"))


def test_each_target_counts_at_its_first_row():
    rows = [row("z"), row("a"), row("a"), row("b")]
    targets = [cases.Target(name) for name in "abc"]
    assert first_ranks(rows, targets) == [2, 4, None]


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ([1], 1.0),
        ([2], 1 / math.log2(3)),
        ([3], 0.5),
        ([11], 0.0),
        ([None], 0.0),
        ([1, None], 1 / (1 + 1 / math.log2(3))),
        ([2, 3], (1 / math.log2(3) + 0.5) / (1 + 1 / math.log2(3))),
        ([1, 1], 1.0),
        ([], 0.0),
    ],
)
def test_ndcg(ranks, expected):
    assert ndcg(ranks, 10) == pytest.approx(expected)


def test_the_ideal_of_ndcg_holds_at_most_k_targets():
    assert ndcg([1, 2, None, None], 2) == pytest.approx(1.0)


@given(st.lists(st.none() | st.integers(1, 30), max_size=20))
def test_ndcg_and_recall_stay_between_zero_and_one(ranks):
    assert 0 <= ndcg(ranks, 10) <= 1
    assert 0 <= recall(ranks, 10) <= recall(ranks, 20) <= 1


def test_recall():
    assert recall([1, 10, 11, None], 10) == 0.5
    assert recall([], 10) == 0.0


def test_rows_are_taken_in_order_until_one_does_not_fit():
    costs = [300, 200, 600, 10]
    assert [rows_within(costs, budget) for budget in (299, 300, 500, 1099, 1110)] == [0, 1, 2, 2, 4]


def test_distinct_files_keep_the_order_of_first_appearance():
    rows = [row("a", 1), row("b"), row("a", 50), row("c"), row("b")]
    assert distinct_files(rows) == [rows[0], rows[1], rows[3]]


def test_bootstrap_is_repeatable_and_brackets_the_mean():
    source = random.Random(3)
    values = [source.random() for _ in range(200)]
    interval = bootstrap(values)
    assert interval == bootstrap(values)
    assert interval.low <= interval.mean <= interval.high
    assert interval.high - interval.low > 0.01


def test_bootstrap_of_equal_values_has_no_width():
    interval = bootstrap([0.25] * 9)
    assert (interval.mean, interval.low, interval.high) == pytest.approx((0.25, 0.25, 0.25))


def test_windows_end_at_either_limit_and_lose_no_line():
    text = "".join(f"line {n}\n" for n in range(1, 8)) + "last"
    found = list(windows("a", text, lines=3, characters=1000))
    assert [(w.start, w.end) for w in found] == [(1, 3), (4, 6), (7, 8)]
    assert "".join(w.text for w in found) == text
    assert [(w.start, w.end) for w in windows("a", "aaaa\nbbbb\nc\n", 40, 7)] == [(1, 1), (2, 3)]


def test_terms_hold_the_identifier_and_its_parts():
    assert terms("getHTTPResponse max_size go") == [
        *("gethttpresponse", "get", "http", "response"),
        *("max_size", "max", "size"),
        "go",
    ]


@pytest.fixture
def repository(tmp_path):
    (tmp_path / "demo" / "src").mkdir(parents=True)
    (tmp_path / "demo" / "src" / "a.py").write_text("def open_door():\n    pass\n")
    (tmp_path / "demo" / "src" / "b.py").write_text("def close_window():\n    pass\n")
    entry = {
        "name": "demo",
        "language": "python",
        "repository": "some/demo",
        "revision": "0",
        "root": "src",
        "queries": [
            {
                "query": "open the door",
                "kind": "described",
                "targets": [
                    {"path": "src/a.py", "start_line": 1, "end_line": 2, "hunks": [[2, 2]]}
                ],
            }
        ],
    }
    (tmp_path / "cases.json").write_text(json.dumps([entry]))
    return cases.load(tmp_path / "cases.json")[0]


def words(text):
    return len(text.split())


def test_a_case_has_targets_files_and_changed_lines(repository):
    levels = repository.queries[0].levels
    assert levels["target"] == (cases.Target("src/a.py", ((1, 2),)),)
    assert levels["file"] == (cases.Target("src/a.py"),)
    assert levels["lines"] == (cases.Target("src/a.py", ((2, 2),)),)


def test_a_run_scores_every_level(repository, tmp_path):
    run = scoring.measure(Bm25(10), repository, tmp_path, words)
    (sheet,) = run.sheets
    assert not run.failure
    assert sheet.scores["target.ndcg@10"] == sheet.scores["lines.recall@10"] == 1.0
    assert sheet.scores["file.rows@500"] == 1.0
    assert report.golden([run], "c") == report.golden([run], "c")
    assert str(tmp_path) not in report.golden([run], "c")
    assert "bm25" in report.table([run])


class Packing:
    name = "packing"

    def prepare(self, root: Path) -> float:
        return 0.0

    def search(self, queries):
        return [[Row("a.py", 1, 1, "one two three")] for _ in queries]

    def context(self, queries, budget):
        if budget == 8000:
            raise SystemFailed("gave up")
        return [Pack("word " * 1500, (Row("a.py", 1, 1),)) for _ in queries]

    def close(self) -> None:
        pass


def test_a_pack_over_budget_covers_nothing_and_a_failure_scores_zero(repository, tmp_path):
    run = scoring.measure(Packing(), repository, tmp_path, words)
    scores = run.sheets[0].scores
    assert run.failure == "gave up"
    assert scores["target.ndcg@10"] == 1.0
    assert scores["lines.recall@10"] == 0.0
    assert (scores["target.pack@1000"], scores["pack.over@1000"]) == (0.0, 1.0)
    assert (scores["target.pack@2000"], scores["pack.over@2000"]) == (1.0, 0.0)
    assert scores["pack.fill@2000"] == 0.75
    assert scores["target.pack@8000"] == 0.0


def test_the_sealed_cases_are_those_that_were_written():
    assert sha256(sealed.FILE.read_bytes()).hexdigest() == sealed.DIGEST
    repositories = cases.load(sealed.FILE)
    queries = [query for repository in repositories for query in repository.queries]
    assert len(repositories) == 25
    assert sum("lines" in query.levels for query in queries) == 300


def test_a_fix_is_a_sealed_case_once_and_without_its_code(tmp_path: Path):
    target = {"path": "a.py", "start_line": 1, "end_line": 3, "function": "a", "hunks": [[2, 2]]}
    fixes = [
        {"query": form, "kind": "described", "commit": "c1", "targets": [target]}
        for form in ("Fix the end of a", "Fix the end")
    ]
    asked = [
        {"query": "a thing", "kind": kind, "targets": [{**target, "hunks": None}]}
        for kind in ("doc", "symbol", "test")
    ]
    about = {"repository": "o/n", "revision": "r", "language": "python", "root": ""}
    found = sealed.chosen([{"name": "o+n", **about, "queries": [*fixes, *asked]}])[0]["queries"]
    assert [query["kind"] for query in found] == ["described", "test", "symbol"]
    assert found[0] == {
        "query": "Fix the end of a",
        "kind": "described",
        "targets": [{"path": "a.py", "start_line": 1, "end_line": 3, "hunks": [[2, 2]]}],
    }


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bench.callgraph.sample", ["."]),
        ("bench.retrieval.declarations", ["."]),
        ("bench.retrieval.literals", ["--corpora", "."]),
        ("bench.retrieval.tests_by_path", ["."]),
        ("bench.robustness.hostile", ["no such scene"]),
        ("bench.robustness.fuzz", ["--mutations", "0"]),
        ("bench.robustness.secret_scan", ["trees", "."]),
        ("bench.serving.agent_tasks", [".", "--trees", "no such tree"]),
    ],
)
def test_a_measurement_of_nothing_is_an_error(name: str, words: list[str], tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [name, *words])
    with pytest.raises(SystemExit, match="nothing to score"):
        importlib.import_module(name).main()
