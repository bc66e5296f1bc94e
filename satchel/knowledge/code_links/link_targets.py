"""Parses the target of a link from the ways in which people write it."""

import re

from satchel.knowledge.model import Relation
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.scopes import ITEM, PATH, SYMBOL

_PREFIXES = (PATH, SYMBOL, "commit:", "url:")
_ID = re.compile(r"[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{26}")
_COMMIT = re.compile(r"[0-9a-f]{7,64}")


def parse_link_target(context: RequestContext, text: str, rel: str) -> str:
    """`item:…`, `path:…`, `symbol:…`, `commit:…` or `url:…`.

    Without a prefix the form decides, and what has no other form is a path.

    Raises:
        NotFound: it is an item that the caller cannot see.
        UsageError: it is a path outside the code base.
    """
    text = text.strip()
    if text.startswith(ITEM) or _ID.fullmatch(text):
        # Looked up even when it is complete: nobody links to an item that they cannot see.
        return f"{ITEM}{context.find_item(text.removeprefix(ITEM)).id}"
    if text.startswith(PATH):
        return f"{PATH}{context.normalize_scope(text.removeprefix(PATH))}"
    if text.startswith(_PREFIXES):
        return text
    if "://" in text:
        return f"url:{text}"
    if rel == Relation.COMMIT or _COMMIT.fullmatch(text):
        return f"commit:{text}"
    return f"{PATH}{context.normalize_scope(text)}"
