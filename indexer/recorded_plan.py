"""A plan for the whole tree, made from what the index says of the walk before.

The index remembers by which rules its paths were chosen (`RulesRead.digest`). A refresh walks with
the paths on record (`indexer.scan.recorded_walk`) while git is asked which rules are in force now;
when they turn out to be others, the plan is made without the record (`indexer.plan`).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import apsw

from satchel.indexer.plan import IndexState, Plan
from satchel.indexer.scan import git_checkout, walk
from satchel.indexer.scan.git_checkout import Tracked
from satchel.indexer.scan.ignore_rules import Tree, WalkOptions, tree_with_tracked
from satchel.indexer.scan.recorded_walk import RecordedWalk
from satchel.indexer.scan.walk import FoundFile, OnFolder
from satchel.store.model import RepoPath, Skipped
from satchel.store.reading.sqlite_snapshot import SqliteSnapshot
from satchel.store.records import Stat


def recorded_plan(
    connection: apsw.Connection,
    root: Path,
    options: WalkOptions,
    on_folder: OnFolder,
    on_scanned: Callable[[int], None],
    now_ns: int = 0,
) -> Plan | None:
    """A plan as `indexer.plan.make_plan` makes it for the whole tree, but for `n_unchanged`.

    None when the index does not know the rules it was made by, or they are others now.

    Raises: as `walk.walk`.
    """
    with SqliteSnapshot(connection) as snapshot:
        if not snapshot.complete or not snapshot.rules:
            return None
        walk.check_listable(root)
        # Before the walk, as in `make_plan`.
        head = git_checkout.head_commit(os.fsencode(root))
        # Git takes as long as the walk does, and whether the record holds can be told at its end.
        before = git_checkout.tracked_in(snapshot.tracked)
        rules = _RulesInForce(root, options, before, now_ns)
        files = snapshot.files.stats()
        skipped = {record.path: record for record in snapshot.files.skipped()}
        seen = RecordedWalk(os.path.realpath(os.fsencode(root)), files, skipped)
        try:
            seen.run(on_folder, on_scanned)
        except OSError:
            return None  # the root went away: a plain walk says so
        tree, tracked = rules.found()
        found = list(seen.others(tree, on_folder))
        digest = seen.read.digest(tree)
        # Also where a file of rules came or went, or changed while it was read.
        if digest != snapshot.rules:
            return None
        n_unchanged = seen.n_unchanged + _take_out_unchanged(files, found)
        plan = Plan(
            before=IndexState.of(snapshot),
            known={file.path: file for file in snapshot.files.at(files)},
            known_skipped=skipped,
            head=head,
            rules=digest,
            tree=tree,
            skipped=seen.held,
            tracked="" if tracked == before else tracked.as_text,
            n_unchanged=n_unchanged,
        )
    # The rest is put in order as `make_plan` does, so that nobody can tell the plans apart.
    for entry in found:
        plan.add(entry)
    plan.candidates.sort(key=lambda file: os.fsencode(file.path))
    plan.put_code_first()
    return plan


def _take_out_unchanged(files: dict[RepoPath, Stat], found: list[FoundFile | Skipped]) -> int:
    """Take files that did not change out of both; returns how many those are.

    There are some below folders that were looked at again as a whole.
    """
    changed: list[FoundFile | Skipped] = []
    for entry in found:
        stat = None
        if isinstance(entry, FoundFile):
            stat = entry.size, entry.times_ns, entry.inode
        if stat is not None and files.get(entry.path) == stat:
            del files[entry.path]
        else:
            changed.append(entry)
    n_unchanged = len(found) - len(changed)
    found[:] = changed
    return n_unchanged


class _RulesInForce:
    """The rules in force at a root, for which git is asked in another thread."""

    def __init__(self, root: Path, options: WalkOptions, before: Tracked, now_ns: int) -> None:
        self._asked = root, options, before, now_ns
        self._found: tuple[Tree, Tracked] | None = None
        self._error: BaseException | None = None
        self._thread = Thread(target=self._ask, daemon=True)
        self._thread.start()

    def _ask(self) -> None:
        try:
            self._found = tree_with_tracked(*self._asked)
        except BaseException as error:  # raised where they are needed
            self._error = error

    def found(self) -> tuple[Tree, Tracked]:
        """Wait for the rules. Raises: as `tree_with_tracked`."""
        self._thread.join()
        if self._found is None:
            assert self._error is not None
            raise self._error
        return self._found
