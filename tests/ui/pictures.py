"""`python -m tests.ui.pictures [FOLDER]` takes the pictures of docs/UI.md."""

import sys
import time
from pathlib import Path

from tests.support.satchel import ROOT
from tests.ui.browser import browser
from tests.ui.conftest import served

PICTURES = ROOT / "docs" / "pictures"
TAKEN = {
    "ask": ("light", "/ask?q=how+does+a+pack+stay+within+its+token+budget&budget=4096"),
    "map": ("dark", "/map?q=how+does+a+pack+stay+within+its+token+budget"),
    "graph": ("light", "/graph/packs.compose?depth=2"),
    "health": ("dark", "/health"),
}


def main() -> None:
    """Serve a folder and take a picture of each page."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT
    with browser() as window:
        for page in served(root):
            page.log_in()
            page.settle()
            window.enter(page.address)
            for name, (scheme, address) in TAKEN.items():
                window.look(scheme, "picture")
                window.open(address)
                window.wait("return !document.querySelector('.waiting, .spinner')")
                time.sleep(1)  # until the worker has coloured what is on screen
                window.picture(PICTURES / f"{name}.png")


if __name__ == "__main__":
    main()
