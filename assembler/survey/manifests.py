"""Manifests of packages as they are read here: TOML or JSON as a table, others as text. Pure.

A manifest is anybody's text. It may not parse, may have other types than usual, or be nested as
deep as it likes; `UNREADABLE` is what comes of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from satchel.store.platform import toml_text

# Every command reads paths, and those that need no index do not wait for what reads one.
if TYPE_CHECKING:
    from satchel.store.reading.snapshot import Snapshot
    from satchel.store.records import KnownFile

UNREADABLE = (ValueError, TypeError, AttributeError, KeyError, RecursionError)
"""What reading a manifest, and taking things out of it, may raise."""
_MAX_BYTES = 200_000
"""The largest manifest that is read; a longer one is data."""


def read(snapshot: Snapshot, file: KnownFile) -> str:
    """The text of a manifest, "" where it is too long to be one."""
    if file.stat.size > _MAX_BYTES:
        return ""
    return snapshot.files.source(file.digest, file.language).decode("utf-8", "replace")


def table(text: str, *, is_json: bool) -> dict[str, Any]:
    """The table of a manifest in JSON, else in TOML. Raises: `UNREADABLE`."""
    if not is_json:
        return toml_text.table(text)
    import json

    found: dict[str, Any] = json.loads(text)
    return found
