"""An archive whose `.git` its author wrote: programs that it configures, files that are none.

A clone has a `.git` of the user's own; what is unpacked may have any.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from satchel.indexer.scan import git_checkout
from satchel.store.platform.programs import Bounds, Finished
from tests.hostile_suite.stage import CANARY, Scene, Stage

CODE = {"dog.py": "def wake(dog):\n    return dog\n", "a.bin.x": "x\n"}
COMMANDS = (
    ("reindex",), ("remember", "warning", "mind the dog", "--scope", "dog.py"), ("changes", "HEAD"),
    ("changes", "HEAD~1"), ("context", "wake the dog", "--diff", "HEAD~1"), ("overview",),
    ("knowledge", "stats"), ("status", "--skipped"), ("validate", "--level", "deep"),
    ("bench", "history"), ("tune", "--history"),
)  # fmt: skip
"""All that ask git something."""
_SIGNED = b"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----\n\n"


def unpacked(
    stage: Stage, config: str, files: dict[str, str] | None = None, *, change: _Change | None = None
) -> None:
    """The user's copy of a checkout of two commits, made with `.git` as the author left it."""
    stage._write({**CODE, **(files or {})}, None)
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b")
    for words in (("init", "-q"), ("add", "-Af"), ("commit", "-qm", "one")):
        stage._plain([*git, *words], stage.author)
    (stage.author / "dog.py").write_text("def wake(dog):\n    return dog, 1\n", encoding="utf-8")
    stage._plain([*git, "commit", "-qam", "two"], stage.author)
    with (stage.author / ".git/config").open("a", encoding="utf-8") as written:
        written.write(config)
    if change:
        change(stage)
    stage.unpack({})


_Change = Callable[[Stage], None]


def _signed(stage: Stage) -> None:
    """Gives the newest commit a signature, which a program would be asked to check."""
    plain = stage.output(["git", "cat-file", "commit", "HEAD"])
    head, _, message = plain.partition(b"\n\n")
    (stage.folder / "commit").write_bytes(head + _SIGNED + message)
    words = ["git", "hash-object", "-t", "commit", "-w", str(stage.folder / "commit")]
    made = stage.output(words).decode().strip()
    stage._plain(["git", "update-ref", "HEAD", made], stage.author)


def _hooks(stage: Stage) -> None:
    folder = stage.author / ".git/hooks"
    for name in ("post-index-change", "post-checkout", "reference-transaction", "pre-auto-gc"):
        (folder / name).write_text(stage.trap("sh"), encoding="utf-8")
        (folder / name).chmod(0o755)


def _promised(stage: Stage) -> None:
    """Takes an object away that a remote promises to send when it is asked for."""
    blob = stage.output(["git", "rev-parse", "HEAD~1:dog.py"]).decode().strip()
    (stage.author / ".git/objects" / blob[:2] / blob[2:]).unlink()


_ATTRIBUTES = {".gitattributes": "* filter=evil diff=evil merge=evil\n"}
_PROMISE = '[extensions]\npartialClone = origin\n[core]\nrepositoryformatversion = 1\n[remote "origin"]\npromisor = true\n'  # noqa: E501
CONFIGURED: dict[str, tuple[str, dict[str, str], _Change | None]] = {
    "core.fsmonitor": ("[core]\nfsmonitor = {trap}\n", {}, None),
    "hooks": ("", {}, _hooks),
    "core.hooksPath": ("[core]\nhooksPath = hooks\n", {"hooks/post-index-change": "{trap}"}, None),
    "gpg.program": ("[log]\nshowSignature = true\n[gpg]\nprogram = {trap}\n", {}, _signed),
    "a filter": ("[filter \"evil\"]\nclean = {trap}\nsmudge = {trap}\nrequired = true\n",
                 _ATTRIBUTES, None),
    "a filter's process": ("[filter \"evil\"]\nprocess = {trap}\n", _ATTRIBUTES, None),
    "a difference's program": (
        "[diff]\nexternal = {trap}\n[diff \"evil\"]\ncommand = {trap}\ntextconv = {trap}\n",
        _ATTRIBUTES, None),
    "pager and editor": (
        "[core]\npager = {trap}\neditor = {trap}\naskPass = {trap}\n[pager]\nshow = {trap}\n"
        "ls-files = {trap}\n", {}, None),
    "aliases": ("[alias]\nls-files = !{trap}\nrev-list = !{trap}\ncat-file = !{trap}\n", {}, None),
    "a remote over ssh": (
        _PROMISE + "url = ssh://h/x\n[core]\nsshCommand = {trap}\n", {}, _promised),
    "a remote with a program": (_PROMISE + "url = ext::{trap}\n", {}, _promised),
    "a remote's helper": (_PROMISE + "url = x\nvcs = evil\n", {}, _promised),
    "a remote in a folder": (
        _PROMISE + "url = .\nuploadpack = {trap}\n[uploadpack]\npackObjectsHook = {trap}\n", {},
        _promised),
    "credentials": (
        _PROMISE + "url = https://192.0.2.1/x\n[credential]\nhelper = !{trap}\n", {}, _promised),
}  # fmt: skip


