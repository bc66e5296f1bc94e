"""Keeps the focus of each caller's session, and the tools it was shown and called since."""

from collections.abc import Sequence

from msgspec import structs

from satchel.knowledge import redact
from satchel.knowledge.model import Session
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.requests import SetContext
from satchel.knowledge.storage import read, write
from satchel.store.errors import UsageError
from satchel.store.sqlite.database import transaction

_MAX_CALLS = 200


def set_context(context: RequestContext, request: SetContext) -> Session:
    """Store the caller's focus; tools shown and found under the previous one are forgotten.

    Raises:
        UsageError: the query is blank, or the caller's session is unknown.
    """
    if not request.query.strip():
        raise UsageError("query is blank", "say what you are about to do")
    if not context.caller.session:
        raise UsageError("session is unknown", "name one with `session`")
    with transaction(context.db):
        old = read.find_session(context.db, context.caller.session) or Session(
            id=context.caller.session
        )
        # The calls stay: the tools that were used last are listed under the new focus as well.
        new = structs.replace(
            old, query=redact.secrets(request.query.strip()),
            intent=redact.secrets(request.intent.strip()),
            scope=context.normalize_scope(request.scope), updated_at=context.caller.now,
            shown=(), searched=(),
        )  # fmt: skip
        write.save_session(context.db, new)
    return new


def record_context_request(context: RequestContext) -> None:
    """Record in the session that context was asked for, in a transaction that the caller holds.

    A decision is informed when this came before it, see `Body.informed`.
    """
    if context.caller.session:
        old = read.find_session(context.db, context.caller.session) or Session(
            id=context.caller.session
        )
        write.save_session(context.db, structs.replace(old, assembled_at=context.caller.now))


def with_tool_call(session: Session, tool: str) -> Session:
    """The session after one more call."""
    return structs.replace(session, calls=(*session.calls, tool)[-_MAX_CALLS:])


def record_listed_tools(context: RequestContext, names: Sequence[str]) -> None:
    """Record which mounted tools the session's list has."""
    with transaction(context.db):
        old = read.find_session(context.db, context.caller.session)
        if old is not None and old.shown != tuple(names):  # clients list tools often
            write.save_session(context.db, structs.replace(old, shown=tuple(names)))
