"""`python -m tests.ui.pictures [FOLDER]` takes the pictures of README.md and docs/UI.md.

Without a folder it is of the last commit of this repository, in a folder of its own name.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.support.satchel import ROOT
from tests.ui.browser import browser
from tests.ui.conftest import served

PICTURES = ROOT / "docs" / "pictures"
QUESTION = "how+does+a+pack+stay+within+its+token+budget"
TAKEN = {
    "ask": ("light", f"/ask?q={QUESTION}&budget=4096"),
    "map": ("dark", f"/map?q={QUESTION}"),
    "graph": ("light", "/graph/writer_lock"),
    "health": ("dark", "/health"),
}


def main() -> None:
    """Serve a folder and take a picture of each page."""
    with tempfile.TemporaryDirectory() as folder, browser() as window:
        root = Path(folder) / "satchel"
        if len(sys.argv) > 1:
            root = Path(sys.argv[1])
        else:
            subprocess.run(["git", "clone", "--quiet", "--shared", ROOT, root], check=True)
        for page in served(root):
            page.log_in()
            page.json("POST", "/api/context", {"question": "order"})
            page.settle()
            window.enter(page.address)
            for name, (scheme, address) in TAKEN.items():
                window.look(scheme, "picture")
                window.open(address)
                window.wait("return !document.querySelector('.waiting, .spinner')")
                time.sleep(1)  # until the worker has coloured what is on screen
                window.picture(PICTURES / f"{name}.webp")


if __name__ == "__main__":
    main()