def _configured(name: str) -> Scene:
    def play(stage: Stage) -> None:
        config, files, change = CONFIGURED[name]
        trap = stage.folder / "trap.sh"
        trap.write_text(stage.trap("sh"), encoding="utf-8")
        trap.chmod(0o755)
        files = {path: text.replace("{trap}", stage.trap("sh")) for path, text in files.items()}
        unpacked(stage, config.replace("{trap}", str(trap)), files, change=change)
        for words in COMMANDS:
            stage.shown(*words)
        stage.safe()

    return Scene(f".git configures {name}", play)


def _odd(path: str, kind: str) -> Scene:
    def play(stage: Stage) -> None:
        unpacked(stage, "")
        place = stage.root / ".git" / path
        place.unlink(missing_ok=True)
        if kind == "a pipe":
            os.mkfifo(place)
        else:
            place.symlink_to("/dev/zero")
        assert "wake" in stage.shown("search", "wake")
        stage.safe()

    return Scene(f".git/{path} is {kind}", play, quick=(path, kind) == ("commondir", "a pipe"))


def _git_file(stage: Stage) -> None:
    unpacked(stage, "")
    shutil.rmtree(stage.root / ".git")
    (stage.root / ".git").write_bytes(b"gitdir: " + b"x" * 50_000_000)
    assert "wake" in stage.shown("search", "wake")


def _head_elsewhere(said: str) -> Callable[[Stage], None]:
    def play(stage: Stage) -> None:
        unpacked(stage, "")
        private = stage.home / "private.txt"
        (stage.root / ".git/HEAD").write_text(said.format(private), encoding="utf-8")
        for words in (("reindex",), ("status", "--json"), ("validate",), ("context", "wake")):
            assert CANARY not in stage.shown(*words)

    return play


def _ref_elsewhere(stage: Stage) -> None:
    unpacked(stage, "")
    branch = stage.root / ".git" / (stage.root / ".git/HEAD").read_text("utf-8").split()[1]
    branch.unlink()
    branch.symlink_to(stage.home / "private.txt")
    for words in (("reindex",), ("status", "--json"), ("validate",), ("context", "wake")):
        assert CANARY not in stage.shown(*words)


def _tree_elsewhere(stage: Stage) -> None:
    unpacked(stage, f"[core]\nworktree = {stage.home}\nexcludesFile = {stage.home}/private.txt\n")
    for words in (*COMMANDS, ("status", "--json"), ("context", "private", "--scope", "all")):
        assert CANARY not in stage.shown(*words)
    stage.safe()


def _excludes_device(stage: Stage) -> None:
    unpacked(stage, "[core]\nexcludesFile = /dev/zero\nattributesFile = /dev/zero\n")
    assert "wake" in stage.shown("search", "wake")


def _shop(stage: Stage) -> Path:
    """Another repository of the user, beside what is unpacked, with a line that nobody may show."""
    shop = stage.folder / "shop"
    shop.mkdir()
    (shop / "dog.py").write_text(f"KEY = '{CANARY}'\n", encoding="utf-8")
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "shop")):
        stage._plain([*git, *words], shop)
    return shop


def _only_git_file(stage: Stage, said: str) -> None:
    shutil.rmtree(stage.root / ".git")
    (stage.root / ".git").write_text(said, encoding="utf-8")


