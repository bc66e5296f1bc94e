"""`python -m tests.ui.figures [N]` measures the page on a project of N files (10,000).

What Lighthouse asks of a page, in a fresh tab for each address: requests and bytes, first and
largest paint, how much moved while it was drawn, how long scripts held up the reader; then how long
after the API's answer it is on screen, and the frames while a graph of 300 boxes is moved.
`--write docs/UI.md` puts the numbers there.
"""

import statistics
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path

from tests.ui.browser import Browser, browser
from tests.ui.conftest import Page, served
from tests.ui.corpus import crowd, written
from tests.ui.movement import MOVED

_ADDRESSES = (
    "/ask?q=handle+step+77&budget=4096",
    "/compare?q=handle+step+77&budget=4096&budget2=1024",
    "/map",
    "/map?color=age",
    "/map?view=levels",
    "/map?view=neighbourhoods",
    "/map?view=cycles",
    "/graph/work77?depth=2",
    "/health",
)
_SEEN = """
const drawn = '.excerpt, .treemap, .levels, .circle, .g-node, .pair section, .tiles';
const look = () => {
  const found = document.querySelector(drawn);
  // Scripts run before a frame is painted, and a task that they leave behind runs after it.
  if (found) setTimeout(() => { window.seen = performance.mark('seen').startTime; });
  else requestAnimationFrame(look);
};
look();
"""
_SEEN += """
window.largest = 0; window.moved = 0; window.blocked = 0;
const watch = (type, each) => new PerformanceObserver((list) => list.getEntries().forEach(each))
  .observe({ type, buffered: true });
watch('largest-contentful-paint', (e) => { window.largest = e.startTime; });
watch('layout-shift', (e) => { if (!e.hadRecentInput) window.moved += e.value; });
// What a task takes beyond 50 ms, as the total blocking time has it.
watch('longtask', (e) => { window.blocked += Math.max(0, e.duration - 50); });
"""
_FIGURES = """
const all = performance.getEntriesByType('resource');
const api = all.filter((e) => /api.(context|map|graph|status)/.test(e.name)).at(-1);
const paint = performance.getEntriesByName('first-contentful-paint')[0];
return [
  all.length + 1,
  Math.round(all.reduce((n, e) => n + e.transferSize, 0) / 1000),
  Math.round(paint.startTime),
  Math.round(window.largest),
  window.moved,
  Math.round(window.blocked),
  Math.round(api.responseEnd - api.startTime),
  Math.round(window.seen - api.responseEnd),
  window.seen - api.responseEnd,
];
"""
_HEAD = """\
| address | requests | kB | first paint, ms | largest, ms | moved | held up, ms | API, ms \
| on screen after it, ms | of these processor time, ms |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
"""
_TRACED = "toplevel,blink.user_timing"
_TASK = "ThreadControllerImpl::RunTask"
_RUNS = 3
"""Times that an address is opened; the median counts."""
START, END = "<!-- figures -->\n", "<!-- /figures -->"


def project(n: int) -> dict[str, str]:
    """Files that call each other, in folders of a hundred; two of them in a circle."""
    files = {
        f"part{k // 100:03}/module{k}.py": (
            f"from part{(k // 7) // 100:03}.module{k // 7} import work{k // 7}\n\n\n"
            f"def work{k}(order):\n"
            f'    """Handle step {k} of an order."""\n    return work{k // 7}(order)\n'
        )
        for k in range(n)
    }
    return files | {
        "ring/a.py": "from ring import b\n\n\ndef one(x):\n    return b.two(x)\n",
        "ring/b.py": "from ring import a\n\n\ndef two(x):\n    return x or a.one(x)\n",
    }


def main() -> None:
    """Measure, and print or write a row for each address."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("n", type=int, nargs="?", default=10_000)
    parser.add_argument("--write", type=Path, metavar="PAGE")
    asked = parser.parse_args()
    text = f"{_HEAD}{''.join(_rows(asked.n))}\n{_movement()}\n"
    if not asked.write:
        sys.stdout.write(text)
        return
    before, _, rest = asked.write.read_text("utf-8").partition(START)
    after = rest.partition(END)[2]
    asked.write.write_text(f"{before}{START}{text}{END}{after}", "utf-8")


def _rows(n: int) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder, browser(_TRACED) as window:
        for page in served(written(Path(folder), project(n))):
            _enter(window, page)
            window.driver.execute_cdp_cmd(
                "Page.addScriptToEvaluateOnNewDocument", {"source": _SEEN}
            )
            for address in _ADDRESSES:
                runs = [_opened(window, address) for _ in range(_RUNS)]
                cells = [_written(statistics.median(run)) for run in zip(*runs, strict=True)]
                yield f"| `{address}` | {' | '.join(cells)} |\n"


def _written(value: float) -> str:
    return f"{value:,.0f}" if value >= 1 or not value else f"{value:.3f}"


def _opened(window: Browser, address: str) -> list[float]:
    window.driver.get("about:blank")
    window.traced()
    window.open(address)
    window.wait("return window.seen")
    *found, drawn_ms = window.js(_FIGURES)
    # What was recorded is handed out when the page is left.
    window.driver.get("about:blank")
    return [*found, _processor_ms(window.traced(), drawn_ms)]


def _processor_ms(events: list[dict], drawn_ms: float) -> float:
    """Processor time of the page's own thread in the milliseconds before the answer was seen."""
    seen = [event for event in events if event["name"] == "seen"][-1]
    tasks = [
        event
        for event in events
        if event["name"] == _TASK
        and (event["pid"], event["tid"]) == (seen["pid"], seen["tid"])
        and seen["ts"] - drawn_ms * 1000 <= event["ts"] + event.get("dur", 0)
        and event["ts"] <= seen["ts"]
    ]
    # A task may run others while it waits; the outermost have the time of all.
    outer, until = 0.0, 0
    for task in sorted(tasks, key=lambda each: (each["ts"], -each.get("dur", 0))):
        if task["ts"] >= until:
            outer += task.get("tdur", 0)
            until = task["ts"] + task.get("dur", 0)
    return outer / 1000


def _movement() -> str:
    with tempfile.TemporaryDirectory() as folder, browser() as window:
        for page in served(written(Path(folder), crowd())):
            _enter(window, page)
            window.open("/graph/centre?group=0")
            n_boxes = window.wait("return document.querySelectorAll('.g-node').length")
            frames = window.driver.execute_async_script(MOVED)["frames"]
    return (
        f"A graph of {n_boxes} boxes that is moved and scaled for {len(frames)} frames has half of"
        f" them within {statistics.median(frames):.0f} ms, 95 % within"
        f" {statistics.quantiles(frames, n=20)[-1]:.0f} ms; the longest took {max(frames):.0f} ms."
    )


def _enter(window: Browser, page: Page) -> None:
    page.log_in()
    page.json("POST", "/api/context", {"question": "order"})
    page.settle()
    window.look("light", "laptop")
    window.enter(page.address)


if __name__ == "__main__":
    main()
