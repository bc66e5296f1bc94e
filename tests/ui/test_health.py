"""What the Health page shows of an index, while it changes."""

import pytest

from tests.support.satchel import TIMEOUT_S
from tests.support.stdio_server import StdioServer
from tests.ui.browser import IS_THERE, WHY_NOT, Browser
from tests.ui.conftest import Page

pytestmark = pytest.mark.skipif(not IS_THERE, reason=WHY_NOT)


def test_it_says_what_is_skipped_and_why(page: Browser):
    page.open("/health")
    page.sees("Skipped")
    page.click("#skipped summary", "binary")
    page.sees("shop/logo.bin")
    page.click("#problems summary", "syntax")
    page.sees("broken.py")
    # What is unfolded stands in the address.
    page.open(page.js("return location.pathname + location.search"))
    page.sees("shop/logo.bin")
    page.sees("broken.py")


def test_it_says_what_agents_used_and_what_lies_on_the_disk(page: Browser, shop: Page):
    with StdioServer(shop.root) as agent:
        asked = {"name": "search", "arguments": {"query": "pay an order"}}
        assert not agent.ask("tools/call", asked).get("isError")
        # What is counted is written now and then, and when the server ends by itself.
        assert agent.process.stdin
        agent.process.stdin.close()
        agent.process.wait(timeout=TIMEOUT_S)

    def is_seen() -> bool:
        page.open("/health")
        page.sees("Disk")
        return bool(page.js("return document.querySelector('#usage td')"))

    page.until(is_seen, "usage")
    usage = page.js("return document.querySelector('#usage').innerText")
    assert "search" in usage and "tokens fewer than the whole files" in usage
    assert "index.db" in page.js("return document.querySelector('#disk').innerText")


def test_a_save_appears_by_itself(page: Browser, shop: Page):
    page.open("/health")
    page.sees("keeps the index fresh")
    (shop.root / "shop" / "news.py").write_text("def news():\n    return 1\n", "utf-8")
    page.sees("+ shop/news.py")
    (shop.root / "shop" / "news.py").unlink()
    page.sees("− shop/news.py")


def test_checks_are_cancelled(page: Browser):
    page.open("/health")
    page.sees("Checks of the index")
    page.click("#findings button", "deep")
    cancel = (
        "document.querySelectorAll('#findings button').forEach((e) =>"
        " e.textContent === 'Cancel' && !e.hidden && e.click());"
    )
    # Clicked until it is heard: what a deep check takes is more than one click.
    page.wait(cancel + "return document.body.innerText.includes('the checks were cancelled')")
    assert not page.js("return document.querySelectorAll('#findings button[disabled]').length")


def test_the_index_is_checked_on_request(page: Browser):
    page.open("/health")
    page.sees("Checks of the index")
    page.click("#findings button", "quick")
    assert "checks of" in page.sees(" at generation ")