def _linked(stage: Stage, shop: Path) -> None:
    _only_git_file(stage, f"gitdir: {shop}/.git\n")


def _common(stage: Stage, shop: Path) -> None:
    (stage.root / ".git/commondir").write_text(f"{shop}/.git\n", encoding="utf-8")
    (stage.root / ".git/HEAD").write_bytes((shop / ".git/HEAD").read_bytes())


def _common_of_file(stage: Stage, shop: Path) -> None:
    """A folder that is shipped as a worktree's, of a repository which does not know it."""
    (stage.root / ".git").rename(stage.root / "made")
    (stage.root / ".git").write_text("gitdir: ./made\n", encoding="utf-8")
    (stage.root / "made/gitdir").write_text(f"{stage.root}/.git\n", encoding="utf-8")
    (stage.root / "made/commondir").write_text(f"{shop}/.git\n", encoding="utf-8")
    (stage.root / "made/HEAD").write_bytes((shop / ".git/HEAD").read_bytes())


def _borrowed(stage: Stage, shop: Path) -> None:
    info = stage.root / ".git/objects/info"
    info.mkdir(exist_ok=True)
    (info / "alternates").write_text(f"{shop}/.git/objects\n", encoding="utf-8")
    head = stage.root / ".git" / (stage.root / ".git/HEAD").read_text("utf-8").split()[1]
    head.unlink()
    head.symlink_to(shop / ".git" / (shop / ".git/HEAD").read_text("utf-8").split()[1])


def _borrowed_twice(stage: Stage, shop: Path) -> None:
    _borrowed(stage, shop)
    between = stage.root / "between"
    (between / "info").mkdir(parents=True)
    alternates = stage.root / ".git/objects/info/alternates"
    alternates.rename(between / "info/alternates")
    alternates.write_text("../../between\n", encoding="utf-8")


def _borrowed_quoted(stage: Stage, shop: Path) -> None:
    """Git reads a name in quotes with its escapes; the branch says a commit that is known."""
    _borrowed(stage, shop)
    name = "".join(f"\\{ord(c):03o}" for c in f"{shop}/.git/objects")
    alternates = stage.root / ".git/objects/info/alternates"
    alternates.write_text(f'"{name}"\n', encoding="utf-8")
    branch = stage.root / ".git" / _branch(stage)
    commit = branch.read_bytes()
    branch.unlink()
    branch.write_bytes(commit)


def _objects_link(stage: Stage, shop: Path) -> None:
    for name in ("objects", "refs"):
        shutil.rmtree(stage.root / ".git" / name)
        (stage.root / ".git" / name).symlink_to(shop / ".git" / name)


def _whole_link(stage: Stage, shop: Path) -> None:
    shutil.rmtree(stage.root / ".git")
    (stage.root / ".git").symlink_to(shop / ".git")


ELSEWHERE: dict[str, Callable[[Stage, Path], None]] = {
    "a .git file": _linked, "commondir": _common, "the commondir of a .git file": _common_of_file,
    "alternates and a branch": _borrowed, "alternates of alternates": _borrowed_twice,
    "alternates in quotes": _borrowed_quoted, "links for objects and refs": _objects_link,
    "a link for .git": _whole_link,
}  # fmt: skip
"""Ways for what is unpacked to name another repository of the user."""


def _elsewhere(name: str) -> Scene:
    def play(stage: Stage) -> None:
        unpacked(stage, "")
        ELSEWHERE[name](stage, _shop(stage))
        for words in (("changes", "HEAD"), ("context", "dog", "--diff", "HEAD", "--scope", "all"),
                      ("impact", "HEAD"), ("overview",), ("bench", "history")):  # fmt: skip
            shown = stage.shown(*words)
            assert CANARY not in shown and "shop" not in shown, words
        assert "wake" in stage.shown("search", "wake")

    quick = name in ("a .git file", "alternates and a branch")
    return Scene(f"another repository of the user is named by {name}", play, quick=quick)


def _pipe_included(stage: Stage, place: Path) -> None:
    os.mkfifo(place)
    with (stage.root / ".git/config").open("a", encoding="utf-8") as written:
        written.write(f"[include]\n\tpath = {place}\n")


