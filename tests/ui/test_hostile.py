"""Names and sources that would like to be a page, shown as the text they are."""

from collections.abc import Iterator

import pytest

from satchel.assembler import quoting
from tests.packing.test_quoting import KEPT, SHOWN, spelled
from tests.ui.browser import IS_THERE, WHY_NOT, Browser
from tests.ui.conftest import Page, served
from tests.ui.corpus import HOSTILE, written

pytestmark = pytest.mark.skipif(not IS_THERE, reason=WHY_NOT)
VISITED = {
    "/ask?q=steal+the+money&scope=all&budget=4096": "Where the tokens went",
    "/ask?q=%3Cimg+src%3Dx+onerror%3Dwindow.hacked%3D1%3E&scope=all": "tokens",
    "/compare?q=steal&q2=money&scope=all": "only here",
    "/map": "lines in",
    "/map/other/__init__.py": "Ask about it",
    "/graph/steal?depth=2&confidence=0": "Why an edge is there",
    "/knowledge?q=%3Cscript%3E": "Nothing is written down",
    "/review?since=%3Cimg%20src=x%20onerror=window.hacked=1%3E": "Try",
    "/health": "Checks of the index",
}


@pytest.fixture(scope="module")
def den(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    yield from served(written(tmp_path_factory.mktemp("den"), HOSTILE))


def test_nothing_of_it_becomes_markup(window: Browser, den: Page):
    window.look("light", "laptop")
    window.enter(den.address)
    window.problems()
    for address, text in VISITED.items():
        window.open(address)
        window.sees(text)
        window.js("for (const e of document.querySelectorAll('details')) e.open = true")
        window.wait("return !document.querySelector('.waiting')")
        assert window.js("return window.hacked") is None
        inside = "return document.querySelectorAll('main script, main img, main [onerror]').length"
        assert window.js(inside) == 0
        # A character that turns the reading direction round would show one name as another.
        hidden = "return /[\\u202a-\\u202e\\u2066-\\u2069\\u200b]/.test(document.body.textContent)"
        assert (address, window.js(hidden)) == (address, False)
    assert window.problems() == []


def test_a_pack_of_it_shows_the_markup_as_text(window: Browser, den: Page):
    window.enter(den.address)
    window.open("/ask?q=steal+the+money&scope=all&budget=4096")
    said = window.sees("Where the tokens went")
    assert "<script>window.hacked=1</script>" in said
    assert "⟨U+202E⟩" in said


def test_a_browser_shows_the_same_characters_as_a_pack(window: Browser, den: Page):
    window.enter(den.address)
    made = "return import('/static/dom.js').then((dom) => dom.visible(arguments[0]))"
    for text in (*(kept.replace("\r", "") for kept in KEPT), *map(spelled, SHOWN)):
        assert window.js(made, text) == quoting.neutral(text), ascii(text)
