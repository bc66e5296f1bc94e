"""A bar of progress in a real terminal: what it shows, and that Ctrl-C at any moment ends it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.pseudo_terminal import run

INTERRUPTED = """
import signal, time
from satchel.cli import terminal

def interrupt(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
for n in range(100):
    with terminal.ProgressBar(quiet=False) as bar:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.0005 + 0.00003 * n)
            for done in range(10**9):
                bar.stage(f"work {done}", done, 10**9)
        except KeyboardInterrupt:
            time.sleep(0.003)  # the bar is drawn again while the work is put away
print("ended")
"""
SHOWN = """
import time
from satchel.cli import terminal
from satchel.indexer.refresh_values import Progress

with terminal.ProgressBar(quiet=False) as bar:
    for done in range(40):
        bar.update(Progress("indexing", done, done * 1000, 40_000))
        time.sleep(0.05)
    bar.update(Progress("done", 40, 0, 0))
    terminal.note("between")
    for done in range(20):
        bar.step("looking")
        time.sleep(0.05)
print("after")
"""
AT_ONCE = """
from satchel.cli import terminal

terminal._PATIENCE_SECONDS, terminal._BEAT_SECONDS, terminal._LOOK_SECONDS = 0.0, 0.001, 0.001
"""
DRAWN_BY = """
import sys, threading

class Terminal:
    def __init__(self, stream):
        self.stream, self.writers = stream, set()

    def write(self, text):
        self.writers.add(threading.current_thread() is threading.main_thread())
        return self.stream.write(text)

    def __getattr__(self, name):
        return getattr(self.stream, name)

seen = sys.stderr = Terminal(sys.stderr)
terminal.note = print
"""


def _run(code: str, tmp_path: Path) -> str:
    program = tmp_path / "program.py"
    program.write_text(code, encoding="utf-8")
    seen = run(str(program), cwd=tmp_path, program=Path(sys.executable))
    assert seen.code == 0, seen.text
    return seen.text


def test_an_interruption_at_any_moment_ends_the_bar(tmp_path: Path) -> None:
    assert "ended" in _run(AT_ONCE + INTERRUPTED, tmp_path)


def test_the_thread_that_ctrl_c_interrupts_draws_nothing(tmp_path: Path) -> None:
    # It would leave the lock of the library that draws taken, and the command would never end.
    shown = _run(AT_ONCE + DRAWN_BY + SHOWN + "print(seen.writers)", tmp_path)
    assert shown.splitlines()[-1] == "{False}"


def test_a_bar_is_gone_before_anything_else_is_written(tmp_path: Path) -> None:
    shown = _run(SHOWN, tmp_path)
    assert "indexing:" in shown
    assert "looking" in shown
    for line in ("between", "after"):
        before = shown[: shown.index(line)].rpartition("\r")[0].rpartition("\r")[2]
        assert before.strip() == "", repr(before)  # blanks over the bar, and back to the margin


def test_there_is_no_bar_in_a_pipe() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SHOWN], capture_output=True, text=True, check=True
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("after\n", "between\n")
