"""What git knows about the folder that is indexed: its checkout, user settings, tracked files.

Git's own files are found by reading; its settings and its index are asked for from the git program,
which is kept from running what the repository names and from the network, and gets only so much
time and memory. An archive may hold a `.git` that its author wrote: what is read of it is bounded,
and no command is asked that starts filters, hooks or what shows differences, as `status` and `diff`
would. Without the program nothing is known to be tracked and the excludes file is git's default
one. Paths are bytes.

Not here: reading ignore files (`indexer.scan.walk`) and their rules (`indexer.scan.gitignore`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from satchel.indexer.scan import git_folder
from satchel.indexer.scan.open_below import read_regular_file
from satchel.store.platform import programs
from satchel.store.platform.folders import OpenFolder
from satchel.store.platform.programs import Bounds

_BOUNDS = Bounds(seconds=30.0)
_RULES_BOUNDS = Bounds(seconds=5.0, memory_bytes=256 << 20)
"""For what takes git milliseconds and some MB unless ignore rules are made to exhaust it, or are a
pipe: 20 MB of rules took more than a gigabyte."""
_COMMIT = re.compile(rb"[0-9a-f]{40}|[0-9a-f]{64}")
_BARE = re.compile(rb"(?:^|\0)core\.bare(?:\ntrue)?\0", re.IGNORECASE)
_NEVER = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "log.showSignature=false")
"""Settings that hold against those of the repository."""


def checkout(root: bytes) -> tuple[bytes, bytes]:
    """The top of the checkout around root, and git's folder shared by its worktrees, or ""."""
    top, found = git_folder.around(Path(os.fsdecode(root)))
    return (root, b"") if found is None else (os.fsencode(top), os.fsencode(found.shared))


def worktrees_around(root: bytes, settings: CoreSettings) -> bytes:
    """Where the repository around root keeps what it knows of its worktrees; "" where root is in
    no working tree of it: those below are then no copies of what lies here."""
    found = git_folder.around(Path(os.fsdecode(root)))[1]
    if found is None or (found.shared == found.own and _BARE.search(settings.every)):
        return b""
    return os.path.realpath(os.fsencode(found.shared / "worktrees"))


def _worktree_named(folder: OpenFolder) -> bytes:
    """What the `.git` file in a folder names, when that is where git keeps a worktree; else ""."""
    try:
        said = read_regular_file(b".git", git_folder.LINE_BYTES, folder)
    except OSError:
        return b""
    if not isinstance(said, bytes) or not said.startswith(b"gitdir:") or b"\0" in said:
        return b""
    named = said.removeprefix(b"gitdir:").strip().rstrip(b"/")
    # Of a submodule it is in `modules/`.
    return named if named.split(b"/")[-2:-1] == [b"worktrees"] else b""


def is_copy(root: bytes, worktrees: bytes, path: bytes, folder: OpenFolder) -> bool:
    """Whether an open folder is a worktree of a repository that is in the tree with its own files:
    of the one around root, which keeps its worktrees in `worktrees`, or of one below it."""
    named = _worktree_named(folder)
    if not named:
        return False
    at = Path(os.fsdecode(root), os.fsdecode(path))
    where = Path(os.path.realpath(at / os.fsdecode(named)))
    files = git_folder.files_of(where.parent.parent)
    if files is not None and files.is_relative_to(os.path.realpath(os.fsdecode(root))):
        return True
    if not worktrees:
        return False
    kept = Path(os.fsdecode(worktrees))
    # In a container the checkout may have another path than the one that git wrote down.
    is_gone = not os.path.lexists(where) and (kept / where.name).is_dir()
    return where.parent == kept or is_gone


def worktree_folder(root: bytes) -> Path | None:
    """Git's folder of this worktree alone: where its HEAD and its index are; None for no git."""
    found = git_folder.around(Path(os.fsdecode(root)))[1]
    return found.own if found else None


def head_commit(root: bytes) -> str:
    """The commit that is checked out at root, in hexadecimal digits; "" for none."""
    found = git_folder.around(Path(os.fsdecode(root)))[1]
    try:
        # Two small files are read in less time than a program is started in.
        written = git_folder.line(found.own / "HEAD") if found else b""
        if found is None or not written.startswith(b"ref: "):
            return _hexadecimal(written)
        name = os.fsdecode(written.removeprefix(b"ref: "))
        # Git writes no other names; those of an archive's author may lead anywhere.
        if not name.startswith("refs/") or ".." in name:
            return ""
        for folder in found:
            if (folder / name).is_file():
                return _hexadecimal(git_folder.line(folder / name))
    except OSError:
        return ""
    # The branch is packed (in `packed-refs`) or in a reftable: git knows where.
    return _hexadecimal(run_git(root, "rev-parse", "--verify", "--quiet", "HEAD").strip())


def _hexadecimal(written: bytes) -> str:
    return written.decode("ascii") if _COMMIT.fullmatch(written) else ""


class CoreSettings(NamedTuple):
    """Git's settings that decide which files are ignored: all of them, and the user's ignore file.

    `every` is empty where git does not list them.
    """

    every: bytes
    excludes_file: bytes


