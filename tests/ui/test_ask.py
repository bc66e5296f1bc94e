"""What a reader does on the Ask page, as it shows on screen."""

import pytest

from tests.ui.browser import IS_THERE, WHY_NOT, Browser
from tests.ui.conftest import Page

pytestmark = pytest.mark.skipif(not IS_THERE, reason=WHY_NOT)
ASKED = "/ask?q=pay+an+order&budget=1024"


def excerpts(page: Browser) -> list[str]:
    return page.js("return [...document.querySelectorAll('.excerpt h2')].map(e => e.innerText)")


def test_a_question_typed_in_brings_its_pack_and_an_address_that_brings_it_again(page: Browser):
    page.open("/health")
    page.keys("/")
    page.wait("return document.activeElement.id === 'question'")
    page.keys("pay an order", "\n")
    page.sees("Where the tokens went")
    assert any("shop/orders.py" in title for title in excerpts(page))
    asked = page.js("return location.pathname + location.search")
    assert asked.startswith("/ask?q=pay+an+order&budget=")
    page.open(asked)
    page.sees("def pay(self, method):")
    page.driver.back()


def test_the_text_is_what_a_reader_gets_and_is_highlighted(page: Browser):
    page.open(ASKED)
    page.sees("def pay(self, method):")
    shown = page.js(
        "return [...document.querySelectorAll('.pack pre')].map(e => e.textContent).join('\\n')"
    )
    assert "opens and closes quoted code" in shown
    assert "tokens cl100k_base, generation" in shown
    page.wait("return document.querySelector('.hl-keyword')?.textContent === 'class'"
              " || [...document.querySelectorAll('.hl-keyword')].length > 0")  # fmt: skip
    lines = page.js("return [...document.querySelectorAll('.line')].map(e => e.dataset.line)")
    assert "10" in lines


def test_an_excerpt_is_taken_out_and_comes_back(page: Browser):
    page.open(ASKED)
    page.sees("def charge(")
    page.keys("j")
    first = page.js("return document.querySelector('.chosen h2').innerText")
    page.keys("x")
    page.sees("Changed by hand")
    page.wait("return document.querySelector('.excerpt')")
    assert first not in excerpts(page)
    page.click("a", "Undo")
    page.wait("return !document.body.innerText.includes('Changed by hand')")
    page.until(lambda: first in excerpts(page), first)


def test_what_waits_is_put_in(page: Browser):
    page.open("/ask?q=pay+an+order&budget=256")
    page.sees("Next, had there been room")
    page.click("a", "Put in")
    page.sees("put in by hand")
    assert "in=" in page.js("return location.search")


def test_an_excerpt_says_why_it_is_there_and_who_uses_it(page: Browser):
    page.open("/ask?q=Signal.send&budget=1024")
    page.sees("Where the tokens went")
    page.js("[...document.querySelectorAll('.why')].forEach(e => { e.open = true })")
    page.sees("via")
    said = page.sees("uses of")
    assert "In place of" in said or "Nothing " in said


def test_two_budgets_stand_side_by_side(page: Browser):
    page.open(ASKED)
    page.click("a", "Compare")
    page.sees("only here")
    assert page.js("return document.querySelectorAll('section[aria-label]').length") == 2


def test_two_questions_stand_side_by_side(page: Browser):
    page.open("/compare?q=pay+an+order&budget=512&budget2=512")
    page.sees("Right")
    page.js("document.querySelector('#q2').value = 'items of a cart'")
    page.click("form button", "Compare")
    page.wait("return location.search.includes('q2=items')")
    assert "web/cart.ts" in page.sees("only here")


def test_the_budget_slider_makes_another_pack_at_another_address(page: Browser):
    page.open(ASKED)
    assert "of 1,024 tokens" in page.sees("Where the tokens went")
    page.js(
        "const slider = document.querySelector('#budget'); slider.value = 0;"
        "for (const type of ['input', 'change']) slider.dispatchEvent(new Event(type))"
    )
    page.sees("of 256 tokens")
    assert "budget=256" in page.js("return location.search")


TRACE = """Traceback (most recent call last):
  File "shop/main.py", line 8, in main
    Order(12).pay(Card())
  File "shop/orders.py", line 26, in charge
    return method.take(total)
AttributeError: 'Card' object has no attribute 'take'"""
TESTED = "FAILED tests/test_orders.py::test_money_comes_back - assert 3 == -3"
DIFF = """diff --git a/shop/orders.py b/shop/orders.py
--- a/shop/orders.py
+++ b/shop/orders.py
@@ -24,3 +24,3 @@
 def charge(total, method):
     \"\"\"Take the money.\"\"\"
-    return method.take(total)
+    return method.take(total) or 0"""


@pytest.mark.parametrize(
    ("pasted", "shown"),
    [(TRACE, "shop/orders.py"), (TESTED, "tests/test_orders.py"), (DIFF, "shop/orders.py")],
    ids=["a trace", "a failing test", "a diff"],
)
def test_what_is_pasted_leads_to_the_places_it_names(page: Browser, pasted: str, shown: str):
    page.open("/ask")
    page.js("document.querySelector('#question').value = arguments[0]", pasted)
    page.click("form button", "Ask")
    page.sees("Where the tokens went")
    assert shown in excerpts(page)[0]
    assert "required" in page.text()


