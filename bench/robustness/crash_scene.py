"""What `crashes` interrupts: sessions that write an index, and what must hold after.

A scene is a small project, the index it had before, and what a session is to make of it. The bytes
of a file of the same folder that is no part of the index (where knowledge lies) must never change.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from itertools import count, product
from pathlib import Path

import apsw

from satchel.indexer import carry_out as refreshing
from satchel.indexer import encode
from satchel.indexer.callgraph import linker as derive
from satchel.indexer.callgraph.linker import Linker
from satchel.indexer.extract.pool import Pool
from satchel.indexer.extract.process_limits import WorkerLimits
from satchel.indexer.extract.worker import Task, perform
from satchel.indexer.refresh import refresh
from satchel.indexer.refresh_values import Progress, RefreshOptions
from satchel.indexer.repair import repair_index
from satchel.indexer.scan.ignore_rules import WalkOptions
from satchel.store.errors import UsageError
from satchel.store.records import Analyzed
from satchel.store.sqlite import database, dump
from satchel.store.vectors.table_encoder import TableEncoder

KNOWLEDGE = "knowledge.db"
_COMPLETE = "state: ('complete',)"
_LINKING = "state: ('linking',)"
ENCODER = TableEncoder()
Write = Callable[[apsw.Connection, Path], None]


class Here(Pool):
    """Analyses in this process: a session that is to die need not start others first."""

    def __init__(self) -> None:
        super().__init__(WorkerLimits())

    def analyze(
        self, tasks: Iterable[Task], expected: Mapping[str, int] | None = None
    ) -> Iterator[Analyzed]:
        """One outcome for each task, in order."""
        return map(_performed, tasks)


@lru_cache(maxsize=1_000)
def _performed(task: Task) -> Analyzed:
    """An outcome is a function of the bytes, and fresh indexes are made of the same ones."""
    return perform(task)


def update(
    connection: apsw.Connection,
    root: Path,
    keep_bytes: int = 1 << 30,
    *,
    link_later: bool = False,
) -> None:
    """A refresh in several transactions, then vectors: all that an index is written for."""
    options = RefreshOptions(
        WalkOptions(),
        WorkerLimits(),
        0,
        keep_bytes=keep_bytes,
        link_if_fewer=0 if link_later else None,
    )
    refresh(connection, root, options, _silent, pool=Here())
    encode.encode(connection, ENCODER, lambda _done, _total: None)


def _forgetful(connection: apsw.Connection, root: Path) -> None:
    update(connection, root, keep_bytes=0)


def _checkpointing(connection: apsw.Connection, root: Path) -> None:
    connection.wal_autocheckpoint(20)
    update(connection, root)


def _linking(connection: apsw.Connection, root: Path) -> None:
    update(connection, root, link_later=True)
    linker, turns = Linker(connection), count()
    while not linker.link(lambda: next(turns) % 7 == 6):
        pass


def _repairing(connection: apsw.Connection, root: Path) -> None:
    with database.transaction(connection):
        connection.execute("DELETE FROM postings; DELETE FROM edges; DELETE FROM vectors")
        repair_index(connection, ())
    update(connection, root)


SESSIONS: dict[str, Write] = {
    "first index": update,
    "changes": update,
    "changes, nothing kept": _forgetful,
    "changes, checkpoints": _checkpointing,
    "changes, edges later": _linking,
    "repair": _repairing,
}


@dataclass(frozen=True, slots=True)
class Scene:
    """`before` is a folder with the index before, `old` and `new` what it says before and after."""

    name: str
    root: Path
    before: Path
    old: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def write(self) -> Write:
        """The session."""
        return SESSIONS[self.name]

    def run(self, directory: Path) -> None:
        """The session, on the index in `directory`. Raises: SatchelError, apsw.Error."""
        refreshing.BATCH_CHUNKS = derive.EDGES_AT_ONCE = 4
        with (
            database.explained_errors(),
            closing(database.connect(directory, writable=True)) as connection,
        ):
            self.write(connection, self.root)

    def copy(self, directory: Path) -> None:
        """Make `directory` what it was before the session."""
        shutil.rmtree(directory, ignore_errors=True)
        shutil.copytree(self.before, directory)

    def problems(self, directory: Path) -> list[str]:
        """What is wrong with what a session left behind; then completes it, and looks again."""
        found = []
        kept = (directory / KNOWLEDGE).read_bytes()
        if kept != (self.before / KNOWLEDGE).read_bytes():
            found.append("knowledge was touched")
        left = said(directory)
        if left is None and self.old:
            found.append("the index is gone")
        if (
            left and _COMPLETE in left and left[:-1] not in (self.old[:-1], self.new[:-1])
        ):  # vectors may come later
            found.append("neither the old nor the new index, but said to be complete")
        if left and _LINKING in left and _text(left) != _text(self.new):
            found.append("not the new index, but said to lack nothing but edges")
        update_at(directory, self.root)
        if said(directory) != self.new:
            found.append("the next start did not make it whole")
        return found


def _text(rows: Sequence[str]) -> list[str]:
    """What does not wait for anything: all but edges, vectors and the state."""
    return [row for row in rows[:-1] if not row.startswith(("edge: ", "state: "))]


def update_at(directory: Path, root: Path) -> None:
    """What the next start does."""
    with closing(database.connect(directory, writable=True)) as connection:
        update(connection, root)


def scenes(folder: Path, sizes: Sequence[int]) -> Iterator[Scene]:
    """Every session with projects of some numbers of files, below `folder`."""
    for name, size in product(SESSIONS, sizes):
        root = folder / f"{size}-{name.replace(',', '').replace(' ', '-')}" / "project"
        before, after = root.parent / "before", root.parent / "after"
        for directory in (root, before, after):
            directory.mkdir(parents=True)
        _plant(root, size)
        (before / KNOWLEDGE).write_bytes(b"SQLite format 3\0 of somebody else" * 99)
        if name != "first index":
            update_at(before, root)
        old = said(before) or ()
        _change(root)
        update_at(after, root)
        scene = Scene(name, root, before, old, said(after) or ())
        assert len(scene.new) > size, "an index that says nothing proves nothing"
        assert scene.old != scene.new
        yield scene


def said(directory: Path) -> tuple[str, ...] | None:
    """Every row of an index, at the end whether all vectors are there; None when there is none.

    Raises: whatever damage makes it raise, AssertionError when SQLite's own check finds some.
    """
    try:
        connection = database.connect(directory, writable=False)
    except (FileNotFoundError, UsageError):
        return None
    try:
        (checked,) = connection.execute("PRAGMA integrity_check").fetchone() or ("",)
        if checked != "ok":
            raise AssertionError(f"integrity: {checked}")
        vectors = connection.execute(
            "SELECT DISTINCT f.path, v.encoder, v.vectors FROM files f JOIN vectors v"
            " ON v.digest = f.digest AND v.language = f.language"
        ).fetchall()
        lines = sorted(dump.lines(connection))
        has_all = len(vectors) == sum(line.startswith("file: ") for line in lines)
        return (*lines, "vectors" if has_all else "some vectors")
    finally:
        connection.close()


def _plant(root: Path, size: int) -> None:
    for number in range(size):
        use = (number + 3) % size
        (root / f"m{number}.py").write_text(
            f"from m{use} import send{use}\n\n\ndef send{number}(item):\n"
            f'    """Send number {number} to {use}."""\n    return send{use}(item)\n' * 2,
            encoding="utf-8",
        )
    (root / "notes.md").write_text("# Notes\n\nAbout `send3`.\n", encoding="utf-8")


def _change(root: Path) -> None:
    (root / "m1.py").write_text("def send1(item):\n    return None\n", encoding="utf-8")
    (root / "m2.py").rename(root / "n2.py")
    (root / "m4.py").unlink()
    (root / "deep").mkdir()
    (root / "deep/new.py").write_text("import m1\n\n\nm1.send1(2)\n", encoding="utf-8")
    (root / "binary.py").write_bytes(b"\0\1\2")


def _silent(_progress: Progress) -> None:
    pass
