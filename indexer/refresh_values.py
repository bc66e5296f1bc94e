"""The request, the progress and the result of a refresh."""

from __future__ import annotations

import operator
from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import astuple, replace

from satchel.store.model import Digest, Generation, SkipReason

# Whoever only reads an index needs these values, but not what walks a tree or starts git.
if TYPE_CHECKING:
    from satchel.indexer.extract.process_limits import WorkerLimits
    from satchel.indexer.plan import Plan
    from satchel.indexer.scan.ignore_rules import Tree, WalkOptions
    from satchel.indexer.scan.walk import OnFolder
    from satchel.store.records import Analyzed

KEEP_BYTES = 256 << 20
"""What may be kept of bytes that no file has any more."""


class Stage(StrEnum):
    """What a refresh is doing."""

    SCAN = "scanning"
    ANALYZE = "indexing"
    NAMES = "call graph"
    DERIVE = "following values"
    VECTORS = "vectors"
    DONE = "done"


class Progress(Struct, frozen=True):
    """How far a refresh is; `total` is 0 while it is unknown.

    `done` and `total` are bytes of source where `ANALYZE`, chunks where `VECTORS`, else files.
    """

    stage: Stage
    files: int
    done: int
    total: int

    @property
    def share(self) -> float:
        """Which part of the stage is done, 0..1; 0.0 while that is unknown."""
        # Before the walk has ended nobody knows how much there is, and a share would only fall.
        return self.done / self.total if self.total else 0.0


OnProgress = Callable[[Progress], None]
KnownElsewhere = Callable[[Digest, str], "Analyzed | None"]
"""What somebody else knows of the bytes with a digest, read as a language; None for nothing."""


class RefreshOptions(Struct, frozen=True):
    """What to index and what it may cost. `now_ns` is the wall clock when the refresh starts.

    `on_folder` is called with each folder just before it is listed: whoever watches it from then on
    misses no change. `keep_bytes` bounds what is kept of bytes that no file has any more.
    """

    walk: WalkOptions
    limits: WorkerLimits
    now_ns: int
    on_folder: OnFolder | None = None
    keep_bytes: int = KEEP_BYTES
    link_if_fewer: int | None = None
    """Edges that follow values are derived before `refresh` returns where fewer files than this
    need it, None for any number. Otherwise they are left to a `linker.Linker`, so that the new text
    can be searched at once."""
    known_elsewhere: KnownElsewhere | None = None
    """Asked for bytes that this index has not seen, before they are parsed."""
    on_tree: Callable[[Tree], None] | None = None
    """Called with the rules that the whole tree was walked by."""
    with_vectors: bool = False
    """Vectors of the table that ships with the package are made along with the facts."""


class RefreshReport(Struct, frozen=True):
    """What a refresh changed; counts are of files unless it is said."""

    generation: Generation = Generation(0)
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    parsed: int = 0
    skipped: int = 0
    rules_cut: int = 0
    """Those skipped whose ignore rules are not all in force."""
    encoded: int = 0
    """Chunks, not files, whose vectors were made along with the facts."""

    def __add__(self, other: RefreshReport) -> RefreshReport:
        """The report on both of two indexes. Only whether its generation grows means something."""
        return RefreshReport(*map(operator.add, astuple(self), astuple(other)))

    def followed_by(self, later: RefreshReport) -> RefreshReport:
        """The report on this refresh and another one of the same index, which came after it."""
        return replace(
            later,
            added=self.added + later.added,
            changed=self.changed + later.changed,
            removed=self.removed + later.removed,
            parsed=self.parsed + later.parsed,
            encoded=self.encoded + later.encoded,
        )

    @property
    def n_changes(self) -> int:
        """Files that are different now."""
        return self.added + self.changed + self.removed


def settled_report(plan: Plan) -> RefreshReport:
    """What is reported of a plan that needs nothing."""
    return RefreshReport(
        plan.before.generation, 0, 0, 0, len(plan.present), 0, len(plan.skipped),
        sum(record.reason == SkipReason.RULES_CUT for record in plan.skipped),
    )  # fmt: skip
