"""What a file that holds knowledge is, and who reads it. Pure."""

from __future__ import annotations

from knowledge import exchange
from knowledge.ingest import Draft
from knowledge.model import Caller


def drafts_of(path: str, text: str, caller: Caller) -> list[Draft]:
    """The items that a file holds, in its order.

    Raises:
        UsageError: it holds none that anybody can read.
    """
    return exchange.read(text, path, caller.now)
