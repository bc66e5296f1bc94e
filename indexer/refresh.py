"""Bring an index up to date with its working tree. The functions stand in the order of the flow:

walk → plan (what changed, by stat) → `indexer.carry_out`, unless nothing did.

The same refresh serves a first index, a catch-up after an interruption and a single saved file:
what the index already holds is neither read nor parsed again.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from satchel.indexer.refresh_values import (
    OnProgress,
    Progress,
    RefreshOptions,
    RefreshReport,
    Stage,
    settled_report,
)

if TYPE_CHECKING:
    from satchel.indexer.extract.pool import Pool
    from satchel.indexer.plan import PathSubset
    from satchel.store.model import RepoPath

_MOST_WALKS = 4
"""That follow one whose files were gone when they were to be read; of files that are renamed every
50 ms one was missed in 24 answers after a single one."""


def refresh(
    connection: apsw.Connection,
    root: Path,
    options: RefreshOptions,
    on_progress: OnProgress,
    subset: PathSubset | None = None,
    pool: Pool | None = None,
) -> RefreshReport:
    """Bring the index up to date with the tree under `root`, or with some paths of it.

    An index that is not complete yet is always compared with the whole tree. A `pool` that is
    passed in stays open. `KeyboardInterrupt` may be raised at any time, and `Interrupted` by
    `on_progress`: what was analysed by then is kept, and the next refresh continues from there.
    """
    # Whoever only reads an index does without what walks a tree and starts git.
    from satchel.indexer.plan import make_plan, plan_of_paths
    from satchel.indexer.scan.walk import ignore_folder

    def scanned(n_files: int) -> None:
        on_progress(Progress(Stage.SCAN, n_files, n_files, 0))

    on_folder = options.on_folder or ignore_folder
    plan = None
    if subset is not None:
        plan = plan_of_paths(connection, subset, on_folder)
    if plan is None:
        plan = make_plan(connection, root, options.walk, on_folder, scanned)
    if plan.tree is not None and options.on_tree is not None:
        options.on_tree(plan.tree)
    if plan.is_settled:  # most of the time: what carries a plan out is not even loaded then
        n_files = len(plan.present)
        on_progress(Progress(Stage.DONE, n_files, 0, 0))
        return settled_report(plan)
    from satchel.indexer.carry_out import carry_out

    report = carry_out(plan, connection, root, options, on_progress, pool)
    # What was renamed between the walk and its reading has a name that the walk did not see. It may
    # be renamed again meanwhile; what is lost again under one name is no such file.
    lost: set[RepoPath] = set()
    for _ in range(_MOST_WALKS):
        if plan.tree is None or not plan.lost_files - lost:
            break
        lost = plan.lost_files
        plan = make_plan(connection, root, options.walk, on_folder, scanned)
        again = carry_out(plan, connection, root, options, on_progress, pool)
        report = report.followed_by(again)
    return report
