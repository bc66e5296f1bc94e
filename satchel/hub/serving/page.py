"""The page of a hub: Ask, Map and Graph over the repositories that a person may read.

It is the page of `satchel ui`. A person's token opens it and is looked up again with every request,
so that a revoked one ends every session; what is read is read in the person's role of PostgreSQL.
Every path begins with the name of its repository.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import anyio
from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from satchel.assembler.graph.cycles import Cycle, cycles
from satchel.assembler.graph.levels import Levels, levels
from satchel.assembler.graph.modules import module_graph
from satchel.assembler.graph.neighbourhoods import neighbourhoods
from satchel.assembler.graph.paths import Paths
from satchel.assembler.kinds import Scope
from satchel.assembler.lookup.definition_source import file_lines
from satchel.assembler.lookup.dependencies import Dependencies
from satchel.assembler.output import segments
from satchel.assembler.output.segments import PackLayout
from satchel.assembler.survey.overview import Overview, overview
from satchel.assembler.survey.terrain import Area, groups, terrain
from satchel.assembler.values import ContextPack, SearchReply
from satchel.hub import access, asking, database
from satchel.hub.access import Caller
from satchel.hub.database import Hub
from satchel.hub.reading.pg_snapshot import builds
from satchel.hub.serving.connections import Connections
from satchel.hub.serving.sessions import CALLER, HubAccess
from satchel.hub.serving.sign_on import SignOn
from satchel.questions.context import CONTEXT
from satchel.questions.dependencies import DEPENDENCIES, Edges, Ways
from satchel.questions.request import A, R, read
from satchel.questions.request import Question as AnyQuestion
from satchel.questions.search import SEARCH, Mode, Places
from satchel.store.errors import UsageError
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
_ROOT = Path("/")
"""A hub has no folder: every path begins with the name of its repository."""


@dataclass(slots=True)
class HubCode:
    """What a person may read of a hub, with the questions of `satchel.api.CodeBase`."""

    _hub: Hub
    _person: str
    _languages: dict[RepoPath, str] = field(default_factory=dict)

    @property
    def _role(self) -> str:
        """The role of PostgreSQL that reads for the person."""
        return access.role_of(self._person)

    def context(
        self,
        question: str = "",
        *,
        budget: int | None = None,
        scope: str = "",
        path: str = "",
        diff: str = "",
        put_in: Sequence[str] = (),
        take_out: Sequence[str] = (),
    ) -> ContextPack:
        """A pack from the repositories that a question is about, or from the one of `path`."""
        given = {"query": question, "budget_tokens": budget, "path": path, "diff": diff}
        asked = read(
            CONTEXT.request,
            {**given, "scope": scope or None},
            _SETTINGS,
            put_in=put_in,
            take_out=take_out,
        )
        with asking.opened(self._hub, "*", asked, self._person, named=True) as view:
            pack = CONTEXT.answer(view, asked).pack
            files = view.snapshot.files
            # The transaction ends with this block, and `layout` is called after it.
            known = {e.path: files.identity(e.path) for e in pack.excerpts}
            self._languages = {path: found[1] for path, found in known.items() if found}
            return pack

    def layout(self, pack: ContextPack) -> PackLayout:
        """The pack that `context` returned, as segments for the page."""
        return segments.layout(pack, self._languages, 0)

    def search(self, question: str, *, max_results: int = 10, scope: str = "impl") -> SearchReply:
        """The best places of the repositories that a question is about."""
        given = {"query": question, "max_results": max_results, "scope": scope}
        reply = self._answer(SEARCH, {**given, "mode": Mode.LOCATE})
        assert isinstance(reply, Places)  # no line is asked for
        return reply.found

    def _answer(self, question: AnyQuestion[R, A], given: Mapping[str, object]) -> A:
        asked = read(question.request, given, _SETTINGS)
        with asking.opened(self._hub, "*", asked, self._person, named=True) as view:
            return question.answer(view, asked)

    def terrain(
        self,
        path: str = "",
        scores: Mapping[RepoPath, float] | None = None,
        *,
        aged: bool = False,
    ) -> Area:
        """Repositories, folders or files by lines; `aged` is ignored: a hub has no checkout."""
        del aged
        with asking.tree(self._hub, path, (), self._role) as snapshot:
            return terrain(snapshot, path, scores)

    def neighbourhoods(self, path: str = "") -> Area:
        """Files grouped by what they use of each other."""
        with asking.tree(self._hub, path, (), self._role) as snapshot:
            found = neighbourhoods(module_graph(snapshot, path))
            return groups(snapshot, ((each.name, each.files) for each in found))

    def levels(self, path: str = "") -> Levels:
        """Folders from those that nothing uses down; the rules of a checkout are not known here."""
        with asking.tree(self._hub, path, (), self._role) as snapshot:
            return levels(snapshot, path, ())

    def cycles(self, path: str = "", *, depth: int = 0) -> tuple[Cycle, ...]:
        """Files that need each other."""
        with asking.tree(self._hub, path, (), self._role) as snapshot:
            return cycles(module_graph(snapshot, path, depth=depth))

    def dependencies(
        self, symbol: str, *, direction: str = "both", depth: int = 2, limit: int = 100
    ) -> Dependencies:
        """The call graph around a symbol, in the repositories that know its name."""
        given = {"name": symbol, "direction": direction, "depth": depth, "limit": limit}
        reply = self._answer(DEPENDENCIES, {**given, "scope": Scope.ALL})
        assert isinstance(reply, Edges)  # neither a way nor an impact is asked for
        return reply.found

    def paths(self, source: str, target: str, *, ways: int = 3) -> Paths:
        """How one symbol reaches another."""
        reply = self._answer(DEPENDENCIES, {"name": source, "until": target, "ways": ways})
        assert isinstance(reply, Ways)  # a way is asked for
        return reply.found

    def lines(self, path: str, first: int, last: int) -> str:
        """Lines of a file, hidden characters as code points."""
        wanted = RepoPath(path)
        with asking.tree(self._hub, path, (), self._role) as snapshot:
            found = file_lines(snapshot, wanted, first, last)
        if found is None:
            raise UsageError(f"{path} is not indexed", "paths begin with their repository")
        return found

    def overview(self, scope: str = "project") -> Overview:
        """Size, languages and central symbols."""
        with asking.tree(self._hub, "", (), self._role) as snapshot:
            return overview(snapshot, scope)

    def repositories(self) -> list[dict[str, object]]:
        """What may be read, by name."""
        with database.explained_errors(), database.reading(self._hub, self._role):
            found = builds(self._hub)
        return [{"name": b.repository, "files": b.n_files, "head": b.head} for b in found]


@dataclass(frozen=True, slots=True)
class HubReader:
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
    asked = (route for route in ask.ROUTES if route[1] != ask.REPLAY)
    app = page((*asked, *areas.ROUTES, *graph.ROUTES, *own), _PAGES)
    app.state.access = HubAccess(port, hubs, limiter, sign_on, secret)
    app.state.about = {"name": "hub", "root": "", "budget": _BUDGET, "is_hub": True}
    app.state.reader = HubReader(hubs, limiter)
    return guarded(app, app.state.access)
