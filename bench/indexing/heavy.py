"""Much at once: `python -m bench.indexing.heavy WHAT`.

burst   a server keeps an index of 1,000 files while another process asks it questions; `--files`
        files are written as fast as the disk takes them. Taken are the time until the server says
        that the index is fresh, what the questions took meanwhile, and the server's memory.
tree    a tree of `--mb` MB is indexed by the command, under its limits: `--source-mb` of source
        and, for the rest, data, logs, archives and packed scripts. Taken are the time and the
        memory of the command and of all its workers, and every reason for which files were skipped.
worktree  a repository of `--files` files is indexed, then a second worktree of it; both are timed,
        and what was analysed and encoded is counted.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from random import Random

from bench.indexing.live_tree import grow, sources
from bench.state import beside
from satchel.assembler.query.question import Question
from satchel.assembler.search import search
from satchel.workspace.project import Project
from satchel.workspace.serving.live import LiveIndex

_SECONDS = 900.0
_FILES = 1_000


def main() -> int:
    """Do what is asked for; 1 when something was lost."""
    parser = argparse.ArgumentParser(prog="python -m bench.indexing.heavy", description=__doc__)
    parser.add_argument("what", choices=("burst", "tree", "worktree", "serve", "ask"))
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--mb", type=int, default=2_000)
    parser.add_argument("--source-mb", type=int, default=200)
    parser.add_argument("--root", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.what in ("serve", "ask"):
        return _PARTS[options.what](options.root)
    with tempfile.TemporaryDirectory() as folder:
        return _PARTS[options.what](Path(folder) / "tree", options)


# -- a burst


def _burst(root: Path, options: argparse.Namespace) -> int:
    grow(root, _FILES)
    server = _part("serve", root)
    _told(server)
    asker = _part("ask", root)
    _told(asker)
    started = time.perf_counter()
    for number in range(options.files):
        path = root / f"burst/d{number % 100}/f{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = f"def burst_{number}(x):\n    return burst_{number // 2}(x)\n"
        path.write_text(text, encoding="utf-8")
    written = time.perf_counter() - started
    n_files, memory = map(float, _told(server).split())
    fresh = time.perf_counter() - started
    print(f"{options.files} files written in {written:.1f} s, all found after {fresh:.1f} s")
    print(f"the server took at most {memory:.0f} MB; questions meanwhile: {_told(asker)}")
    server.communicate()
    asker.communicate()
    return int(n_files != options.files + _FILES)


def _part(what: str, root: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "bench.indexing.heavy", what, "--root", str(root)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _told(process: subprocess.Popen[str]) -> str:
    """What a process answers next; the first time, that it is ready."""
    assert process.stdin and process.stdout
    process.stdin.write("\n")
    process.stdin.flush()
    return process.stdout.readline().strip()


def _serve(root: Path) -> int:
    """Keep the index; for each line, wait until it is fresh and say how many files it has."""
    live = LiveIndex(Project.at(root, beside(root)))
    live.start()
    for _ in sys.stdin:
        while live.wait_fresh(seconds=_SECONDS):
            pass
        with live.project.snapshot() as snapshot:
            print(snapshot.files.count(), _peak_mb("self"), flush=True)
    live.close()
    return 0


def _ask(root: Path) -> int:
    """Ask all the time; for each line but the first, say how long that took."""
    done, taken = threading.Event(), list[float]()
    project = Project.at(root, beside(root))

    def ask() -> None:
        while not done.is_set():
            started = time.perf_counter()
            with project.snapshot() as snapshot:
                search(snapshot, Question("where is the cache invalidated"), 10)
            taken.append((time.perf_counter() - started) * 1000)

    asker = threading.Thread(target=ask)
    asker.start()
    for _ in sys.stdin:
        ordered = sorted(taken) or [0.0]
        quantiles = [ordered[int(share * (len(ordered) - 1))] for share in (0.5, 0.95, 1.0)]
        told = "{}, p50 {:.0f} ms, p95 {:.0f}, worst {:.0f}".format(len(taken), *quantiles)
        print(told, flush=True)
        taken.clear()
    done.set()
    asker.join()
    return 0


# -- a second worktree


def _worktree(root: Path, options: argparse.Namespace) -> int:
    grow(root, options.files)
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    second = root.parent / "second"
    for command in (
        ("init", "-q"),
        ("add", "."),
        (*identity, "commit", "-qm", "all"),
        ("worktree", "add", "-q", str(second)),
    ):
        subprocess.run(["git", "-C", str(root), *command], check=True)
    for name, folder in (("the first", root), ("a second worktree", second)):
        started, project = time.perf_counter(), Project.at(folder, beside(root))
        report = project.refresh(lambda _progress: None)
        encoded = report.encoded + project.build_vectors().encoded
        print(f"{name}: {options.files} files in {time.perf_counter() - started:.1f} s,"
              f" {report.parsed} analysed, {encoded} chunks encoded")  # fmt: skip
    return int(bool(report.parsed or encoded))


# -- a large tree


def _tree(root: Path, options: argparse.Namespace) -> int:
    n_files, size = _plant(root, options.mb * 10**6, options.source_mb * 10**6)
    print(f"{n_files:,} files, {size / 1e6:,.0f} MB", flush=True)
    command = [str(Path(sys.executable).with_name("satchel")), "reindex", "--json", str(root)]
    environment = {**os.environ, **beside(root)}
    started = time.perf_counter()
    running = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
    peaks, together = dict[int, float](), 0.0
    said = b""
    while True:
        with suppress(subprocess.TimeoutExpired):
            said, _ = running.communicate(timeout=0.5)
            break
        now = {pid: _memory_mb(pid) for pid in (running.pid, *_children(running.pid))}
        together = max(together, sum(now.values()))
        peaks = {pid: max(peaks.get(pid, 0.0), mb) for pid, mb in (peaks | now).items()}
    report = json.loads(said)["index"] if running.returncode == 0 else {}
    own = peaks.pop(running.pid, 0.0)
    print(f"indexed in {time.perf_counter() - started:.0f} s, exit {running.returncode}: {report}")
    print(f"memory: the command {own:.0f} MB, a worker {max(peaks.values(), default=0):.0f} MB,"
          f" together at most {together:.0f} MB")  # fmt: skip
    subprocess.run([command[0], "status", "--root", str(root)], env=environment, check=False)
    return running.returncode


def _plant(root: Path, n_bytes: int, n_source: int) -> tuple[int, int]:
    """Source in folders, then what is no source: returns how many files, and their bytes."""
    n_files = size = 0
    for source in sources():
        if size >= n_source:
            break
        size += _put(root / f"src/p{n_files // 1000}/q{n_files % 1000 // 25}/m{n_files}.py", source)
        n_files += 1
    for name, data in _no_source(Random(7)):
        if size >= n_bytes:
            break
        size += _put(root / f"data/d{n_files % 20}/{n_files}{name}", data)
        n_files += 1
    return n_files, size


def _no_source(random: Random) -> Iterator[tuple[str, bytes]]:
    lines = [b'{"id": %d, "name": "item %d", "values": [1, 2, 3]}\n' % (n, n) for n in range(9_000)]
    for number in count():
        times = random.randrange(1, 40)
        yield ".json", b"".join(lines) * times
        yield ".bin", random.randbytes(1_000_000) * times
        yield ".log", b"2026-01-01 INFO something happened in module %d\n" % number * 40_000 * times
        yield ".min.js", b"var a%d=function(b){return b+1};" % number * 30_000


def _put(path: Path, data: bytes) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return len(data)


def _children(pid: int) -> list[int]:
    found: set[int] = set()
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # that thread has ended
            found.update(map(int, file.read_text("ascii").split()))
    return sorted(found)


def _memory_mb(pid: int) -> float:
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]) * mmap.PAGESIZE / 1e6
    return 0.0


def _peak_mb(pid: int | str) -> float:
    lines = Path(f"/proc/{pid}/status").read_text("ascii", "replace").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1000


_PARTS: dict[str, Callable[..., int]] = {
    "burst": _burst, "tree": _tree, "worktree": _worktree, "serve": _serve, "ask": _ask,
}  # fmt: skip

if __name__ == "__main__":
    sys.exit(main())
