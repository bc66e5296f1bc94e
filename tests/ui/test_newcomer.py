"""Five tasks of somebody who sees the page for the first time, each done on the page alone.

The steps are those of docs/UI.md: only what is on screen is clicked, and nothing is known before.
"""

import pytest

from satchel.api import open as open_code
from tests.ui.browser import IS_THERE, WHY_NOT, Browser
from tests.ui.conftest import Page

pytestmark = pytest.mark.skipif(not IS_THERE, reason=WHY_NOT)


def asked(page: Browser, question: str) -> None:
    """Types a question into the field that has the focus when the page is opened."""
    page.open("/ask")
    page.keys(question, "\n")
    page.sees("Where the tokens went")


def test_why_did_the_agent_get_this_file(page: Browser):
    asked(page, "pay an order")
    page.click(".why summary", "score")
    page.wait("return document.querySelector('.why[open] .signals, .why[open] p')")
    said = page.text()
    assert "match score" in said or "neighbour" in said
    assert "In place of" in said or "Nothing " in said


def test_who_breaks_if_i_change_this(page: Browser):
    page.click("nav a", "Graph")
    page.sees("Who calls it, and what does it call?")
    page.keys("/", "Order.pay", "\n")
    page.wait("return document.querySelector('.g-node.root')")
    first = page.js("return document.querySelector('#why .rows button').innerText")
    assert first == "main → Order.pay"
    assert "1 test within 1 step" in page.text()


def test_what_did_we_decide_about_it(page: Browser, shop: Page):
    with open_code(shop.root) as code:
        code.remember("decision", "Orders are paid in one go", scope="shop/orders.py",
                      rationale="cards refuse parts", provisional=True)  # fmt: skip
        [item] = code.recall("paid").value.items
    try:
        page.click("nav a", "Knowledge")
        page.wait("return document.querySelector('#query')")
        page.keys("/", "paid", "\n")
        assert "cards refuse parts" in page.sees("Orders are paid in one go")
    finally:
        with open_code(shop.root) as code:
            code.revise([item.id], "archive", reason="the test is over")


def test_is_the_index_fresh(page: Browser):
    page.wait("return /generation \\d/.test(document.getElementById('pulse').innerText)")
    page.click("#pulse")
    page.sees("keeps the index fresh")


def test_what_eats_the_budget(page: Browser):
    asked(page, "pay an order")
    legend = page.js("return document.querySelector('.legend').innerText")
    assert "matches" in legend and "headings" in legend and "%" in legend
    largest = page.js("return document.querySelector('.treemap .cell').ariaLabel")
    assert "tokens" in largest
    page.click(".treemap .cell")
    page.wait("return document.querySelector('.excerpt.chosen')")
