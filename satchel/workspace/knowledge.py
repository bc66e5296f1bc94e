"""Opens the knowledge of a project for one request, with clock, caller and code.

The file lies in the user's data folder (`workspace.state.state_folder`), apart from every index.
"""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from typing import TypeVar

from msgspec.structs import replace

from satchel.assembler.assemble import KnowledgeLines
from satchel.assembler.quoting import clean
from satchel.assembler.survey.changes import Changes
from satchel.assembler.survey.impact import KnownHere
from satchel.knowledge.code_links.changed_places import items_about
from satchel.knowledge.model import Caller, Privacy, Source, Timestamp
from satchel.knowledge.operations import stats
from satchel.knowledge.operations.overview import KnowledgeState
from satchel.knowledge.operations.pack_section import pack_lines
from satchel.knowledge.operations.stats import Operation
from satchel.knowledge.ranking.fitting_items import ItemTotals
from satchel.knowledge.ranking.presets import task_preset
from satchel.knowledge.replies import Reply
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.requests import Overview, Remember, Request, SetContext
from satchel.knowledge.scopes import SYMBOL
from satchel.knowledge.storage import database, read
from satchel.questions.view import Surveyed
from satchel.store.errors import SatchelError, UsageError
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot
from satchel.workspace.index_paths import scope_inside
from satchel.workspace.lock import explained_write_errors
from satchel.workspace.project import Project
from satchel.workspace.state import state_folder

_T = TypeVar("_T")
_MIN_MESSAGE_TOKENS = 60
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")


def ask(
    project: Project,
    request: Request,
    *,
    session: str = "",
    source: Source = Source.USER,
    snapshot: Snapshot | None = None,
) -> Reply:
    """Answer one request about what is known, and count it.

    Args:
        project: whose knowledge.
        request: what is asked.
        session: whose focus counts, "" when that is unknown.
        source: who writes what is written.
        snapshot: the code that links are compared with; None takes the index as it is now.

    Raises:
        SatchelError: the request makes no sense, or the file cannot be used.
    """
    # With what renders and exports; the section of a pack does without.
    from satchel.knowledge.answer import answer

    if not project.folders.has_knowledge and not isinstance(request, Remember | SetContext):
        # Asking begins no file: what is listed to agents depends on whether there is one.
        with _opened(project, session, source, snapshot, is_kept=False) as context:
            return answer(context, request)
    name = _WORD.sub("_", type(request).__name__).lower()
    return run_counted(
        project, lambda context: answer(context, request), name, session=session, source=source,
        snapshot=snapshot,
    )  # fmt: skip


def pack_knowledge(
    project: Project, snapshot: Snapshot, session: str = "", query: str = ""
) -> KnowledgeLines | None:
    """The function by which a pack asks what is known of its files; None where nothing is known."""
    if not project.folders.has_knowledge:
        return None

    def known(paths: Sequence[RepoPath], available_tokens: int) -> Sequence[str]:
        try:
            return run_counted(
                project,
                lambda context: pack_lines(context, paths, available_tokens, query), "context",
                session=session, snapshot=snapshot,
            )  # fmt: skip
        except SatchelError as error:  # the code can be shown all the same
            return (f"{error.message}\n",) if available_tokens > _MIN_MESSAGE_TOKENS else ()

    return known


def surveyed(project: Project, snapshot: Snapshot, scope: str, since: str = "") -> Surveyed:
    """What is known of a scope, or with `since` what happened to it; nothing where nothing is kept.

    A revision stands for the time of its commit.
    """
    if not project.folders.has_knowledge:
        return Surveyed()
    heading = ""
    try:
        reply = ask(project, Overview(scope=scope, since=since), snapshot=snapshot)
    except UsageError:
        from satchel.workspace.past.history import moment  # with all that parses a file

        committed = moment(project.root, since) if since else ""
        if not committed:
            return Surveyed()
        reply = ask(project, Overview(scope=scope, since=committed), snapshot=snapshot)
        heading = f"known since {committed}, when {clean(since)} was committed:"
    assert isinstance(reply.value, KnowledgeState)
    happened = (reply.changes_text if since else reply.text).splitlines()
    return Surveyed(tuple([heading] * bool(heading and happened) + happened), reply.value)


