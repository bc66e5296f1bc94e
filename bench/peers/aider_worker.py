"""Runs in aider's own environment: one JSON line in, one out; first the root, then batches.

Needs only `aider-chat`. The map is ranked as aider ranks it when a user types the question with no
file in the chat: words of the question are identifiers it mentions, and name files by their stem.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any

from aider.repomap import RepoMap  # type: ignore[import-not-found]


class Quiet:
    """What a map asks of a terminal and of a model: to read files, and nothing else."""

    def read_text(self, path: str) -> str:
        """A file's text."""
        return Path(path).read_text(encoding="utf-8", errors="replace")

    def tool_output(self, *_: object) -> None:
        """Say nothing."""

    tool_warning = tool_error = tool_output

    def token_count(self, text: str) -> int:
        """A guess; rows are counted by the bench."""
        return len(text) // 4


def files_of(root: Path) -> list[str]:
    """Every file that is not hidden."""
    found: list[str] = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [str(Path(folder, n)) for n in sorted(names) if not n.startswith(".")]
    return found


def rank(repo_map: Any, files: list[str], query: str, top_k: int) -> list[list[Any]]:  # noqa: ANN401
    """Rows of one query as [path, line, line, the line's text]."""
    words = set(re.split(r"\W+", query))
    stems = {word.lower() for word in words if len(word) >= 5}
    named = {repo_map.get_rel_fname(f) for f in files if Path(f).stem.lower() in stems}
    rows: list[list[Any]] = []
    for tag in repo_map.get_ranked_tags(set(), files, named, words)[:top_k]:
        path, line = tag[0], tag[2] + 1 if len(tag) > 1 else 1
        lines = repo_map.io.read_text(str(Path(repo_map.root, path))).splitlines()
        rows.append([path, line, line, lines[line - 1] if line <= len(lines) else ""])
    return rows


def main() -> None:
    """Serve one root until standard input ends."""
    replies, sys.stdout = sys.stdout, sys.stderr  # aider draws its progress there
    root = Path(json.loads(sys.stdin.readline())["root"])
    began = time.perf_counter()
    RepoMap.load_tags_cache = lambda self: setattr(self, "TAGS_CACHE", {})  # not into the corpus
    quiet = Quiet()
    repo_map = RepoMap(root=str(root), main_model=quiet, io=quiet)
    files = files_of(root)
    for file in files:
        repo_map.get_tags(file, repo_map.get_rel_fname(file))
    print(json.dumps({"seconds": time.perf_counter() - began}), file=replies, flush=True)
    for message in sys.stdin:
        ask = json.loads(message)
        rows = [rank(repo_map, files, query, ask["top_k"]) for query in ask["queries"]]
        print(json.dumps(rows), file=replies, flush=True)


if __name__ == "__main__":
    main()
