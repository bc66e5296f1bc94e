"""What git knows about the folder that is indexed: its checkout, user settings, tracked files.

Git's own files are found by reading; its settings and its index are asked for from the git program,
which is kept from running what the repository names and from the network. Without the program
nothing is known to be tracked and the excludes file is git's default one. Paths are bytes.

Not here: reading ignore files (`indexer.scan.walk`) and their rules (`indexer.scan.gitignore`).
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_TIMEOUT_S = 30.0


def checkout(root: bytes) -> tuple[bytes, bytes]:
    """The top of the checkout around root, and git's folder shared by its worktrees, or ""."""
    top, git = _git_folder(root)
    return (root, b"") if git is None else (os.fsencode(top), os.fsencode(_shared(git)))


def worktree_folder(root: bytes) -> Path | None:
    """Git's folder of this worktree alone: where its HEAD and its index are; None for no git."""
    return _git_folder(root)[1]


def head(root: bytes) -> str:
    """The commit that is checked out at root, as git writes it; "" for none."""
    git = worktree_folder(root)
    try:
        said = (git / "HEAD").read_text("ascii").strip() if git else ""
        if git is None or not said.startswith("ref: "):
            return said
        name = said.removeprefix("ref: ")
        for folder in (git, _shared(git)):
            if (folder / name).is_file():
                return (folder / name).read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
    # Packed, or kept in a way of git's own.
    return ask(root, "rev-parse", "--verify", "--quiet", "HEAD").decode("ascii", "replace").strip()


def _git_folder(root: bytes) -> tuple[Path, Path | None]:
    folder = Path(os.fsdecode(root))
    for top in (folder, *folder.parents):
        try:
            git = top / ".git"
            if git.is_file():
                git = top / os.fsdecode(git.read_bytes().removeprefix(b"gitdir:").strip())
            if (git / "HEAD").is_file():
                return top, git
        except OSError:
            continue
    return folder, None


def _shared(git: Path) -> Path:
    try:
        return git / os.fsdecode((git / "commondir").read_bytes().strip())
    except OSError:
        return git


def excludes_file(root: bytes) -> bytes:
    """The user's ignore file that is in force at root, by git's settings or git's default."""
    configured = ask(root, "config", "-z", "--type=path", "--get", "core.excludesFile")
    if configured:
        return configured.removesuffix(b"\0")
    settings = os.environ.get("XDG_CONFIG_HOME") or os.environ.get("HOME", "") + "/.config"
    return os.fsencode(settings + "/git/ignore")


def tracked(root: bytes) -> frozenset[bytes]:
    """Ignored files below root that git tracks all the same, and every folder above them."""
    files = ask(root, "ls-files", "-z", "--cached", "--ignored", "--exclude-standard")
    found = set(files.split(b"\0")) - {b""}
    for path in tuple(found):
        while b"/" in path and (path := path.rpartition(b"/")[0]) not in found:
            found.add(path)
    return frozenset(found)


def ask(root: bytes, *question: str, said: bytes = b"") -> bytes:
    """What git answers to a question (and to `said` on its stdin).

    Nothing when it is missing, unwilling or slow.
    """
    # Whatever the repository configures, no program is started and no network is reached. GIT_DIR
    # and its like come from a hook we may run under and would name another repository.
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith("GIT_") or key.startswith("GIT_CONFIG")
    } | {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        answer = subprocess.run(
            ("git", "-C", root, "-c", "core.fsmonitor=false", *question),
            input=said,
            capture_output=True,
            env=environment,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return b""
    return answer.stdout if answer.returncode == 0 else b""
