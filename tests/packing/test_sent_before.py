"""What a client holds is named, not sent again; copies are shown once."""

import re
from pathlib import Path

import pytest

from satchel.assembler import assemble
from satchel.assembler.kinds import Detail
from satchel.assembler.query.question import Question
from satchel.assembler.values import ContextPack, Sent
from satchel.store import tokens
from tests.support.satchel import index

BODY = "".join(f"    total = total + {n} * rate  # part {n}\n" for n in range(25))
FILES = f"""
//- shop/prices.py
def price_of_order(total, rate):
{BODY}    return total


def price_of_parcel(total):
    return total * 3
//- shop/views.py
def show_price(order):
    return price_of_order(order)
"""


def ask(root: Path, sent: Sent | None, budget: int = 900) -> ContextPack:
    with index(root).snapshot() as snapshot:
        pack = assemble.context(
            snapshot,
            Question("price of an order"),
            budget,
            assemble.PackOptions(sent=sent or Sent()),
        )
    assert tokens.count(pack.text) == pack.receipt.used <= budget
    return pack


def test_what_a_client_holds_is_one_line(project):
    root = project(FILES)
    first = ask(root, None)
    again = ask(root, first.sent)
    assert "part 7" in first.text
    assert "part 7" not in again.text
    assert again.text.count("≡ ") == 3
    assert re.search(r"≡ 1-27 price_of_order .*, sent #1, unchanged", again.text)
    assert again.receipt.used < first.receipt.used / 3
    assert {e.detail for e in again.excerpts} == {Detail.HELD}
    assert again.sent == Sent(first.sent.held, 2)


def test_what_changed_is_sent_anew_and_says_so(project):
    root = project(FILES)
    first = ask(root, None)
    prices = root / "shop/prices.py"
    prices.write_text(prices.read_text("utf-8").replace("total * 3", "total * 4"), "utf-8")
    again = ask(root, first.sent)
    assert "return total * 4" in again.text
    assert "price_of_parcel" in again.text
    assert "changed since #1" in again.text
    assert "part 7" not in again.text


def test_what_moved_without_a_change_is_still_held(project):
    root = project(FILES)
    first = ask(root, None)
    prices = root / "shop/prices.py"
    prices.write_text("import os\n\n\n" + prices.read_text("utf-8"), "utf-8")
    again = ask(root, first.sent)
    assert "part 7" not in again.text
    assert "≡ 4-" in again.text


def test_a_client_that_forgot_is_sent_everything_again(project):
    root = project(FILES)
    first = ask(root, None)
    second = ask(root, first.sent)
    assert ask(root, Sent()).text == first.text
    forgot = ask(root, second.sent.since(2))
    assert "part 7" in forgot.text
    # What was cut short or named by its signature is not held.
    small = ask(root, None, 256)
    assert all(e.detail != Detail.FULL for e in small.excerpts if "part 7" in e.text)
    assert "part 24" in ask(root, small.sent).text


@pytest.mark.parametrize("n_lines", [12, 40])
def test_copies_are_shown_once_and_named(project, n_lines: int):
    body = "".join(f"    shelf.append(thing_{n})\n" for n in range(n_lines))
    code = f"def stock_shelf(shelf):\n{body}    return shelf\n"
    twins = "".join(f"//- gen/shop_{c}.py\n# {c}\n{code}" for c in "abc")
    root = project(f"\n{twins}//- other.py\ndef stock_nothing(shelf):\n    return None\n")
    with index(root).snapshot() as snapshot:
        pack = assemble.context(snapshot, Question("stock the shelf"), 2000)
    assert pack.text.count("thing_7)") == 1
    assert "also in gen/shop_b.py:1-" in pack.text
    assert " gen/shop_c.py:1-" in pack.text
    assert pack.text.count("gen/shop_b.py:1-") == pack.text.count("gen/shop_c.py:1-") == 1
    assert "def stock_nothing" in pack.text
    assert tokens.count(pack.text) == pack.receipt.used


@pytest.mark.parametrize(("second", "named"), [("stock", ""), ("fill", " (fill)")])
def test_a_copy_in_the_same_file_is_named_by_its_lines(project, second: str, named: str):
    body = "".join(f"        shelf.append(thing_{n})\n" for n in range(12))
    code = [
        f"class {c}:\n    def {f}(self, shelf):\n{body}\n"
        for c, f in zip("AB", ("stock", second), strict=True)
    ]
    with index(project(f"\n//- shop.py\n{''.join(code)}")).snapshot() as snapshot:
        pack = assemble.context(snapshot, Question("stock the shelf"), 2000)
    assert f"also in 17-29{named}\n" in pack.text
