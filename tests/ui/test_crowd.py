"""A graph with more symbols than can be shown, and what the map makes of it, on screen."""

from collections.abc import Iterator

import pytest

from tests.ui.browser import IS_THERE, WHY_NOT, Browser
from tests.ui.conftest import Page, served
from tests.ui.corpus import CROWD_SIZE, crowd, written
from tests.ui.movement import FRAMES, MOVED

pytestmark = pytest.mark.skipif(not IS_THERE, reason=WHY_NOT)
MOST = 300
N_SYMBOLS = CROWD_SIZE + 3
"""Those that call the one in the middle, itself, the one it calls, and the file that imports it."""
COUNTED = """
const boxes = [...document.querySelectorAll('.g-node')];
const counts = boxes.map((e) => /^([0-9,]+) symbols$/.exec(e.querySelector('.g-name').textContent));
return [boxes.length, counts.reduce((sum, e) => sum + (e ? Number(e[1].replace(',', '')) : 1), 0)];
"""


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    for page in served(written(tmp_path_factory.mktemp("crowd"), crowd())):
        page.log_in()
        yield page


@pytest.fixture
def inside(window: Browser, crowded: Page) -> Browser:
    window.look("light", "laptop")
    window.enter(crowded.address)
    return window


def test_many_symbols_are_grouped_with_counts_and_a_group_opens(inside: Browser):
    inside.open("/graph/centre")
    inside.wait("return document.querySelector('.g-node.root')")
    n_boxes, n_symbols = inside.js(COUNTED)
    assert n_boxes < 30
    assert n_symbols == N_SYMBOLS
    inside.js("document.querySelector('.g-node.group').dispatchEvent("
              "new MouseEvent('click', {bubbles: true, cancelable: true}))")  # fmt: skip
    inside.wait("return document.querySelectorAll('.g-node').length > arguments[0]", n_boxes)
    assert inside.js(COUNTED)[1] == n_symbols


def test_an_open_group_has_an_address_for_back_forward_and_bookmarks(inside: Browser):
    inside.open("/graph/centre")
    inside.wait("return document.querySelector('.g-node.root')")
    n_closed = inside.js(COUNTED)[0]
    inside.js("document.querySelector('.g-node.group').dispatchEvent("
              "new MouseEvent('click', {bubbles: true, cancelable: true}))")  # fmt: skip
    inside.wait("return document.querySelectorAll('.g-node').length > arguments[0]", n_closed)
    n_open = inside.js(COUNTED)[0]
    address = inside.js("return location.pathname + location.search")
    assert "open=" in address
    same = "return document.querySelectorAll('.g-node').length === arguments[0]"
    inside.driver.back()
    inside.wait(same, n_closed)
    inside.driver.forward()
    inside.wait(same, n_open)
    inside.open(address)
    inside.wait(same, n_open)
    inside.click("aside a", "Close opened groups")
    inside.wait(same, n_closed)


def test_a_chosen_folder_of_the_layers_has_an_address(inside: Browser):
    inside.open("/map/crowd/?view=levels")
    inside.click(".module", "crowd/centre.py")
    inside.sees("It uses")
    inside.open(inside.js("return location.pathname + location.search"))
    inside.sees("It uses")
    assert inside.js("return document.querySelector('.module[aria-pressed=true]').title") == (
        "crowd/centre.py"
    )


def test_without_groups_there_are_never_more_boxes_than_stay_fluid(inside: Browser):
    inside.open("/graph/centre?group=0")
    inside.wait("return document.querySelector('.g-node.root')")
    n_boxes, n_symbols = inside.js(COUNTED)
    assert n_boxes == MOST
    assert n_symbols == N_SYMBOLS


def test_moving_and_scaling_draws_no_box_again(inside: Browser):
    inside.open("/graph/centre?group=0&tests=0")
    inside.wait("return document.querySelector('.g-node.root')")
    moved = inside.driver.execute_async_script(MOVED)
    assert len(moved["frames"]) == FRAMES
    assert moved["redrawn"] == 0
    # It did move: to other places, and to other sizes.
    assert moved["places"] > FRAMES / 2 and moved["sizes"] > 5


def test_the_map_draws_files_that_need_each_other_as_a_circle(inside: Browser):
    inside.open("/map?view=cycles")
    said = inside.sees("1 circle of files that need each other")
    assert "To open it, give up" in said
    names = inside.js("return [...document.querySelectorAll('.ring a')].map((e) => e.ariaLabel)")
    assert sorted(names) == ["crowd/centre.py", "crowd/ground.py"]
    assert inside.js("return document.querySelectorAll('.ring .arrow').length") == 2
    assert inside.js("return document.querySelectorAll('.ring .arrow.cut').length") == 1


def test_the_map_shows_what_stands_on_what(inside: Browser):
    inside.open("/map/crowd/?view=levels")
    inside.sees("in 2 layers")
    inside.click(".module", "crowd/centre.py")
    inside.sees("It uses")
    marks = inside.js("return [...document.querySelectorAll('.module.used')].map(e => e.innerText)")
    assert marks == ["crowd/ground.py"]
    assert inside.js("return document.querySelectorAll('.knot').length") == 1
    assert inside.js("return document.querySelectorAll('.module.user').length") > 10


def test_the_map_shows_when_files_changed_and_what_belongs_together(inside: Browser):
    inside.open("/map?color=age")
    assert "changed today" in inside.sees("lines in")
    inside.open("/map?view=neighbourhoods")
    assert "Files stand together that use each other" in inside.sees("lines in")
    assert inside.js("return document.querySelectorAll('.treemap .cell').length") > 10
