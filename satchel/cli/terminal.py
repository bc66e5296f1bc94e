"""The terminal: data on stdout, everything else on stderr, progress only where a person watches.

All output of the command line passes here. A character that shows nothing, reorders others or means
something to a terminal is written as its code point.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from enum import Enum, auto
from queue import Empty, SimpleQueue
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, NoReturn

from satchel.assembler import quoting
from satchel.cli import rows, screen, served
from satchel.cli.screen import Screen
from satchel.store.counted import counted
from satchel.store.errors import UsageError, reason

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tqdm import tqdm

    from satchel.indexer.refresh_values import Progress


class _Part:
    """One stream of a command whose output is kept, for who asked a server or for a pager."""

    def __init__(self, parts: list[tuple[int, bytes]], stream: int) -> None:
        self._parts, self._number = parts, stream

    def write(self, data: bytes) -> int:
        """Keep what is printed."""
        self._parts.append((self._number, data))
        return len(data)

    def flush(self) -> None:
        """Do nothing: all that is kept is sent at once, at the end."""


def _stream(number: int) -> BinaryIO | _Part:
    """Where bytes go: to the process that asked, or to the streams of this one."""
    parts = served.context().parts
    if parts is not None:
        return _Part(parts, number)
    return sys.stdout.buffer if number == served.OUT else sys.stderr.buffer


def out(text: str, *, end: str = "\n") -> None:
    """Write data. Undecodable file names come out as the bytes they are."""
    # Bytes are written past Python's text layer, because a locale's encoding could refuse a file
    # name or change line ends.
    stream = _stream(served.OUT)
    stream.write((quoting.neutral(text) + end).encode("utf-8", "surrogateescape"))
    stream.flush()


def row(text: str) -> None:
    """Write a row of data for a person: broken to their terminal, with places that open there.

    What has several lines is text of a file, and is written as it is.
    """
    if "\n" in text:
        out(text)
        return
    stream = _stream(served.OUT)
    stream.write((_laid_out(quoting.neutral(text)) + "\n").encode("utf-8", "surrogateescape"))
    stream.flush()


def _laid_out(text: str) -> str:
    return rows.lay_out(text, served.context().root, served.here(), _screen())


def _screen() -> Screen:
    running = served.context()
    known = running.served.screen if running.served else screen.of_process(os.environ)
    if running.colour == "auto":
        return known
    wanted = running.colour == "always"
    return Screen(known.columns, known.note_columns, colours=wanted, links=wanted and known.links)


def out_json(value: object) -> None:
    """Write one JSON document on one line."""
    out_document(quoting.json_of(value) + "\n")


def out_document(text: str) -> None:
    """Write JSON as it is, hidden characters as JSON's own escapes: it reads back the same."""
    stream = _stream(served.OUT)
    stream.write(quoting.escaped(text).encode("utf-8", "surrogateescape"))
    stream.flush()


