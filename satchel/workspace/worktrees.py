"""A new worktree starts from the index of another one of the same repository, a moved one from its
own.

An index is copied as a whole: facts, terms, call graph and vectors. The refresh that follows reads
every file once, and analyses only those whose bytes the other worktree does not have.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from satchel.store import private
from satchel.store.errors import SatchelError
from satchel.store.sqlite import database
from satchel.workspace.state import state_folder
from satchel.workspace.state.identity import checkout_at, mark
from satchel.workspace.state.state_folder import StateFolders


def start_from_another(folders: StateFolders) -> Path | None:
    """Give a root without an index that of another worktree, or its own from where it lay before.

    Returns the folder of the index that was copied, None when there was none to copy.
    """
    if database.file_in(folders.index).exists():
        return None
    for other in (*siblings(folders), *earlier(folders)):
        # A copy only saves work: whatever is wrong with another index, the refresh makes this one
        # from the files.
        with suppress(SatchelError, OSError, database.SQLiteError):
            is_there = private.check(folders.bases.cache, other)
            if is_there and database.copy(other, folders.index):
                return other
    return None


def siblings(folders: StateFolders) -> list[Path]:
    """The indexes of the root's place in other worktrees, the main one's first."""
    checkout = folders.checkout
    if not checkout.is_git:
        return []
    roots = [(top / checkout.below).resolve() for top in _worktrees(checkout.folder)]
    # What git's folder names need not be a worktree of it: it must say the same.
    ours = (root for root in dict.fromkeys(roots) if checkout_at(root).key == checkout.key)
    return [folders.bases.index_of(root) for root in ours if root != folders.root]


def earlier(folders: StateFolders) -> Iterator[Path]:
    """The indexes of this very folder from when it had another path."""
    here = mark(folders.root)
    for folder in state_folder.state_folders(folders.bases.indexes):
        record = state_folder.read(folder)
        # An inode number is given out again after a deletion, so without a moment of birth nothing
        # is proved to be the same folder.
        is_same = record is not None and here[1] and (record.inode, record.born_ns) == here
        if is_same and folder != folders.index:
            yield folder


def _worktrees(shared: Path) -> Iterator[Path]:
    """The tops of all worktrees, by what git's shared folder says."""
    if shared.name == ".git":
        yield shared.parent
    # Sorted, since a folder lists its entries in any order, and the first index that can be copied
    # wins.
    for entry in sorted(shared.glob("worktrees/*/gitdir")):
        with suppress(OSError, UnicodeDecodeError):
            yield Path(entry.read_text("utf-8").strip()).parent
