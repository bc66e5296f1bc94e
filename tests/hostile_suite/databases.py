"""Every database that Satchel opens, with what somebody may have put in its place or into it.

`DATABASES` lists all modules that open one. A test reads the source for others, so that a new one
cannot be forgotten.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import apsw

from tests.hostile_suite.stage import CANARY, Scene, Stage

CODE = {"a.py": "def wake(dog):\n    return dog\n"}
DATABASES: dict[str, tuple[str, ...]] = {
    "satchel/store/sqlite/database.py": ("index.db",),
    "satchel/store/sqlite/usage.py": ("usage.db",),
    "satchel/knowledge/storage/database.py": ("knowledge.db",),
    # Opened by Chroma; the mirror looks into the file first.
    "satchel/store/vectors/chroma.py": ("chroma.sqlite3",),
    # PostgreSQL at an address that the user names, and its tables in a schema of their own.
    "satchel/hub/database.py": (),
    # A PostgreSQL that is started, in a folder made for it.
    "satchel/hub/demo.py": (),
}
"""Who opens a database, and the files that are meant."""
OPENERS = ("opened", "Connection", "PersistentClient", "get_server", "connect")
"""Calls that open one, by the last part of their name."""
GUARD = "satchel/store/platform/guarded.py"
"""The one place where a file of SQLite's is opened."""
LIE = "the master key is under the mat"
_WITH_CHROMA = {"SATCHEL_VECTORS_ENGINE": "chroma"}
_ACTS = {
    "a trigger": "CREATE TRIGGER lie AFTER INSERT ON {table} BEGIN SELECT writefile('x', 'y'); END",
    "a view": f"CREATE VIEW lie AS SELECT '{LIE}' AS x",
}
_TABLES = {
    "index.db": "files", "usage.db": "calls", "knowledge.db": "item",
    "chroma.sqlite3": "embeddings",
}  # fmt: skip
_USING: dict[str, tuple[tuple[str, ...], ...]] = {
    "index.db": (("reindex",), ("status",)),
    "knowledge.db": (("remember", "warning", "mind the dog"), ("recall", "dog")),
    "chroma.sqlite3": (("reindex",),),
}


def _used(stage: Stage, name: str) -> None:
    """Everything that opens the file: written to, read, checked, mended."""
    if name == "usage.db":
        stage.asked("search", query="wake")
        assert "agents: search 1 call" in stage.shown("status")
        return
    more = _WITH_CHROMA if name == "chroma.sqlite3" else {}
    path = stage.root / "a.py"
    path.write_text(path.read_text("utf-8") + "\n\ndef bark():\n    pass\n", encoding="utf-8")
    for words in _USING[name]:
        assert LIE not in stage.shown(*words, **more)
    assert "return dog" in stage.shown("context", "wake dog", **more)


def _made(stage: Stage, name: str) -> Path:
    """The file where Satchel keeps it, made by use."""
    stage.clone(CODE)
    _used(stage, name)
    return _found(stage, name)


def _found(stage: Stage, name: str) -> Path:
    # The mirror of what is known lies further down, and is opened in the same way.
    every = (path for path in stage.folder.rglob(name) if path.is_file())
    return min(every, key=lambda path: len(path.parts))


def _journals(path: Path) -> list[Path]:
    return [path.with_name(path.name + suffix) for suffix in ("-wal", "-shm", "-journal")]


def _link(name: str) -> Scene:
    """The file is a link to a database of the user's, which must stay as it is to the byte."""

    def play(stage: Stage) -> None:
        place = _made(stage, name)
        theirs = stage.home / "theirs.db"
        connection = apsw.Connection(str(theirs))
        connection.execute(f"CREATE TABLE notes (x); INSERT INTO notes VALUES ('{CANARY}')")
        connection.close()
        before = theirs.read_bytes()
        for path in (place, *_journals(place)):
            path.unlink(missing_ok=True)
        place.symlink_to(theirs)
        more = _WITH_CHROMA if name == "chroma.sqlite3" else {}
        for words in (*_USING.get(name, ()), ("context", "wake dog")):
            assert CANARY not in stage.shown(*words, **more)
        stage.asked("search", query="wake")
        assert theirs.read_bytes() == before and not any(p.exists() for p in _journals(theirs))

    return Scene(f"{name} is a link to a database of the user", play, quick=name == "usage.db")


def _schema(name: str, what: str) -> Scene:
    def play(stage: Stage) -> None:
        place = _made(stage, name)
        connection = apsw.Connection(str(place))
        connection.execute(_ACTS[what].format(table=_TABLES[name]))
        connection.close()
        if name == "knowledge.db":  # the one that is never made anew: refused, and left as it is
            assert "did not write: " in stage.shown("remember", "warning", "mind")
            assert "return dog" in stage.shown("context", "wake dog")
            return
        if name == "usage.db":
            stage.asked("search", query="wake")
        else:
            _used(stage, name)
        connection = apsw.Connection(str(_found(stage, name)))
        assert not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'lie'").get
        connection.close()

    return Scene(f"{name} with {what}", play)


def _mirror_folder(stage: Stage) -> None:
    """The folder of the mirror is a link to one of the user's, and a file in it a link out."""
    place = _made(stage, "chroma.sqlite3").parent
    data = stage.home / "data"
    data.mkdir()
    (data / "precious.txt").write_text(CANARY, encoding="utf-8")
    shutil.rmtree(place)
    place.symlink_to(data)
    _used(stage, "chroma.sqlite3")
    assert [path.name for path in data.iterdir()] == ["precious.txt"]
    assert place.is_dir() and not place.is_symlink()
    (segment,) = (path for path in place.iterdir() if path.is_dir())
    (segment / "more.bin").symlink_to(data / "precious.txt")
    _used(stage, "chroma.sqlite3")
    assert (data / "precious.txt").read_text("utf-8") == CANARY


SCENES = (
    *(_link(name) for name in _TABLES),
    *(_schema(name, what) for name in _TABLES for what in _ACTS),
    Scene("a mirror's folder with links", _mirror_folder),
)
