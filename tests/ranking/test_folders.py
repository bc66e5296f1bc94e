"""Folders as documents: what all of a folder says points a short question at it."""

from pathlib import Path

from msgspec.structs import replace

from satchel.assembler.kinds import Scope
from satchel.assembler.query.question import Question
from satchel.assembler.search import search
from satchel.assembler.weights import DEFAULT, Weights
from tests.support.satchel import index

WITHOUT = replace(DEFAULT, signal=replace(DEFAULT.signal, left_out=frozenset({"folder"})))
TREE = {
    "ledger/invoice.py": "def invoice_total(lines):\n    return sum(lines)\n",
    "ledger/refund.py": "def refund_invoice(lines):\n    return -sum(lines)\n",
    "ledger/rounding.py": "def to_cents(amount):\n    # when totals are rounded\n    return 1\n",
    "figures/rounding.py": "def to_pixels(amount):\n    # when totals are rounded\n    return 1\n",
    "figures/test_invoice.py": "def test_invoice_total():\n    assert invoice == 1\n",
}
ASKED = "how invoice totals are rounded"


def shares(root: Path, text: str, weights: Weights = DEFAULT) -> dict[str, dict[str, float]]:
    """The shares of each file's best match, best file first."""
    for name, source in TREE.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(source, encoding="utf-8")
    with index(root).snapshot() as snapshot:
        reply = search(snapshot, Question(text, Scope.IMPL), 20, weights=weights)
    found: dict[str, dict[str, float]] = {}
    for item in reply.results:
        found.setdefault(item.chunk.path, {e.signal: e.share for e in item.why})
    return found


def test_of_two_alike_the_one_whose_folder_is_about_it_comes_first(tmp_path: Path):
    found = shares(tmp_path, ASKED)
    assert list(found).index("ledger/rounding.py") < list(found).index("figures/rounding.py")
    assert found["ledger/rounding.py"]["folder"] > 0
    assert "folder" not in found["figures/rounding.py"]  # its tests are not of the scope
    without = list(shares(tmp_path, ASKED, WITHOUT))
    assert without.index("figures/rounding.py") < without.index("ledger/rounding.py")


def test_a_question_for_one_place_does_not_ask_for_a_folder(tmp_path: Path):
    assert shares(tmp_path, f"Fix {ASKED}") == shares(tmp_path, f"Fix {ASKED}", WITHOUT)
