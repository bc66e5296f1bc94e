"""Definitions of a language with braces that one expression finds, each whole to its brace. Pure.

For files in which a grammar meets what it does not know. Several may stand on a line, and what only
a type can have is told by standing right in the body of one. Offsets are bytes of the source.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable

from msgspec import Struct

from satchel.indexer.languages.outlines.lines import kind_of
from satchel.store.model import CLASS_LIKE, SymbolKind

_VISIBLE = re.compile(rb"[^\r\n]")
_BRACE = re.compile(rb"[{}]")
_END_OF_STATEMENT = re.compile(rb"[;}\n]|\Z")


class Declared(Struct, frozen=True):
    """A definition as the source declares it; `body` is its brace, or its end without one."""

    start: int
    body: int
    end: int
    kind: SymbolKind
    name: str
    name_start: int


def by_braces(pattern: bytes, no_code: bytes) -> Callable[[bytes], list[Declared]]:
    """Finds what `pattern` matches at the start of a statement, outside of comments and strings,
    which match `no_code`; quotes stay.

    Group `name` is what is defined, and `word` what kind of thing that is, a function by default;
    names with other endings are as good. `member` and `field` count right in the body of a type,
    `maker` in that of the type of its name. A brace that ends a match opens the body.
    """
    declares = re.compile(rb"(?:^|(?<=[{};]))[ \t]*+(?P<all>" + pattern + rb")", re.MULTILINE)
    skipped = re.compile(no_code)
    kinds = re.compile(r"name|member|field|maker")
    groups = {group: kind[0] for group in declares.groupindex if (kind := kinds.match(group))}

    def find(data: bytes) -> list[Declared]:
        code = skipped.sub(_blank, data)
        closing, edges = _pairs(code)
        result: list[Declared] = []
        types: dict[int, str] = {}  # the names of types, by the braces that open them
        for match in declares.finditer(code):
            group = next(each for each in groups if match[each] is not None)
            name = data[slice(*match.span(group))].decode("utf-8", "replace")
            holder = types.get(edges[bisect_right(edges, (match.start("all"),)) - 1][1])
            if groups[group] != "name" and (
                holder is None or (groups[group] == "maker" and holder != name)
            ):
                continue
            word = (match["word"] or b"").decode("ascii", "replace")
            kind = SymbolKind.VARIABLE if groups[group] == "field" else kind_of(word)
            kind = SymbolKind.CONSTRUCTOR if groups[group] == "maker" else kind
            has_body = code[match.end() - 1 : match.end()] == b"{"
            behind = _END_OF_STATEMENT.search(code, match.end())
            body = match.end() - 1 if has_body or behind is None else behind.start()
            end = closing.get(body, len(data)) if has_body else body
            if kind in CLASS_LIKE:
                types[body] = name
            result.append(Declared(match.start("all"), body, end, kind, name, match.start(group)))
        return result

    return find


def _blank(match: re.Match[bytes]) -> bytes:
    found = match[0]
    blank = _VISIBLE.sub(b" ", found)
    return found[:1] + blank[1:-1] + found[-1:] if found[:1] in (b'"', b"'") else blank


def _pairs(code: bytes) -> tuple[dict[int, int], list[tuple[int, int]]]:
    """Behind which brace that closes each one ends, and from where on which one is innermost."""
    closing: dict[int, int] = {}
    open_now = [-1]
    edges = [(-1, -1)]
    for brace in _BRACE.finditer(code):
        at = brace.start()
        if brace[0] == b"{":
            open_now.append(at)
        elif len(open_now) > 1:
            closing[open_now.pop()] = at + 1
        edges.append((at, open_now[-1]))
    return closing, edges
