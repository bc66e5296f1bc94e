"""Every page in a real browser: nothing odd in the console, nothing asked elsewhere, no barrier.

A reduced matrix runs with all tests. SATCHEL_LONG=1 runs both schemes at three widths, and does so
for this repository and for a project of 10,000 files as well.
"""

import os
from importlib.resources import files
from pathlib import Path

import pytest

from tests.support.satchel import ROOT
from tests.ui.browser import IS_THERE, SIZES, WHY_NOT, Browser
from tests.ui.conftest import Page, served
from tests.ui.corpus import written
from tests.ui.figures import project

pytestmark = pytest.mark.skipif(not IS_THERE, reason=WHY_NOT)
SCHEMES = ("light", "dark")
IS_LONG = os.environ.get("SATCHEL_LONG") == "1"
REDUCED = [("light", "laptop"), ("dark", "phone")]
MATRIX = [(s, w) for s in SCHEMES for w in SIZES] if IS_LONG else REDUCED
PAGES = {
    "/ask": "What should a model see",
    "/ask?q=pay+an+order&budget=1024": "Where the tokens went",
    "/pack": "Packs that were made",
    "/compare?q=pay+an+order&budget=1024&budget2=512": "only here",
    "/map": "lines in",
    "/map/shop/?q=refund": "best match",
    "/map/shop/orders.py?color=used": "Ask about it",
    "/map?view=levels": "in 3 layers",
    "/map?view=neighbourhoods": "Files stand together",
    "/map?view=cycles": "needs it in turn",
    "/graph": "Who calls it",
    "/graph/Order.pay?depth=2": "Why an edge is there",
    "/review": "Try",
    "/knowledge": "Nothing is written down",
    "/health": "Checks of the index",
}
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]


@pytest.fixture(scope="session")
def axe() -> str:
    return files("axe_core_python").joinpath("axe.min.js").read_text("utf-8")


@pytest.mark.parametrize(("scheme", "size"), MATRIX, ids=map("-".join, MATRIX))
def test_every_page_is_clean(page: Browser, shop: Page, axe: str, scheme: str, size: str):
    page.look(scheme, size)
    clean(page, axe, PAGES)
    assert page.problems() == []
    assert elsewhere(page, shop) == []


LARGER = {
    "/ask?q=handle+an+order&budget=4096": "Where the tokens went",
    "/map": "lines in",
    "/map?view=levels": "layer",
    "/map?view=neighbourhoods": "Files stand together",
    "/map?view=cycles": "need",
    "/graph": "Who calls it",
    "/health": "Checks of the index",
}


@pytest.mark.skipif(not IS_LONG, reason="SATCHEL_LONG=1 runs it")
@pytest.mark.parametrize("name", ["this repository", "10,000 files"])
def test_pages_of_larger_projects_are_clean(window: Browser, axe: str, tmp_path: Path, name: str):
    root = ROOT if name == "this repository" else written(tmp_path, project(10_000))
    for server in served(root):
        server.log_in()
        server.json("POST", "/api/context", {"question": "order"})
        server.settle()
        for scheme, size in MATRIX:
            window.look(scheme, size)
            window.enter(server.address)
            window.problems()
            window.requests()
            clean(window, axe, LARGER)
            assert window.problems() == []
            assert elsewhere(window, server) == []


def clean(page: Browser, axe: str, addresses: dict[str, str]) -> None:
    """Opens addresses: each says its text, has no barrier, and is no wider than the window."""
    for address, text in addresses.items():
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


def elsewhere(page: Browser, server: Page) -> list[str]:
    """What was asked of anybody but the server of the page."""
    asked = [url for url in page.requests() if url.startswith(("http:", "https:", "ws"))]
    assert asked
    return [url for url in asked if not url.startswith(f"http://{server.host}/")]
