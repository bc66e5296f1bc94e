"""The terminal: data on stdout, everything else on stderr, progress only where a person watches."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import NoReturn

import msgspec
from tqdm import tqdm

from indexer.refresh import Progress, Stage


def out(text: str, *, end: str = "\n") -> None:
    """Write data. Undecodable file names come out as the bytes they are."""
    sys.stdout.buffer.write((text + end).encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()


def out_json(value: object) -> None:
    """Write one JSON document on one line."""
    encoded = msgspec.json.encode(value)
    sys.stdout.buffer.write(encoded + b"\n")
    sys.stdout.buffer.flush()


def note(text: str) -> None:
    """Say something to the person, not to the pipe."""
    sys.stderr.write(text + "\n")


def error(message: str, hint: str) -> None:
    """Report a failure and what to do about it."""
    note(f"satchel: {message}")
    if hint:
        note(f"hint: {hint}")


class ProgressBar:
    """Live progress on a terminal: what, how much, how fast, how long still. Silent in a pipe."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._bar: tqdm[NoReturn] | None = None
        self._stage: Stage | None = None

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self._close()

    def update(self, progress: Progress) -> None:
        """Show a new state."""
        if self._quiet:
            return
        if progress.stage != self._stage:
            self._close()
            self._stage = progress.stage
            self._bar = self._open(progress)
        bar = self._bar
        if bar is not None:
            bar.set_postfix_str(f"{progress.files:,} files", refresh=False)
            bar.update(progress.done - bar.n)

    def _open(self, progress: Progress) -> tqdm[NoReturn] | None:
        if progress.stage == Stage.DONE or (progress.stage == Stage.ANALYZE and not progress.total):
            return None
        in_bytes = progress.stage == Stage.ANALYZE
        return tqdm(
            total=progress.total or None,
            desc=str(progress.stage),
            unit="B" if in_bytes else " files",
            unit_scale=True,
            leave=False,
            disable=None,
            file=sys.stderr,
            mininterval=0.1,
            delay=0.2,
        )

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._bar = None
