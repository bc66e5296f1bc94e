"""A walk that looks names up among those of the walk before, and asks rules about
the others alone.

While the rules are those of the walk before (`RulesRead.digest`), they say of a name what they said
then, and that is on record: a path of the index was kept, a path that was left out by a rule is
left out. Every folder is listed and every file is asked for its stat, as in any walk; what is saved
is asking the rules, and a value for each file that is as it was.

Not here: whether the rules are the same (`indexer.recorded_plan`), and what a walk finds without a
record (`indexer.scan.walk`), which must be the same.
"""

from __future__ import annotations

import os
import stat
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, cast

from satchel.indexer.scan.folder_marks import BUILT_IN_RULE, CHECKOUT, MARKS, mark_of
from satchel.indexer.scan.git_checkout import worktree_named
from satchel.indexer.scan.ignore_rules import (
    RULE_FILES,
    Folder,
    RulesRead,
    Tree,
    is_built_in,
    rule_text,
)
from satchel.indexer.scan.open_below import skipped_for_error
from satchel.indexer.scan.walk import (
    FoundFile,
    OnFolder,
    OpenFolders,
    Status,
    descend,
    folder_at,
    outcome,
    outcome_of_file,
)
from satchel.store.model import RepoPath, Skipped, SkipReason
from satchel.store.platform.folders import OpenFolder, names_of, scan
from satchel.store.records import FileStat, SkippedRecord, Stat, times_of

_DECIDING_NAMES = frozenset(map(os.fsdecode, MARKS | RULE_FILES))
_REPORT_EVERY = 500
"""Files between two reports of progress."""


class _Name(NamedTuple):
    """A name that is to be looked at again; its entry has been asked for its status."""

    name: str
    entry: Status
    is_dir: bool


