"""Processes that serve one index and die, for real: `python -m bench.serving.servers WHAT`.

kill      a server is started, files are edited, it is ended by SIGKILL at a random moment; then the
          index is looked at, made whole and compared with a fresh one. `--times` of that.
takeover  three servers; the owner is killed, and the time is taken until another answers that the
          index is fresh, edits made meanwhile included.
start     beside an owner one process after another is started from nothing; the time until it has
          read the index, and the memory it then has.
writers   four servers and commands that index want to write at once, some of them die; no two may
          have owned the index at the same time, and it must be a fresh one's equal in the end.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random

from bench import processes
from bench.indexing.live_tree import grow
from bench.robustness.crash_scene import said, update_at
from bench.state import beside, index_of
from satchel.store.errors import Locked
from satchel.workspace.project import Project
from satchel.workspace.serving.live import LiveIndex, Role


def main() -> int:
    """Try what is asked for; 1 when anything was lost."""
    parser = argparse.ArgumentParser(prog="python -m bench.serving.servers", description=__doc__)
    parser.add_argument("what", choices=("kill", "takeover", "start", "writers"))
    parser.add_argument("--times", type=int, default=0, help="kills (1000), take-overs (20)")
    parser.add_argument("--files", type=int, default=40)
    parser.add_argument("--seed", type=int, default=3, help="of where kills come")
    parser.add_argument("--seconds", type=float, default=60.0, help="for writers")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        files = grow(root, options.files)
        problems = _TRIES[options.what](root, files, options)
    for problem in problems[:20]:
        print(problem)
    return bool(problems)


@dataclass(slots=True)
class _Server:
    """A process that serves; `lines` are what it said so far: a time, its role, whether fresh."""

    pid: int
    pipe: int
    text: str = ""
    lines: list[tuple[float, str, str]] = field(default_factory=list)

    def listen(self) -> None:
        """Read what it has said, without waiting."""
        with suppress(BlockingIOError):
            while said_now := os.read(self.pipe, 65_536):
                self.text += said_now.decode()
        *lines, self.text = self.text.split("\n")
        for line in lines:
            when, role, fresh = line.split(" ", 2)
            self.lines.append((float(when), role, fresh))

    def kill(self) -> float:
        """End it for good; returns when."""
        now = time.monotonic()
        processes.kill(self.pid)
        code = processes.waited_for(self.pid)
        assert code == processes.KILLED, "it had ended before it was killed"
        self.listen()
        os.close(self.pipe)
        return now


def _serve(root: Path, *, asking: bool) -> _Server:
    """Start a server; with `asking` it asks all the time whether the index is fresh."""
    read, write = os.pipe()
    pid = processes.fork()
    if pid:
        os.close(write)
        if sys.platform != "win32":
            os.set_blocking(read, False)
        return _Server(pid, read)
    try:
        live = LiveIndex(Project.at(root, beside(root, SATCHEL_INDEX_WORKERS="1")))
        live.start()
        threading.Thread(target=_tell_role, args=(live, write), daemon=True).start()
        while True:
            notices = live.wait_fresh(seconds=30) if asking else ("not asked",)
            line = f"{time.monotonic()} {live.state().role} {'' if notices else 'fresh'}\n"
            os.write(write, line.encode())
            time.sleep(0.01)
    finally:
        os._exit(1)


def _tell_role(live: LiveIndex, pipe: int) -> None:
    told = ""
    while True:
        role = live.state().role
        if role != told:
            told = role
            os.write(pipe, f"{time.monotonic()} {role} \n".encode())
        time.sleep(0.005)


def _edit(files: Sequence[Path], random: Random) -> None:
    """Save, remove, bring back or rename one file."""
    path, now = random.choice(files), time.time_ns()
    if not path.exists() or random.random() < 0.7:
        path.write_text(f"def edited_{now}():\n    return edited_{now % 7}()\n", encoding="utf-8")
    elif random.random() < 0.5:
        path.unlink()
    else:
        path.rename(path.with_name(f"{path.stem}x.py"))


def _fresh(root: Path) -> tuple[str, ...] | None:
    with tempfile.TemporaryDirectory() as folder:
        update_at(Path(folder), root)
        return said(Path(folder))


def _kills(root: Path, files: Sequence[Path], options: argparse.Namespace) -> list[str]:
    random, problems, directory = Random(options.seed), list[str](), index_of(root)
    n_building = 0
    times = options.times or 1000
    for number in range(times):
        server = _serve(root, asking=False)
        for _ in range(random.randrange(4)):
            time.sleep(random.uniform(0, 0.15))
            _edit(files, random)
        time.sleep(random.uniform(0, 0.8))
        server.kill()
        try:
            left = said(directory) if directory.exists() else None
            n_building += left is None or "state: ('complete',)" not in left
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            update_at(directory, root)
            if said(directory) != _fresh(root):
                problems.append(f"kill {number}: not what a fresh index says")
        except Exception as error:  # whatever it is, it is what we are here for
            problems.append(f"kill {number}: {error!r}")
    print(f"{times} kills of a serving process, {n_building} of them while an index was incomplete")
    print(f"{len(problems)} problems")
    return problems


def _takeovers(root: Path, files: Sequence[Path], options: argparse.Namespace) -> list[str]:
    random, owns, gaps = Random(4), list[float](), list[float]()
    servers = [_serve(root, asking=True) for _ in range(3)]
    for _ in range(options.times or 20):
        owner = _owner(servers)
        servers.remove(owner)
        time.sleep(random.uniform(0, 0.5))
        killed = owner.kill()
        _edit(files, random)
        gaps.append(_all_fresh(servers, killed) - killed)
        owns.append(min(_first_owning(server, killed) for server in servers) - killed)
        servers.append(_serve(root, asking=True))
    for server in servers:
        server.kill()
    print(f"{len(gaps)} owners of {len(files)} files killed, one file edited each time")
    for name, found in (("another owns the index", owns), ("all have a fresh answer", gaps)):
        found.sort()
        print(f"until {name}: p50 {found[len(found) // 2]:.2f} s, worst {found[-1]:.2f} s")
    return [f"a take-over took {gap:.1f} s" for gap in gaps if gap > 30]


def _owner(servers: Sequence[_Server]) -> _Server:
    """The server that owns the index, once all are fresh."""
    while True:
        for server in servers:
            server.listen()
        owners = [s for s in servers if s.lines and s.lines[-1][1] == Role.OWNER]
        if len(owners) == 1 and all(s.lines and s.lines[-1][2] for s in servers):
            return owners[0]
        time.sleep(0.01)


def _first_fresh(server: _Server, since: float) -> float:
    return next((when for when, _, fresh in server.lines if fresh and when > since), float("inf"))


def _first_owning(server: _Server, since: float) -> float:
    owning = (when for when, role, _ in server.lines if role == Role.OWNER and when > since)
    return next(owning, float("inf"))


def _all_fresh(servers: Sequence[_Server], since: float) -> float:
    """When the last of some servers had its first fresh answer since some time."""
    while True:
        for server in servers:
            server.listen()
        worst = max(_first_fresh(server, since) for server in servers)
        if worst < float("inf"):
            return worst
        time.sleep(0.005)


_FOLLOW = """
import sys
from pathlib import Path
from bench.state import beside
from satchel.workspace.serving.live import LiveIndex
from satchel.workspace.project import Project
live = LiveIndex(Project.at(Path(sys.argv[1]), beside(Path(sys.argv[1]))))
live.start()
with live.project.snapshot() as snapshot:
    print(snapshot.files.count(), flush=True)
