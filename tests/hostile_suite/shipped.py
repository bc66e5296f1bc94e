"""State that a checkout ships: an index, knowledge, links where Satchel keeps its own.

That it is ignored altogether takes an index outside of the tree: those scenes have `after_state`.
The others show that what is opened there is refused.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import apsw

from satchel.store import codec
from tests.hostile_suite.stage import CANARY, Scene, Stage

CODE = {"a.py": "def wake(dog):\n    return dog\n", "b.py": "def call():\n    return wake(1)\n"}
LIE = "the master key is under the mat"


def _made(stage: Stage, *changes: str) -> Path:
    """The `.satchel` of an author who has Satchel too, and a hand in its files."""
    place = stage.folder / "made"
    shutil.copytree(stage.author, place) if any(stage.author.iterdir()) else place.mkdir()
    for name, body in CODE.items():
        (place / name).write_text(body, encoding="utf-8")
    (place / ".satchel").mkdir()
    assert stage.satchel("reindex", cwd=place).returncode == 0
    found = sorted(stage.folder.rglob("index.db"))
    database = found[0]
    connection = apsw.Connection(str(database))
    for change in changes:
        connection.execute(change)
    connection.pragma("journal_mode", "delete")
    connection.close()
    return database


def _ship(stage: Stage, database: Path) -> None:
    shipped = database.read_bytes()
    shutil.rmtree(stage.home / ".cache", ignore_errors=True)
    stage.clone({**CODE, ".satchel/index.db": shipped})


def _lying_source(stage: Stage) -> None:
    database = _made(stage)
    lie = codec.compress(f"def wake(dog):\n    # {LIE}\n    return dog\n".encode())
    connection = apsw.Connection(str(database))
    connection.execute("UPDATE contents SET source = ?", (lie,))
    connection.close()
    _ship(stage, database)
    for words in (("context", "wake dog"), ("search", "wake", "--mode", "full")):
        assert LIE not in stage.shown(*words)
    assert LIE not in stage.asked("context", query="wake dog", budget_tokens=512)


_LONG_AGO_NS = 10**18
QUOTING: dict[str, tuple[str, ...]] = {
    "context": ("context", "wake dog"),
    "show": ("show", "wake"),
    "show with lines": ("show", "a.py:1-2"),
    "show as JSON": ("show", "a.py", "--json"),
    "search in full": ("search", "wake", "--mode", "full"),
    "search in full as JSON": ("search", "wake", "--mode", "full", "--json"),
    "search for exact text": ("search", "--exact", "return"),
    "search for an expression": ("search", "--regex", "return ..."),
}
ASKED: dict[str, dict[str, object]] = {
    "context": {"query": "wake dog", "budget_tokens": 512},
    "search": {"query": "return dog", "mode": "exact"},
    "symbols": {"name": "wake", "source": True},
}


def _change_behind(stage: Stage) -> None:
    """Changes a file so that its size and its times say that it has not changed."""
    stage.clone(CODE)
    path = stage.root / "a.py"
    # Of a file that was saved a moment ago the bytes are compared anyway.
    os.utime(path, ns=(_LONG_AGO_NS, _LONG_AGO_NS))
    stage.shown("reindex")
    before = path.stat()
    with path.open("r+b") as stream:  # the same inode
        stream.write(path.read_bytes().replace(b"return dog", b"return cat"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _behind(what: str) -> Scene:
    def play(stage: Stage) -> None:
        _change_behind(stage)
        shown = stage.shown(*QUOTING[what])
        assert "return dog" not in shown, shown
        assert "change" in shown or "return cat" in shown, shown

    name = f"a file changed with its old modification time, and {what}"
    return Scene(name, play, quick=what == "show")


def _behind_agents(tool: str) -> Scene:
    def play(stage: Stage) -> None:
        _change_behind(stage)
        said = stage.asked(tool, **ASKED[tool])
        assert "    return dog" not in said and "| return dog" not in said, said

    return Scene(f"a file changed with its old modification time, and the tool {tool}", play)


def _schema(what: str, sql: str) -> Scene:
    def play(stage: Stage) -> None:
        _ship(stage, _made(stage, sql))
        shown = stage.shown("context", "wake dog")
        assert LIE not in shown and "return dog" in shown

    return Scene(f"a shipped index with {what}", play)


def _signature(stage: Stage) -> None:
    _ship(stage, _made(stage, f"UPDATE symbols SET signature = '{LIE}', doc = '{LIE}'"))
    assert LIE not in stage.shown("symbols", "wake")


def _edges(stage: Stage) -> None:
    _ship(stage, _made(stage, f"UPDATE edges SET rule = '{LIE}', confidence = 1.0"))
    assert LIE not in stage.shown("deps", "wake")


def _knowledge(what: str, sql: str, *, after_state: bool) -> Scene:
    def play(stage: Stage) -> None:
        stage.clone(CODE)
        stage.shown("remember", "warning", "mind the dog")
        found = [p for p in stage.folder.rglob("knowledge.db") if p.is_file()]
        connection = apsw.Connection(str(found[0]))
        connection.execute(sql)
        connection.pragma("journal_mode", "delete")
        connection.close()
        shipped = found[0].read_bytes()
        for path in found:
            path.unlink()
        (stage.root / ".satchel").mkdir(exist_ok=True)
        (stage.root / ".satchel/knowledge.db").write_bytes(shipped)
        shown = stage.shown("recall", "dog") + stage.shown("context", "wake dog")
        assert LIE not in shown
        stage.safe()

    return Scene(f"shipped knowledge with {what}", play, after_state=after_state)


def _link(what: str, links: dict[str, str], *commands: tuple[str, ...]) -> Scene:
    """Links where Satchel keeps its state, to what is the user's."""

    def play(stage: Stage) -> None:
        data = stage.home / "data"
        data.mkdir()
        (data / "precious.json").write_text(CANARY, encoding="utf-8")
        stage.unpack(CODE, {name: target.format(home=stage.home) for name, target in links.items()})
        before = {p: p.read_bytes() for p in stage.home.rglob("*") if _is_his(stage, p)}
        for words in commands:
            stage.satchel(*words)
        after = {p: p.read_bytes() for p in stage.home.rglob("*") if _is_his(stage, p)}
        assert after == before
        stage.safe()

    return Scene(f"links: {what}", play, after_state=True)


