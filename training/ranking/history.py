"""The fixes of a repository, read from its history with git.

A snapshot is a commit with some hundreds of others after it. A fix counts when every function that
it changed stands in the snapshot as it stood just before the fix, byte by byte.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_MARK = b"\x01commit "
_MOST_FILES = 20
_MOST_BYTES = 200_000_000

Hunk = tuple[int, int, int, int]
"""First line and number of lines before, the same after; a number of 0 is between two lines."""


@dataclass(slots=True)
class Change:
    """What a commit does to a file that was there before: its blob then, and the hunks."""

    path: str
    before: str = ""
    hunks: list[Hunk] = field(default_factory=list)


@dataclass(slots=True)
class Commit:
    """A commit that is no merge."""

    id: str
    parent: str
    subject: str
    body: str
    changes: list[Change] = field(default_factory=list)


def git(folder: Path, *arguments: str) -> bytes:
    """What a git command prints."""
    command = ["git", "--git-dir", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True).stdout


def snapshot_of(folder: Path, n_after: int) -> str:
    """A first parent of the newest commit with about `n_after` commits after it, no merges."""
    line = git(folder, "rev-list", "--first-parent", "--max-count=20000", "HEAD").decode().split()
    low, high = 0, len(line) - 1
    # The number of commits after a first parent grows with its distance, so halving finds it.
    while low < high:
        middle = (low + high) // 2
        after = git(folder, "rev-list", "--count", "--no-merges", f"{line[middle]}..HEAD")
        if int(after) < n_after:
            low = middle + 1
        else:
            high = middle
    return line[low]


def blobs(folder: Path, commit: str) -> dict[str, str]:
    """The blob of every path of a commit."""
    listed = git(folder, "ls-tree", "-r", "-z", commit).decode("utf-8", "surrogateescape")
    entries = (entry.split("\t", 1) for entry in listed.split("\0") if entry)
    return {path: meta.split()[2] for meta, path in entries}


def commits_after(folder: Path, snapshot: str, suffixes: Sequence[str]) -> Iterator[Commit]:
    """The commits after a snapshot, oldest first, with their changes to files of some suffixes."""
    command = [
        "git", "--git-dir", str(folder), "log", "--reverse", "--no-merges", "-p", "-U0",
        "--no-renames", "--full-index", "--no-color", "--diff-filter=M", "--no-ext-diff",
        "--no-textconv", "--format=%x01commit %H%x00%P%x00%s%x00%b%x02", f"{snapshot}..HEAD", "--",
        *(f"*{suffix}" for suffix in suffixes),
    ]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    text = process.stdout.read(_MOST_BYTES)
    process.kill()
    process.wait()
    for part in text.split(_MARK)[1:]:
        head, _, patch = part.partition(b"\x02")
        ids = head.decode("utf-8", "replace").split("\0")
        if len(ids) == 4 and ids[1]:
            commit = Commit(ids[0], ids[1].split()[0], ids[2], ids[3], list(_changes(patch)))
            if 0 < len(commit.changes) <= _MOST_FILES:
                yield commit


def _changes(patch: bytes) -> Iterator[Change]:
    for part in re.split(rb"^diff --git ", patch, flags=re.MULTILINE)[1:]:
        path = re.search(rb"^--- a/(.*)$", part, re.MULTILINE)
        index = re.search(rb"^index ([0-9a-f]+)\.\.", part, re.MULTILINE)
        if path and index:
            name = path.group(1).rstrip(b"\t").decode("utf-8", "surrogateescape")
            yield Change(name, index.group(1).decode(), _hunks(part))


def _hunks(patch: bytes) -> list[Hunk]:
    found = re.finditer(rb"^" + _HUNK.pattern, patch, re.MULTILINE)
    number = lambda text: 1 if text is None else int(text)  # noqa: E731
    return [(int(m[1]), number(m[2]), int(m[3]), number(m[4])) for m in found]


def between(folder: Path, old: str, new: str) -> list[Hunk]:
    """What was changed between two blobs."""
    if old == new:
        return []
    return _hunks(git(folder, "diff", "-U0", "--no-color", "--no-ext-diff", old, new))


def earlier_line(line: int, hunks: Sequence[Hunk]) -> int | None:
    """A line after some changes, as it was numbered before; None for a line that they brought."""
    shift = 0
    for _, n_old, new, n_new in hunks:
        first = new if n_new else new + 1
        if line < first:
            break
        if line < first + n_new:
            return None
        shift += n_old - n_new
    return line + shift


def touches(first: int, last: int, hunks: Sequence[Hunk]) -> bool:
    """Whether changes touch lines of the text before, or lie between two of them."""
    return any(
        old <= last and old + n - 1 >= first if n else first <= old < last for old, n, _, _ in hunks
    )
