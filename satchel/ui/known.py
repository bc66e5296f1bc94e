"""The data and changes of the Knowledge page: items, their history, what needs attention."""

from __future__ import annotations

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from satchel.api import CodeBase
from satchel.ui.api_calls import own_answer, reply, request_body

_LISTED = 50


class _ItemQuery(Struct, frozen=True):
    """Which items: by words, place, kinds, status ("open", "all", …) and order."""

    query: str = ""
    scope: str = ""
    kinds: tuple[str, ...] = ()
    status: tuple[str, ...] = ("open",)
    order: str = "score"


class _One(Struct, frozen=True):
    id: str


class _Change(Struct, frozen=True):
    """What to do with an item, as `CodeBase.revise` takes it; `by` is the item that replaces it."""

    id: str
    action: str
    reason: str = ""
    by: str = ""


async def _items(request: Request) -> Response:
    asked = await request_body(request, _ItemQuery)

    def found(code: CodeBase) -> dict[str, object]:
        # Asking would begin the file of what is known, and looking must not.
        if not code.keeps_knowledge:
            return {"state": None, "items": []}
        reply = code.recall(
            asked.query, scope=asked.scope, kinds=asked.kinds, status=asked.status,
            order=asked.order, limit=_LISTED, budget_tokens=32_768, explain=True,
        )  # fmt: skip
        return {"state": code.knowledge_state().value, "found": reply.value}

    return reply(await own_answer(request, found))


async def _item(request: Request) -> Response:
    one = await request_body(request, _One)
    return reply(await own_answer(request, lambda code: code.recall(ids=(one.id,)).value))


async def _revise(request: Request) -> Response:
    change = await request_body(request, _Change)
    done = await own_answer(
        request,
        lambda code: (
            code.revise([change.id], change.action, reason=change.reason, by=change.by).value
        ),
    )
    return reply(done)


ROUTES = (
    ("POST", "/api/knowledge", _items),
    ("POST", "/api/knowledge/item", _item),
    ("POST", "/api/knowledge/revise", _revise),
)
