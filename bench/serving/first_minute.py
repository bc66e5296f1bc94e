"""The first minute of somebody new, as text: from the installation to a pack, in a real terminal.

    python -m bench.serving.first_minute TREE … --wheel FILE

A new environment, a home folder with nothing in it, a terminal of 80 columns. What stood on the
screen is written down with the second at which each command ended; of progress that was drawn over
itself one line in ten is kept. The load of the machine is that of the moment.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bench import processes
from tests.support.pseudo_terminal import run

QUESTIONS = {
    "flask": "in which order do before_request functions run",
    "gin": "what does the recovery middleware do with a broken pipe",
    "express": "how does app.render find the file of a view",
}
_USUAL = "where does this begin, and what does it do first"
_ESCAPES = re.compile(r"\x1b\][^\x1b\x07]*(?:\x1b\\|\x07)|\x1b\[[0-9;?]*[A-Za-z]")
_KEPT = 10
_ELSEWHERE = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "SATCHEL_STATE_FOLDER")
"""Variables that would lead out of the empty home folder."""
_MOST_LINES = 45


def screen(text: str) -> Iterator[str]:
    """The lines of what came out, without colours; of lines drawn over, one in ten and the last."""
    for line in _ESCAPES.sub("", text.replace("\r\n", "\n")).split("\n"):
        drawn = [piece.rstrip() for piece in line.split("\r") if piece.strip()]
        yield from drawn[:-1][::_KEPT]
        yield drawn[-1] if drawn else ""


def told(words: Sequence[str], shown: str, cwd: Path, environment: Mapping[str, str]) -> str:
    """A command and what it printed, cut where that is long."""
    seen = run(*words[1:], program=Path(words[0]), cwd=cwd, environment=environment)
    text = seen.text.replace(environment.get("HOME", "\0"), "~").replace(str(cwd.parent), "/src")
    lines = list(screen(text.removesuffix("\r\n"))) if text else []
    if len(lines) > _MOST_LINES:
        left = len(lines) - _MOST_LINES
        lines[_MOST_LINES - 5 : -5] = [f"[… {left} more lines]"]
    ended = f"[{seen.seconds:.1f} s, exit code {seen.code}]"
    return "\n".join([f"$ {shown}", *lines, ended, ""])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the document."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.serving.first_minute", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("trees", type=Path, nargs="+", metavar="TREE")
    parser.add_argument("--wheel", type=Path, required=True, help="as `pip wheel .` makes it")
    options = parser.parse_args(arguments)
    for name in _ELSEWHERE:
        os.environ.pop(name, None)
    began = time.monotonic()
    print("# The first minute\n")
    print(
        "Made by `python -m bench.serving.first_minute`: a new environment, an empty home folder, a"
        f" terminal of 80 columns, {os.cpu_count()} processors at load {processes.load():.1f}.\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        # Paths in the document do not tell where it was made.
        home = Path(folder) / "home"
        home.mkdir()
        environment = {"HOME": str(home), "SATCHEL_PAGER": "cat"}
        venv = Path(folder) / "venv"
        run("-m", "venv", str(venv), program=Path(sys.executable), cwd=home)
        pip = [str(venv / "bin" / "pip"), "install", "--progress-bar", "off", "-qq"]
        installed = told([*pip, str(options.wheel)], f"pip install {options.wheel.name}", home, {})
        print(f"````console\n{installed}````\n", flush=True)
        command = str(venv / "bin" / "satchel")
        for tree in options.trees:
            root = Path(folder) / tree.name
            shutil.copytree(tree, root, symlinks=True)
            question = QUESTIONS.get(tree.name, _USUAL)
            print(f"## {tree.name}\n\n````console")
            for words in (["context", question, "--budget", "1000"], ["status"],
                          ["search", question, "--max-results", "3"]):  # fmt: skip
                shown = " ".join(f'"{word}"' if " " in word else word for word in words)
                print(told([command, *words], f"satchel {shown}", root, environment))
            print("````\n", flush=True)
    print(f"All of it took {time.monotonic() - began:.0f} s; load now {processes.load():.1f}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
