"""Mutations of every file that Satchel opens and need not have written itself.

    python -m bench.robustness.fuzz [--mutations 100000] [--seed 1] [--only TARGET]

Each target reads one kind of file in this process the way the commands do. A worker process takes
mutation after mutation; a supervisor kills it when one takes longer than five seconds, and goes on
behind it. Counted are crashes (any exception that is no `SatchelError`), hangs, peaks of memory
above 500 MB, and files opened for writing, programs run or hosts reached outside of a folder of
its own. Exits with 1 when there is one.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random

from bench.nothing import require
from bench.robustness.fuzz_targets import TARGETS, Target, mutated, share_of
from satchel.indexer.extract.process_limits import processor_seconds
from satchel.store.platform import isolation

SECONDS = 5.0
_MOST_KB = 500 << 10
_LISTED = 20
_PATIENCE = 300
"""Seconds that a worker may wait for the processor."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a run found; `bad` are (target, number, what)."""

    n: int
    bad: tuple[tuple[str, int, str], ...]
    peak_kb: int
    seconds: float
    by_target: Counter[str]


def fuzz(n: int, seed: int, only: str = "") -> Result:
    """Read `n` mutated files."""
    began, bad, done, peak = time.monotonic(), [], 0, 0
    by_target = Counter[str]()
    while done < n:
        child = subprocess.Popen(
            isolation.command("bench.robustness.fuzz_worker", str(seed), str(done), str(n), only),
            stdout=subprocess.PIPE, env=isolation.environment(os.environ),
        )  # fmt: skip
        assert child.stdout
        reported, buffer = -1, b""
        while True:
            piece = _heard(child, 20 * SECONDS if reported < 0 else SECONDS)
            if not piece:
                break
            *lines, buffer = (buffer + piece).split(b"\n")
            for line in lines:
                said = json.loads(line)
                reported, peak = said["n"] + 1, max(peak, said["kb"])
                by_target.update([said["target"]] if said["target"] else ())
                bad += [(said["target"], said["n"], what) for what in said["bad"]]
        ended = child.poll()
        child.kill()
        child.wait()
        child.stdout.close()
        if reported < 0:
            raise RuntimeError(f"the worker could not start: exit code {ended}")
        if reported < n:
            what = "hang" if ended is None else f"the process died ({ended})"
            bad.append((share_of(seed, reported, only).name, reported, what))
            reported += 1
        done = reported
    return Result(n, tuple(bad), peak, time.monotonic() - began, by_target)


def _peak_kb() -> int:
    """The most memory that this process has used, in kB.

    `ru_maxrss` would begin with what the process that started this one had used.
    """
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.partition("VmHWM:")[2].split()[0])


def _heard(child: subprocess.Popen[bytes], seconds: float) -> bytes:
    """What the worker says next; nothing when it ended, or used so many seconds for nothing.

    Counted is the processor's time: on a busy machine a worker that waits does not hang.
    """
    assert child.stdout
    began, patience = processor_seconds(child.pid), _PATIENCE
    while patience > 0 and processor_seconds(child.pid) - began < seconds:
        if select.select([child.stdout], [], [], 1.0)[0]:
            return os.read(child.stdout.fileno(), 1 << 16)
        patience -= 1
    return b""


def play(seed: int, first: int, last: int, only: str) -> None:
    """The worker: a line for each mutation on standard output."""
    sys.dont_write_bytecode = True  # modules that a command imports late are not what it writes
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)
    place = Path(tempfile.mkdtemp(prefix="fuzz-"))
    outside: list[str] = []
    sys.addaudithook(lambda event, args: _watch(event, args, place, outside))
    try:
        held = {target.name: target.make(place / target.name) for target in TARGETS}
        out.write(json.dumps({"n": first - 1, "target": "", "kb": 0, "bad": []}) + "\n")
        for number in range(first, last):
            target = share_of(seed, number, only)
            outside.clear()
            bad = _one(target, place, held[target.name], Random(f"{seed} {number}"))
            kb = _peak_kb()
            bad += [f"{kb // 1024} MB"] if kb > _MOST_KB else []
            said = {"n": number, "target": target.name, "kb": kb, "bad": bad + outside[:3]}
            out.write(json.dumps(said) + "\n")
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _one(target: Target, place: Path, seeds: tuple[bytes, ...], random: Random) -> list[str]:
    from satchel.store.errors import SatchelError

    data = mutated(seeds, random)
    try:
        target.read(place / target.name, data)
    except SatchelError:
        pass  # said plainly
    except BaseException as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return [f"{type(error).__name__}: {str(error)[:120]} at {where.filename}:{where.lineno}"]
    return []


_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def _is_expected(args: tuple[object, ...]) -> bool:
    """Whether a process is one of ours, or git, which a shell starts that limits its memory."""
    words = args[1] if isinstance(args[1], list | tuple) else ()
    by_shell = args[0] == "/bin/sh" and list(words[4:5]) == ["git"]
    return by_shell or args[0] in ("git", sys.executable)


def _watch(event: str, args: tuple[object, ...], place: Path, outside: list[str]) -> None:
    # Whole commands start our own processes and git, and look for one that owns the index.
    if event == "subprocess.Popen" and _is_expected(args):
        return
    if event == "socket.connect" and str(args[1]).startswith(str(place)):
        return
    if event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "socket.connect"):
        outside.append(f"{event} {str(args)[:80]}")
    elif event == "open" and isinstance(args[0], str) and isinstance(args[2], int):
        is_ours = args[0].startswith((str(place), "/dev/null")) or not args[2] & _WRITES
        if not is_ours:
            outside.append(f"open {args[0]!r}")
    elif event in ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "shutil.rmtree"):
        name = str(args[0])
        if name.startswith("/") and not name.startswith(str(place)):
            outside.append(f"{event} {name!r}")


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--mutations", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", choices=["", *(t.name for t in TARGETS)])
    args = parser.parse_args()
    found = fuzz(args.mutations, args.seed, args.only)
    for target, number, what in found.bad[:_LISTED]:
        print(f"{target} #{number}: {what}")
    for target, n in sorted(found.by_target.items()):
        print(f"{target}: {n:,} mutations, {sum(t == target for t, _, _ in found.bad)} bad")
    print(
        f"{found.n:,} mutations in {found.seconds:,.0f} s: {len(found.bad)} bad,"
        f" peak {found.peak_kb / 1024:,.0f} MB"
    )
    require(found.n, "mutation")
    return int(bool(found.bad))


if __name__ == "__main__":
    sys.exit(main())