def write_document(file: Path, text: str) -> None:
    """Write text to a file, with the same line ends on every system.

    Raises:
        UsageError: the file cannot be written.
    """
    try:
        file.write_bytes(text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        hint = "name a file that you may write, in a folder that is there"
        raise UsageError(f"{file} cannot be written: {reason(error)}", hint) from error


def note(text: str) -> None:
    """Write a message for a person, to standard error."""
    # What is said before there is any data is about the wait for it, and is not held for a pager.
    running = served.context()
    if running.served is None and not running.parts:
        columns = screen.of_process(os.environ).note_columns
        sys.stderr.write(rows.broken(quoting.neutral(text), columns) + "\n")
    else:
        shown = _stream(served.ERR)
        columns = _screen().note_columns
        line = rows.broken(text, columns) + "\n"
        shown.write(quoting.neutral(line).encode("utf-8", "backslashreplace"))


def error(message: str, hint: str) -> None:
    """Report a failure and what to do about it, a line each."""
    if message:
        note(f"satchel: {quoting.clean(message)}")
    if hint:
        note(f"hint: {quoting.clean(hint)}")


def agrees(question: str) -> bool:
    """Whether a person at the terminal says yes; no where nobody watches."""
    served.expect_own()
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    sys.stderr.write(f"{quoting.neutral(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


_UNITS = {"indexing": "B", "vectors": " chunks"}
"""What the stages of a refresh count, unless it is files."""
_LOOK_SECONDS = 0.1
"""How often the thread that draws looks for how far the work is."""
_BEAT_SECONDS = 1.0
"""How often a bar is drawn again although nothing is told: then its clock goes on."""
_PATIENCE_SECONDS = 0.2
"""How long a piece of work goes on before it gets a bar. Most are over by then, and tqdm takes a
tenth of a short command to load."""


class _Work(NamedTuple):
    """What a bar shows: a title, the unit that `done` and `total` count, and when it began."""

    title: str
    unit: str
    done: int
    total: int
    began: float
    files: int


class ProgressBar:
    """Live progress on a terminal: what, how much, how fast, how long still. Silent in a pipe.

    A thread draws, and nothing else may. Ctrl-C interrupts the main thread wherever it is, also
    between the taking of a lock and the block that gives it back: tqdm's lock, or the one of a
    `Condition`, would stay taken for good. So the two threads share queues written in C alone.
    """

    def __init__(self, *, quiet: bool) -> None:
        self.is_shown = not quiet and served.context().served is None and sys.stderr.isatty()
        self._work: _Work | None = None
        self._is_stopping = False
        self._handler: Callable[[int, FrameType | None], object] | int | None = None
        self._orders: SimpleQueue[_Order] = SimpleQueue()
        self._cleared: SimpleQueue[None] = SimpleQueue()

    def __enter__(self) -> ProgressBar:
        if self.is_shown:
            threading.Thread(target=self._draw_until_ended, daemon=True).start()
            if threading.current_thread() is threading.main_thread():
                self._handler = signal.signal(signal.SIGINT, self._interrupted)
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
            self._handler = None
        self._clear(_Order.END)

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        """Say at once that Ctrl-C was heard: what is half written is finished before the end."""
        self._work, self._is_stopping = None, True
        with suppress(OSError):
            os.write(2, f"\r\x1b[K{quoting.neutral('stopping…')}\n".encode())
        # As without a bar: this raises KeyboardInterrupt in the main thread.
        signal.default_int_handler(number, frame)

    def update(self, progress: Progress) -> None:
        """Show how far a refresh is."""
        if progress.stage == "done":
            self._clear(_Order.CLEAR)
            return
        unit = _UNITS.get(progress.stage, " files")
        files = progress.files if unit == "B" else 0
        self._show(str(progress.stage), unit, progress.done, progress.total, files)

    def count(self, title: str, done: int, total: int) -> None:
        """Show how many chunks some work has been through."""
        self._show(title, " chunks", done, total)

    def stage(self, title: str, done: int, total: int) -> None:
        """Show how far a piece of work is whose title says what it counts."""
        self._show(title, "", done, total)

    def package(self, name: str, done: int, total: int) -> None:
        """Show which package is read now; how far that is stands in a bar of its own."""
        if self.is_shown:
            note(f"{name} ({done + 1} of {total})")

    def step(self, title: str) -> None:
        """Show what begins now, without saying how long it takes."""
        self._show(title, " checks", 0, 0)

    def _show(self, title: str, unit: str, done: int, total: int, files: int = 0) -> None:
        # After "stopping…" a bar would say that work goes on.
        if not self.is_shown or self._is_stopping:
            return
        before = self._work
        began = before.began if before and before.title == title else time.monotonic()
        self._work = _Work(title, unit, done, total, began, files)

    def _clear(self, order: _Order) -> None:
        """Take the bar away, and return when nothing of it is on the screen."""
        self._work = None
        if self.is_shown:
            self._orders.put(order)
            self._cleared.get()

    def _draw_until_ended(self) -> None:
        bar = _Bar()
        while True:
            order = None
            with suppress(Empty):
                order = self._orders.get(timeout=_LOOK_SECONDS)
            with suppress(OSError, ValueError):  # the terminal is gone: the work goes on
                bar.draw(None if order else self._work)
            if order:
                self._cleared.put(None)
            if order is _Order.END:
                return


class _Order(Enum):
    """What the thread that works asks of the one that draws, and waits for."""

    CLEAR = auto()
    END = auto()


class _Bar:
    """What stands on the screen, drawn by one thread."""

    def __init__(self) -> None:
        self._title = ""
        self._tqdm: tqdm[NoReturn] | None = None
        self._drawn = 0.0

    def draw(self, work: _Work | None) -> None:
        """Show this work, or nothing."""
        # Each kind of work gets a bar of its own, since its units and its speed are others.
        if self._tqdm is not None and (work is None or work.title != self._title):
            self._tqdm.close()
            self._tqdm = None
        now = time.monotonic()
        if work is None or (self._tqdm is None and now < work.began + _PATIENCE_SECONDS):
            return
        if self._tqdm is None:
            self._open(work)
            self._drawn = now
            return
        if work.files:
            self._tqdm.set_postfix_str(counted(work.files, "file"), refresh=False)
        # One step of the work may take many seconds on a busy machine, and a bar that stands still
        # looks like a command that hangs.
        if self._tqdm.update(work.done - self._tqdm.n):
            self._drawn = now
        elif now >= self._drawn + _BEAT_SECONDS:
            self._tqdm.refresh()
            self._drawn = now

    def _open(self, work: _Work) -> None:
        from tqdm import tqdm

        tqdm.monitor_interval = 0  # its thread would do what `draw` does
        tqdm.set_lock(threading.RLock())  # its own is shared between processes
        self._title = work.title
        self._tqdm = tqdm(
            total=work.total or None, desc=work.title, unit=work.unit, unit_scale=True,
            initial=work.done, leave=False, file=sys.stderr, mininterval=_LOOK_SECONDS,
        )  # fmt: skip
