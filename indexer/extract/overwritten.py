"""Which values nothing ever reads, since what they are given to gets another value first.

Of two assignments in one block, one after the other, the first is dead when nothing between them
names its place and nothing is called: a call may read what a function sees. A place is a name, or
a key or member of one. What assigns a key right after its literal replaces what the literal has
there. Only statements of a block are looked at: across branches and loops both values count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from satchel.indexer.extract.parse import Matches
from satchel.indexer.extract.source import Source

_BLOCKS = frozenset({"block", "module", "program", "statement_block"})
_STATEMENTS = frozenset(
    {"expression_statement", "lexical_declaration", "variable_declaration", "assignment",
     "assignment_expression", "variable_declarator"}
)  # fmt: skip
"""What may stand between an assigned place and the block: nothing that is run now and then."""
_LITERALS = ("{", "[")
_ROOT = re.compile(r"[^\W\d][\w$]*")
_MAX_BETWEEN = 2_000
"""Bytes between two assignments that are looked through."""


class _Assignment(NamedTuple):
    """An assignment in a block; bytes where its place, its value and its statement lie."""

    block: int
    root: str
    start: int
    place: str
    value: tuple[int, int]
    statement: tuple[int, int]


def overwritten(matches: Matches, source: Source) -> tuple[frozenset[int], frozenset[int]]:
    """The places, by first byte, whose value is dead, and those that replace a part of a literal.

    Both are empty for most files.
    """
    by_name: dict[tuple[int, str], list[_Assignment]] = {}
    for assignment in _assignments(matches, source):
        by_name.setdefault((assignment.block, assignment.root), []).append(assignment)
    dead: set[int] = set()
    replacing: set[int] = set()
    for several in by_name.values():
        if len(several) > 1:
            several.sort(key=lambda each: each.start)
            _compare(several, source, dead, replacing)
    return frozenset(dead), frozenset(replacing)


def _assignments(matches: Matches, source: Source) -> Iterator[_Assignment]:
    for group in matches.flows:
        to = "to" if "to" in group.names else "changed"
        value = "from" if "from" in group.names else "constant"
        # Loops and `with` give a place a value too, but as often as they run.
        if to not in group.names or value not in group.names:
            continue
        for match in group.matches:
            node = match[to][0]
            statement = node.parent
            while statement is not None and statement.type in _STATEMENTS:
                outer = statement.parent
                if outer is not None and outer.type in _BLOCKS:
                    place = source.text(node.start_byte, node.end_byte)
                    root = _ROOT.match(place)
                    if root:
                        given = match[value][0]
                        yield _Assignment(
                            outer.start_byte, root[0], node.start_byte, place,
                            (given.start_byte, given.end_byte),
                            (statement.start_byte, statement.end_byte),
                        )  # fmt: skip
                    break
                statement = outer


def _compare(
    several: list[_Assignment], source: Source, dead: set[int], replacing: set[int]
) -> None:
    """Note what later assignments make of earlier ones; all are of one name in one block."""
    # Those since which nothing was read or called, by place.
    unread: dict[str, _Assignment] = {}
    before: _Assignment | None = None
    for now in several:
        if before is not None and not _is_quiet(before, now, source):
            unread.clear()
        known = unread.get(now.place)
        if known is not None:
            dead.add(known.start)
        elif now.place != now.root and now.root in unread:
            # Only of a literal it is known what lies under its keys.
            literal = unread[now.root].value[0]
            if source.text(literal, literal + 1) in _LITERALS:
                replacing.add(now.start)
        # A new object: what the old one had under its keys is out of reach by this name.
        if now.place == now.root:
            dead.update(each.start for each in unread.values())
            unread.clear()
        unread[now.place] = now
        before = now


def _is_quiet(before: _Assignment, now: _Assignment, source: Source) -> bool:
    """Whether nothing reads the name or calls anything from one assignment to the next."""
    start, end = before.statement[1], now.statement[0]
    if not 0 <= end - start <= _MAX_BETWEEN:
        return False
    # A parenthesis may call a function that reads the name, wherever that is defined.
    text = source.text(start, end) + " " + source.text(*now.value)
    return "(" not in text and not re.search(rf"\b{re.escape(now.root)}\b", text)
