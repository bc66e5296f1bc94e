"""`python -m tests.ui.figures [N]` measures the page on a project of N files (10,000).

Bytes and requests of a page, its first paint, how long after the API's answer it is on screen, and
the frames while a graph of 300 boxes is moved. docs/UI.md has the numbers.
"""

import statistics
import sys
import tempfile
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
  // A frame later it is painted as well, and not only made.
  if (found) requestAnimationFrame(() => setTimeout(() => { window.seen = performance.now(); }));
  else requestAnimationFrame(look);
};
look();
"""
_FIGURES = """
const all = performance.getEntriesByType('resource');
const api = all.filter((e) => /api.(context|map|graph|status)/.test(e.name)).at(-1);
const paint = performance.getEntriesByName('first-contentful-paint')[0];
return {
  requests: all.length + 1,
  kilobytes: Math.round(all.reduce((n, e) => n + e.transferSize, 0) / 1000),
  'first paint ms': Math.round(paint.startTime),
  'API ms': Math.round(api.responseEnd - api.startTime),
  'on screen after the API, ms': Math.round(window.seen - api.responseEnd),
};
"""


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
    """Measure, and print a line for each address."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder, browser() as window:
        for page in served(written(Path(folder), project(n))):
            _enter(window, page)
            found = window.driver.execute_cdp_cmd(
                "Page.addScriptToEvaluateOnNewDocument", {"source": _SEEN}
            )
            for address in _ADDRESSES:
                window.open(address)
                window.wait("return window.seen")
                sys.stdout.write(f"{address} {window.js(_FIGURES)}\n")
            window.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", found)
    with tempfile.TemporaryDirectory() as folder, browser() as window:
        for page in served(written(Path(folder), crowd())):
            _enter(window, page)
            window.open("/graph/centre?group=0")
            n_boxes = window.wait("return document.querySelectorAll('.g-node').length")
            frames = window.driver.execute_async_script(MOVED)["frames"]
            sys.stdout.write(
                f"{n_boxes} boxes, {len(frames)} frames: half within"
                f" {statistics.median(frames):.0f} ms, 95 % within"
                f" {statistics.quantiles(frames, n=20)[-1]:.0f} ms, longest {max(frames):.0f} ms\n"
            )


def _enter(window: Browser, page: Page) -> None:
    page.log_in()
    page.json("POST", "/api/context", {"question": "order"})
    page.settle()
    window.look("light", "laptop")
    window.enter(page.address)


if __name__ == "__main__":
    main()
