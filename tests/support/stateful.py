"""Any sequence of what happens to a tree gives the index of a fresh start: one long random walk.

    python -m tests.support.stateful --steps 10000 --seed 1

Files are created, edited, copied, renamed and deleted, folders moved, ignore files written,
branches committed and switched, work stashed; the index is refreshed as a whole or at the changed
paths alone, interrupted at any statement, its edges left for later, pruned, under a clock that is
right or jumps. Then every row is compared with those of a fresh index, edges and terms included,
and every vector by its chunk.
"""

import argparse
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from random import Random

import apsw

from bench.robustness.crash_scene import ENCODER, Here
from satchel.indexer import carry_out as refreshing
from satchel.indexer import encode
from satchel.indexer.callgraph import linker
from satchel.indexer.extract.process_limits import WorkerLimits
from satchel.indexer.plan import PathSubset
from satchel.indexer.refresh import refresh
from satchel.indexer.refresh_values import RefreshOptions
from satchel.indexer.scan.ignore_rules import Tree, WalkOptions, tree_at
from satchel.store.model import RepoPath
from satchel.store.reading import vector_blocks
from satchel.store.sqlite import chunk_ids, database
from satchel.store.sqlite.dump import lines
from tests.support.edits import Editor
from tests.support.satchel import silent

_AGE_NS = 10**18
"""Thirty years."""
_MAX_SOURCE = 3_000
"""Bytes of source held at once: little, so that files are let go all the time."""
Stats = dict[str, tuple[int, ...]]


class Walk:
    """One random walk below `folder`; the same seed makes the same steps."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.root, self.directory = folder / "project", folder / "index"
        self.root.mkdir()
        self.directory.mkdir()
        self._fresh = folder / "fresh"
        self._random = Random(seed)
        self._editor = Editor(self.root, seed)
        self._seen: Stats = {}
        self._git("init", "-q", "-b", "main")
        self._git("commit", "-q", "--allow-empty", "-m", "start")
        self._tree: Tree | None = None
        self.n_rows = 0
        self.done: Counter[str] = Counter()

    def step(self) -> None:
        """Something happens to the tree, or to the index."""
        kind = self._random.choices(
            ["edit", "branch", "refresh", "part", "interrupt", "link", "encode", "compare"],
            [50, 6, 10, 25, 6, 6, 8, 3],
        )[0]
        self.done[kind] += 1
        getattr(self, f"_{kind}")()

    def _edit(self) -> None:
        self.done[f"edit: {self._editor.edit().strip('_')}"] += 1

    def _branch(self) -> None:
        choice = self._random.choice(["commit", "switch", "stash", "new"])
        self.done[f"branch: {choice}"] += 1
        self._git("add", "-A")
        if choice == "stash":
            self._git("stash", "-q")
            if self._random.random() < 0.7:
                self._git("stash", "pop", "-q")
            return
        self._git("commit", "-q", "--allow-empty", "-m", "work")
        if choice == "new":
            self._git("checkout", "-q", "-b", f"b{self.done.total()}")
        elif choice == "switch":
            branches = self._git("branch", "--format=%(refname:short)").split()
            self._git("checkout", "-q", self._random.choice(branches))

    def _refresh(self, part: PathSubset | None = None, interrupt_at: int = 0) -> None:
        connection = database.connect(self.directory, writable=True)
        left = iter(range(interrupt_at - 1, -1, -1))

        def trace(*_statement: object) -> bool:
            if next(left, None) == 0:
                raise KeyboardInterrupt
            return True

        now = self._random.choice([time.time_ns(), 0, 10**9, time.time_ns() + _AGE_NS])
        keep = self._random.choice([1 << 30, 2_000])
        later = self._random.random() < 0.7
        options = RefreshOptions(
            WalkOptions(), WorkerLimits(), now, keep_bytes=keep, link_if_fewer=0 if later else None
        )
        try:
            connection.exec_trace = trace
            refresh(connection, self.root, options, silent, part, Here())
            if part is None:
                self._seen = stats(self.root)
        except KeyboardInterrupt:
            self.done["interrupted"] += 1
        finally:
            connection.close()

    def _link(self, steps: int | None = None) -> None:
        """Derive edges that were left for later, some steps or all."""
        left = iter(range(self._random.randrange(30) if steps is None else steps))
        with closing(database.connect(self.directory, writable=True)) as connection:
            if not linker.Linker(connection, _MAX_SOURCE).link(lambda: next(left, None) is None):
                self.done["link: left off"] += 1

    def _interrupt(self) -> None:
        self._refresh(interrupt_at=self._random.randrange(1, 300))

    def _part(self) -> None:
        """What a watch would have told: every path that is not what it was."""
        now = stats(self.root)
        changed = {path for path, _ in self._seen.items() ^ now.items()}
        listings = {
            p
            for p in changed
            if p in now and p in self._seen and _are_folders(now[p], self._seen[p])
        }
        ruled = {str(Path(p).parent) for p in changed if Path(p).name == ".gitignore"}
        paths = (changed - listings) | ruled
        names = tuple(RepoPath("" if path == "." else path) for path in sorted(paths))
        tree = tree_at(self.root, WalkOptions())
        if tree != self._tree:  # git's index was written, and it decides about ignored files
            self._tree = tree
            self._refresh()
        else:
            self._refresh(PathSubset(tree, names))
        self._seen = now

    def _encode(self) -> None:
        with closing(database.connect(self.directory, writable=True)) as connection:
            encode.encode(connection, ENCODER, lambda *_: None)

    def _compare(self) -> None:
        self._part() if self._random.random() < 0.7 else self._refresh()
        self._link(10**9)
        self._encode()
        shutil.rmtree(self._fresh, ignore_errors=True)
        self._fresh.mkdir()
        with closing(database.connect(self._fresh, writable=True)) as connection:
            options = RefreshOptions(WalkOptions(), WorkerLimits(), 0)
            refresh(connection, self.root, options, silent, pool=Here())
            encode.encode(connection, ENCODER, lambda *_: None)
            wanted = said(connection)
        with closing(database.connect(self.directory, writable=False)) as connection:
            found = said(connection)
        self.n_rows = max(self.n_rows, len(wanted))
        assert sorted(set(found) ^ set(wanted)) == []
        assert found == wanted

    def _git(self, *arguments: str) -> str:
        identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.fsync=none")
        command = ["git", "-C", str(self.root), *identity, *arguments]
        return subprocess.run(command, check=False, capture_output=True, text=True).stdout


def stats(root: Path) -> Stats:
    """Every path below `root` but git's own, with what a watch would notice of it."""
    found: Stats = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        for path in (Path(folder) / name for name in (*folders, *names)):
            s = path.lstat()
            found[path.relative_to(root).as_posix()] = (
                s.st_mode,
                s.st_ino,
                s.st_size,
                s.st_mtime_ns,
                s.st_ctime_ns,
            )
    return found


