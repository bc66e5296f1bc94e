"""The learned ranking: the shipped trees give what a plain walk gives, and say why."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from satchel.assembler.kinds import Scope
from satchel.assembler.query import read_query
from satchel.assembler.query.question import Question
from satchel.assembler.ranking import candidates as candidates_of
from satchel.assembler.ranking import learned, rank, rerank, signals
from satchel.assembler.search import search
from satchel.assembler.weights import DEFAULT
from tests.support.satchel import index

TEXT = files("satchel.assembler.ranking").joinpath(learned.FILE).read_text(encoding="utf-8")
TREE = {
    "billing/refund.py": "def refund_invoice(lines):\n    return -sum(lines)\n",
    "billing/total.py": "def invoice_total(lines):\n    total = sum(lines)\n    return total\n",
    "billing/test_total.py": "def test_invoice_total():\n    assert invoice_total([]) == 0\n",
    "docs/billing.md": "# Invoices\n\nThe invoice total is the sum of its lines.\n",
}
TASK = "Fix the invoice total when an invoice has no lines"


def candidates(n: int) -> signals.Floats:
    made = np.random.default_rng(3).integers(-4096, 6 * 4096, (n, len(signals.NAMES)))
    return np.asarray(made / 4096, dtype=np.float64)


def walked(model: dict[str, Any], row: np.ndarray) -> int:
    """What the trees of the file give one candidate, in 4096ths, node by node."""
    total = 0
    for asked, above, value in zip(
        model["signal"], model["threshold"], model["value"], strict=True
    ):
        node = 0
        while node < len(asked):
            place = signals.NAMES.index(model["signals"][asked[node]])
            node = 2 * node + 1 + (round(row[place] * 4096) > above[node])
        total += value[node]
    return total


def margins(model: learned.Model, rows: Any) -> Any:
    base, parts = model.parts(rows)
    return base + parts.sum(axis=1)


def test_base_and_parts_add_up_to_the_margin_of_a_walk_from_node_to_node():
    rows = candidates(40)
    model = json.loads(TEXT)
    expected = [walked(model, row) / 4096 for row in rows]
    assert margins(learned.shipped(), rows).tolist() == expected
    assert min(expected) >= learned.shipped().least


def test_signals_of_a_model_are_found_by_their_names_and_not_by_their_place():
    made = json.loads(TEXT)
    n = len(made["signals"])
    made["signals"] = made["signals"][::-1]
    made["signal"] = [[n - 1 - place for place in tree] for tree in made["signal"]]
    turned = learned.load(json.dumps(made))
    rows = candidates(20)
    assert margins(turned, rows).tolist() == margins(learned.shipped(), rows).tolist()


def test_what_ships_is_small_and_says_where_it_is_from():
    assert len(TEXT) < 1_000_000
    assert json.loads(TEXT)["origin"].startswith("python -m training.ranking.learn on ")


@pytest.fixture
def found(tmp_path: Path) -> list[tuple[str, dict[str, float], float]]:
    for name, source in TREE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(source, encoding="utf-8")
    with index(tmp_path).snapshot() as snapshot:
        reply = search(snapshot, Question(TASK, Scope.ALL), 20)
    return [(r.chunk.path, {e.signal: e.share for e in r.why}, r.score) for r in reply.results]


def test_a_task_is_ranked_by_the_model_and_says_what_each_signal_added(found):
    assert found[0][0] == "billing/total.py"
    for _, shares, score in found:
        assert "prior" in shares
        assert shares.keys() <= {"prior", "quoted", *signals.NAMES}
        assert sum(shares.values()) == pytest.approx(score)
        assert 0 <= score <= 1


def test_a_test_comes_after_the_code_that_it_is_about(found):
    paths = [path for path, _, _ in found]
    assert paths.index("billing/test_total.py") > paths.index("billing/total.py")


def _method(name: str, word: str, last: str) -> str:
    """A method that is long enough to be a chunk of its own."""
    lines = [
        f"        kept_{n} = [entry for entry in entries if entry.amount > {n}]" for n in range(24)
    ]
    head = f"    def {name}(self, entries):\n        # The ledger and its entries, by {word}."
    return "\n".join([head, *lines, f"        return {last}", "", ""])


LEDGER = {
    "ledger.py": "class Ledger:\n"
    + _method("close_month", "month", "self.settle(kept_1)")
    + _method("close_year", "year", "self.settle(kept_2)")
    + _method("reopen", "currency", "kept_3")
    + _method("settle", "amount", "kept_4"),
    "small.py": "def one_ledger():\n    return 1\n\n\ndef two_ledgers():\n    return 2\n",
}


def test_what_tells_a_function_from_the_rest_of_its_file(tmp_path: Path):
    for name, source in LEDGER.items():
        (tmp_path / name).write_text(source, encoding="utf-8")
    with index(tmp_path).snapshot() as snapshot:
        asked = read_query.read(Question("Fix the ledger entries of a currency"), DEFAULT)
        found = candidates_of.find(snapshot, asked, Scope.IMPL, "", DEFAULT, None)
        ranked = rank.rank(asked, found.candidates, found.idf, DEFAULT, has_vectors=False)
        table = rerank.measure(snapshot, asked, found, ranked, DEFAULT)
    assert np.isfinite(table).all()
    of = {
        name: {item.chunk.symbol: value for item, value in zip(ranked, column, strict=True)}
        for name, column in zip(signals.NAMES, table.T.tolist(), strict=True)
    }
    assert of["functions inside"][""] == pytest.approx(np.log1p(2), abs=1e-3)
    # The word that one chunk of the file has tells more than those that all of them have.
    rare = of["rare in file"]
    assert rare["Ledger.reopen"] > 2 * rare["Ledger.settle"] > 0
    # What calls and what is called are worth each other's score; siblings the best one's.
    assert of["best caller"]["Ledger.settle"] > 0 == of["best caller"]["Ledger.reopen"]
    assert of["best callee"]["Ledger.close_year"] == of["sum"]["Ledger.settle"]
    assert of["best of scope"]["Ledger.settle"] == of["sum"]["Ledger.reopen"]
