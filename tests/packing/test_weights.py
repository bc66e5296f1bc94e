"""The ranking numbers that are passed are those that act."""

import ast

import pytest
from msgspec.structs import replace

from satchel.assembler import assemble
from satchel.assembler.packing.finish import framing
from satchel.assembler.query.question import Question
from satchel.assembler.search import search
from satchel.assembler.values import Receipt
from satchel.assembler.weights import DEFAULT, EdgeWeights, Weights
from satchel.store.model import Generation
from tests.support.satchel import ROOT, index

LINES = [f"    total = total + {n} * rate" for n in range(12)]
OTHER = [f"    total = total - {n} * rate" for n in range(3)]
SHOP = "\n".join(
    [
        "//- shop/price.py", "def price_of_order(total, rate):", *LINES, "    return total",
        "//- shop/refund.py", "def price_of_refund(total, rate):", *LINES[:-3], *OTHER,
        "    return total",
    ]
)  # fmt: skip
CALLS = """
//- app/orders.py
from app.stock import reserve

def checkout(order):
    reserve(order)
//- app/stock.py
def reserve(thing):
    return thing
"""


def _with_alike(share: float) -> Weights:
    return replace(DEFAULT, packing=replace(DEFAULT.packing, alike=share))


def test_only_the_entry_points_fall_back_on_the_shipped_numbers():
    readers = set()
    for path in (ROOT / "assembler").rglob("*.py"):
        names = (node for node in ast.walk(ast.parse(path.read_text("utf-8"))))
        if any(isinstance(each, ast.Name) and each.id == "DEFAULT" for each in names):
            readers.add(path.name)
    assert readers == {"assemble.py", "search.py", "weights.py"}


@pytest.mark.parametrize(("share", "is_copy"), [(0.9, False), (0.5, True)])
def test_the_share_of_lines_that_makes_a_copy_acts(project, share: float, is_copy: bool):
    with index(project(SHOP)).snapshot() as snapshot:
        question = Question("what is the price of an order or a refund")
        pack = assemble.context(
            snapshot, question, 2_000, assemble.PackOptions(weights=_with_alike(share))
        )
    assert ("also in" in pack.text) == is_copy


def test_the_weights_of_signals_act(project):
    with index(project(SHOP)).snapshot() as snapshot:
        lower, upper = (
            search(snapshot, Question("shop total"), 5, weights=weights).results[0].shares["path"]
            for weights in (replace(DEFAULT, signal=replace(DEFAULT.signal, path=0.1)), DEFAULT)
        )
    assert lower < upper


def test_the_weights_of_edges_act(project):
    with index(project(CALLS)).snapshot() as snapshot:
        reasons = [
            {e.path: e.reason for e in pack.excerpts if e.is_neighbour}
            for pack in (
                assemble.context(
                    snapshot, Question("checkout"), 1_024, assemble.PackOptions(weights=weights)
                )
                for weights in (DEFAULT, replace(DEFAULT, edges=EdgeWeights(weak=0.0)))
            )
        ]
    assert reasons == [{"app/stock.py": "called by checkout"}, {}]


@pytest.mark.parametrize(
    ("preferred", "is_beside"),
    [(DEFAULT.edges.preferred, True), (DEFAULT.edges.preferred / 4, False)],
)
def test_of_equal_callees_those_in_the_same_file_are_shown_first(
    project, preferred: float, is_beside: bool
):
    calls = [f"    {name}{n}(order)" for n in range(5) for name in ("apart", "beside")]
    work = "    return order"
    apart = [f"//- a{n}.py\ndef apart{n}(order):\n{work}" for n in range(5)]
    imports = [f"from a{n} import apart{n}" for n in range(5)]
    beside = [f"def beside{n}(order):\n{work}\n" for n in range(5)]
    tree = [*apart, "//- z.py", *imports, "def checkout(order):", *calls, "", *beside, ""]
    weights = replace(DEFAULT, edges=replace(DEFAULT.edges, preferred=preferred))
    with index(project("\n".join(tree))).snapshot() as snapshot:
        pack = assemble.context(
            snapshot, Question("checkout"), 300, assemble.PackOptions(weights=weights)
        )
    assert ("def beside" in pack.text) == is_beside


def test_the_opening_of_a_pack_with_notes_is_counted_once():
    receipt = Receipt("1", 1_000, 0, "o200k_base", Generation(1), True, 0, 0, 0, 1)
    for known in ((), ("a note\n",)):
        assert framing(replace(receipt, known=known)).count("quoted code") == 1
