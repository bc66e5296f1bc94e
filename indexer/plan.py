"""What a refresh has to do: the tree, or a part of it, held against what the index knows.

Files whose stat is what it was are present without being read; others are candidates. Files whose
bytes were refused are remembered by their stat too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import apsw

from satchel.indexer.scan import git_checkout, walk
from satchel.indexer.scan.ignore_rules import Tree, WalkOptions
from satchel.indexer.scan.walk import Found, OnFolder
from satchel.store.model import Generation, RepoPath, Skipped
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import FileStat, KnownFile, SkippedRecord

ROOT = RepoPath("")
_SCANNED = 500


@dataclass(frozen=True, slots=True)
class Part:
    """Some paths, all there is below them included, and the rules the tree was last walked by."""

    tree: Tree
    paths: tuple[RepoPath, ...]


@dataclass(slots=True)
class Plan:
    """What was found, held against what is known; both for the same part of the tree.

    `head` is the commit that was checked out before the walk, None for less than the whole tree;
    `n_known` counts the files of the whole index.
    """

    known: dict[RepoPath, KnownFile]
    known_skipped: dict[RepoPath, SkippedRecord]
    generation: Generation
    complete: bool
    linked: bool
    known_head: str
    n_known: int
    head: str | None = None
    candidates: list[Found] = field(default_factory=list)
    skipped: list[SkippedRecord] = field(default_factory=list)
    present: set[RepoPath] = field(default_factory=set)

    def take(self, entry: Found | Skipped) -> None:
        """Sort out one entry: left out, as known, or to be read."""
        if isinstance(entry, Skipped):
            self.skipped.append(SkippedRecord(entry.path, entry.reason, entry.detail))
            return
        stat = FileStat(entry.size, entry.mtime_ns, entry.inode)
        known, refused = self.known.get(entry.path), self.known_skipped.get(entry.path)
        if known is not None and known.stat == stat:
            self.present.add(entry.path)
        elif refused is not None and refused.stat == stat:
            self.skipped.append(refused)
        else:
            self.candidates.append(entry)


def make_plan(
    connection: apsw.Connection,
    root: Path,
    options: WalkOptions,
    part: Part | None,
    on_folder: OnFolder,
    on_scanned: Callable[[int], None],
) -> Plan:
    """Walk the tree, or look at a part of it; a part of an incomplete index is the whole."""
    if part is not None and ROOT not in part.paths and _is_complete(connection):
        looks = walk.look(part.tree, part.paths, on_folder)
        plan = _known(connection, [look.path for look in looks])
        for look in looks:
            for entry in look.found:
                plan.take(entry)
        return plan
    head = git_checkout.head(os.fsencode(root))
    plan = _known(connection, [ROOT])
    plan.head = head
    for n_found, entry in enumerate(walk.walk(root, options, on_folder), 1):
        plan.take(entry)
        if n_found % _SCANNED == 0:
            on_scanned(n_found)
    return plan


def _is_complete(connection: apsw.Connection) -> bool:
    with Snapshot(connection) as snapshot:
        return snapshot.complete


def _known(connection: apsw.Connection, below: Sequence[RepoPath]) -> Plan:
    with Snapshot(connection) as snapshot:
        return Plan(
            {file.path: file for file in snapshot.files.all(below)},
            {record.path: record for record in snapshot.files.skipped(below)},
            snapshot.generation,
            snapshot.complete,
            snapshot.linked,
            snapshot.head,
            snapshot.files.count(),
        )
