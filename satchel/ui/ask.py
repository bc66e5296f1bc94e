"""The data of the Ask page: packs, and the reasons for what is in them."""

from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from satchel.assembler.lookup.dependencies import Dependencies
from satchel.assembler.output.segments import PackLayout
from satchel.questions.answers import Answers
from satchel.questions.context import ByHand
from satchel.ui.access import Access
from satchel.ui.api_calls import answer, asking, own_answer, reply, request_body
from satchel.workspace.pack_log import KeptPack

_CALLERS = 30
OF_KEPT = ("/api/packs", "/api/pack/{id}")
"""The addresses of the packs that were made before, and of one."""


class _Kept(Struct, frozen=True):
    """The packs that are kept, the newest first; those of `generation` can be made again."""

    generation: int
    packs: tuple[KeptPack, ...]


class AskFor(Struct, frozen=True):
    """A question, as `CodeBase.context` takes it."""

    question: str = ""
    budget: int | None = None
    scope: str = ""
    path: str = ""
    diff: str = ""
    put_in: tuple[str, ...] = ()
    take_out: tuple[str, ...] = ()


class _Around(Struct, frozen=True):
    """A symbol whose users are wanted."""

    symbol: str


async def _context(request: Request) -> Response:
    asked = await request_body(request, AskFor)

    def made(code: Answers) -> PackLayout:
        pack = code.context(
            asked.question or None, budget=asked.budget, scope=asked.scope or None,
            path=asked.path, diff=asked.diff or None,
            by_hand=ByHand(asked.put_in, asked.take_out),
        )  # fmt: skip
        return code.layout(pack)

    return await _shown(request, await answer(request, made))


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
