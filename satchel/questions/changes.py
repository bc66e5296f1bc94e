"""`changes`: what became of symbols since a time or revision, who uses them, which tests to run.

`impact` of a change says the same of a branch, as a comment for a pull request.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct, field, structs

from satchel.assembler.budget import MAX_BUDGET, MIN_BUDGET
from satchel.assembler.kinds import PROJECT, Absent, Scope
from satchel.assembler.lookup.absence import stale_graph
from satchel.assembler.render import location
from satchel.assembler.survey.changes import Changes, changes
from satchel.assembler.survey.impact import KnownHere, TestFile, tests_to_run
from satchel.questions.context import MAX_REVISION
from satchel.questions.params import said
from satchel.questions.request import About, Path, Question, ReplyText, Request, ScopeOf, Style
from satchel.questions.rows import VERSION, SymbolRow, shaped
from satchel.questions.view import Surveyed, View
from satchel.store.counted import counted

if TYPE_CHECKING:
    from satchel.assembler.lookup.mentions import Mention
    from satchel.assembler.survey.review import Hunks
    from satchel.knowledge.operations.overview import KnowledgeState

_MOST = 2_000
"""Changes and users that the impact of a branch looks at; a comment lists fewer."""


class ChangesSince(Request, frozen=True, kw_only=True):
    """What changed since an age, a date, a time or a revision."""

    since: Annotated[
        str, Meta(min_length=1, max_length=MAX_REVISION),
        said("24h, 7d, ISO time or git revision; HEAD: what is not committed"),
    ] = "HEAD"  # fmt: skip
    hunks: Annotated[bool, said("with the diff")] = False
    scope: ScopeOf = Scope.IMPL
    path: Annotated[Path, said("path prefix", listed=False)] = ""
    limit: Annotated[
        int, Meta(ge=1, le=10_000),
        said("rows of each list", other_names=("max_results",), listed=False),
    ] = 50  # fmt: skip
    budget_tokens: Annotated[
        int, Meta(ge=MIN_BUDGET, le=MAX_BUDGET),
        said("size of the hunks", setting="context.budget_tokens", listed=False,
             other_names=("max_tokens", "budget")),
    ]  # fmt: skip

    @property
    def about(self) -> About:
        """Where its answer lies."""
        return About(path=self.path, since=self.since)


class Reply(Struct, frozen=True):
    """What changed; `tests` come nearest first."""

    found: Changes
    tests: tuple[TestFile, ...]
    hunks: Hunks | None
    known: Surveyed
    state: str
    notices: tuple[str, ...]


def answer(view: View, asked: ChangesSince) -> Reply:
    """What is asked of the changes.

    Raises:
        UsageError: `since` means nothing to the source, or the path lies elsewhere.
    """
    snapshot, path = view.snapshot, view.path(asked.path)
    history = view.history(asked.since)
    # Tests are looked for from all that changed, however little of it is listed.
    every = changes(snapshot, history, asked.scope, path, limit=None)
    limit = asked.limit
    found = structs.replace(every, changes=every.changes[:limit], impacts=every.impacts[:limit])
    shown = None
    if asked.hunks:
        from satchel.assembler.survey.review import hunks
        from satchel.store import tokens

        count = partial(tokens.count, name=view.encoding)
        shown = hunks(snapshot, history, asked.scope, path, asked.budget_tokens, count)
    return Reply(
        found, tests_to_run(snapshot, every), shown,
        view.knowledge_survey(path or PROJECT, asked.since), view.state,
        (*view.notices, *stale_graph(snapshot)),
    )  # fmt: skip


def text(reply: Reply, style: Style) -> ReplyText:
    """What changed, a line each, its users, tests to run, hunks, what became of what is known."""
    from satchel.assembler.output.reports import changes_lines, hunks_lines, tests_lines

    rows = [*changes_lines(reply.found), *tests_lines(reply.tests)]
    if reply.hunks:
        rows += hunks_lines(reply.hunks)
    head = f"{counted(reply.found.n_changes, 'change')}, {reply.state}"
    return ReplyText(head, reply.notices, (*rows, *reply.known.lines))


class VersionRow(Struct, frozen=True):
    """A symbol at one of two times."""

    path: str
    line: int
    name: str
    kind: str
    signature: str


class ChangeRow(Struct, frozen=True):
    """What became of a symbol; `then` is null when it was added, `now` when it was removed."""

    kind: str = field(name="change")
    then: VersionRow | None
    now: VersionRow | None
    edited: bool
    n_members: int = field(name="members")


class ImpactRow(Struct, frozen=True):
    """A user of what was changed that was not changed itself."""

    user: SymbolRow
    of: str
    kind: str
    line: int
    confidence: float


class ChangesResult(Struct, frozen=True):
    """The JSON of changes; `found`, `impacted` and the `guessed` of these count what the limit
    left out as well."""

    since: str
    generation: int
    files: int
    changes: list[ChangeRow]
    found: int
    impacts: list[ImpactRow]
    impacted: int
    dangling: list[str]
    known: KnowledgeState | None = None
    """What is known of the path, and what happened to it; null where nothing is kept."""
    guessed: int = 0
    absent: tuple[Absent, ...] = ()
    tests: list[str] = []
    hunks: dict[str, str] = {}
    """The differences of files by path, where they were asked for and fit."""
    mentions: tuple[Mention, ...] = ()
    """The first of `mentioned` lines with the names of what changed, where uses may be missing."""
    mentioned: int = 0
    notices: tuple[str, ...] = ()
    schema: int = VERSION


def json(reply: Reply) -> ChangesResult:
    """The reply as JSON."""
    found = reply.found
    uses = [each.use for each in found.dangling]
    dangling = [f"{location(use.path, use.line, use.line)} {use.name}" for use in uses]
    return ChangesResult(
        found.base, found.generation, found.n_files, shaped(found.changes, list[ChangeRow]),
        found.n_changes, shaped(found.impacts, list[ImpactRow]), found.n_impacts, dangling,
        reply.known.value,
        found.n_guessed, found.absent,
        [test.path for test in reply.tests],
        dict(reply.hunks.shown) if reply.hunks else {},
        found.mentions, found.n_mentions, reply.notices,
    )  # fmt: skip


CHANGES: Question[ChangesSince, Reply] = Question(
    ChangesSince, answer, text, json, lambda _reply: True
)


class ImpactOf(Request, frozen=True, kw_only=True):
    """What a branch changes, against the revision that it will be merged into."""

    diff: Annotated[
        str, Meta(min_length=1, max_length=MAX_REVISION),
        said("the revision that the change will be merged into"),
    ] = "HEAD"  # fmt: skip

    @property
    def since(self) -> str:
        """The merge base: what others merged meanwhile does not count as this change."""
        return f"{self.diff}..."

    @property
    def about(self) -> About:
        """Where its answer lies."""
        return About(since=self.since)


class Impact(Struct, frozen=True):
    """What a branch changes, and what is known of the places."""

    found: Changes
    tests: tuple[TestFile, ...]
    known: tuple[KnownHere, ...]
    notices: tuple[str, ...]


def _impact(view: View, asked: ImpactOf) -> Impact:
    found = changes(view.snapshot, view.history(asked.since), Scope.ALL, "", _MOST)
    notices = (*view.notices, *stale_graph(view.snapshot))
    return Impact(found, tests_to_run(view.snapshot, found), view.touched_by(found), notices)


def _comment(reply: Impact, _style: Style) -> ReplyText:
    from satchel.assembler.output.reports import impact_markdown

    whole = impact_markdown(reply.found, reply.tests, reply.known)
    return ReplyText("", reply.notices, (), whole=whole)


class ImpactResult(Struct, frozen=True):
    """The JSON of what a branch changes; `tests` come nearest first."""

    changes: ChangesResult
    tests: list[str]
    known: tuple[KnownHere, ...]
    schema: int = VERSION


def _impact_json(reply: Impact) -> ImpactResult:
    found = json(Reply(reply.found, reply.tests, None, Surveyed(), "", reply.notices))
    return ImpactResult(found, found.tests, reply.known)


IMPACT: Question[ImpactOf, Impact] = Question(
    ImpactOf, _impact, _comment, _impact_json, lambda _reply: True
)
