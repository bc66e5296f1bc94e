"""Finds assigned values that are overwritten before anything reads them.

Of two assignments in one block, one after the other, the first is dead when nothing between them
names its place and nothing that is called can read it. A place is a name, or a key or member of
one. What assigns a key right after its literal replaces what the literal has there, and so does
`Object.assign`. A copy of a name that gets another value later is a copy of what the name held
then: that is what is noted. Only statements of a block are looked at: across branches and loops
both values count.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice

from msgspec import Struct
from tree_sitter import Node

from satchel.indexer.extract.parse import Matches, MatchGroup
from satchel.indexer.extract.source import Source

_BLOCKS = frozenset({"block", "module", "program", "statement_block"})
_STATEMENTS = frozenset(
    {"expression_statement", "lexical_declaration", "variable_declaration", "assignment",
     "assignment_expression", "variable_declarator", "call_expression", "member_expression"}
)  # fmt: skip
"""What may stand between an assigned place and the block: nothing that is run now and then."""
_LITERALS = (b"{", b"[")
_ROOT = re.compile(rb"[^\W\d][\w$]*")
_PATH = re.compile(rb"[^\W\d][\w$.]*")
_NAMES = re.compile(rb"[\[(]?\s*[^\W\d][\w$]*(?:\s*,\s*[^\W\d][\w$]*)*\s*[\])]?")
"""What is copied: a name, or several."""
_PARTS = re.compile(rb"[\w$]+|[^\w$]+")
_MERGING = b"Object.assign"
_ADDING = b"+="
_MERGED = re.compile(rb"\(\s*([^\W\d][\w$]*)\s*,\s*\{[^{}]*\}\s*\)", re.DOTALL)
_FUNCTION_TYPES = ("function", "method", "lambda", "closure", "func_literal", "static_block")
"""What the types of nodes that are functions have in them."""
_IN_NAMES = frozenset(bytes([byte]) for byte in range(128) if re.match(rb"[\w$]", bytes([byte])))
_BEFORE_OTHERS = _IN_NAMES | {b"."}
"""What stands before a text where it is a member, or the end of a longer name."""
_FURTHER_OUT = re.compile(rb"\b(?:global|nonlocal)\s")
_DECLARING = frozenset({"variable_declarator"})
_BINDING_IN_FUNCTIONS = frozenset({"assignment"})
"""Python's assignments bind a name in the function that they are in."""
_MAX_NAMED = 100
"""A name that stands in a file more often than this is taken for one that may be read."""
_MAX_BETWEEN = 2_000
"""Bytes between two assignments that are looked through."""


class _Assignment(Struct, gc=False):
    """An assignment in a block; bytes where its place, its value and its statement lie."""

    node: Node
    block: Node
    root: bytes
    place: bytes
    """The name, or a key or member of it; with one for each name where several get values."""
    position: int
    """Which of several names this is; -1 for one that stands alone."""
    value: tuple[int, int]
    statement: tuple[int, int]

    @property
    def start(self) -> int:
        """The first byte of the place."""
        return self.node.start_byte


class Overwritten(Struct):
    """What is known of the assignments of a file, by the first byte of their places."""

    dead: set[int]
    """Those whose value is never read."""
    replacing: set[int]
    """Those, and calls, that replace a part of a literal."""
    copied: dict[tuple[int, str], str]
    """What those are given that copy a name which gets another value later, by what they say."""


def overwritten(matches: Matches, source: Source) -> Overwritten:
    """What later assignments make of earlier ones; nothing in most files."""
    found = Overwritten(set(), set(), {})
    by_block: dict[int, dict[bytes, list[_Assignment]]] = {}
    for assignment in _assignments(matches, source.data):
        in_block = by_block.setdefault(assignment.block.start_byte, {})
        in_block.setdefault(assignment.root, []).append(assignment)
    for in_block in by_block.values():
        several = {root: each for root, each in in_block.items() if len(each) > 1}
        if several:
            _Block(in_block, several, source.data, found).look()
    return found


def _assignments(matches: Matches, data: bytes) -> Iterator[_Assignment]:
    for group in matches.flows:
        to = "to" if "to" in group.names else "changed"
        value = "from" if "from" in group.names else "constant"
        # Loops and `with` give a place a value too, but as often as they run.
        if to in group.names and value in group.names:
            for match in group.matches:
                yield from _in_block(match[to][0], match[value][0], data)
    if _MERGING not in data:
        return
    for group in matches.uses:
        if {"receiver", "name", "arguments"} <= group.names:
            yield from _merges(group, data)


