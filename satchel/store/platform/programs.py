"""Runs other programs, such as git, with limits of time, memory and output.

What such a program reads may be a stranger's: ignore rules, objects and packs that were made to
exhaust it. Where a system has a shell of POSIX, memory that a program allocates is limited before
it starts, and with it that of its own children; files that it maps do not count. Windows has no
such shell, and macOS does not hold to the limit: there time and output are bounded alone.

Not here: our own processes (`isolation`) and what one of them may use
(`indexer.extract.process_limits`).
"""

import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO

from msgspec import Struct

_SHELL = "/bin/sh"
_LIMITED = 'ulimit -d "$0" 2>/dev/null; exec "$@"'
"""A shell's word for what a process allocates, in kB; a limit that is lower already stays."""
_CHUNK = 1 << 20
_ERROR_BYTES = 64 << 10


class Bounds(Struct, frozen=True):
    """What a program may take before it is ended."""

    seconds: float
    memory_bytes: int = 1 << 30
    output_bytes: int = 256 << 20


class Finished(Struct, frozen=True):
    """What a program said before it ended; `errors` is the end of its second stream."""

    code: int
    output: bytes
    errors: bytes


def run(
    command: Sequence[str | bytes], bounds: Bounds, environment: Mapping[str, str],
    stdin: bytes = b"",
) -> Finished | None:  # fmt: skip
    """Run a program; None when it is missing or went beyond its bounds of time or output.

    One that cannot allocate what it wants ends by itself, with a code that is not 0.
    """
    limited = (_SHELL, "-c", _LIMITED, str(bounds.memory_bytes >> 10), *command)
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(
            limited if os.path.exists(_SHELL) else command,  # noqa: PTH110
            stdin=pipe, stdout=pipe, stderr=pipe, env=dict(environment),
        )  # fmt: skip
    except OSError:
        return None
    overran = threading.Event()

    def end() -> None:
        overran.set()
        _kill(process)

    assert process.stdin and process.stdout and process.stderr
    deadline = threading.Timer(bounds.seconds, end)
    deadline.daemon = True
    errors = bytearray()
    others = (
        threading.Thread(target=_feed, args=(process.stdin, stdin), daemon=True),
        threading.Thread(target=_keep_end, args=(process.stderr, errors), daemon=True),
    )
    for thread in (deadline, *others):
        thread.start()
    try:
        output = _up_to(process.stdout, bounds.output_bytes)
        if output is None:
            end()
        code = process.wait()
    except BaseException:  # whoever waits has given up
        end()
        raise
    finally:
        deadline.cancel()
        for thread in others:
            thread.join()
        for stream in (process.stdout, process.stderr):
            stream.close()
    return None if overran.is_set() or output is None else Finished(code, output, bytes(errors))


def _feed(pipe: IO[bytes], data: bytes) -> None:
    # A thread of its own writes: a program that answers meanwhile could otherwise wait for us to
    # read while we wait for it to do so.
    with suppress(OSError), pipe:
        pipe.write(data)


def _keep_end(pipe: IO[bytes], kept: bytearray) -> None:
    with suppress(OSError, ValueError):
        while chunk := os.read(pipe.fileno(), _CHUNK):
            kept += chunk
            del kept[:-_ERROR_BYTES]


def _up_to(pipe: IO[bytes], most: int) -> bytes | None:
    """All that comes out of a pipe, None for more than `most` bytes."""
    chunks: list[bytes] = []
    left = most
    while chunk := os.read(pipe.fileno(), _CHUNK):
        left -= len(chunk)
        if left < 0:
            return None
        chunks.append(chunk)
    return b"".join(chunks)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a program and whatever it started, which would hold our pipes open."""
    import psutil

    with suppress(psutil.Error):
        for child in psutil.Process(process.pid).children(recursive=True):
            with suppress(psutil.Error):
                child.kill()
    process.kill()
