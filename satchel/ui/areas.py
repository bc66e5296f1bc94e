"""What the Map page asks: the code base by lines, and what a question lights up in it."""

from __future__ import annotations

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from satchel.api import CodeBase
from satchel.assembler.survey.terrain import Area
from satchel.store.model import RepoPath
from satchel.ui.desk import answer, reply, said

# The most that a search gives: every file that is lit up has a score of its own.
_PLACES = 200


class _Asked(Struct, frozen=True):
    """A folder or file, and a question that lights up what it finds."""

    path: str = ""
    question: str = ""


async def _map(request: Request) -> Response:
    asked = await said(request, _Asked)

    def drawn(code: CodeBase) -> Area:
        scores: dict[RepoPath, float] = {}
        if asked.question:
            found = code.search(asked.question, max_results=_PLACES, scope="all")
            for place in found.results:
                # Results come best first, so the first of a file is its best.
                scores.setdefault(place.chunk.path, place.score)
        return code.terrain(asked.path, scores)

    return reply(await answer(request, drawn))


ROUTES = (("POST", "/api/map", _map),)
