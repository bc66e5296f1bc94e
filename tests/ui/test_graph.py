"""The call graph and the map on screen: who calls whom, why, and what lies where."""

import pytest

from tests.ui.browser import IS_THERE, WHY_NOT, Browser

pytestmark = pytest.mark.skipif(not IS_THERE, reason=WHY_NOT)


def nodes(page: Browser) -> dict[str, float]:
    """The horizontal place of each box, by its name."""
    found = page.js(
        "return [...document.querySelectorAll('.g-node')].map((e) =>"
        " [e.querySelector('.g-name').textContent, e.getBoundingClientRect().x])"
    )
    return dict(found)


def test_callers_stand_left_and_callees_right_and_tests_apart(page: Browser):
    page.open("/graph/Order.pay")
    page.wait("return document.querySelector('.g-node.root')")
    found = nodes(page)
    assert found["main"] < found["Order.pay"] < found["charge"]
    assert found["Signal.send"] > found["Order.pay"]
    assert page.js("return document.querySelector('.g-node.test .g-name').textContent").startswith(
        "test_an_order"
    )
    page.click("#tests")
    page.wait("return !document.querySelector('.g-node.test')")
    assert "tests=0" in page.js("return location.search")


def test_depth_and_confidence_change_what_is_drawn_and_the_address(page: Browser):
    page.open("/graph/charge")
    page.wait("return document.querySelector('.g-node.root')")
    assert "main" not in nodes(page)
    page.open("/graph/charge?depth=2")
    page.wait("return document.querySelector('.g-node.root')")
    assert "main" in nodes(page)
    page.js(
        "const e = document.querySelector('#confidence'); e.value = 1;"
        "e.dispatchEvent(new Event('input'))"
    )
    page.wait("return document.querySelectorAll('.g-node').length === 1")
    assert "confidence=1" in page.js("return location.search")


def test_an_edge_says_why_it_is_there(page: Browser):
    page.open("/graph/Order.pay")
    page.click("#why button", "Order.pay → charge")
    said = page.sees("Found by the rule")
    assert "charge(self.total, method)" in said
    assert "confidence 0." in said or "confidence 1." in said
    # The address says it, so that a link shows it to somebody else.
    page.open(page.driver.current_url.removeprefix(page.address))
    assert "charge(self.total, method)" in page.sees("Found by the rule")


def test_a_box_leads_to_its_own_graph_and_back(page: Browser):
    page.open("/graph/Order.pay")
    page.wait("return document.querySelector('.g-node.root')")
    page.js(
        "[...document.querySelectorAll('.g-node')].find((e) => e.textContent.includes('charge'))"
        ".dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}))"
    )
    page.wait("return document.querySelector('.g-node.root .g-name')?.textContent === 'charge'")
    page.driver.back()
    page.wait("return document.querySelector('.g-node.root .g-name')?.textContent === 'Order.pay'")


def test_a_graph_is_exported_in_four_forms(page: Browser):
    page.open("/graph/Order.pay")
    page.wait("return document.querySelector('.g-node.root')")
    # What would be written to the disk is read where it is handed over.
    page.js(
        "window.saved = []; const made = URL.createObjectURL;"
        "URL.createObjectURL = (blob) => {"
        " blob.arrayBuffer().then((data) => window.saved.push([blob.type,"
        " new TextDecoder('latin1').decode(data).slice(0, 60)])); return made.call(URL, blob) }"
    )
    for name in ("SVG", "PNG", "DOT", "GraphML"):
        page.click("aside button", name)
    # A PNG is drawn from an SVG of its own.
    saved = page.wait("return window.saved.length === 5 && window.saved")
    heads = {head for _, head in saved}
    assert any(head.startswith("<svg ") for head in heads)
    assert any("PNG" in head[:8] for head in heads)
    assert any(head.startswith("digraph") for head in heads)
    assert any(head.startswith("<graphml") for head in heads)


def test_the_graph_begins_with_what_much_else_uses(page: Browser):
    page.open("/graph")
    page.sees("Who calls it, and what does it call?")
    page.click("main li a", "Signal.send")
    page.wait("return document.querySelector('.g-node.root')")


def test_the_map_leads_from_folders_to_files_to_symbols(page: Browser):
    page.open("/map")
    page.sees("lines in")
    page.click(".treemap a", "shop/")
    page.sees("orders.py")
    page.click(".treemap a", "orders.py")
    page.wait("return location.pathname === '/map/shop/orders.py'")
    page.sees("Order.pay")
    page.click(".treemap a", "Order.pay")
    page.wait("return document.querySelector('.g-node.root .g-name')?.textContent === 'Order.pay'")


def test_a_question_lights_up_what_it_finds(page: Browser):
    page.open("/map/shop/?q=refund+the+customer")
    page.sees("best match")
    part = (
        "return parseInt([...document.querySelectorAll('.cell')].find((e) =>"
        " e.textContent.includes(arguments[0])).style.getPropertyValue('--part'))"
    )
    assert page.js(part, "orders.py") == 100
    assert page.js(part, "main.py") < 100


@pytest.mark.parametrize(
    ("colour", "more", "less"),
    [
        ("tests", "tests/test_orders.py", "shop/main.py"),
        ("used", "shop/signals.py", "README.md"),
        ("problems", "broken.py", "README.md"),
    ],
)
def test_the_map_is_coloured_by_what_is_chosen(page: Browser, colour: str, more: str, less: str):
    page.open("/map")
    page.js(
        "const chosen = document.querySelector('#colour'); chosen.value = arguments[0];"
        "chosen.dispatchEvent(new Event('change'))",
        colour,
    )
    part = (
        "return parseInt([...document.querySelectorAll('.cell.mixed')].find((e) =>"
        " e.ariaLabel.startsWith(arguments[0]))?.style.getPropertyValue('--part') ?? -1)"
    )
    page.until(lambda: page.js(part, more) > page.js(part, less) >= 0, colour)
    assert f"color={colour}" in page.js("return location.search")


def test_the_way_from_one_symbol_to_another_has_its_steps_and_an_address(page: Browser):
    page.open("/graph/main?to=charge")
    said = page.sees("main reaches charge in 2 steps, ")
    assert "charge does not reach main." in said
    assert said.index("Order.pay", said.index("in 2 steps")) > 0


def test_on_a_telephone_callers_and_callees_are_seen_at_once_and_two_fingers_scale(page: Browser):
    page.look("light", "phone")
    page.open("/graph/Order.pay")
    page.sees("Why an edge is there")
    area = "const area = document.querySelector('.drawing'); "
    assert page.js(area + "return area.scrollWidth <= area.clientWidth")
    pinch = """
    const { left, top } = area.getBoundingClientRect();
    for (const apart of [50, 100]) {
      const event = new Event('touchmove', { bubbles: true, cancelable: true });
      const at = (by) => ({ clientX: left + 150 + by, clientY: top + 50 });
      event.touches = [at(-apart), at(apart)];
      area.firstElementChild.dispatchEvent(event);
    }
    return area.scrollWidth > 1.5 * area.clientWidth"""
    assert page.js(area + pinch)
