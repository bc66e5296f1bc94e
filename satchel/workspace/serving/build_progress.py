"""Progress of the process that writes an index, for other processes: `building.json`.

The process with the writer's lock records what it does in a file beside the index, a few times a
second and only when that takes a moment. Readers trust the file while the process that it names is
the one that left its id in the lock.
"""

from __future__ import annotations

import os
import time
from bisect import bisect_right
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct, structs

from satchel.indexer.refresh_values import OnProgress, Progress, Stage
from satchel.store import private
from satchel.store.counted import counted
from satchel.store.errors import Interrupted
from satchel.store.platform import processes
from satchel.workspace.lock import WriterLock

NAME = "building.json"
_FIRST_SECONDS = 0.3
"""Shorter work is not recorded, since it ends before another process could read of it."""
_EVERY_SECONDS = 0.2
_EVERY_SHARE = 0.05
"""A step of this share of a stage is recorded at once, since the next one may take long."""
_STALE_SECONDS = 60.0
_MAX_BYTES = 4_096
LEAST_WAIT, _MOST_WAIT = 5, 600
"""Bounds, in seconds, of the time after which to ask again."""
_TELLING_SHARE, _UNTOLD_WAIT = 0.05, 30
"""Below this share of a stage its speed is unknown, as processes are still starting: then the wait
is so many seconds."""
_SAVED_BYTES = 2_000_000
"""Changed files of so many bytes may be a few saves; more are a branch that was switched."""