def test_a_replay_link_shows_the_same_pack(page: Browser, shop: Page):
    shop.settle()
    page.open(ASKED)
    page.sees("Where the tokens went")
    texts = "return [...document.querySelectorAll('.pack pre')].map(e => e.textContent).join('')"
    before = page.js(texts)
    pack_id = page.js("return document.querySelector('.summary').innerText.match(/pack (\\d+)/)[1]")
    page.open(f"/pack/{pack_id}")
    page.sees("Where the tokens went")
    assert page.js(texts) == before


def test_the_packs_that_were_made_are_listed_and_open(page: Browser, shop: Page):
    shop.settle()
    made = shop.json("POST", "/api/context", {"question": "who pays an order", "budget": 512})
    page.open("/pack")
    page.sees("Packs that were made")
    assert "who pays an order" in page.js("return document.querySelector('tbody tr').innerText")
    page.click("tbody a", "who pays an order")
    page.sees("Where the tokens went")
    assert made["pack"]["receipt"]["id"] in page.js("return location.pathname")


def test_any_place_is_put_in_by_its_lines(page: Browser):
    page.open(ASKED)
    page.sees("Where the tokens went")
    assert not any("web/cart.ts" in title for title in excerpts(page))
    page.js("document.querySelector('#put-in').focus()")
    page.keys("web/cart.ts:4-6", "\n")
    page.sees("put in by hand")
    assert any("web/cart.ts" in title for title in excerpts(page))


def test_a_pack_is_copied_as_text_as_markdown_and_as_a_link(page: Browser, shop: Page):
    origin = f"http://{shop.host}"
    names = ["clipboardReadWrite", "clipboardSanitizedWrite"]
    page.driver.execute_cdp_cmd(
        "Browser.grantPermissions", {"origin": origin, "permissions": names}
    )
    page.open(ASKED)
    page.sees("Where the tokens went")
    text = copied(page, "Copy text", "The text is copied")
    assert text.startswith("[satchel] ") and "def pay(self, method):" in text
    markdown = copied(page, "Markdown", "The Markdown is copied")
    fence = markdown.split("\n")[2]
    assert set(fence) == {"`"} and f"\n{fence}\n" not in text
    assert markdown == f"> pay an order\n\n{fence}\n{text}{fence}\n"
    link = copied(page, "Link", "The link is copied")
    pack_id = page.js("return document.querySelector('.summary').innerText.match(/pack (\\d+)/)[1]")
    assert link.startswith(f"{origin}/pack/{pack_id}?q=pay+an+order")


def test_a_clipboard_that_refuses_is_said_and_the_text_lies_selected(page: Browser, shop: Page):
    page.driver.execute_cdp_cmd("Browser.resetPermissions", {})
    permission = {"permission": {"name": "clipboard-write"}, "setting": "denied"}
    permission["origin"] = f"http://{shop.host}"
    page.driver.execute_cdp_cmd("Browser.setPermission", permission)
    page.open(ASKED)
    page.sees("Where the tokens went")
    page.click(".summary button", "Copy text")
    page.sees("The browser did not let this page copy")
    selected = (
        "const t = document.activeElement; return t.value.slice(t.selectionStart, t.selectionEnd)"
    )
    assert page.js(selected).startswith("[satchel] ")
    assert page.js(selected) == page.js("return document.activeElement.value")
    page.click("dialog.copy button", "Close")
    page.wait("return !document.querySelector('dialog.copy')")
    page.driver.execute_cdp_cmd("Browser.resetPermissions", {})


def copied(page: Browser, button: str, says: str) -> str:
    """What is in the clipboard after a button is clicked."""
    page.click(".summary button", button)
    page.sees(says)
    read = "const done = arguments[0]; navigator.clipboard.readText().then(done)"
    return page.driver.execute_async_script(read)


def test_long_work_says_so_and_can_be_stopped(page: Browser):
    page.open("/ask")
    # A server that never answers, as the page sees it.
    page.js(
        "window.fetch = (path, { signal }) => new Promise((_, failed) =>"
        " signal.addEventListener('abort', () => failed(signal.reason)))"
    )
    page.keys("pay an order", "\n")
    page.sees("The pack is being made.")
    page.click(".waiting button", "Stop")
    page.sees("Stopped.")


def test_what_cannot_be_asked_says_why(page: Browser):
    page.open("/ask?q=pay&in=nowhere.py:1")
    assert "write path:12-40" in page.sees("is in no indexed file")


def test_keys_are_listed_and_can_be_turned_off(page: Browser):
    page.open("/ask?q=pay&budget=512")
    page.sees("Where the tokens went")
    page.keys("?")
    page.sees("single keys are on")
    page.click("#keys-on")
    page.click("dialog button", "Close")
    page.keys("j")
    assert not page.js("return document.querySelector('.chosen')")
    page.js("localStorage.removeItem('satchel-keys-off')")
