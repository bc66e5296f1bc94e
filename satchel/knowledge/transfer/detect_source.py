"""Detects the format of a file to import by its name and contents, and reads it. Pure."""

import json
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from satchel.knowledge.model import Caller
from satchel.knowledge.transfer import documents, export_format, foreign
from satchel.knowledge.transfer.import_drafts import Draft
from satchel.store.errors import UsageError

_HINT = (
    "known are our own exports, ADR files, CLAUDE.md and AGENTS.md, Twining's blackboard and"
    " decisions, Shabka's exports"
)


def read_source(path: str, text: str, caller: Caller) -> list[Draft]:
    """The items of a file, in its order.

    Raises:
        UsageError: it has no format that is known.
    """
    name = PurePosixPath(path).name.casefold()
    if name in documents.CONVENTION_FILES:
        return documents.read_conventions(path, text, caller)
    if name.endswith((".md", ".markdown")):
        return documents.read_adr(path, text, caller)
    whole = _as_one_document(text)
    memories = whole.get("memories") if isinstance(whole, Mapping) else None
    if isinstance(memories, list):
        relations = whole.get("relations")
        return foreign.read_shabka(
            _mappings(path, memories), _mappings(path, relations or []), caller
        )
    # One document, a list of them, or JSON lines. Twining and Shabka are told by their keys, and
    # everything else must be an export of our own.
    rows = _mappings(
        path, whole if isinstance(whole, list) else [whole] if whole else _as_json_lines(path, text)
    )
    if rows and all(map(foreign.is_twining, rows)):
        return foreign.read_twining(rows, caller)
    if rows and all(map(foreign.is_shabka, rows)):
        return foreign.read_shabka(rows, (), caller)
    return export_format.read_export(text, path, caller.now)


def _as_one_document(text: str) -> Any:  # noqa: ANN401
    """The text as one JSON document; None when it is not JSON, or several documents in lines."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _as_json_lines(path: str, text: str) -> list[Any]:
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                found.append(json.loads(line))
            except (ValueError, RecursionError) as error:
                raise UsageError(f"{path}, line {number}: no JSON", _HINT) from error
    return found


def _mappings(path: str, values: object) -> list[Mapping[str, Any]]:
    if not isinstance(values, list) or not all(isinstance(value, Mapping) for value in values):
        raise UsageError(f"{path}: what it lists is no item", _HINT)
    return values
