"""From query matches to raw definitions: each node once, with what all patterns say about it.

Pure functions; `satchel.indexer.extract.definitions` makes symbols of the raw definitions.
"""

import re
import sys

from msgspec import Struct

from satchel.indexer.extract.parse import ACCESS, DEFINITION, Match, Matches, MatchGroup
from satchel.indexer.extract.source import Source
from satchel.store.model import SymbolKind

MAX_NAME = 200

# Comments of the languages whose queries have `@clause`, and lines for the C preprocessor.
_BETWEEN_CLAUSES = re.compile(rb"(?:\s|(?:#|%|--|\{-#)[^\n]*+)*+")
_MAX_BETWEEN = 4000


class RawDefinition(Struct):
    """A definition while its matches are being merged; byte offsets throughout.

    The fields are named as the captures of `indexer.languages.spec`, which says what they mean.
    """

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
    """The visibility that its own match says."""
    section: str = ""
    """The visibility of the last label above it in its container (`private:`)."""
    outer: bool = False
    """Whether it only counts outside of functions."""
    rest: int = 0
    """Where the block ends that it stands in, if it holds what follows there."""
    clause: bool = False
    whole: bool = False


def raw_definitions(matches: Matches, source: Source) -> list[RawDefinition]:
    """One for each defined node and name, outermost first; unnamed nodes are left out."""
    found = _merge_patterns(matches.definitions, source)
    exported = {
        source.text(match["name"][0].start_byte, match["name"][0].end_byte)
        for group in matches.marks
        if "export" in group.names and "name" in group.names and not group.label
        for match in group.matches
    }
    for raw in found:
        raw.exported = raw.exported or raw.name in exported
    again = {
        (node.start_byte, node.end_byte)
        for group in matches.marks
        if "same" in group.names
        for match in group.matches
        for node in match["same"]
    }
    unique = [raw for raw in found if (raw.start, raw.end) not in again]
    ordered = sorted(unique, key=lambda raw: (raw.start, -raw.end, raw.name_start))
    labels = sorted(
        (match[ACCESS + group.access][0].start_byte, group.access)
        for group in matches.marks
        if group.access and not group.label
        for match in group.matches
    )
    if labels:
        _apply_labels(ordered, labels)
    return _join_clauses(ordered, source)


def _merge_patterns(groups: list[MatchGroup], source: Source) -> list[RawDefinition]:
    """One for each defined node and name, with what all patterns say about it."""
    found: dict[tuple[int, int, int], RawDefinition] = {}
    # A pattern without `@name` adds to every definition of its node, also to those found later.
    unnamed: dict[tuple[int, int], list[tuple[MatchGroup, Match]]] = {}
    for group in groups:
        kind = SymbolKind(group.label[len(DEFINITION) :])
        for match in group.matches:
            node = match[group.label][0]
            # Of a grammar in which a body stands beside its head, a definition is both.
            start, end = node.start_byte, match[group.label][-1].end_byte
            if "name" not in group.names:
                unnamed.setdefault((start, end), []).append((group, match))
                continue
            name_node = match["name"][0]
            name_start = name_node.start_byte
            raw = found.get((start, end, name_start))
            if raw is None:
                name = source.text(name_start, name_node.end_byte)[:MAX_NAME]
                raw = RawDefinition(start, end, kind, name, name_start)
                found[start, end, name_start] = raw
            _merge(raw, group, match, source)
    for raw in found.values():
        for group, extra in unnamed.get((raw.start, raw.end), ()):
            _merge(raw, group, extra, source)
    return list(found.values())


def _join_clauses(ordered: list[RawDefinition], source: Source) -> list[RawDefinition]:
    """A function written as several clauses is one definition, with the signature of the first."""
    result: list[RawDefinition] = []
    latest: dict[str, RawDefinition] = {}
    for raw in ordered:
        before = latest.get(raw.name) if raw.clause else None
        if before and 0 <= raw.start - before.end <= _MAX_BETWEEN:
            between = source.data[before.end : raw.start]
            if _BETWEEN_CLAUSES.fullmatch(between):
                before.body = before.end if before.body < 0 else before.body
                before.end = raw.end
                continue
        result.append(raw)
        if raw.clause:
            latest[raw.name] = raw
    return result


def _apply_labels(ordered: list[RawDefinition], labels: list[tuple[int, str]]) -> None:
    """Give each definition the last access label (`private:`) above it in its own container.

    `labels` are (start, visibility), ascending.
    """
    # One sweep over both lists. `scopes` are the definitions around the current place: start, end,
    # and the label that is in force in each, in a list of one since it changes.
    scopes: list[tuple[int, int, list[str]]] = [(0, sys.maxsize, [""])]
    position = 0
    for raw in ordered:
        while position < len(labels) and labels[position][0] < raw.start:
            start, word = labels[position]
            while not scopes[-1][0] <= start < scopes[-1][1]:
                scopes.pop()
            scopes[-1][2][0] = word
            position += 1
        span = (raw.start, raw.end)
        # Names that share a node (`int a, b;`) are not in each other.
        while scopes[-1][1] < raw.end or scopes[-1][:2] == span:
            scopes.pop()
        raw.section = scopes[-1][2][0]
        scopes.append((*span, [""]))


def _merge(raw: RawDefinition, group: MatchGroup, match: Match, source: Source) -> None:
    """Add what one match says: the largest wrap, else what was said first, or by any."""
    names = group.names
    if "wrap" in names:
        start, end = match["wrap"][0].start_byte, match["wrap"][-1].end_byte
        if raw.wrap is None or end - start > raw.wrap[1] - raw.wrap[0]:
            raw.wrap = (start, end)
    raw.exported = raw.exported or "export" in names
    raw.clause = raw.clause or "clause" in names
    raw.whole = raw.whole or "whole" in names
    if "body" in names and raw.body < 0:
        raw.body = match["body"][0].start_byte
    if "doc" in names and raw.doc is None:
        raw.doc = (match["doc"][0].start_byte, match["doc"][-1].end_byte)
    if "owner" in names and not raw.owner:
        owners = (source.text(node.start_byte, node.end_byte) for node in match["owner"])
        raw.owner = ".".join(owners)[:MAX_NAME]
    raw.owner = raw.owner or group.owner
    raw.access = group.access or raw.access
    raw.outer = raw.outer or "global" in names
    if "rest" in names:
        block = match[group.label][0].parent
        raw.rest = block.end_byte if block else len(source.data)
