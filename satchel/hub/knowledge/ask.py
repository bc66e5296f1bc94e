"""`remember`, `revise`, `recall` and `set_context` of a hub, in the role of whoever asks."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from msgspec import Struct
from msgspec.structs import replace

from satchel.assembler.assemble import KnowledgeLines
from satchel.hub import database, selection
from satchel.hub.access import role_of
from satchel.hub.database import Hub
from satchel.hub.knowledge.items_in_memory import (
    ItemsInMemory,
    load_focus,
    load_items,
    save,
    save_focus,
    stored_lines,
)
from satchel.hub.knowledge.places import repository_of
from satchel.hub.reading.file_table import Build
from satchel.hub.reading.pg_snapshot import PgSnapshot, builds
from satchel.knowledge.answer import answer
from satchel.knowledge.model import Caller, Privacy, Source, Timestamp
from satchel.knowledge.operations.pack_section import pack_lines
from satchel.knowledge.replies import Reply
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.requests import Recall, Remember, Request, SetContext
from satchel.knowledge.scopes import PATH, PROJECT, enclosing_scopes
from satchel.store.model import RepoPath

_MOST_WITH_CODE = 5
"""Repositories whose code is looked at for what has changed since; of more nothing is loaded."""


class Asking(Struct, frozen=True):
    """Who asks about which repositories; a person of "" is whoever owns the tables."""

    person: str
    pattern: str = "*"
    session: str = ""


def ask(hub: Hub, asking: Asking, request: Request) -> Reply:
    """Answer one request about what a team knows.

    Raises:
        SatchelError: the request makes no sense, or somebody changed the item meanwhile.
    """
    role = role_of(asking.person) if asking.person else ""
    is_read = isinstance(request, Recall)
    opened = database.reading(hub, role) if is_read else database.writing(hub, role)
    with database.explained_errors(), opened, _open_items(hub, asking) as found:
        every = builds(hub)
        context = replace(found[1], snapshot=_code(hub, every, asking, request))
        # Only what writes items compares; nobody else need write out every item of the team.
        is_writing = not isinstance(request, Recall | SetContext)
        before = stored_lines(found[0]) if is_writing else {}
        # All of it in one transaction: what is written was decided on what was read.
        reply = answer(context, request)
        if isinstance(request, SetContext):
            save_focus(hub, found[0], asking.person, asking.session)
        elif is_writing:
            names = [build.repository for build in every]
            default = asking.pattern if asking.pattern in names else ""
            save(hub, found[0], before, asking.person, names, default)
        return reply


@contextmanager
def _open_items(
    hub: Hub, asking: Asking, places: Sequence[str] | None = None
) -> Iterator[tuple[ItemsInMemory, RequestContext]]:
    now = Timestamp(time.time_ns() // 1_000_000)
    with load_items(hub, asking.person, asking.pattern, now, places) as found:
        load_focus(hub, found, asking.person, asking.session)
        caller = Caller(
            actor=asking.person, now=now, session=asking.session, source=Source.AGENT,
            privacy=Privacy.TEAM,
        )  # fmt: skip
        yield found, RequestContext(found.db, caller)


def pack_knowledge(hub: Hub, asking: Asking, query: str) -> KnowledgeLines:
    """What tells a pack what is known of its files, whose paths begin with their repositories.

    It is asked inside of the transaction of the pack, and reads in the role of that.
    """

    def known(paths: Sequence[RepoPath], available_tokens: int) -> Sequence[str]:
        # A pack tells of its own files and of the folders around them, and reads nothing else.
        about = {scope for path in paths for scope in enclosing_scopes(path)}
        places = sorted(about - {PROJECT} | {PATH + path for path in paths})
        with _open_items(hub, asking, places) as (_, context):
            return pack_lines(context, paths, available_tokens, query)

    return known


def _code(hub: Hub, every: Sequence[Build], asking: Asking, request: Request) -> PgSnapshot | None:
    """The code that items are held against, where it is that of few repositories."""
    names = [build.repository for build in every]
    scopes = [getattr(request, "scope", "")]
    if isinstance(request, Remember):
        scopes = [entry.scope for entry in request.items]
    wanted = {repository_of(scope, names) for scope in scopes} - {""}
    if not wanted and asking.pattern != "*":
        wanted = {each.repository for each in selection.matching(every, asking.pattern)}
    chosen = [build for build in every if build.repository in wanted]
    if not 0 < len(chosen) <= _MOST_WITH_CODE:
        return None
    return PgSnapshot(hub, chosen, named=True)
