"""What a refresh has to do: the tree, or some paths of it, compared with what the index knows.

Files whose stat is what it was are present without being read; others are candidates. Files whose
bytes were refused are remembered by their stat too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import apsw
from msgspec import Struct, field

from satchel.indexer.scan import git_checkout, walk
from satchel.indexer.scan.ignore_rules import Tree, WalkOptions, tree_at
from satchel.indexer.scan.walk import FoundFile, OnFolder, PathListing
from satchel.store.model import Generation, RepoPath, Skipped, SkipReason
from satchel.store.reading.sqlite_snapshot import SqliteSnapshot
from satchel.store.records import FileStat, KnownFile, SkippedRecord

ROOT = RepoPath("")
_REPORT_EVERY = 500
"""Files between two reports of progress."""

_OF_LINKS = (
    SkipReason.SYMLINK, SkipReason.SYMLINK_OUTSIDE, SkipReason.SYMLINK_LOOP, SkipReason.VANISHED,
)  # fmt: skip


class PathSubset(Struct, frozen=True):
    """Some paths, all there is below them included, and the rules the tree was last walked by."""

    tree: Tree
    paths: tuple[RepoPath, ...]


class IndexState(Struct, frozen=True):
    """What an index says of itself, of the whole tree."""

    generation: Generation
    complete: bool
    linked: bool
    head: str
    tests: str
    n_files: int

    @classmethod
    def of(cls, snapshot: SqliteSnapshot) -> IndexState:
        """The state of an index as of a snapshot."""
        return cls(
            snapshot.generation, snapshot.complete, snapshot.linked, snapshot.head, snapshot.tests,
            snapshot.files.count(),
        )  # fmt: skip


class Plan(Struct, kw_only=True):
    """What was found and what is known; both for the same part of the tree.

    `head` is the commit that was checked out before the walk, "" for none, and `tree` has the rules
    that it went by; both are None for less than the whole tree.
    """

    before: IndexState
    known: dict[RepoPath, KnownFile]
    known_skipped: dict[RepoPath, SkippedRecord]
    head: str | None = None
    tree: Tree | None = None
    tests: tuple[str, ...] | None = None
    """The project's own patterns of tests where they are others than the index was made by."""
    candidates: list[FoundFile] = field(default_factory=list)
    """Files to be read."""
    skipped: list[SkippedRecord] = field(default_factory=list)
    """Everything that is left out now."""
    present: set[RepoPath] = field(default_factory=set)
    """Files that are in the index when the plan is carried out."""

    @property
    def is_settled(self) -> bool:
        """Whether the index says all this already: there is nothing to read, write or link."""
        # The same entries may come in another order, and nothing looks at that order.
        now = {record.path: record for record in self.skipped}
        return (
            self.before.complete
            and self.before.linked
            and not self.candidates
            and self.present == self.known.keys()
            and now == self.known_skipped
            and self.head in (None, self.before.head)
            and self.tests is None
        )

    @property
    def lost_files(self) -> set[RepoPath]:
        """Files that were listed and were gone when they were to be read."""
        return {each.path for each in self.skipped if each.reason == SkipReason.VANISHED}

    def is_retold(self, known: KnownFile) -> bool:
        """Whether a file became a test, or is none any more, by what the project says of it."""
        if self.tests is None:
            return False
        from satchel.indexer.scan.test_paths import is_test_path  # the rows of all languages

        return is_test_path(known.path, known.language, self.tests) != known.is_test

    def put_code_first(self) -> None:
        """Order the candidates: whoever waits for a first index waits for code.

        Within code and within documents their order stays.
        """
        if self.candidates:
            from satchel.indexer.languages import detect  # the rows of all languages

            self.candidates.sort(key=lambda found: not detect.is_code(found.path))

    def add(self, entry: FoundFile | Skipped) -> None:
        """Put one entry where it belongs: left out, unchanged, or to be read."""
        if isinstance(entry, Skipped):
            self.skipped.append(SkippedRecord(entry.path, entry.reason, entry.detail))
            return
        stat = FileStat(entry.size, entry.times_ns, entry.inode)
        known, refused = self.known.get(entry.path), self.known_skipped.get(entry.path)
        if known is not None and known.stat == stat and not self.is_retold(known):
            self.present.add(entry.path)
        elif refused is not None and refused.stat == stat:
            self.skipped.append(refused)
        else:
            self.candidates.append(entry)


def make_plan(
    connection: apsw.Connection,
    root: Path,
    options: WalkOptions,
    on_folder: OnFolder,
    on_scanned: Callable[[int], None],
) -> Plan:
    """Walk the tree."""
    # Before the walk: should somebody check out another commit meanwhile, the older one is noted
    # and the next refresh sees that HEAD has moved.
    head = git_checkout.head_commit(os.fsencode(root))
    plan = _new_plan(connection, [ROOT])
    plan.head = head
    if "\n".join(options.tests) != plan.before.tests:
        plan.tests = options.tests
    walk.check_listable(root)
    plan.tree = tree_at(root, options)
    for n_found, entry in enumerate(walk.descend(plan.tree, plan.tree.top, on_folder), 1):
        plan.add(entry)
        if n_found % _REPORT_EVERY == 0:
            on_scanned(n_found)
    plan.put_code_first()
    return plan


def plan_of_paths(
    connection: apsw.Connection, subset: PathSubset, on_folder: OnFolder
) -> Plan | None:
    """Look at some paths; None where the tree is to be walked: an incomplete index, or its root."""
    if ROOT in subset.paths:
        return None
    with SqliteSnapshot(connection) as snapshot:
        if not snapshot.complete:
            return None
    listings = walk.list_paths(subset.tree, subset.paths, on_folder)
    if links := _links_in_doubt(connection, listings):
        listings = walk.list_paths(subset.tree, (*subset.paths, *links), on_folder)
    plan = _new_plan(connection, [listing.path for listing in listings])
    for listing in listings:
        for entry in listing.found:
            plan.add(entry)
    return plan


def _links_in_doubt(connection: apsw.Connection, listings: Sequence[PathListing]) -> list[RepoPath]:
    """Links that may lead elsewhere now, since something came or went that they may lead through.

    Nobody is told about a link when only its target goes away. A save is no reason to look.
    """
    with SqliteSnapshot(connection) as snapshot:
        is_save = all(
            isinstance(entry, FoundFile)
            and entry.path == listing.path
            and snapshot.files.identity(entry.path)
            for listing in listings
            for entry in (listing.found or (None,))
        )
        records = () if is_save else snapshot.files.skipped()
        return [record.path for record in records if record.reason in _OF_LINKS]


def _new_plan(connection: apsw.Connection, below: Sequence[RepoPath]) -> Plan:
    """A plan that has nothing to do yet, with what the index knows at and below some paths."""
    with SqliteSnapshot(connection) as snapshot:
        return Plan(
            before=IndexState.of(snapshot),
            known={file.path: file for file in snapshot.files.all(below)},
            known_skipped={record.path: record for record in snapshot.files.skipped(below)},
        )
