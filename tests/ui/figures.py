"""`python -m tests.ui.figures [N]` measures the page on a project of N files (10,000).

Bytes and requests of the first page, its first paint, and how long after the API's answer a pack is
on screen. docs/UI.md has the numbers.
"""

import sys
import tempfile
from pathlib import Path

from tests.ui.browser import browser
from tests.ui.conftest import served
from tests.ui.corpus import written

_SEEN = """
const look = () => {
  const found = document.querySelector('.excerpt, .treemap');
  if (found && !window.seen) window.seen = performance.now();
  else requestAnimationFrame(look);
};
look();
"""


def project(n: int) -> dict[str, str]:
    """Files that call each other, in folders of a hundred."""
    return {
        f"part{k // 100:03}/module{k}.py": (
            f"from part{(k // 7) // 100:03}.module{k // 7} import work{k // 7}\n\n\n"
            f"def work{k}(order):\n"
            f'    """Handle step {k} of an order."""\n    return work{k // 7}(order)\n'
        )
        for k in range(n)
    }


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder, browser() as window:
        for page in served(written(Path(folder), project(n))):
            page.log_in()
            page.json("POST", "/api/context", {"question": "order"})
            window.look("light", "laptop")
            window.enter(page.address)
            window.driver.execute_cdp_cmd(
                "Page.addScriptToEvaluateOnNewDocument", {"source": _SEEN}
            )
            for address in ("/ask?q=handle+step+77&budget=4096", "/map"):
                window.open(address)
                window.wait("return window.seen")
                sys.stdout.write(f"{address} {window.js(_FIGURES)}\n")


_FIGURES = """
const all = performance.getEntriesByType('resource');
const api = all.filter((e) => /api.(context|map)/.test(e.name)).at(-1);
const paint = performance.getEntriesByName('first-contentful-paint')[0];
return {
  requests: all.length + 1,
  kilobytes: Math.round(all.reduce((n, e) => n + e.transferSize, 0) / 1000),
  'first paint ms': Math.round(paint.startTime),
  'API ms': Math.round(api.responseEnd - api.startTime),
  'on screen after the API, ms': Math.round(window.seen - api.responseEnd),
};
"""


if __name__ == "__main__":
    main()
