"""The data of the Review page: a change, what it touches, and unchanged users."""

from msgspec import Struct

from satchel.assembler.survey.impact import KnownHere, TestFile
from satchel.assembler.survey.versions import Version
from satchel.questions.rows import shaped
from satchel.store.records import SymbolRecord
from satchel.ui.api_calls import asking_own
from satchel.workspace.review import Review


class _Since(Struct, frozen=True):
    """A revision, an age or a time."""

    since: str = "HEAD"


class _Changed(Struct, frozen=True):
    """What became of a symbol; `line` is where it is now, or was before it was removed."""

    change: str
    path: str
    line: int
    name: str
    kind: str
    then: str
    now: str
    n_users: int


class _User(Struct, frozen=True):
    """Code that uses a changed symbol and did not change itself."""

    user: SymbolRecord
    of: str
    kind: str
    line: int
    confidence: float


class _Reviewed(Struct, frozen=True):
    """A review; `dangling` are uses of names that were removed, `mentions` lines with those of what
    changed where the graph may lack uses."""

    since: str
    diff: str
    changes: list[_Changed]
    n_changes: int
    users: list[_User]
    n_users: int
    tests: tuple[TestFile, ...]
    known: tuple[KnownHere, ...]
    dangling: list[str]
    mentions: list[str]


def _review_page(found: Review) -> _Reviewed:
    changes = [
        _Changed(
            change.kind, change.at.path, change.at.line, change.at.name, change.at.kind,
            _signature(change.then), _signature(change.now),
            sum(1 for impact in found.changes.impacts if impact.change == change),
        )
        for change in found.changes.changes
    ]  # fmt: skip
    # They name what is gone, so there is no symbol that they could be shown at.
    uses = [each.use for each in found.changes.dangling]
    return _Reviewed(
        found.changes.base, found.diff, changes, found.changes.n_changes,
        shaped(found.changes.impacts, list[_User]), found.changes.n_impacts, found.tests,
        found.known,
        [f"{use.path}:{use.line} {use.name}" for use in uses],
        [f"{each.path}:{each.line} {each.text}" for each in found.changes.mentions],
    )  # fmt: skip


def _signature(version: Version | None) -> str:
    return version.signature if version else ""


ROUTES = (
    (
        "POST",
        "/api/review",
        asking_own(_Since, lambda code, asked: _review_page(code.review(asked.since))),
    ),
)
