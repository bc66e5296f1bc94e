"""A change to be reviewed: its hunks, what they touch, who did not change, what to run, what is
known of the places."""

from msgspec import Struct

from satchel.assembler.kinds import Scope
from satchel.assembler.survey.changes import Changes, changes
from satchel.assembler.survey.impact import KnownHere, TestFile, tests_to_run
from satchel.store.reading.snapshot import Snapshot
from satchel.workspace.knowledge import touched_by
from satchel.workspace.project import Project

_MOST = 2_000
"""Changes and users that are looked at."""


class Review(Struct, frozen=True):
    """`diff` is a unified diff, by path; `tests` come nearest first."""

    diff: str
    changes: Changes
    tests: tuple[TestFile, ...]
    known: tuple[KnownHere, ...]


def review(project: Project, snapshot: Snapshot, since: str) -> Review:
    """What changed since a revision or time, and what that touches.

    Raises:
        UsageError: nothing has changed, or `since` means nothing here.
    """
    diff = project.changes_since(snapshot, since)
    found = changes(snapshot, project.history(snapshot, since), Scope.ALL, "", _MOST)
    known = touched_by(project, snapshot, found, for_team=False)
    return Review(diff, found, tests_to_run(snapshot, found), known)