def _is_his(stage: Stage, path: Path) -> bool:
    ours = (stage.home / ".cache", stage.home / ".local", stage.home / ".config")
    return path.is_file() and not any(path.is_relative_to(folder) for folder in ours)


def _planted_above(stage: Stage) -> None:
    """Another local user plants `.satchel` in a shared folder above the victim's."""
    shared = stage.folder / "shared"
    (shared / ".satchel").mkdir(parents=True)
    shared.chmod(0o1777)
    work = shared / "victim" / "work"
    work.mkdir(parents=True)
    (work / "a.py").write_text(f"# {CANARY}\n", encoding="utf-8")
    (shared / ".satchel").chmod(0o777)
    if os.geteuid() == 0:
        os.chown(shared, 12345, 12345)
        os.chown(shared / ".satchel", 12345, 12345)
    stage.satchel("reindex", cwd=work)
    stage.satchel("remember", "warning", CANARY, cwd=work)
    held = [p for p in (shared / ".satchel").rglob("*") if p.is_file()]
    assert not any(CANARY.encode() in p.read_bytes() for p in held)


def _modes(stage: Stage) -> None:
    """A clone's folders are everybody's to read; what Satchel writes is not."""
    stage.unpack({**CODE, ".satchel/config.toml": ""})
    (stage.root / ".satchel").chmod(0o755)
    stage.shown("reindex")
    stage.shown("context", "wake dog")
    stage.shown("remember", "warning", "mind the dog")
    made = [
        p for p in stage.folder.rglob("*")
        if p.is_file() and p.name not in ("config.toml", ".gitignore") and _is_state(p)
    ]  # fmt: skip
    assert made
    assert not [p for p in made if p.stat().st_mode & 0o077]


def _is_state(path: Path) -> bool:
    return (
        path.suffix in (".db", ".json")
        or path.name.endswith(("-wal", "-shm"))
        or path.name == "lock"
    )


SCENES = (
    Scene("a shipped index whose text is not the file's", _lying_source, quick=True),
    *(_behind(what) for what in QUOTING),
    *(_behind_agents(tool) for tool in ASKED),
    _schema("a trigger", "CREATE TRIGGER t AFTER INSERT ON files BEGIN"
            f" UPDATE symbols SET doc = '{LIE}'; END"),
    _schema("a view", f"CREATE VIEW v AS SELECT '{LIE}' FROM files"),
    _schema("another table", "CREATE TABLE extra (x DEFAULT (randomblob(9)))"),
    _schema("an index that calculates", "CREATE INDEX calc ON files (abs(size))"),
    Scene("a shipped index with other signatures", _signature, after_state=True),
    Scene("a shipped index with other edges", _edges, after_state=True),
    _knowledge("a trigger", "CREATE TRIGGER t AFTER INSERT ON item BEGIN"
               f" UPDATE item SET privacy = 'public', summary = '{LIE}'; END", after_state=False),
    _knowledge("a view", f"CREATE VIEW v AS SELECT '{LIE}' AS x", after_state=False),
    _knowledge("false items", f"UPDATE item SET summary = '{LIE}'", after_state=True),
    _link(".satchel leads to a folder of the user", {".satchel": "{home}/data"},
          ("reindex",), ("reindex", "--full"), ("context", "wake")),
    _link("packs leads to a folder of the user", {".satchel/packs": "{home}/data"},
          ("reindex",), *((("context", f"wake {n}")) for n in range(3))),
    _link("a copy of old knowledge", {".satchel/knowledge.db.v1": "{home}/.profile"},
          ("recall", "x"), ("remember", "warning", "mind the dog")),
    _link("knowledge", {".satchel/knowledge.db": "{home}/new.db"}, ("remember", "warning", "mind")),
    _link("the index", {".satchel/index.db": "{home}/new.db"}, ("reindex",)),
    _link("counters", {".satchel/usage.db": "{home}/new.db"}, ("reindex",), ("status",)),
    _link("the rebuilt index", {".satchel/rebuild": "{home}/data"}, ("reindex", "--full")),
    _link("the list of what git ignores", {".satchel/.gitignore": "{home}/made"}, ("reindex",)),
    Scene("a .satchel planted above", _planted_above, after_state=True),
    Scene("modes of what is written", _modes, quick=True),
)  # fmt: skip
