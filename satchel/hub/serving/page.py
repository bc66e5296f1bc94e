"""The page of a hub: Ask, Map and Graph over the repositories that a person may read.

It is the page of `satchel ui`. A person's token opens it and is looked up again with every request,
so that a revoked one ends every session; what is read is read in the person's role of PostgreSQL.
Every path begins with the name of its repository.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import ClassVar, TypeVar

import anyio
from anyio.to_thread import run_sync
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from satchel.assembler.output import segments
from satchel.assembler.output.segments import PackLayout
from satchel.assembler.values import ContextPack
from satchel.hub import access, asking, database
from satchel.hub.access import Caller
from satchel.hub.database import Hub
from satchel.hub.reading.pg_snapshot import PgSnapshot, builds
from satchel.hub.serving.connections import Connections
from satchel.hub.serving.sessions import CALLER, HubAccess
from satchel.hub.serving.sign_on import SignOn
from satchel.questions.answers import Answers
from satchel.questions.context import Reply as Pack
from satchel.questions.request import A, Question, R, read
from satchel.store.model import RepoPath
from satchel.ui import areas, ask, graph
from satchel.ui.access import guarded
from satchel.ui.api_calls import reply
from satchel.ui.app import page
from satchel.workspace.configuration.settings import Settings

_T = TypeVar("_T")
_SETTINGS = Settings()
_BUDGET = _SETTINGS.context.budget_tokens
# Without those of stored packs, of a working tree and of its knowledge: a hub has none of them.
_PAGES = ("ask", "compare", "map", "graph", "health")


@dataclass(slots=True)
class HubCode(Answers):
    """What a person may read of a hub, with the questions of `satchel.api.CodeBase`."""

    _unindexed_hint: ClassVar[str] = "paths begin with their repository"
    _hub: Hub
    _person: str
    _languages: dict[RepoPath, str] = field(default_factory=dict)

    @property
    def _role(self) -> str:
        """The role of PostgreSQL that reads for the person."""
        return access.role_of(self._person)

    def _answer(self, question: Question[R, A], given: Mapping[str, object], **own: object) -> A:
        asked = read(question.request, given, _SETTINGS, **own)
        with asking.opened(self._hub, "*", asked, self._person, named=True) as view:
            reply = question.answer(view, asked)
            if isinstance(reply, Pack):
                # The transaction ends with this block, and `layout` is called after it.
                files = view.snapshot.files
                known = {e.path: files.identity(e.path) for e in reply.pack.excerpts}
                self._languages = {path: found[1] for path, found in known.items() if found}
            return reply

    def layout(self, pack: ContextPack) -> PackLayout:
        """The pack that `context` returned, as segments for the page."""
        return segments.layout(pack, self._languages, 0)

    @contextmanager
    def _tree(self, path: str) -> Iterator[tuple[PgSnapshot, str]]:
        with asking.tree(self._hub, path, (), self._role) as snapshot:
            yield snapshot, path

    def repositories(self) -> list[dict[str, object]]:
        """What may be read, by name."""
        with database.explained_errors(), database.reading(self._hub, self._role):
            found = builds(self._hub)
        return [{"name": b.repository, "files": b.n_files, "head": b.head} for b in found]


class HubReader(Struct, frozen=True):
    """Answers each request in the role of its person, on a connection of its own."""

    _hubs: Connections
    _limiter: anyio.CapacityLimiter

    async def read(self, request: Request, question: Callable[[HubCode], _T]) -> _T:
        """The answer to a question; a row of the audit log records the person and the address."""
        caller: Caller = request.scope[CALLER]
        person, page_of = caller.person, request.url.path

        def answered() -> _T:
            outcome = "refused"  # also where the person may ask and the question itself fails
            with self._hubs.connected() as hub:
                try:
                    access.admit(hub, caller)
                    found = question(HubCode(hub, person))
                    outcome = "answered"
                    return found
                finally:
                    access.note(hub, person, page_of, (), outcome)

        return await run_sync(answered, limiter=self._limiter)


async def _repositories(request: Request) -> Response:
    reader: HubReader = request.app.state.reader
    return reply({"repositories": await reader.read(request, HubCode.repositories)})


def hub_page(
    hubs: Connections, port: int, limiter: anyio.CapacityLimiter, sign_on: SignOn, secret: bytes
) -> ASGIApp:
    """The page as an ASGI application, for people with a token."""
    own = (("GET", "/api/repositories", _repositories),)
    # A hub stores no packs, so there is nothing to replay.
    asked = (route for route in ask.ROUTES if route[1] not in ask.OF_KEPT)
    app = page((*asked, *areas.ROUTES, *graph.ROUTES, *own), _PAGES)
    app.state.access = HubAccess(port, hubs, limiter, sign_on, secret)
    app.state.about = {"name": "hub", "root": "", "budget": _BUDGET, "is_hub": True}
    app.state.reader = HubReader(hubs, limiter)
    return guarded(app, app.state.access)