def _are_folders(*both: tuple[int, ...]) -> bool:
    return all(stat.S_ISDIR(mode) for mode, *_ in both)


def said(connection: apsw.Connection) -> list[str]:
    """Every row of an index, and every chunk's vector."""
    table = vector_blocks.load(connection, ENCODER)
    sql = "SELECT f.path, c.id - f.first_chunk, c.id FROM chunks c JOIN files f ON f.id = c.file_id"
    rows = dict(zip(table.ids.tolist(), table.matrix, strict=True))
    held = [
        f"vector: {path} {n} {rows[i].tobytes().hex()}" for path, n, i in connection.execute(sql)
    ]
    return sorted([*lines(connection), *held])


def walk(steps: int, seed: int) -> Counter[str]:
    """Make some steps and a last comparison; returns what was done."""
    refreshing.DERIVE_ALL_SHARE = 1.0  # edges are kept up with, however few files there are
    refreshing.BATCH_CHUNKS = 6
    linker.MAX_QUESTIONS = 200
    linker.EDGES_AT_ONCE = 20
    chunk_ids.SLACK = chunk_ids.CHECK = 8  # ids of chunks are used again all the time
    with tempfile.TemporaryDirectory() as folder:
        walker = Walk(Path(folder), seed)
        try:
            for _ in range(steps):
                walker.step()
            walker.done["compare"] += 1
            walker._compare()
        except BaseException:
            sys.stderr.write(f"seed {seed}, after {walker.done}\n")
            raise
        assert walker.n_rows > 100, "nothing was compared"
        return walker.done


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.support.stateful", description=__doc__)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    done = walk(options.steps, options.seed)
    for what, count in sorted(done.items()):
        sys.stdout.write(f"{count:>7} {what}\n")
    sys.stdout.write(f"{options.steps} steps, {done['compare']} comparisons, no difference\n")


if __name__ == "__main__":
    main()