def _merges(group: MatchGroup, data: bytes) -> Iterator[_Assignment]:
    """Calls that put what a literal has into something else."""
    for match in group.matches:
        start, given = match["receiver"][0], match["arguments"][0]
        if data[start.start_byte : match["name"][0].end_byte] == _MERGING:
            merged = _MERGED.fullmatch(data, given.start_byte, given.end_byte)
            if merged:
                yield from _in_block(start, given, data, merged)


def _in_block(
    node: Node, value: Node, data: bytes, merged: re.Match[bytes] | None = None
) -> Iterator[_Assignment]:
    """An assignment that is a statement of a block, for each name that it gives a value to."""
    statement = node.parent
    if _ADDING in data[node.end_byte : value.start_byte]:
        return  # handlers of an event of C# are added to those it has
    while statement is not None and statement.type in _STATEMENTS:
        block = statement.parent
        if block is not None and block.type in _BLOCKS:
            start = merged.end(1) + 1 if merged else value.start_byte
            spans = (start, value.end_byte), (statement.start_byte, statement.end_byte)
            for name, place, position in _assigned_places(node, data, merged):
                yield _Assignment(node, block, name, place, position, *spans)
            return
        statement = block


def _assigned_places(
    node: Node, data: bytes, merged: re.Match[bytes] | None
) -> Iterator[tuple[bytes, bytes, int]]:
    """The name that a place begins with, the place, and its position among several; see
    `_Assignment`."""
    place = data[node.start_byte : node.end_byte]
    if merged:
        # Nothing else is called so: what is merged twice is not dead the first time.
        yield merged[1], b"%b.%d" % (merged[1], node.start_byte), -1
    elif _NAMES.fullmatch(place) and (b"," in place or place[:1] in (b"[", b"(")):
        for position, name in enumerate(_ROOT.findall(place)):
            yield name, name, position
    elif root := _ROOT.match(place):
        yield root[0], place, -1


class _Block:
    """The assignments of one block, by name and then by place in the source."""

    def __init__(
        self,
        assignments: dict[bytes, list[_Assignment]],
        several: dict[bytes, list[_Assignment]],
        data: bytes,
        found: Overwritten,
    ) -> None:
        self._all = sorted(
            (each for of_name in assignments.values() for each in of_name),
            key=lambda each: (each.start, each.position),
        )
        self._several = several
        self._data = data
        self._found = found
        self._copies: set[tuple[int, int]] = set()
        self._out_of_reach: dict[bytes, bool] = {}

    def look(self) -> None:
        """Note what is known of them."""
        self._copy()
        for of_name in self._several.values():
            self._compare(sorted(of_name, key=lambda each: each.start))

    def _copy(self) -> None:
        """Note what copies of names hold that get another value later."""
        held: dict[bytes, tuple[_Assignment, bytes]] = {}
        at = 0
        while at < len(self._all):
            now = self._all[at]
            given = self._data[slice(*now.value)]
            names = _ROOT.findall(given) if _NAMES.fullmatch(given) else []
            known = {name: self._certain_value(name, now, held) for name in names}
            if any(known.values()):
                self._copies.add(now.value)
                said = now.start, given.decode("utf-8", "replace")
                given = b"".join(known.get(part) or part for part in _PARTS.findall(given))
                self._found.copied[said] = given.decode("utf-8", "replace")
            values = given.strip(b"[]() ").split(b",")
            n_places = 0
            while at < len(self._all) and self._all[at].start == now.start:
                each = self._all[at]
                if each.place == each.root:
                    value = values[n_places].strip() if n_places < len(values) else b""
                    is_known = (each.position < 0) == (len(values) == 1)
                    held[each.root] = (each, value if is_known and _PATH.fullmatch(value) else b"")
                at, n_places = at + 1, n_places + 1

    def _certain_value(
        self, name: bytes, now: _Assignment, held: dict[bytes, tuple[_Assignment, bytes]]
    ) -> bytes:
        """What a name certainly holds where it is copied; b"" where that is not known."""
        if name not in self._several or name not in held:
            return b""
        before, value = held[name]
        start, end = before.statement[1], now.statement[0]
        if not value or not 0 <= end - start <= _MAX_BETWEEN:
            return b""
        # It may be called in between, or a member of it asked for: that gives it no other value.
        between = self._data[start:end]
        for at in _mentions(name, between, 0, len(between)):
            after = at + len(name)
            if between[after : after + 1] not in (b"(", b".", b";", b")"):
                return b""
        return value if b"(" not in between or self._is_out_of_reach(name) else b""

    def _is_out_of_reach(self, name: bytes) -> bool:
        """Whether nothing that is called can read a name."""
        known = self._out_of_reach.get(name)
        if known is None:
            of_name = self._several[name]
            places = [each.node for each in of_name]
            known = _is_out_of_reach(of_name[0].block, places, name, self._data)
            self._out_of_reach[name] = known
        return known

    def _compare(self, of_name: list[_Assignment]) -> None:
        """Note what later assignments make of earlier ones; all are of one name."""
        # Those since which nothing was read or called, by place.
        unread: dict[bytes, _Assignment] = {}
        before: _Assignment | None = None
        dead = self._found.dead
        for now in of_name:
            root = unread.get(now.root)
            # Only of a literal it is known what lies under its keys.
            is_literal = root is not None and self._data[root.value[0] :][:1] in _LITERALS
            if before is not None:
                unread = self._still_unread(unread, before, now, is_literal=is_literal)
            known = unread.get(now.place)
            if known is not None and known.position < 0:
                dead.add(known.start)
            if now.place != now.root and now.root in unread and is_literal:
                self._found.replacing.add(now.start)
            # A new object: what the old one had under its keys is out of reach by this name.
            if now.place == now.root:
                dead.update(each.start for each in unread.values() if each.position < 0)
                unread.clear()
            unread[now.place] = now
            before = now

    def _still_unread(
        self,
        unread: dict[bytes, _Assignment],
        before: _Assignment,
        now: _Assignment,
        *,
        is_literal: bool,
    ) -> dict[bytes, _Assignment]:
        """Those of some assignments that nothing reads from one assignment to the next."""
        text = self._between(before, now)
        if text is None or any(True for _ in _mentions(now.root, text, 0, len(text))):
            return {}
        # A parenthesis may call a function that reads the name, wherever that is defined.
        if b"(" not in text:
            return unread
        if not self._is_out_of_reach(now.root):
            return {}
        # What lies under its keys may be reached in another way, unless the object is new.
        return unread if is_literal else {k: v for k, v in unread.items() if k == now.root}

    def _between(self, before: _Assignment, now: _Assignment) -> bytes | None:
        """What is read and called from one assignment to the next, without copies that are known;
        None where that is too much to look through."""
        start, end = before.statement[1], now.statement[0]
        if not 0 <= end - start <= _MAX_BETWEEN:
            return None
        text = bytearray(self._data[start:end])
        for first, last in self._copies:
            if start <= first and last <= end:
                text[first - start : last - start] = b" " * (last - first)
        value = b"" if now.value in self._copies else self._data[slice(*now.value)]
        return bytes(text) + b" " + value


