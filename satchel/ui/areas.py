"""The data of the Map page: the code base by lines, by layers, by communities."""

from __future__ import annotations

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from satchel.assembler.survey.terrain import Area
from satchel.questions.answers import Answers
from satchel.store.model import RepoPath
from satchel.ui.api_calls import answer, reply, request_body

# The most that a search gives: every file that is lit up has a score of its own.
_PLACES = 200
_CYCLES = 40


class _MapQuery(Struct, frozen=True):
    """A folder or file, a question that lights up what it finds, whether git is asked for ages."""

    path: str = ""
    question: str = ""
    aged: bool = False


async def _map(request: Request) -> Response:
    asked = await request_body(request, _MapQuery)

    def drawn(code: Answers) -> Area:
        # A map shows where answers lie: in tests as well, and in more places than anybody reads.
        scores: dict[RepoPath, float] = {}
        if asked.question:
            found = code.search(asked.question, max_results=_PLACES, scope="all")
            for place in found.results:
                # Results come best first, so the first of a file is its best.
                scores.setdefault(place.chunk.path, place.score)
        return code.terrain(asked.path, scores, aged=asked.aged)

    return reply(await answer(request, drawn))


async def _neighbourhoods(request: Request) -> Response:
    path = (await request_body(request, _MapQuery)).path
    return reply(await answer(request, lambda code: code.neighbourhoods(path)))


async def _levels(request: Request) -> Response:
    path = (await request_body(request, _MapQuery)).path
    return reply(await answer(request, lambda code: code.levels(path)))


async def _cycles(request: Request) -> Response:
    path = (await request_body(request, _MapQuery)).path
    # Each is a drawing; whoever has more of them begins with these.
    found = await answer(request, lambda code: code.cycles(path))
    return reply({"cycles": found[:_CYCLES], "n_found": len(found)})


ROUTES = (
    ("POST", "/api/map", _map),
    ("POST", "/api/map/neighbourhoods", _neighbourhoods),
    ("POST", "/api/map/levels", _levels),
    ("POST", "/api/map/cycles", _cycles),
)