def core_settings(root: bytes) -> CoreSettings:
    """The settings in force at root; the ignore file by git's settings or git's default."""
    asked = ("config", "-z", "--type=path")
    every = run_git(root, *asked, "--get-regexp", "^core[.]")
    items = [item.partition(b"\n") for item in every.split(b"\0")]
    configured = [value for name, _, value in items if name == b"core.excludesfile"]
    if not every:  # there are none, or one of them is no path, which ends the list
        configured = [run_git(root, *asked, "--get", "core.excludesFile").removesuffix(b"\0")]
    if configured and configured[-1]:
        return CoreSettings(every, configured[-1])
    settings = os.environ.get("XDG_CONFIG_HOME") or os.environ.get("HOME", "") + "/.config"
    return CoreSettings(every, os.fsencode(settings + "/git/ignore"))


def tracked_but_ignored(root: bytes) -> frozenset[bytes]:
    """Ignored files below root that git tracks all the same, and every folder above them; every
    file that it tracks when git does not get through the rules: walks are the same."""
    if worktree_folder(root) is None:  # a program takes as long to start as a tenth of a search
        return frozenset()
    words = ("ls-files", "-z", "--cached")
    files = _run(root, (*words, "--ignored", "--exclude-standard"), b"", _RULES_BOUNDS)
    if files is None:
        files = run_git(root, *words)
    found = set(files.split(b"\0")) - {b""}
    for path in tuple(found):
        while b"/" in path and (path := path.rpartition(b"/")[0]) not in found:
            found.add(path)
    return frozenset(found)


def run_git(root: bytes, *arguments: str, stdin: bytes = b"") -> bytes:
    """What git prints; nothing when it is missing, fails or takes more than it may."""
    return _run(root, arguments, stdin, _BOUNDS) or b""


def blobs(root: bytes, names: Sequence[bytes]) -> Iterator[bytes | None]:
    """The contents that git has by these names, in their order; None for each that it has not.

    Callers ask for no more of them at a time than git may print.
    """
    answer = run_git(root, "cat-file", "--batch", stdin=b"".join(b"%b\n" % n for n in names))
    place = 0
    for _ in names:
        # For each object git writes a line about it, its bytes and the end of a line.
        end = answer.find(b"\n", place)
        # The line of one that is "missing" has no size; an answer that was cut short has no line.
        header = answer[place : max(end, place)].split()
        place = end + 1 if end >= 0 else len(answer)
        data = None
        if len(header) == 3:
            data = answer[place : place + int(header[2])]
            place += len(data) + 1
        yield data if header[1:2] == [b"blob"] else None


_asked: dict[Path, tuple[tuple[object, ...], bool]] = {}
"""By the top of a checkout: what git's folder was, and whether git may be asked there."""


def _may_be_asked(root: bytes) -> bool:
    top, found = git_folder.around(Path(os.fsdecode(root)))
    if found is None:
        # Outside of a checkout git tells the user's settings; a `.git` that is none may hold it up.
        return not any(os.path.lexists(each / ".git") for each in (top, *top.parents))
    state = git_folder.state_of(found)
    known = _asked.get(top)
    if known is None or known[0] != state:
        try:
            is_plain = git_folder.is_plain(top, found, _included)
        except (OSError, ValueError):
            is_plain = False
        known = _asked[top] = state, is_plain
    return known[1]


def _included(settings: Path) -> list[Path]:
    """The files that a file of git's settings includes, which need not be there."""
    words = ("config", "--file", os.fsencode(settings), "--no-includes", "-z", "--get-regexp",
             r"^include(if\..*)?\.path$")  # fmt: skip
    # Away from the checkout, of which git would read the settings with all that they include.
    command: list[str | bytes] = ["git", "-C", settings.anchor, *words]
    answer = programs.run(command, _RULES_BOUNDS, _environment())
    if answer is None:
        raise OSError(f"git does not read {settings}")
    named = (item.partition(b"\n")[2] for item in answer.output.split(b"\0") if item)
    return [settings.parent / Path(os.fsdecode(each)).expanduser() for each in named]


def _run(root: bytes, arguments: tuple[str, ...], stdin: bytes, bounds: Bounds) -> bytes | None:
    if not _may_be_asked(root):
        return None
    settings = [word for setting in _NEVER for word in ("-c", setting)]
    command: list[str | bytes] = ["git", "-C", root, *settings, *arguments]
    answer = programs.run(command, bounds, _environment(), stdin)
    if answer is None and bounds is _BOUNDS:
        # It took too long: nothing more is asked here until git has written something itself.
        top, found = git_folder.around(Path(os.fsdecode(root)))
        if found is not None:
            _asked[top] = git_folder.state_of(found), False
    return answer.output if answer is not None and answer.code == 0 else None


def _environment() -> dict[str, str]:
    """Whatever the repository configures, no program is started and no network is reached."""
    # GIT_DIR and its like come from a hook we may run under and would name another repository.
    return {
        key: value
        for key, value in os.environ.items()
        if not key.startswith("GIT_") or key.startswith("GIT_CONFIG")
    } | {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0"}