def _pipe_included_by(stage: Stage, place: Path) -> None:
    os.mkfifo(place)
    between = stage.root / "between"
    between.write_text(f'[iNcludeIf "gitdir:/"]\n\tpAth = "{place}"\n', encoding="utf-8")
    with (stage.root / ".git/config").open("a", encoding="utf-8") as written:
        written.write("[include] path = ../between\n")


def _pipe_at(path: str) -> Callable[[Stage, Path], None]:
    def made(stage: Stage, _place: Path) -> None:
        pipe = stage.root / ".git" / path.replace("BRANCH", _branch(stage))
        pipe.parent.mkdir(parents=True, exist_ok=True)
        pipe.unlink(missing_ok=True)
        os.mkfifo(pipe)

    return made


def _branch(stage: Stage) -> str:
    return (stage.root / ".git/HEAD").read_text("utf-8").split()[1]


def _head_object(stage: Stage, _place: Path) -> None:
    commit = (stage.root / ".git" / _branch(stage)).read_text("utf-8").strip()
    blob = stage.root / ".git/objects" / commit[:2] / commit[2:]
    blob.unlink()
    os.mkfifo(blob)


def _ref_to_pipe(stage: Stage, place: Path) -> None:
    os.mkfifo(place)
    (stage.root / ".git/refs/heads/other").symlink_to(place)


PIPES: dict[str, Callable[[Stage, Path], None]] = {
    "include.path": _pipe_included, "an include of an include": _pipe_included_by,
    "a branch": _pipe_at("BRANCH"), "another branch": _pipe_at("refs/heads/other"),
    "a link of a branch": _ref_to_pipe, "the newest commit": _head_object,
    **{path: _pipe_at(path) for path in (
        "objects/info/alternates", "info/grafts", "objects/info/commit-graph",
        "objects/pack/pack-x.idx", "packed-refs", "shallow", "config.worktree", "refs")},
}  # fmt: skip


def _pipe(name: str) -> Scene:
    def play(stage: Stage) -> None:
        unpacked(stage, "")
        if name == "refs":
            shutil.rmtree(stage.root / ".git/refs")
        PIPES[name](stage, stage.root / "pipe")
        began = time.monotonic()
        for words in COMMANDS:
            stage.shown(*words)
        assert "wake" in stage.shown("search", "wake")
        # Each git that waits would take half a minute, and most of these ask several.
        assert time.monotonic() - began < 10 * len(COMMANDS)

    return Scene(f"git would wait on a pipe: {name}", play, quick=name == "include.path")


def _late_pipe(stage: Stage) -> None:
    """A pipe that only git finds: it is waited for once, and git is not asked again."""
    unpacked(stage, "")
    os.mkfifo(stage.root / "pipe")
    asked: list[float] = []
    real = git_checkout.programs.run

    def run(command: Sequence[str | bytes], bounds: Bounds, *others: Any) -> Finished | None:
        asked.append(bounds.seconds)
        reads = ["sh", "-c", 'cat "$0"', str(stage.root / "pipe")]
        return real(reads, msgspec.structs.replace(bounds, seconds=0.2), *others)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(git_checkout.programs, "run", run)
        for _ in range(8):
            assert git_checkout.run_git(os.fsencode(stage.root), "rev-parse", "HEAD") == b""
    assert len(asked) == 1, asked


SCENES = (
    *(_elsewhere(name) for name in ELSEWHERE),
    *(_pipe(name) for name in PIPES),
    Scene("git waits on a pipe that nobody foresaw", _late_pipe, quick=True),
    *(_configured(name) for name in CONFIGURED),
    *(_odd(path, kind) for path in ("HEAD", "commondir", "info/exclude") for kind in
      ("a pipe", "a link to a device")),
    _odd("index", "a pipe"),
    _odd("config", "a pipe"),
    Scene(".git is a file without end", _git_file),
    Scene(".git/HEAD names a file of the user", _head_elsewhere("ref: {}\n"), quick=True),
    Scene(".git/HEAD climbs to a file of the user",
          _head_elsewhere("ref: refs/../../../home/victim/private.txt\n")),
    Scene("a branch is a link to a file of the user", _ref_elsewhere),
    Scene(".git/config moves the working tree into the home", _tree_elsewhere),
    Scene(".git/config names devices to read", _excludes_device),
)  # fmt: skip
