"""Files that are no files: links, devices, pipes and what is larger than anybody means."""

from __future__ import annotations

import json
import os
from pathlib import Path

from satchel.cli.clients.client_files import CLIENTS, Home
from tests.hostile_suite.stage import CANARY, Scene, Stage

CODE = {"a.py": "def wake(dog):\n    return dog\n"}
PLACES = {
    "config.toml": ("config", "show"),
    "golden.jsonl": ("validate", "--level", "deep"),
    "baseline.json": ("validate",),
}


def _odd(path: Path, kind: str, stage: Stage) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a folder":
        path.mkdir()
    elif kind == "a link to a device":
        path.symlink_to("/dev/zero")
    elif kind == "a link out":
        path.symlink_to(stage.home / "private.txt")
    elif kind == "a link to itself":
        path.symlink_to(path.name)


def _in_satchel(name: str, kind: str) -> Scene:
    def play(stage: Stage) -> None:
        stage.clone(CODE)
        stage.shown("reindex")
        _odd(stage.root / ".satchel" / name, kind, stage)
        shown = stage.shown(*PLACES[name])
        assert CANARY not in shown
        stage.safe()

    return Scene(
        f".satchel/{name} is {kind}", play, quick=(name, kind) == ("config.toml", "a pipe")
    )


def _ignore_file(name: str, kind: str) -> Scene:
    def play(stage: Stage) -> None:
        stage.clone(CODE)
        _odd(stage.root / name, kind, stage)
        assert "a.py" in stage.shown("search", "wake")
        stage.safe()

    return Scene(f"{name} is {kind}", play)


def _imported(kind: str, *, in_folder: bool) -> Scene:
    def play(stage: Stage) -> None:
        stage.clone(CODE)
        _odd(stage.root / "docs" / "notes.jsonl", kind, stage)
        done = stage.satchel("knowledge", "import", "docs" if in_folder else "docs/notes.jsonl")
        assert CANARY.encode() not in done.stdout + done.stderr
        assert b"Traceback" not in done.stderr

    where = "in a folder that is imported" if in_folder else "imported by name"
    return Scene(f"{kind} {where}", play, quick=kind == "a pipe")


def _baseline_written(stage: Stage) -> None:
    stage.clone(CODE)
    stage.shown("reindex")
    (stage.root / ".satchel").mkdir(exist_ok=True)
    (stage.root / ".satchel/baseline.json").symlink_to(stage.home / "private.txt")
    stage.shown("validate", "--update-baseline")
    stage.safe()


def _setup(client: str, file: str, kind: str) -> Scene:
    """`setup` writes where a repository's link leads."""

    def play(stage: Stage) -> None:
        stage.clone(CODE)
        target = stage.home / "target.json"
        path = stage.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind == "a dangling link":
            path.symlink_to(target)
        elif kind == "a link":
            target.write_text(json.dumps({"a": CANARY}), encoding="utf-8")
            path.symlink_to(target)
        else:
            path.parent.rmdir()
            path.parent.symlink_to(stage.home, target_is_directory=True)
        before = {p: p.read_bytes() for p in stage.home.rglob("*") if p.is_file()}
        done = stage.satchel("setup", client)
        assert done.returncode == 2, done.stdout
        assert {p: p.read_bytes() for p in stage.home.rglob("*") if p.is_file()} == before

    return Scene(f"setup {client} and {kind}", play, quick=(client, kind) == ("cursor", "a link"))


def _setups() -> list[Scene]:
    found = []
    for client in CLIENTS:
        if client.home == Home.PROJECT:
            kinds = ["a dangling link", "a link"]
            kinds += ["a folder that is a link"] if "/" in client.file else []
            found += [_setup(client.name, client.file, kind) for kind in kinds]
    return found


def _tree(what: str, kind: str) -> Scene:
    def play(stage: Stage) -> None:
        stage.clone(CODE)
        _odd(stage.root / "docs" / "wake.md", kind, stage)
        assert CANARY not in stage.shown("context", "wake canary private", "--scope", "all")
        stage.safe()

    return Scene(what, play)


KINDS = ("a pipe", "a link to a device", "a link out", "a folder", "a link to itself")
SCENES = (
    *(_in_satchel(name, kind) for name in PLACES for kind in KINDS),
    *(_ignore_file(name, kind) for name in (".gitignore", ".satchelignore") for kind in KINDS[:3]),
    *(_imported(kind, in_folder=True) for kind in KINDS[:3]),
    _imported("a pipe", in_folder=False),
    _imported("a link to a device", in_folder=False),
    Scene("a baseline that is a link is written", _baseline_written, quick=True),
    *_setups(),
    _tree("a source that is a pipe", "a pipe"),
    _tree("a source that is a link to a device", "a link to a device"),
    _tree("a source that is a link out", "a link out"),
)
