"""The data of the Ask page: packs, and the reasons for what is in them."""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from satchel.assembler.lookup.dependencies import Dependencies
from satchel.assembler.output.segments import PackLayout
from satchel.questions.answers import Answers
from satchel.questions.context import ByHand, Context
from satchel.questions.request import params
from satchel.ui.access import Access
from satchel.ui.api_calls import answer, asking, own_answer, reply, request_body
from satchel.workspace.pack_log import KeptPack

_CALLERS = 30
_FIELDS = frozenset(name for each in params(Context) for name in (each.name, *each.other_names))
OF_KEPT = ("/api/packs", "/api/pack/{id}")
"""The addresses of the packs that were made before, and of one."""


class _Kept(Struct, frozen=True):
    """The packs that are kept, the newest first; those of `generation` can be made again."""

    generation: int
    packs: tuple[KeptPack, ...]


class _Around(Struct, frozen=True):
    """A symbol whose users are wanted."""

    symbol: str


async def _context(request: Request) -> Response:
    by_hand = await request_body(request, ByHand)
    body = await request_body(request, dict[str, Any])
    # A field of a form that is empty says nothing.
    fields = {name: value for name, value in body.items() if name in _FIELDS and value != ""}
    found = await answer(request, lambda code: code.layout(code.context(by_hand=by_hand, **fields)))
    return await _shown(request, found)


async def _packs(request: Request) -> Response:
    return reply(
        await own_answer(
            request, lambda code: _Kept(code.generation_state().generation, code.packs())
        )
    )


async def _replay(request: Request) -> Response:
    pack_id = request.path_params["id"]
    return await _shown(
        request, await own_answer(request, lambda code: code.layout(code.replay(pack_id)))
    )


async def _shown(request: Request, found: PackLayout) -> Response:
    access: Access = request.app.state.access
    access.remember(found.pack.text)
    # What a client holds after the pack concerns agents, and may be long.
    return reply(replace(found, pack=replace(found.pack, sent=None)))


def _callers(code: Answers, asked: _Around) -> Dependencies:
    return code.dependencies(
        asked.symbol, direction="callers", depth=1, limit=_CALLERS, scope="all"
    )


ROUTES = (
    ("POST", "/api/context", _context),
    ("GET", OF_KEPT[0], _packs),
    ("GET", OF_KEPT[1], _replay),
    ("POST", "/api/callers", asking(_Around, _callers)),
)
