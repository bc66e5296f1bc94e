"""Ways to spoil an index on purpose, each drawn at random from its kind.

Every way works on a copy of a project that is healthy, and says what it did.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import apsw

from bench.state import beside, index_of
from satchel.indexer.refresh_values import Progress, Stage
from satchel.store.sqlite.database import INDEX_NAME
from satchel.store.vectors.chroma import FOLDER, Mirror
from satchel.workspace.project import Project
from tests.support.hashing_encoder import HashingEncoder

_TABLES = (
    *("files", "chunks", "symbols", "refs", "imports", "edges", "postings", "vectors", "contents"),
    *("field_lengths", "skipped", "grams"),
)
_SPANS = ("start_line", "end_line", "start_byte", "end_byte")
_HARMLESS = {"mtime_ns", "inode", "size", "seal"}
Damage = Callable[[Path, Random], str]


def _open(root: Path) -> apsw.Connection:
    return apsw.Connection(str(index_of(root) / INDEX_NAME))


def _columns(db: apsw.Connection, table: str) -> list[str]:
    return [row[1] for row in db.execute(f"PRAGMA table_info({table})")]


def _any_row(db: apsw.Connection, table: str, random: Random) -> tuple[str, tuple[Any, ...]]:
    """(condition, values) that name one row; tables without a rowid are named by all columns."""
    n_rows = db.execute(f"SELECT count(*) FROM {table}").get
    row = db.execute(
        f"SELECT * FROM {table} LIMIT 1 OFFSET ?", (random.randrange(n_rows),)
    ).fetchall()
    return " AND ".join(f"{c} IS ?" for c in _columns(db, table)), row[0]


def row_removed(root: Path, random: Random) -> str:
    """A row is gone; where several are equal, all of them."""
    db = _open(root)
    table = random.choice(_TABLES)
    where, values = _any_row(db, table, random)
    db.execute(f"DELETE FROM {table} WHERE {where}", values)
    assert db.changes()
    db.close()
    return f"row removed from {table}"


def span_shifted(root: Path, random: Random) -> str:
    """A chunk or symbol begins or ends elsewhere."""
    db = _open(root)
    table, column = random.choice(("chunks", "symbols")), random.choice(_SPANS)
    where, values = _any_row(db, table, random)
    by = random.choice((-7, -1, 1, 2, 40))
    db.execute(f"UPDATE {table} SET {column} = {column} + ? WHERE {where}", (by, *values))
    assert db.changes()
    db.close()
    return f"{table}.{column} shifted by {by}"


def value_changed(root: Path, random: Random) -> str:
    """One value of one row is another of its column."""
    db = _open(root)
    while True:
        table = random.choice(_TABLES)
        column = random.choice([c for c in _columns(db, table) if c not in _HARMLESS])
        where, values = _any_row(db, table, random)
        own = values[_columns(db, table).index(column)]
        others = db.execute(
            f"SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT ? ORDER BY 1", (own,)
        ).fetchall()
        if not others:
            continue
        other = random.choice(others)[0]
        try:
            db.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (other, *values))
        except apsw.ConstraintError:  # two rows cannot have this key
            continue
        db.close()
        return f"{table}.{column} changed"


def vector_swapped(root: Path, random: Random) -> str:
    """Two files' vectors, or two chunks' within a file, change places."""
    db = _open(root)
    rows: list[tuple[Any, ...]] = db.execute(
        "SELECT digest, vectors FROM vectors ORDER BY digest"
    ).fetchall()
    (a, first), (b, second) = random.sample(rows, 2)
    width = 512
    if (
        random.random() < 0.5
        and len(first) >= 2 * width
        and first[:width] != first[width : 2 * width]
    ):
        first = first[width : 2 * width] + first[:width] + first[2 * width :]
        db.execute("UPDATE vectors SET vectors = ? WHERE digest = ?", (first, a))
    else:
        db.execute("UPDATE vectors SET vectors = ? WHERE digest = ?", (second, a))
        db.execute("UPDATE vectors SET vectors = ? WHERE digest = ?", (first, b))
    db.close()
    return "vectors swapped"


def stale_file(root: Path, random: Random) -> str:
    """The tree has moved on; in one way of four without a trace in size and time."""
    paths = sorted(root.rglob("*.py"))
    path = random.choice(paths)
    how = random.choice(("edited", "deleted", "added", "same size and time"))
    if how == "deleted":
        path.unlink()
    elif how == "added":
        path.with_name(f"new_{random.randrange(10**6)}.py").write_text("def added():\n    pass\n")
    elif how == "edited":
        path.write_bytes(path.read_bytes() + b"\nEDITED = 1\n")
    else:
        _change_in_place(root, path)
    return f"file {how}"


def _change_in_place(root: Path, path: Path) -> None:
    """A change that a stat does not show, and an index that trusts the stat."""
    stat, data = path.stat(), bytearray(path.read_bytes())
    data[0] = ord("#") if data[0] != ord("#") else ord("\n")
    path.write_bytes(data)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    db = _open(root)
    db.execute(
        "UPDATE files SET size = ?, mtime_ns = ?, inode = ? WHERE path = ?",
        (
            stat.st_size,
            stat.st_mtime_ns,
            stat.st_ino,
            os.fsencode(path.relative_to(root).as_posix()),
        ),
    )
    db.close()


def half_written(root: Path, random: Random) -> str:
    """A refresh is interrupted where it happens to be."""
    for number in range(6):
        text = f"def half_{number}():\n    return half_{number + 1}()\n" * 30
        (root / f"half_{number}.py").write_text(text)
    stop_at = random.randrange(1, 6)

    def interrupt(progress: Progress) -> None:
        if progress.stage == Stage.ANALYZE and progress.files >= stop_at:
            raise KeyboardInterrupt

    try:
        Project.at(root, beside(root, SATCHEL_INDEX_WORKERS="1")).refresh(interrupt)
    except KeyboardInterrupt:
        return "refresh interrupted"
    raise AssertionError("the refresh came to its end")


def foreign_mirror(root: Path, random: Random) -> str:
    """The Chroma folder is another index's, or of another encoder."""
    directory = index_of(root)
    if random.random() < 0.5:
        mirror = Mirror(directory, HashingEncoder())
        mirror.add(["elsewhere/python/0"], HashingEncoder().encode(["from another index"]))
    else:
        mirror = Mirror(directory, Project.at(root, beside(root)).encoder)
        mirror.remove(random.sample(sorted(mirror.ids()), 3))
    mirror.close()
    assert (directory / FOLDER).is_dir()
    return "foreign Chroma folder"


KINDS: tuple[tuple[Damage, int], ...] = (
    (row_removed, 130), (span_shifted, 100), (value_changed, 130), (vector_swapped, 50),
    (stale_file, 60), (half_written, 20), (foreign_mirror, 10),
)  # fmt: skip
"""Each kind with how many of 500 are of it."""
