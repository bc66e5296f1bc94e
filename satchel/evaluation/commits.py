"""Commits of a repository, read with git: messages, and the versions of the files they change.

No command is asked that compares contents, so that nothing which a repository configures is run
(see `indexer.scan.git_checkout`); hidden copies of the tree are never made. Paths are relative to
the root that is asked about, which may lie below the top of its checkout.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from satchel.indexer.scan.git_checkout import blobs, run_git
from satchel.store.errors import UsageError

_FIRST_PARENTS = 20_000
_MOST_FILES = 20
"""Files of a commit that says one thing; those of more are renamings and the like."""
_REGULAR = ("100644", "100755")
_BATCH = 64
"""Contents asked for at a time."""


class Change(Struct, frozen=True):
    """What a commit does to a file that was there before: its contents by git's names for them."""

    path: str
    before: str
    after: str


class Commit(Struct, frozen=True):
    """A commit that is no merge."""

    id: str
    subject: str
    body: str
    changes: tuple[Change, ...]


class Blob(Struct, frozen=True):
    """A regular file of a commit: git's name for its contents, and their bytes."""

    name: str
    n_bytes: int


def git_output(root: Path, *arguments: str) -> bytes:
    """What a git command prints about `root`; nothing where it fails."""
    return run_git(os.fsencode(root), *arguments)


def count(root: Path, commits: str) -> int:
    """How many of some commits (`A..B`, or `B` and all before it) are no merges."""
    return int(git_output(root, "rev-list", "--count", "--no-merges", commits, "--") or 0)


def snapshot_before(root: Path, n_after: int) -> str:
    """A first parent of HEAD with about `n_after` commits after it, merges not counted.

    Raises:
        UsageError: there is no history at `root`.
    """
    found = git_output(
        root, "rev-list", "--first-parent", f"--max-count={_FIRST_PARENTS}", "HEAD", "--"
    )
    line = found.decode("ascii").split()
    if not line:
        raise UsageError(
            f"{root} has no git history",
            "fixes are taken from commits: name a checkout with --root",
        )
    low, high = 0, len(line) - 1
    # The number of commits after a first parent grows with its distance, so halving finds it.
    while low < high:
        middle = (low + high) // 2
        if count(root, f"{line[middle]}..HEAD") < n_after:
            low = middle + 1
        else:
            high = middle
    return line[low]


def files(root: Path, commit: str) -> dict[str, Blob]:
    """The regular files below `root` at a commit, by path."""
    listed = git_output(root, "ls-tree", "-r", "-z", "-l", commit).decode(
        "utf-8", "surrogateescape"
    )
    found: dict[str, Blob] = {}
    for entry in filter(None, listed.split("\0")):
        meta, _, path = entry.partition("\t")
        mode, _, name, size = meta.split()
        # Links and submodules hold no code of their own.
        # A partial clone lacks contents, which are not fetched for this.
        if mode in _REGULAR and size.isdigit():
            found[path] = Blob(name, int(size))
    return found


def contents(root: Path, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """(name, contents) of some blobs, in their order; what git does not have is left out."""
    for start in range(0, len(names), _BATCH):
        batch = names[start : start + _BATCH]
        found = blobs(os.fsencode(root), [name.encode("ascii") for name in batch])
        for name, data in zip(batch, found, strict=True):
            # A clone may be partial, a repository damaged.
            if data is not None:
                yield name, data


def between(
    root: Path, snapshot: str, until: str, suffixes: Sequence[str], *, most: int
) -> Iterator[Commit]:
    """The newest `most` commits after one and up to another, that change files of some suffixes.

    Oldest first. Only changes to files that were there before count; commits of more than 20 are
    left out.
    """
    # The options override what the user or the repository configures for `log`.
    question = (
        "log", "--reverse", f"--max-count={most}", "--no-merges", "--no-renames", "--raw", "-z",
        "--no-abbrev", "--relative", "--no-color", "--no-notes", "--no-decorate", "--no-mailmap",
        "--encoding=UTF-8", "--format=%x01%H%x02%s%x02%b%x02", f"{snapshot}..{until}", "--", ".",
    )  # fmt: skip
    for part in git_output(root, *question).split(b"\x01")[1:]:
        fields = part.split(b"\x02")
        if len(fields) != 4:
            continue  # a message with such a character in it
        changes = tuple(_changes(fields[3], tuple(suffixes)))
        if 0 < len(changes) <= _MOST_FILES:
            commit, subject, body = (f.decode("utf-8", "replace") for f in fields[:3])
            yield Commit(commit, subject, body, changes)


def _changes(listed: bytes, suffixes: tuple[str, ...]) -> Iterator[Change]:
    """The changes of a commit, as `--raw -z` lists them: `:modes blobs M`, the path, and again."""
    words = listed.split(b"\0")
    for place, word in enumerate(words[:-1]):
        fields = word.strip().split()
        if len(fields) != 5 or not fields[0].startswith(b":") or fields[4] != b"M":
            continue
        path = words[place + 1].decode("utf-8", "surrogateescape")
        if path.endswith(suffixes):
            yield Change(path, fields[2].decode("ascii"), fields[3].decode("ascii"))
