"""What each caller is about, and what it has seen and used since it said so."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from satchel.knowledge import redact
from satchel.knowledge.context import Desk
from satchel.knowledge.model import Session
from satchel.knowledge.requests import SetContext
from satchel.knowledge.storage import read, write
from satchel.store.errors import UsageError
from satchel.store.sqlite.database import transaction

_MOST_CALLS = 200


def set_context(desk: Desk, request: SetContext) -> Session:
    """Keep the caller's focus; what was shown and searched under the one before is forgotten.

    Raises:
        UsageError: the query is blank, or nobody knows whose focus it would be.
    """
    if not request.query.strip():
        raise UsageError("query is blank", "say what you are about to do")
    if not desk.caller.session:
        raise UsageError("session is unknown", "name one with `session`")
    with transaction(desk.db):
        old = read.session(desk.db, desk.caller.session) or Session(id=desk.caller.session)
        new = structs.replace(
            old, query=redact.secrets(request.query.strip()),
            intent=redact.secrets(request.intent.strip()), scope=desk.scope(request.scope),
            updated_at=desk.caller.now, shown=(), searched=(),
        )  # fmt: skip
        write.put_session(desk.db, new)
    return new


def assembled(desk: Desk) -> None:
    """Note that the caller has asked for context, inside a transaction that the caller holds."""
    if desk.caller.session:
        old = read.session(desk.db, desk.caller.session) or Session(id=desk.caller.session)
        write.put_session(desk.db, structs.replace(old, assembled_at=desk.caller.now))


def called(session: Session, tool: str) -> Session:
    """The session after one more call."""
    return structs.replace(session, calls=(*session.calls, tool)[-_MOST_CALLS:])


def shown_to(desk: Desk, names: Sequence[str]) -> None:
    """Note which tools the caller's list holds."""
    with transaction(desk.db):
        old = read.session(desk.db, desk.caller.session)
        if old is not None and old.shown != tuple(names):
            write.put_session(desk.db, structs.replace(old, shown=tuple(names)))
