"""What a link leads to, from how people write it."""

from __future__ import annotations

import re

from satchel.knowledge.request_context import RequestContext

_PREFIXES = ("path:", "symbol:", "commit:", "url:")
_ID = re.compile(r"[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{26}")
_COMMIT = re.compile(r"[0-9a-f]{7,64}")


def parse_link_target(context: RequestContext, said: str, rel: str) -> str:
    """`item:…`, `path:…`, `symbol:…`, `commit:…` or `url:…`.

    Raises:
        NotFound: it is an item that the caller cannot see.
        UsageError: it is a path outside the code base.
    """
    said = said.strip()
    if said.startswith("item:") or _ID.fullmatch(said):
        return f"item:{context.find_item(said.removeprefix('item:')).id}"
    if said.startswith("path:"):
        return f"path:{context.normalize_scope(said.removeprefix('path:'))}"
    if said.startswith(_PREFIXES):
        return said
    if "://" in said:
        return f"url:{said}"
    if rel == "commit" or _COMMIT.fullmatch(said):
        return f"commit:{said}"
    return f"path:{context.normalize_scope(said)}"