# A call could read a name where another function names it, and where an exception of the call is
# caught nearby: what a handler reads is what was there when the call was made.
def _is_out_of_reach(block: Node, places: list[Node], name: bytes, data: bytes) -> bool:
    """Whether nothing that is called in `block` can read `name`, to which `places` are given."""
    owner = _function_around(block)
    caught: Node | None = block
    while caught is not None and caught != owner:
        if "try" in caught.type:
            return False
        caught = caught.parent
    root = block if owner is None else owner
    while owner is None and root.parent is not None:
        root = root.parent
    start, end = root.start_byte, root.end_byte
    if owner is not None and not _is_bound_here(owner, places, data):
        while root.parent is not None:
            root = root.parent
        start, end = root.start_byte, root.end_byte
    inside = list(islice(_mentions(name, data, start, end), _MAX_NAMED + 1))
    if len(inside) > _MAX_NAMED:
        return False
    return all(_function_at(root, at) == owner for at in inside)


def _mentions(name: bytes, data: bytes, start: int, end: int) -> Iterator[int]:
    """Where a name stands that is no member, from `start` on and before `end`."""
    # An expression that looks behind tries every byte: this was an eighth of the time of Python.
    last = end + len(name) - 1
    at = data.find(name, start, last)
    while at >= 0:
        after = at + len(name)
        if data[at - 1 : at] not in _BEFORE_OTHERS and data[after : after + 1] not in _IN_NAMES:
            yield at
        at = data.find(name, after, last)


def _is_bound_here(owner: Node, places: list[Node], data: bytes) -> bool:
    """Whether one of some places declares its name in the function that it is in."""
    types = {place.parent.type for place in places if place.parent is not None}
    if types & _DECLARING:
        return True
    within = data[owner.start_byte : owner.end_byte]
    return bool(types & _BINDING_IN_FUNCTIONS) and not _FURTHER_OUT.search(within)


def _function_at(root: Node, at: int) -> Node | None:
    node = root.descendant_for_byte_range(at, at + 1)
    return _function_around(node) if node is not None else None


def _function_around(node: Node) -> Node | None:
    """The innermost function that a node is in, or is; None for none."""
    around: Node | None = node
    while around is not None:
        if _names_function(around.type) and around.is_named:
            return around
        around = around.parent
    return None


@cache
def _names_function(node_type: str) -> bool:
    return any(each in node_type for each in _FUNCTION_TYPES)
