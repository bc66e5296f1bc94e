"""The page that compares says what was measured, and names evidence that is there."""

import importlib.util
import os

from bench import comparison
from satchel.validation.checks.table import CHECKS
from tests.support.satchel import ROOT


def test_the_page_is_what_it_is_made_from():
    if os.environ.get("UPDATE_GOLDEN"):
        comparison.PAGE.write_text(comparison.page(), encoding="utf-8")
    made = comparison.page()
    assert comparison.PAGE.read_text("utf-8") == made, "`python -m bench.comparison` writes it"


def test_every_row_is_whole_and_its_evidence_is_there():
    said = comparison.peers()
    assert {row["answer"] for row in comparison.seeds()} <= set(comparison.ANSWERS)
    for row in said["row"]:
        assert len(row["cells"]) == len(said["peers"]), row["what"]
    for evidence in (row["evidence"] for row in (*said["row"], *comparison.seeds())):
        if evidence.startswith("python -m "):
            assert importlib.util.find_spec(evidence.removeprefix("python -m ")), evidence
        else:
            assert (ROOT / evidence).is_file(), evidence


def test_what_it_counts_is_counted():
    assert f"{len(CHECKS)} checks; SARIF" in comparison.page()