live.wait_fresh(seconds=30)
(said,) = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(live.state().role, said.split()[1])
"""


def _starts(root: Path, files: Sequence[Path], options: argparse.Namespace) -> list[str]:
    owner = _serve(root, asking=True)
    _owner([owner])
    taken, memory = list[float](), list[float]()
    for _ in range(options.times or 20):
        started = time.perf_counter()
        command = [sys.executable, "-c", _FOLLOW, str(root)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            n_files = int(process.stdout.readline())
            taken.append(time.perf_counter() - started)
            role, peak = process.stdout.readline().split()
        assert (n_files, role) == (len(files), Role.FOLLOWER)
        memory.append(int(peak) / 1024)
    owner.kill()
    print(
        f"{len(taken)} followers of {len(files)} files: first read after p50"
        f" {sorted(taken)[len(taken) // 2]:.2f} s, at most {max(taken):.2f} s;"
        f" at most {max(memory):.0f} MB"
    )
    return []


def _writers(root: Path, files: Sequence[Path], options: argparse.Namespace) -> list[str]:
    random, owned = Random(5), list[tuple[float, float, int]]()
    servers = [_serve(root, asking=True) for _ in range(4)]
    project = Project.at(root, beside(root, SATCHEL_INDEX_WORKERS="1"))
    end, n_refused = time.monotonic() + options.seconds, 0
    while time.monotonic() < end:
        _edit(files, random)
        try:
            project.refresh(lambda _progress: None)
        except Locked:
            n_refused += 1
        time.sleep(random.uniform(0, 0.1))
        if random.random() < 0.05:
            server = servers.pop(random.randrange(4))
            owned += _ownership(server, server.kill())
            servers.append(_serve(root, asking=True))
    _owner(servers)
    for server in servers:
        owned += _ownership(server, server.kill())
    owned.sort()
    problems = [
        f"processes {pid} and {next_pid} both owned the index"
        for (_, until, pid), (since, _, next_pid) in pairwise(owned)
        if since < until
    ]
    update_at(index_of(root), root)
    if said(index_of(root)) != _fresh(root):
        problems.append("not what a fresh index says")
    print(f"{len(owned)} owners one after the other, {n_refused} commands refused, in"
          f" {options.seconds:.0f} s; {len(problems)} problems")  # fmt: skip
    return problems


def _ownership(server: _Server, died: float) -> list[tuple[float, float, int]]:
    """(since, until, process) of a server that owned the index when it was killed."""
    since = [when for when, role, _ in server.lines if role == Role.OWNER]
    return [(since[0], died, server.pid)] if since else []


_TRIES = {"kill": _kills, "takeover": _takeovers, "start": _starts, "writers": _writers}

if __name__ == "__main__":
    sys.exit(main())
