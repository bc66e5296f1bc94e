"""Parses the target of a link from the ways in which people write it."""

from __future__ import annotations

import re

from satchel.knowledge.request_context import RequestContext

_PREFIXES = ("path:", "symbol:", "commit:", "url:")
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
    if text.startswith("item:") or _ID.fullmatch(text):
        # Looked up even when it is complete: nobody links to an item that they cannot see.
        return f"item:{context.find_item(text.removeprefix('item:')).id}"
    if text.startswith("path:"):
        return f"path:{context.normalize_scope(text.removeprefix('path:'))}"
    if text.startswith(_PREFIXES):
        return text
    if "://" in text:
        return f"url:{text}"
    if rel == "commit" or _COMMIT.fullmatch(text):
        return f"commit:{text}"
    return f"path:{context.normalize_scope(text)}"