class BuildState(Struct, frozen=True):
    """What a process is doing to an index, and its progress.

    Attributes:
        process: its id.
        work: what kind of process it is, as "a command" or "a server".
        stage, files, done, total: as `indexer.refresh_values.Progress` has them.
        began: the middle of the time that the stage has taken in this process, in seconds since
            1970: of the first half, in which processes start, nothing is foretold.
        noted: when this was written, in seconds since 1970.
        first_share: the share of the stage that was done at `began`.
        is_starting: the process was started to go on with the work, and may not have begun.
    """

    process: int
    work: str
    stage: str
    files: int
    done: int
    total: int
    began: float
    noted: float
    is_starting: bool = False
    first_share: float = 0.0

    @property
    def progress(self) -> Progress:
        """The progress as a refresh in this process would report it."""
        return Progress(Stage(self.stage), self.files, self.done, self.total)

    def seconds_left(self) -> int:
        """Estimated seconds until the stage ends, rounded up to 5, within bounds."""
        share = self.progress.share
        if not self.total:
            return LEAST_WAIT
        gained = share - self.first_share
        if gained < _TELLING_SHARE:
            return _UNTOLD_WAIT
        spent = max(self.noted - self.began, 0.0)
        left = spent * (1.0 - share) / gained
        return max(LEAST_WAIT, min(_MOST_WAIT, -int(-left // 5) * 5))


def in_words(progress: Progress) -> str:
    """How far a refresh is: "indexing, 43 % (1,234 files)"."""
    share = f", {progress.share:.0%}" if progress.total else ""
    files = f" ({counted(progress.files, 'file')})" if progress.files else ""
    return f"{progress.stage}{share}{files}".replace("%", " %")


class _SpeedEstimate:
    """Which share of a stage was done when."""

    def __init__(self) -> None:
        self._stage = ""
        self._seen: list[tuple[float, float]] = []

    def state(self, work: str, progress: Progress) -> BuildState:
        """How far the work is, and how fast it was of late."""
        now = time.time()
        if progress.stage != self._stage:
            self._stage, self._seen = str(progress.stage), []
        if not self._seen or now >= self._seen[-1][0] + _EVERY_SECONDS:
            self._seen.append((now, progress.share))
        middle = (self._seen[0][0] + now) / 2
        began, share = self._seen[bisect_right(self._seen, (middle, 1.0)) - 1]
        return BuildState(
            os.getpid(), work, self._stage, progress.files, progress.done, progress.total,
            began, now, first_share=share,
        )  # fmt: skip


class Recorder:
    """Records the progress of the process that holds the writer lock; used as a context manager."""

    def __init__(self, directory: Path, work: str, on_progress: OnProgress) -> None:
        self._path = directory / NAME
        self._work = work
        self._on_progress = on_progress
        self._stage = ""
        self._speed = _SpeedEstimate()
        self._due = time.monotonic() + _FIRST_SECONDS
        self._noted_share = 0.0
        self._has_written = False

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def __call__(self, progress: Progress) -> None:
        """Record the progress, then pass it to the listener of this process."""
        if progress.stage == Stage.DONE:
            self.clear()
        elif progress.stage != self._stage:
            self._stage, self._noted_share = str(progress.stage), progress.share
        state = self._speed.state(self._work, progress)
        if progress.stage != Stage.DONE and self._is_due(progress):
            self._write(state, progress.share)
        self._on_progress(progress)

    def count(self, done: int, total: int) -> None:
        """Record how many chunks have vectors."""
        self(Progress(Stage.VECTORS, 0, done, total))

    def clear(self) -> None:
        """Remove the record: the work has ended."""
        if self._has_written:
            self._has_written = False
            with suppress(OSError):
                self._path.unlink(missing_ok=True)

    def _is_due(self, progress: Progress) -> bool:
        # One large file may keep the parser busy for seconds without any report.
        leapt = progress.share >= self._noted_share + _EVERY_SHARE
        return time.monotonic() >= self._due or (self._has_written and leapt)

    def _write(self, state: BuildState, share: float) -> None:
        self._due = time.monotonic() + _EVERY_SECONDS
        self._noted_share = share
        with suppress(OSError):
            private.write(self._path, msgspec.json.encode(state), durable=False)
            self._has_written = True


class Patience:
    """Ends a refresh of this process when its time is up, and records its progress."""

    def __init__(self, seconds: float, on_progress: OnProgress) -> None:
        self.on_progress = on_progress
        self._deadline = time.monotonic() + seconds
        self._speed = _SpeedEstimate()
        self.state: BuildState | None = None
        """How far the refresh came; None when it did not begin."""

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() >= self._deadline

    def __call__(self, progress: Progress) -> None:
        """Record progress.

        Raises:
            Interrupted: the time is up.
        """
        self.state = self._speed.state("", progress)
        self.on_progress(progress)
        # An interruption would undo the work that follows the reading of files, which is short.
        if progress.stage in (Stage.SCAN, Stage.ANALYZE) and self.is_over:
            raise Interrupted("the question waited too long for the index", "ask again in a while")


def note_successor(
    directory: Path, process: int, work: str, state: BuildState | None, stage: Stage = Stage.SCAN
) -> None:
    """Record that `process` was started and goes on from `state`, until it records progress itself.

    Without a state it begins with `stage`.
    """
    now = time.time()
    state = state or BuildState(process, work, str(stage), 0, 0, 0, now, now)
    following = structs.replace(state, process=process, work=work, noted=now, is_starting=True)
    with suppress(OSError):
        private.write(directory / NAME, msgspec.json.encode(following), durable=False)


def read(directory: Path) -> BuildState | None:
    """What a process is doing to the index in `directory`; None if nothing is recorded."""
    with suppress(OSError, msgspec.MsgspecError, ValueError):
        with (directory / NAME).open("rb") as stream:
            state = msgspec.json.decode(stream.read(_MAX_BYTES), type=BuildState)
        Stage(state.stage)
        # A process that died left the file behind; its id may be another process's by now, but not
        # in the lock as well. One that was just started has no lock yet.
        is_fresh = state.is_starting and abs(time.time() - state.noted) < _STALE_SECONDS
        is_holder = WriterLock(directory).holder() == str(state.process)
        if (is_holder or is_fresh) and processes.is_alive(state.process):
            return state
    return None


def is_of_saves(progress: Progress | None) -> bool:
    """Whether a refresh that has looked at the tree reads no more than what a few saves changed."""
    if progress is None:  # nothing is told of while the process that parses is started
        return True
    is_reading = progress.stage == Stage.ANALYZE
    return progress.stage != Stage.SCAN and not (is_reading and progress.total > _SAVED_BYTES)
