"""From query matches to drafts: every defined node once, with what all patterns say about it.

Pure functions; `satchel.indexer.extract.definitions` makes symbols of the drafts.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass

from satchel.indexer.extract.parse import ACCESS, DEFINITION, Match, Matches, MatchGroup
from satchel.indexer.extract.source import Source
from satchel.store.model import SymbolKind

MAX_NAME = 200

_BETWEEN_CLAUSES = re.compile(rb"(?:\s|(?:#|--|\{-#)[^\n]*+)*+")
_MAX_BETWEEN = 4000


@dataclass(slots=True)
class RawDefinition:
    """A definition while its matches are being merged; byte offsets throughout."""

    start: int
    end: int
    kind: SymbolKind
    name: str
    name_start: int
    owner: str = ""
    body: int = -1
    doc: tuple[int, int] | None = None
    wrap: tuple[int, int] | None = None
    exported: bool = False
    access: str = ""
    section: str = ""
    outer: bool = False
    rest: bool = False
    clause: bool = False


def raw_definitions(matches: Matches, source: Source) -> list[RawDefinition]:
    """One draft for each defined node, outermost first; unnamed nodes are left out."""
    found = _merged(matches.definitions, source)
    exported = {
        source.text(match["name"][0].start_byte, match["name"][0].end_byte)
        for run in matches.marks
        if "export" in run.names and "name" in run.names and not run.label
        for match in run.matches
    }
    for draft in found:
        draft.exported = draft.exported or draft.name in exported
    again = {
        (node.start_byte, node.end_byte)
        for run in matches.marks
        if "same" in run.names
        for match in run.matches
        for node in match["same"]
    }
    kept = [draft for draft in found if (draft.start, draft.end) not in again]
    ordered = sorted(kept, key=lambda d: (d.start, -d.end, d.name_start))
    _apply_labels(ordered, _access_labels(matches.marks))
    return _join_clauses(ordered, source)


def _merged(runs: list[MatchGroup], source: Source) -> list[RawDefinition]:
    """A draft of each defined node and name, with what all patterns say about it."""
    found: dict[tuple[int, int, int], RawDefinition] = {}
    unnamed: dict[tuple[int, int], list[tuple[MatchGroup, Match]]] = {}
    for run in runs:
        kind = SymbolKind(run.label[len(DEFINITION) :])
        for match in run.matches:
            node = match[run.label][0]
            start, end = node.start_byte, node.end_byte
            if "name" not in run.names:
                unnamed.setdefault((start, end), []).append((run, match))
                continue
            name_node = match["name"][0]
            name_start = name_node.start_byte
            draft = found.get((start, end, name_start))
            if draft is None:
                name = source.text(name_start, name_node.end_byte)[:MAX_NAME]
                draft = RawDefinition(start, end, kind, name, name_start)
                found[start, end, name_start] = draft
            _merge(draft, run, match, source)
    for draft in found.values():
        for run, extra in unnamed.get((draft.start, draft.end), ()):
            _merge(draft, run, extra, source)
    return list(found.values())


def _join_clauses(ordered: list[RawDefinition], source: Source) -> list[RawDefinition]:
    """A function written as several clauses is one draft; its first clause is its signature."""
    result: list[RawDefinition] = []
    latest: dict[str, RawDefinition] = {}
    for draft in ordered:
        before = latest.get(draft.name) if draft.clause else None
        if before and 0 <= draft.start - before.end <= _MAX_BETWEEN:
            between = source.data[before.end : draft.start]
            if _BETWEEN_CLAUSES.fullmatch(between):
                before.body = before.end if before.body < 0 else before.body
                before.end = draft.end
                continue
        result.append(draft)
        if draft.clause:
            latest[draft.name] = draft
    return result


def _access_labels(runs: list[MatchGroup]) -> list[tuple[int, str]]:
    return sorted(
        (match[ACCESS + run.access][0].start_byte, run.access)
        for run in runs
        if run.access and not run.label
        for match in run.matches
    )


def _apply_labels(ordered: list[RawDefinition], labels: list[tuple[int, str]]) -> None:
    """Tell each definition the last access label (`private:`) above it in its own container."""
    if not labels:
        return
    scopes: list[tuple[int, int, list[str]]] = [(0, sys.maxsize, [""])]
    position = 0
    for draft in ordered:
        while position < len(labels) and labels[position][0] < draft.start:
            start, word = labels[position]
            while not scopes[-1][0] <= start < scopes[-1][1]:
                scopes.pop()
            scopes[-1][2][0] = word
            position += 1
        span = (draft.start, draft.end)
        while scopes[-1][1] < draft.end or scopes[-1][:2] == span:
            scopes.pop()
        draft.section = scopes[-1][2][0]
        scopes.append((*span, [""]))


def _merge(draft: RawDefinition, run: MatchGroup, match: Match, source: Source) -> None:
    names = run.names
    if "wrap" in names:
        start, end = match["wrap"][0].start_byte, match["wrap"][-1].end_byte
        if draft.wrap is None or end - start > draft.wrap[1] - draft.wrap[0]:
            draft.wrap = (start, end)
    draft.exported = draft.exported or "export" in names
    draft.clause = draft.clause or "clause" in names
    if "body" in names and draft.body < 0:
        draft.body = match["body"][0].start_byte
    if "doc" in names and draft.doc is None:
        draft.doc = (match["doc"][0].start_byte, match["doc"][-1].end_byte)
    if "owner" in names and not draft.owner:
        owners = (source.text(node.start_byte, node.end_byte) for node in match["owner"])
        draft.owner = ".".join(owners)[:MAX_NAME]
    draft.access = run.access or draft.access
    draft.outer = draft.outer or "global" in names
    draft.rest = draft.rest or "rest" in names
