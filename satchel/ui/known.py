"""The data and changes of the Knowledge page: items, their history, what needs attention."""

from msgspec import Struct

from satchel.api import CodeBase
from satchel.ui.api_calls import asking_own

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


def _items(code: CodeBase, asked: _ItemQuery) -> dict[str, object]:
    # Asking would begin the file of what is known, and looking must not.
    if not code.keeps_knowledge:
        return {"state": None, "items": []}
    reply = code.recall(
        asked.query, scope=asked.scope, kinds=asked.kinds, status=asked.status,
        order=asked.order, limit=_LISTED, budget_tokens=32_768, explain=True,
    )  # fmt: skip
    return {"state": code.knowledge_state().value, "found": reply.value}


def _revise(code: CodeBase, asked: _Change) -> object:
    return code.revise([asked.id], asked.action, reason=asked.reason, by=asked.by).value


ROUTES = (
    ("POST", "/api/knowledge", asking_own(_ItemQuery, _items)),
    (
        "POST",
        "/api/knowledge/item",
        asking_own(_One, lambda code, asked: code.recall(ids=(asked.id,)).value),
    ),
    ("POST", "/api/knowledge/revise", asking_own(_Change, _revise)),
)
