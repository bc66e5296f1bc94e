"""Reviews and knowledge on screen; what a person changes there is changed."""

from collections.abc import Iterator

import pytest

from satchel.api import open as open_code
from tests.ui.browser import IS_THERE, WHY_NOT, Browser
from tests.ui.conftest import Page, served
from tests.ui.corpus import SHOP, written

pytestmark = pytest.mark.skipif(not IS_THERE, reason=WHY_NOT)


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A shop in which a method has changed, a function is gone, and things are known."""
    root = written(tmp_path_factory.mktemp("changed"), SHOP)
    orders = root / "shop" / "orders.py"
    text = orders.read_text("utf-8").replace("def charge(total, method)", "def charge(total, by)")
    orders.write_text(text.replace("method.take(total)", "by.take(total)"), "utf-8")
    with open_code(root) as code:
        code.remember("decision", "Money is taken before anybody is told", scope="shop/orders.py",
                      rationale="listeners ship the goods", provisional=True)  # fmt: skip
        code.remember("warning", "Receivers must not raise", scope="shop/signals.py")
    yield from served(root)


@pytest.fixture
def inside(window: Browser, changed: Page) -> Browser:
    window.look("light", "laptop")
    window.enter(changed.address)
    return window


def test_a_review_shows_the_hunk_its_users_its_tests_and_what_is_known(inside: Browser):
    inside.open("/review")
    said = inside.sees("Users that did not change")
    assert "+def charge(total, by):" in said
    assert "Order.pay uses charge" in said
    assert "tests/test_orders.py" in said
    assert "Money is taken before anybody is told" in said


def test_a_review_of_nothing_says_what_to_try(inside: Browser):
    inside.open("/review?since=nonsense")
    inside.sees("Try")
    inside.click("main a", "HEAD~1")
    inside.wait("return location.search.includes('HEAD~1')")


def test_that_nothing_has_changed_is_no_alarm(page: Browser):
    page.open("/review")
    page.sees("nothing has changed since HEAD")
    assert page.js("return document.querySelectorAll('.notice.bad, [role=alert]').length") == 0


def test_what_is_known_of_a_function_stands_beside_its_hunk(inside: Browser, changed: Page):
    with open_code(changed.root) as code:
        code.remember("warning", "The amount is in cents", scope="symbol:charge")
    inside.open("/review")
    inside.sees("The amount is in cents")
    order = inside.js(
        "const at = (text) => [...document.querySelectorAll('.excerpt > *')]"
        ".findIndex((e) => e.innerText.includes(text));"
        "return [at('Money is taken'), at('The amount is'), at('+def charge(total, by)')]"
    )
    assert order == sorted(order) and order[1] + 1 == order[2]


def test_items_whose_code_has_changed_come_first(inside: Browser, changed: Page):
    cart = changed.root / "web" / "cart.ts"
    with open_code(changed.root) as code:
        code.remember("convention", "A cart counts each item once", scope="web/cart.ts")
        code.remember("warning", "Totals are whole numbers", importance=1.0)
    cart.write_text(cart.read_text("utf-8").replace("length", "length + 0"), "utf-8")

    def is_seen() -> bool:
        inside.open("/knowledge")
        inside.sees("A cart counts each item once")
        return "drifted" in inside.text()

    # The server sees the save when the system tells it.
    inside.until(is_seen, "drifted")
    items = inside.js("return [...document.querySelectorAll('.item')].map((e) => e.innerText)")
    assert "A cart counts each item once" in items[0]
    assert not any("drifted" in item for item in items[1:])


def test_items_are_found_by_words_and_by_place(inside: Browser):
    inside.open("/knowledge?q=who+is+told+first")
    inside.sees("Money is taken before anybody is told")
    inside.open("/knowledge?kind=warning")
    inside.sees("Receivers must not raise")
    items = "return [...document.querySelectorAll('.item h2')].map((e) => e.innerText)"
    found = inside.js(items)
    assert "warning Receivers must not raise" in found
    assert all(item.startswith("warning ") for item in found)


def test_an_item_is_promoted_with_a_reason_which_its_history_keeps(inside: Browser):
    inside.open("/knowledge")
    inside.click("main .item a", "Money is taken before anybody is told")
    inside.sees("History")
    inside.click("#change button", "Promote")
    inside.sees("Say why")
    inside.keys("everybody agreed")
    inside.click("#change button", "Promote")
    said = inside.sees("everybody agreed")
    assert "promote" in said and "active" in said


def test_an_item_is_resolved_and_another_superseded_with_a_reason(inside: Browser, changed: Page):
    with open_code(changed.root) as code:
        [need] = code.remember("need", "Somebody should round the totals").value.items
        why = {"rationale": "they are added up", "on_duplicate": "add"}
        [old] = code.remember("decision", "Totals are floats", **why).value.items
        [new] = code.remember("decision", "Prices are whole cents", **why).value.items
    inside.open(f"/knowledge/{need.id}")
    inside.js("document.querySelector('#reason').value = 'it is done'")
    inside.click("#change button", "Resolve")
    assert "resolved" in inside.sees("it is done")
    inside.open(f"/knowledge/{old.id}")
    inside.js("document.querySelector('#reason').value = 'floats lose cents'")
    inside.js("document.querySelector('#by').value = arguments[0]", new.id)
    inside.click("#change button", "Supersede")
    said = inside.sees("floats lose cents")
    assert "superseded" in said and new.id in said


def test_the_newest_items_come_first_when_asked_by_time(inside: Browser, changed: Page):
    with open_code(changed.root) as code:
        code.remember("finding", "The last thing that was found")
    inside.open("/knowledge")
    inside.sees("what matters most")
    inside.js(
        "const order = document.querySelector('#order'); order.value = 'time';"
        "order.dispatchEvent(new Event('change'))"
    )
    inside.wait(
        "return document.querySelector('.item')?.innerText.includes('The last thing that was')"
    )
    assert "order=time" in inside.js("return location.search")


def test_findings_stand_with_what_repairs_them(inside: Browser, changed: Page):
    with open_code(changed.root) as code:
        code.remember("warning", "Money comes back once", scope="symbol:refund")
    orders = changed.root / "shop" / "orders.py"
    orders.write_text(orders.read_text("utf-8").replace("return -total", "return 0 - total"))
    inside.open("/health")
    inside.sees("Checks of the index")
    # The server sees the save when the system tells it.
    inside.wait(
        "const box = document.querySelector('#findings');"
        "const run = [...box.querySelectorAll('button')].find((e) => e.textContent === 'standard');"
        "const isFound = box.innerText.includes('Repair: ');"
        "if (!isFound && !run.disabled) run.click();"
        "return isFound"
    )


def test_where_nothing_is_known_the_page_says_how_to_begin(page: Browser):
    page.open("/knowledge")
    assert "satchel remember decision" in page.sees("Nothing is written down here.")
