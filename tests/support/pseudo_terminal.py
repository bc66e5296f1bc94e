"""The installed command in a terminal: what a person sees of it, when, and what their keys do."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from tests.support.satchel import COMMAND, TIMEOUT_S

CTRL_C = b"\x03"


@dataclass
class Seen:
    """What came out: `pieces` are (seconds since the start, bytes), `seconds` is when it ended."""

    pieces: list[tuple[float, bytes]] = field(default_factory=list)
    code: int = -1
    seconds: float = 0.0

    @property
    def text(self) -> str:
        return b"".join(data for _, data in self.pieces).decode("utf-8", "replace")

    @property
    def longest_silence(self) -> float:
        """Seconds between two pieces, the start and the end included."""
        times = [0.0, *(when for when, _ in self.pieces)]
        return max((b - a for a, b in pairwise(times)), default=0.0)


def run(
    *words: str,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    size: tuple[int, int] = (24, 80),
    press: Callable[[str], bytes] = lambda _text: b"",
    program: Path = COMMAND,
) -> Seen:
    """Run a command in a terminal of `size` (lines, columns) until it ends.

    `press` is told all text so far whenever there is more, and returns keys to press, once.
    """
    if sys.platform == "win32":
        raise NotImplementedError("a terminal of Windows is another thing")
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    variables = {**os.environ, "TERM": "xterm-256color", **(environment or {})}
    started = time.monotonic()
    process = subprocess.Popen(
        [program, *words], stdin=theirs, stdout=theirs, stderr=theirs, cwd=cwd, env=variables,
        start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )  # fmt: skip
    os.close(theirs)
    seen, pressed = Seen(), False
    try:
        while time.monotonic() < started + TIMEOUT_S:
            ready, _, _ = select.select([ours], [], [], 1.0)
            if not ready:
                continue
            try:
                data = os.read(ours, 65_536)
            except OSError:  # the other side is closed
                break
            if not data:
                break
            seen.pieces.append((time.monotonic() - started, data))
            keys = b"" if pressed else press(seen.text)
            if keys:
                os.write(ours, keys)
                pressed = True
        seen.code = process.wait(TIMEOUT_S)
        seen.seconds = time.monotonic() - started
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(ours)
    return seen
