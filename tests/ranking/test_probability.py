"""Scores as probabilities: in order, within 0..1, and judged against the rest of the ranking."""

from pathlib import Path

from satchel.assembler.query.question import Question
from satchel.assembler.search import search
from tests.ranking.test_graph_signals import project
from tests.support.satchel import index
from training.ranking.probability import IF_LEARNED, IF_SUMMED, probabilities, probability


def test_a_score_that_stands_out_is_likelier_than_the_same_among_equals():
    numbers = IF_LEARNED
    alone = probability([0.5, *[0.02] * 200], numbers)
    among = probability([0.5] * 201, numbers)
    assert alone[0] > 5 * among[0]
    assert alone == sorted(alone, reverse=True)
    assert all(0 <= chance <= 1 for chance in (*alone, *among))


def test_impossible_scores_do_no_harm():
    for numbers in (IF_LEARNED, IF_SUMMED):
        assert probability([], numbers) == []
        assert all(0 <= chance <= 1 for chance in probability([4.0, 1.0, 0.0], numbers))


def test_about_one_chunk_of_a_ranking_is_expected_to_change(tmp_path: Path):
    with index(project(tmp_path)).snapshot() as snapshot:
        for text, detail in (("Fix the delay of a retry", 1.0), ("delay of a retry", 0.0)):
            ranked = search(snapshot, Question(text), 10).results
            assert 0.1 < sum(probabilities(ranked, detail)) < 2.5
