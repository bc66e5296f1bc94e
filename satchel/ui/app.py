"""The page as an ASGI application: its files, addresses and API routes."""

import html
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Lifespan

from satchel.api import CodeBase
from satchel.assembler import quoting
from satchel.store.version import installed_version
from satchel.ui import areas, ask, graph, health, known, review
from satchel.ui.access import Access, guarded, has_form_token, open_session, token_refused
from satchel.ui.api_calls import Answer, OwnCode, SharedCodeBase, answered, reply
from satchel.ui.pulse import Pulse

STATIC = Path(__file__).parent / "static"
PAGES = ("ask", "pack", "compare", "map", "graph", "review", "knowledge", "health")
"""The first part of every address that the page knows; what follows is read by its scripts."""


def create_app(code: CodeBase, access: Access) -> ASGIApp:
    """The page of a code base as an ASGI application, for whoever has its token."""
    views = (ask, areas, graph, health, known, review)
    app = page([route for view in views for route in view.ROUTES], PAGES, _lifespan)
    app.add_route("/last", _last, ["POST"])
    app.state.access = access
    app.state.about = {"name": code.root.name, "root": str(code.root), "budget": code.budget}
    app.state.shared = SharedCodeBase(code)
    # A validation may take a minute, so it has a code base of its own and holds up no question.
    app.state.checks = SharedCodeBase(code.again())
    app.state.pulse = Pulse(SharedCodeBase(code.again()))
    app.state.reader = OwnCode(app.state.shared, app.state.pulse.ready)
    return guarded(app, access)


def page(
    api: Iterable[tuple[str, str, Answer]],
    names: Iterable[str],
    lifespan: Lifespan[Starlette] | None = None,
) -> Starlette:
    """The page with these routes and pages; its state must get `access`, `about` and `reader`."""
    return Starlette(
        routes=[
            Route("/session", open_session, methods=["POST"]),
            Route("/api/session", answered(_session)),
            *(Route(path, answered(answer), methods=[method]) for method, path, answer in api),
            Mount("/static", StaticFiles(directory=STATIC)),
            Route("/", _shell),
            *(Route(f"/{name}{{rest:path}}", _shell) for name in names),
        ],
        lifespan=lifespan,
    )


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    """Keep the index up to date and report its events while the page is served."""
    code: CodeBase = app.state.shared.code
    with code.kept_fresh() as live:
        async with anyio.create_task_group() as group:
            group.start_soon(app.state.pulse.beat, live)
            yield
            app.state.pulse.end()
            group.cancel_scope.cancel()


async def _shell(_request: Request) -> Response:
    """The page without anything of the code base in it."""
    return FileResponse(STATIC / "index.html")


async def _session(request: Request) -> Response:
    """What the page needs at its start: whose it is."""
    about: dict[str, object] = request.app.state.about
    return reply({**about, "version": installed_version()})


async def _last(request: Request) -> Response:
    """The last pack for readers without scripts, who show a token each time."""
    if not await has_form_token(request):
        return token_refused()
    access: Access = request.app.state.access
    text = access.last_pack or "No question was asked yet."
    # Indexed text is data: it may not become markup, nor reorder the line that it stands in.
    body = html.escape(quoting.neutral(text))
    return HTMLResponse(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Last pack · Satchel</title>'
        '<meta name="viewport" content="width=device-width">'
        '<link rel="stylesheet" href="/static/style.css"><body class="plain"><main>'
        f"<h1>The last pack</h1><pre>{body}</pre></main></body></html>"
    )