def focus(project: Project, session: str) -> str:
    """What a caller said it is about; "" when it did not."""
    # Opening would make the file, and asking must not begin it.
    if not session or not project.folders.has_knowledge:
        return ""
    with open_context(project, session) as context:
        stored = read.find_session(context.db, session)
        return stored.focus if stored else ""


def run_counted(
    project: Project,
    work: Callable[[RequestContext], _T],
    name: str,
    *,
    session: str = "",
    source: Source = Source.USER,
    snapshot: Snapshot | None = None,
) -> _T:
    """Do some work with the knowledge of a project, counted as the operation `name`."""
    begun = time.perf_counter()
    outcome = "failed"
    totals: ItemTotals | None = None
    with open_context(project, session, source, snapshot) as context:
        try:
            done = work(context)
            outcome = "ok"
            totals = done.totals if isinstance(done, Reply) else None
        except SatchelError as error:
            outcome = type(error).__name__
            raise
        finally:
            # What failed is counted as well, while the connection is still open.
            ms = (time.perf_counter() - begun) * 1_000
            operation = Operation(op=name, ms=ms, outcome=outcome, totals=totals)
            stats.record_operation(context.db, context.caller, operation)
    return done


@contextmanager
def open_context(
    project: Project,
    session: str = "",
    source: Source = Source.USER,
    snapshot: Snapshot | None = None,
) -> Iterator[RequestContext]:
    """The project's knowledge, open; the file is made where there is none.

    Raises:
        CorruptIndex: the file is damaged or of a newer version.
        Locked: another process does not let go of it.
        Unwritable: its folder cannot be made.
        ConfigError: its folder is not the user's alone.
    """
    with explained_write_errors(project.folders.knowledge):
        state_folder.make_knowledge(project.folders)
    with _opened(project, session, source, snapshot, is_kept=True) as context:
        yield context


@contextmanager
def _opened(
    project: Project, session: str, source: Source, snapshot: Snapshot | None, *, is_kept: bool
) -> Iterator[RequestContext]:
    """What requests are answered with: the file, or an empty one in memory."""
    settings = project.settings.knowledge
    caller = Caller(
        actor=settings.actor or project.folders.bases.account,
        now=Timestamp(time.time_ns() // 1_000_000),
        session=session, source=source, privacy=Privacy(settings.privacy), review=settings.review,
    )  # fmt: skip
    encoding = project.settings.context.tokenizer
    with (
        closing(
            database.connect(project.folders.knowledge) if is_kept else database.in_memory()
        ) as connection,
        database.explained_errors(),
    ):
        context = RequestContext(
            connection, caller, snapshot, encoding,
            use_vectors=project.settings.vectors.engine != "off",
            scan=project.knowledge_vectors,
            task_preset=task_preset(project.settings.assemble.priority_weights),
            task_tokens=project.settings.assemble.max_tokens,
            relative_path=partial(scope_inside, project.root),
        )  # fmt: skip
        # What is known can be asked for where there is no index yet, or one that cannot be
        # read.
        if snapshot is not None or not _has_code(project):
            yield context
        else:
            with project.snapshot() as current:
                yield replace(context, snapshot=current)


def touched_by(
    project: Project, snapshot: Snapshot, found: Changes, *, for_team: bool = True
) -> tuple[KnownHere, ...]:
    """What is known about changed places; for a team, nothing private."""
    if not project.folders.has_knowledge or not found.changes:
        return ()
    paths = {change.at.path for change in found.changes}
    names = {f"{SYMBOL}{change.at.name}" for change in found.changes}
    with open_context(project, snapshot=snapshot) as context:
        # Sorted, because a set has no order and the answer must not depend on one.
        items = items_about(context, sorted(paths | names))
    # What is private stays with whoever wrote it.
    shown = (item for item in items if not for_team or item.privacy != Privacy.PRIVATE)
    return tuple(KnownHere(item.kind, item.scope, item.summary) for item in shown)


def _has_code(project: Project) -> bool:
    """Whether the index can be read; what is known does not depend on it."""
    try:
        with project.snapshot() as snapshot:
            return snapshot.complete
    except SatchelError:
        return False
