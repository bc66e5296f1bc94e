"""A pack whose best match is weak says so; one that was told where to look does not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from satchel.assembler import assemble
from satchel.assembler.budget import Spending
from satchel.assembler.kinds import End, Scope
from satchel.assembler.query import read_query
from satchel.assembler.query.question import Question
from satchel.assembler.ranking import phrases, rank
from satchel.assembler.values import Scored
from satchel.assembler.weights import DEFAULT
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot
from tests.support.satchel import index

CODE = """
//- shop/basket.py
def total_price(basket):
    return sum(item.price for item in basket)


def remove_expired_items(basket, now):
    basket.items = [item for item in basket.items if item.expires > now]
//- shop/mail.py
def send_receipt(customer, basket):
    return customer.address
//- tests/test_basket.py
from shop.basket import total_price


def test_total_price():
    assert total_price([]) == 0
"""
# In so small a tree even a weak match has half of what can be matched.
WEIGHTS = replace(DEFAULT, packing=replace(DEFAULT.packing, sure=0.5))
TRACE = """\
Traceback (most recent call last):
  File "shop/mail.py", line 2, in send_receipt
    return customer.address
AttributeError: 'NoneType' object has no attribute 'address'
"""


@pytest.fixture
def snapshot(project) -> Iterator[Snapshot]:
    with index(project(CODE)).snapshot() as snapshot:
        yield snapshot


def _is_weak(snapshot: Snapshot, question: Question) -> bool:
    made = assemble.context(snapshot, question, 600, assemble.PackOptions(weights=WEIGHTS))
    assert made.excerpts  # it is shown all the same
    said = [n for n in made.receipt.notices if n.startswith("weak matches")]
    assert all(f"note: {notice}\n" in made.text for notice in said)
    return bool(said)


@pytest.mark.parametrize(
    "text",
    [
        "how does the cluster now drain its nodes",
        "fix the deadlock of websocket handshakes when a customer's proxy terminates TLS early",
    ],
)
def test_a_question_that_hardly_matches_is_told(snapshot: Snapshot, text: str) -> None:
    assert _is_weak(snapshot, Question(text))


@pytest.mark.parametrize(
    "question",
    [
        Question("how is the total price of a basket made"),
        Question("remove expired items from the basket"),
        Question("why is the websocket handshake of send_receipt() terminated by a proxy early"),
        Question(TRACE),
        Question("total price", Scope.TEST),
    ],
)
def test_what_matches_or_is_named_or_pasted_is_shown_without_a_word(
    snapshot: Snapshot, question: Question
) -> None:
    assert not _is_weak(snapshot, question)


PARTS = "".join(
    f"//- shop/part_{n}.py\ndef part_{n}(basket):\n    return (\n"
    + f"        basket.total + {n} - basket.discount\n" * 9 + "    )\n"
    for n in range(30)
)  # fmt: skip


def test_weak_matches_take_no_more_than_they_are_worth(project) -> None:
    question = Question("basket of a cluster with kubernetes operators and helm charts")
    with index(project(PARTS)).snapshot() as snapshot:
        paying, filled = (
            assemble.context(snapshot, question, spending)
            for spending in (Spending(2_000, turn=300), 2_000)
        )
    assert paying.receipt.ending.end == End.ENOUGH
    assert filled.receipt.ending.end == End.FULL
    assert 0 < paying.receipt.used <= 600 < filled.receipt.used
    assert "; ends here, next: part_" in paying.text and "; full, next: part_" in filled.text


def test_a_pack_goes_on_while_it_likely_shows_nothing_needed(project) -> None:
    spending = Spending(2_000, turn=1_000)
    with index(project(PARTS)).snapshot() as snapshot:
        sure, vague = (
            assemble.context(snapshot, Question(text), spending)
            for text in ("part_3()", "basket of a cluster with helm charts")
        )
    assert 4 * sure.receipt.used < vague.receipt.used


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        ("why does Basket.frobnicate hang", True),
        ("Basket.frobnicate", True),
        ("why does Basket.total hang", False),
        ("why does Basket.used hang", False),
        ("why does Library.frobnicate hang", False),
    ],
)
def test_a_member_that_nothing_has_is_told(project, text: str, is_said: bool) -> None:
    code = """
//- basket.py
class Basket:
    def total(self):
        return self.used()
"""
    with index(project(code)).snapshot() as snapshot:
        made = assemble.context(snapshot, Question(text), 600)
    assert ("nothing here is called frobnicate, in Basket or elsewhere" in made.text) == is_said


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        ("send_reciept fails without an address", True),
        ("send_receipt fails without an address", False),
        ("send_newsletter fails without an address", False),
    ],
)
def test_a_misspelt_name_is_told_with_what_it_may_mean(snapshot, text: str, is_said: bool) -> None:
    made = assemble.context(snapshot, Question(text), 600)
    told = "nothing here is called send_reciept; close to it: send_receipt"
    assert (told in made.text) == is_said


def test_a_name_that_stands_in_a_string_is_not_told_as_misspelt(project) -> None:
    code = CODE.replace("customer.address", "customer.address, 'send_reciept'")
    with index(project(code)).snapshot() as snapshot:
        made = assemble.context(snapshot, Question("send_reciept fails without an address"), 600)
    assert "close to it" not in made.text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "how does the Kubernetes operator price a basket",
            "any of the words Kubernetes, operator",
        ),
        ("remove expired items from Kubernetes", "the word Kubernetes"),
        ("how are prices of baskets totalled", "the word totalled"),
        ("how is the total price of a basket made", ""),
        ("crashes: total price of a basket of items without expired items", ""),
        (TRACE, ""),
    ],
)
def test_words_that_no_file_has_are_told(snapshot: Snapshot, text: str, told: str) -> None:
    made = assemble.context(snapshot, Question(text), 600)
    said = f"note: none found: no indexed file has {told}\n"
    assert said in made.text if told else "no indexed file has" not in made.text


def test_the_share_of_a_quotation_is_no_measure_for_other_matches(snapshot: Snapshot) -> None:
    total, expired, *_ = snapshot.chunks.of_file(RepoPath("shop/basket.py")) * 2
    items = [Scored(total, 0.2, {"terms": 0.2}), Scored(replace(expired, id=total.id + 1), 0.4)]
    quoted = phrases.boost(items, [(total, 1.0)], read_query.read_text("x", DEFAULT), DEFAULT)
    assert [item.chunk.id for item in quoted] == [total.id, total.id + 1]
    assert quoted[0].score == pytest.approx(0.8) and quoted[1].score < 0.4
    assert [item.unboosted for item in quoted] == [0.2, 0.4]
    pointed = rank.boosted(quoted, [(total, 1.0)], "pointed at", DEFAULT.stated)
    assert [item.unboosted for item in pointed] == [0.2, 0.4]
    assert rank.scaled(pointed[0], 0.5).unboosted == 0.1
