"""Every page in a real browser: nothing odd in the console, nothing asked elsewhere, no barrier.

A reduced matrix runs with all tests; SATCHEL_LONG=1 runs both schemes at three widths.
"""

import os
from importlib.resources import files

import pytest

from tests.ui.browser import IS_THERE, SIZES, WHY_NOT, Browser
from tests.ui.conftest import Page

pytestmark = pytest.mark.skipif(not IS_THERE, reason=WHY_NOT)
SCHEMES = ("light", "dark")
IS_LONG = os.environ.get("SATCHEL_LONG") == "1"
REDUCED = [("light", "laptop"), ("dark", "phone")]
MATRIX = [(s, w) for s in SCHEMES for w in SIZES] if IS_LONG else REDUCED
PAGES = {
    "/ask": "What should a model see",
    "/ask?q=pay+an+order&budget=1024": "Where the tokens went",
    "/compare?q=pay+an+order&budget=1024&budget2=512": "only here",
    "/map": "lines in",
    "/map/shop/?q=refund": "best match",
    "/map/shop/orders.py?color=used": "Ask about it",
    "/graph": "Who calls it",
    "/graph/Order.pay?depth=2": "Why an edge is there",
    "/review": "Try",
    "/knowledge": "Nothing is written down",
    "/health": "Is it true?",
}
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]


@pytest.fixture(scope="session")
def axe() -> str:
    return files("axe_core_python").joinpath("axe.min.js").read_text("utf-8")


@pytest.mark.parametrize(("scheme", "size"), MATRIX, ids=map("-".join, MATRIX))
def test_every_page_is_clean(page: Browser, shop: Page, axe: str, scheme: str, size: str):
    page.look(scheme, size)
    for address, text in PAGES.items():
        page.open(address)
        page.sees(text)
        page.wait("return !document.querySelector('.waiting, .spinner')")
        page.js(axe)
        run = "const done = arguments[1]; axe.run(document, {runOnly: arguments[0]}).then(done)"
        found = page.driver.execute_async_script(run, TAGS)
        broken = [(v["id"], v["nodes"][0]["html"][:200]) for v in found["violations"]]
        assert (address, broken) == (address, [])
        wide = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert (address, page.js(wide)) == (address, 0)
    assert page.problems() == []
    ours = f"http://{shop.host}/"
    asked = [url for url in page.requests() if url.startswith(("http:", "https:", "ws"))]
    assert asked and [url for url in asked if not url.startswith(ours)] == []
