"""What each caller is about, and what it has seen and used since it said so."""

from __future__ import annotations

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
    """Keep the caller's focus; what was shown and searched under the one before is forgotten.

    Raises:
        UsageError: the query is blank, or nobody knows whose focus it would be.
    """
    if not request.query.strip():
        raise UsageError("query is blank", "say what you are about to do")
    if not context.caller.session:
        raise UsageError("session is unknown", "name one with `session`")
    with transaction(context.db):
        old = read.find_session(context.db, context.caller.session) or Session(
            id=context.caller.session
        )
        new = structs.replace(
            old, query=redact.secrets(request.query.strip()),
            intent=redact.secrets(request.intent.strip()), scope=context.normalize_scope(request.scope),
            updated_at=context.caller.now, shown=(), searched=(),
        )  # fmt: skip
        write.save_session(context.db, new)
    return new


def record_context_request(context: RequestContext) -> None:
    """Note that the caller has asked for context, inside a transaction that the caller holds."""
    if context.caller.session:
        old = read.find_session(context.db, context.caller.session) or Session(
            id=context.caller.session
        )
        write.save_session(context.db, structs.replace(old, assembled_at=context.caller.now))


def with_tool_call(session: Session, tool: str) -> Session:
    """The session after one more call."""
    return structs.replace(session, calls=(*session.calls, tool)[-_MAX_CALLS:])


def record_listed_tools(context: RequestContext, names: Sequence[str]) -> None:
    """Note which tools the caller's list holds."""
    with transaction(context.db):
        old = read.find_session(context.db, context.caller.session)
        if old is not None and old.shown != tuple(names):
            write.save_session(context.db, structs.replace(old, shown=tuple(names)))
