"""When files last changed, by the commits of the checkout. A bounded look at the newest of them."""

from __future__ import annotations

from pathlib import Path

from satchel.indexer.scan.git_checkout import run_git
from satchel.store.model import RepoPath
from satchel.store.sqlite.rows import decode_path

_COMMITS = 3_000
"""Commits that are looked at: in most projects some years, read in a second or two."""


def last_commits(root: Path) -> dict[RepoPath, int]:
    """The time of the last commit of each file, in seconds since the epoch.

    What none of the newest 3,000 commits touched is left out, and outside of git everything is.
    """
    # Merges say nothing of a file that the merged commits do not say. Paths are relative to root,
    # which may lie below the top of the checkout.
    question = ("log", f"-n{_COMMITS}", "--no-merges", "--no-renames", "--relative", "-z")
    where = str(root).encode("utf-8", "surrogateescape")
    answer = run_git(where, *question, "--format=%ct", "--name-only", "HEAD", "--", ".")
    found: dict[RepoPath, int] = {}
    time, starts, first = 0, True, False
    # A commit is its time, an empty line with its first path, more paths, and a word without text.
    for word in answer.split(b"\0"):
        if starts:
            time = int(word) if word.isdigit() else 0
        elif word:
            # Newest commits come first, so the first time of a path is its last.
            found.setdefault(decode_path(word.removeprefix(b"\n") if first else word), time)
        first, starts = starts, not word
    return found
