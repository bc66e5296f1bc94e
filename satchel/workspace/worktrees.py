"""A new worktree starts from the index of another one of the same repository.

Its index is copied as a whole: facts, terms, call graph and vectors. The refresh that follows reads
every file once, and analyses only those whose bytes the other worktree does not have. An index
belongs to one user; that of another is not believed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from satchel.indexer.scan.git_checkout import checkout
from satchel.store.errors import SatchelError
from satchel.store.sqlite import database


def start_from_another(root: Path, directory: Path) -> Path | None:
    """Give a root without an index in `directory` that of another worktree; which, if any."""
    if (directory / database.INDEX_NAME).exists():
        return None
    for other in siblings(root, directory.name):
        with suppress(SatchelError, OSError, database.SQLiteError):
            if _is_ours(other) and database.copy(other, directory):
                return other
    return None


def siblings(root: Path, name: str) -> list[Path]:
    """The folders called `name` at the root's place in other worktrees, the main one's first."""
    top, shared = map(os.fsdecode, checkout(os.fsencode(root)))
    if not shared:
        return []
    below = root.relative_to(top)
    folders = [(other / below / name).resolve() for other in _worktrees(Path(shared).resolve())]
    own = (root / name).resolve()
    return [folder for folder in dict.fromkeys(folders) if folder != own]


def _worktrees(shared: Path) -> Iterator[Path]:
    """The tops of all worktrees, by what git's shared folder says."""
    if shared.name == ".git":
        yield shared.parent
    for entry in sorted(shared.glob("worktrees/*/gitdir")):
        with suppress(OSError, UnicodeDecodeError):
            yield Path(entry.read_text("utf-8").strip()).parent


def _is_ours(folder: Path) -> bool:
    status = (folder / database.INDEX_NAME).stat()
    return status.st_uid == os.getuid()