class RecordedWalk:
    """One walk below `root`, which must be real.

    `files` has the stat of each file of the record; those that are as they were are taken out.
    `skipped` has what was left out. Afterwards `files` has what changed or is gone, `n_unchanged`
    counts what was taken out, `held` has the records of `skipped` that hold, and `others` yields
    what is there besides.
    """

    def __init__(
        self, root: bytes, files: dict[RepoPath, Stat],
        skipped: Mapping[RepoPath, SkippedRecord],
    ) -> None:  # fmt: skip
        self.n_unchanged = 0
        self.held: list[SkippedRecord] = []
        self.read = RulesRead()
        self._root = root
        self._files = files
        self._skipped = skipped
        self._paths = sorted((*files, *skipped))
        self._kept: list[tuple[RepoPath, Status]] = []
        """Names that rules keep, and whose stat is not on record."""
        self._unsure: dict[str, list[_Name]] = {}
        """By folder, names that rules are to be asked about."""

    def run(self, on_folder: OnFolder, on_scanned: Callable[[int], None]) -> None:
        """List the folders and ask every file for its stat.

        `on_scanned` is told how many names were seen. Raises: OSError when the root cannot be
        listed, and when descriptors or memory run out.
        """
        pending, n_seen, n_told, n_known = [""], 0, 0, len(self._files)
        with OpenFolders(self._root) as folders:
            while pending:
                at = pending.pop()
                raw = os.fsencode(at)
                on_folder(raw)
                try:
                    names, below = self._look_into(at, folders.to(raw))
                except OSError as error:
                    skipped_for_error(raw, error)  # raises when the process is out of something
                    if not at:
                        raise
                    self._doubt_folder(at)
                    continue
                pending += below
                n_seen += names
                if n_seen - n_told >= _REPORT_EVERY:
                    n_told = n_seen
                    on_scanned(n_seen)
        self.n_unchanged = n_known - len(self._files)

    def others(self, tree: Tree, on_folder: OnFolder) -> Iterator[FoundFile | Skipped]:
        """What is there and is not on record as it is now, by the rules of a tree, in any order."""
        # The status of each entry was asked for while its folder was open, and is remembered by it.
        for path, entry in self._kept:
            yield outcome_of_file(tree, path, entry)
        entered: dict[bytes, Folder] = {}
        for at, names in self._unsure.items():
            folder = folder_at(tree, os.fsencode(at), entered, self.read)
            if folder is None:
                continue  # it went away just now; the next walk sees what became of it
            for name, entry, is_dir in names:
                found = outcome(tree, folder, os.fsencode(name), at + name, entry, is_dir)
                if isinstance(found, Folder):
                    yield from descend(tree, found, on_folder, self.read)
                else:
                    yield found

    def _look_into(self, at: str, opened: OpenFolder) -> tuple[int, list[str]]:
        """Compare what a folder holds; how many names there are, and the folders to enter."""
        below: list[str] = []
        with scan(opened) as listed:
            entries = list(listed)
            names = names_of(entries)
            if not _DECIDING_NAMES.isdisjoint(names) and self._is_left_out(at, names, opened):
                self._doubt_folder(at)
                return len(entries), []
            files = self._files
            paths = cast("list[RepoPath]", [at + name for name in names])
            # While the folder is open: an entry is asked through its descriptor.
            for path, name, entry in zip(paths, names, entries, strict=True):
                known = files.pop(path, None)
                # Most names are files that are as they were: so much is not left to a function.
                if known is not None:
                    try:
                        now = entry.stat(follow_symlinks=False)
                        # A time of 0 is on record for a file that may change and keep its stat.
                        if _stat(now) == known and stat.S_ISREG(now.st_mode):
                            continue
                    except OSError:
                        pass  # `_compare` meets the error too, and notes it
                    files[path] = known
                if entry.is_dir(follow_symlinks=False):
                    self._enter(at, name, below)
                else:
                    self._compare(at, name, path, entry, is_file=known is not None)
        return len(entries), below

    def _compare(self, at: str, name: str, path: RepoPath, entry: Status, *, is_file: bool) -> None:
        """Sort in a name that is no folder, and no file as it was."""
        record = None if is_file else self._skipped.get(path)
        # Rules look at names, so whatever has the name now is left out too.
        if record and record.reason is SkipReason.IGNORED:
            self.held.append(record)
            return
        try:
            now = entry.stat(follow_symlinks=False)
        except OSError as error:
            self._unsure.setdefault(at, []).append(_Name(name, _Failed(error), is_dir=False))
            return
        if record and record.stat and _is_as_it_was(record.stat, now):
            self.held.append(record)
        # What was left out for another reason was kept by the rules; cut rules are told of anew.
        elif is_file or (record and record.reason is not SkipReason.RULES_CUT):
            self._kept.append((path, entry))
        else:
            self._unsure.setdefault(at, []).append(_Name(name, entry, is_dir=False))

    def _enter(self, at: str, name: str, below: list[str]) -> None:
        """Sort in a folder of a folder: to be entered, left out as before, or unknown."""
        path = f"{at}{name}/"
        # It was entered, so no rule leaves it out; what lies in it is asked once it is listed.
        if self._was_entered(path):
            below.append(path)
            return
        record = self._skipped.get(RepoPath(path))
        # What lies in a folder may have changed, unlike its name.
        if record and record.reason is SkipReason.IGNORED and (
            record.detail != BUILT_IN_RULE or is_built_in(os.fsencode(name))
        ):  # fmt: skip
            self.held.append(record)
        else:
            self._unsure.setdefault(at, []).append(_Name(name, _FOLDER, is_dir=True))

    def _was_entered(self, folder: str) -> bool:
        """Whether something below a folder is on record, as left out too: the walk was in it."""
        # The path of a folder that was left out is its own, and not below it.
        at = bisect_right(self._paths, folder)
        return at < len(self._paths) and self._paths[at].startswith(folder)

    def _is_left_out(self, at: str, names: list[str], opened: OpenFolder) -> bool:
        """Whether what lies in a folder may leave it out; notes the rules that it brings."""
        folder = os.fsencode(at)
        # A rule may keep such a folder, which is not on record: it is looked at again.
        has_git = os.fsdecode(CHECKOUT) in names
        if at and (
            mark_of(folder, lambda name: os.fsdecode(name) in names)
            or (has_git and worktree_named(opened))
        ):
            return True
        for name in RULE_FILES:
            if os.fsdecode(name) in names and (text := rule_text(name, opened)) is not None:
                self.read.note(folder + name, text)
        return False

    def _doubt_folder(self, at: str) -> None:
        above, _, name = at.rstrip("/").rpartition("/")
        self._unsure.setdefault(f"{above}/" if above else "", []).append(
            _Name(name, _FOLDER, is_dir=True)
        )


class _Failed(NamedTuple):
    """Stands for an entry that could not be asked for its status."""

    error: OSError

    def stat(self, *, follow_symlinks: bool) -> os.stat_result:
        """Raises: OSError."""
        raise self.error


_FOLDER = _Failed(IsADirectoryError())
"""Nobody asks a folder for its status."""


def _stat(now: os.stat_result) -> Stat:
    # The sum is that of `times_of`, which takes longer to call than to compute for each file.
    return now.st_size, now.st_mtime_ns + now.st_ctime_ns, now.st_ino


def _is_as_it_was(known: FileStat, now: os.stat_result) -> bool:
    # A time of 0 is on record for a file that may change without changing its stat.
    return (
        known.times_ns == times_of(now.st_mtime_ns, now.st_ctime_ns)
        and known.size == now.st_size
        and known.inode == now.st_ino
        and stat.S_ISREG(now.st_mode)
    )
