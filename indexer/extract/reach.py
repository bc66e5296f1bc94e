"""Whether a call could read a name that a block of statements gives values to.

It could where another function names it, and where an exception of the call is caught nearby: what
a handler reads is what was there when the call was made.
"""

from __future__ import annotations

import re

from tree_sitter import Node

_FUNCTION_TYPES = ("function", "method", "lambda", "closure", "func_literal", "static_block")
"""What the types of nodes that are functions have in them."""
_FURTHER_OUT = re.compile(rb"\b(?:global|nonlocal)\s")
_DECLARING = frozenset({"variable_declarator"})
_BINDING_IN_FUNCTIONS = frozenset({"assignment"})
"""Python's assignments bind a name in the function that they are in."""
_MAX_NAMED = 100
"""A name that stands in a file more often than this is taken for one that may be read."""


def is_out_of_reach(block: Node, places: list[Node], name: bytes, data: bytes) -> bool:
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
    named = [m.start() for m in re.finditer(rb"(?<![\w$.])%b(?![\w$])" % re.escape(name), data)]
    inside = [at for at in named if start <= at < end]
    if len(inside) > _MAX_NAMED:
        return False
    return all(_function_at(root, at) == owner for at in inside)


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
        if around.is_named and any(each in around.type for each in _FUNCTION_TYPES):
            return around
        around = around.parent
    return None
