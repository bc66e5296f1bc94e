"""From query matches to references and imports: what a file uses, as written."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import chain

from tree_sitter import Node

from satchel.indexer.extract.parse import Match, Matches, MatchGroup
from satchel.indexer.extract.source import Source
from satchel.store.model import Import, Reference, ReferenceKind, Symbol

MAX_NAME = 200
MAX_RECEIVER = 120

RESULT = "()"
"""The name of a use that has none, since what is called is the value of an expression."""

ITERATION = "__iter__"
"""The name of what a loop calls, which stands nowhere in the source."""

_ARGUMENTS = re.compile(r"\([^()]+\)")
_STATEMENTS = frozenset({"import_statement", "export_statement"})
_JOINT = re.compile(r"[^\w\s{(]*")
_KINDS = tuple((kind.value, kind) for kind in ReferenceKind)
_Found = dict[tuple[int, str, ReferenceKind], str]
"""Start, name and kind of a use → its receiver."""


def references(matches: Matches, source: Source, symbols: list[Symbol]) -> tuple[Reference, ...]:
    """Calls and uses of types in source order, each with the innermost symbol around it.

    The name that a definition gives, or is filed under, is no use of it, and what is called or
    inherited is not also listed as a type.
    """
    defined = _defined(matches.definitions)
    found: _Found = {}
    for run in matches.uses:
        for label, kind in _KINDS:
            if label not in run.names:
                continue
            if "name" in run.names:
                _named(run, kind, defined, source, found)
            elif "callee" in run.names:
                _unnamed(run, "callee", (RESULT, kind), source, found)
            elif "iterated" in run.names:
                _unnamed(run, "iterated", (ITERATION, kind), source, found)
    stronger = {start for start, _, kind in found if kind != ReferenceKind.TYPE}
    plain = (
        (start, name, receiver, kind)
        for (start, name, kind), receiver in found.items()
        if kind != ReferenceKind.TYPE or start not in stronger
    )
    ordered = _outside(sorted(plain), matches.marks)
    scopes = enclosing([start for start, *_ in ordered], symbols)
    return tuple(
        Reference(name, receiver, kind, scope, source.line_of(start))
        for (start, name, receiver, kind), scope in zip(ordered, scopes, strict=True)
    )


def _named(
    run: MatchGroup, kind: ReferenceKind, defined: set[int], source: Source, found: _Found
) -> None:
    """Add the uses of names; of several receivers of one use the last that says something stays."""
    has_receiver = "receiver" in run.names
    for match in run.matches:
        node = match["name"][0]
        name, start = _text(node, source, MAX_NAME), node.start_byte
        if name and start not in defined:
            receiver = _receiver(match["receiver"][0], source) if has_receiver else ""
            key = (start, name, kind)
            found[key] = receiver or found.get(key, "")


def _unnamed(
    run: MatchGroup, label: str, use: tuple[str, ReferenceKind], source: Source, found: _Found
) -> None:
    """Add the uses of what `label` captured, an expression without a name of its own."""
    for match in run.matches:
        node = match[label][0]
        found[node.start_byte, *use] = _receiver(node, source)


def _outside(
    ordered: list[tuple[int, str, str, ReferenceKind]], marks: list[MatchGroup]
) -> list[tuple[int, str, str, ReferenceKind]]:
    """The references without the calls inside what `@uncalled` captured."""
    quiet = [
        (node.start_byte, node.end_byte)
        for run in marks
        if "uncalled" in run.names
        for match in run.matches
        for node in match["uncalled"]
    ]
    if not quiet:
        return ordered
    ends = dict(sorted(quiet))
    starts = list(ends)
    result = []
    for entry in ordered:
        before = bisect_right(starts, entry[0]) - 1
        inside = before >= 0 and entry[0] < ends[starts[before]]
        if not inside or entry[3] != ReferenceKind.CALL:
            result.append(entry)
    return result


def _defined(definitions: list[MatchGroup]) -> set[int]:
    return {
        match[label][0].start_byte
        for run in definitions
        for label in ("name", "owner")
        if label in run.names
        for match in run.matches
    }


def enclosing(positions: list[int], symbols: list[Symbol]) -> list[int]:
    """For ascending byte positions, the index of the innermost symbol that holds each (or -1)."""
    result: list[int] = []
    stack: list[int] = []
    upcoming = valid_until = 0
    for position in positions:
        if position >= valid_until:  # seldom
            while upcoming < len(symbols) and symbols[upcoming].span.start_byte <= position:
                stack.append(upcoming)
                upcoming += 1
            while stack and symbols[stack[-1]].span.end_byte <= position:
                stack.pop()
            begin = symbols[upcoming].span.start_byte if upcoming < len(symbols) else sys.maxsize
            end = symbols[stack[-1]].span.end_byte if stack else sys.maxsize
            valid_until = min(begin, end)
        result.append(stack[-1] if stack else -1)
    return result


def imports(runs: Iterable[MatchGroup], source: Source) -> tuple[Import, ...]:
    """Imported bindings in source order; a statement that names members is not also listed bare."""
    found: dict[tuple[int, int], list[tuple[int, Import]]] = {}
    for match in chain.from_iterable(map(_with_modules, runs)):
        if "import" in match and "module" in match:
            statement = match["import"][0]
            key = (statement.start_byte, statement.end_byte)
            found.setdefault(key, []).append(_binding(match, source))
    return tuple(
        binding for _, bindings in sorted(found.items()) for binding in _distinct(bindings)
    )


def _with_modules(run: MatchGroup) -> Iterator[Match]:
    """Imports; members of them with the statement around them, and the module that this names."""
    if "member" not in run.names:
        yield from run.matches
        return
    statement = module = None
    end = 0
    for match in run.matches:
        node = match["member"][0]
        if node.start_byte >= end:  # what is not in the statement of the one before
            statement = _statement(node)
            module = statement.child_by_field_name("source") if statement else None
            end = statement.end_byte if statement else 0
        if statement and module:
            yield {**match, "import": [statement], "module": [module]}


def _statement(node: Node) -> Node | None:
    """The import or export around a member of it."""
    statement = node.parent
    while statement is not None and statement.type not in _STATEMENTS:
        statement = statement.parent
    return statement


def _binding(match: Match, source: Source) -> tuple[int, Import]:
    module = match["module"][0]
    names = match.get("name")
    aliases = match.get("alias")
    name = _text(names[0], source, MAX_NAME).strip(": ") if names else ""
    name = "default" if "default" in match else name
    alias = _text(aliases[0], source, MAX_NAME) if aliases else ""
    return names[0].start_byte if names else module.start_byte, Import(
        module=_unquote(_module(match["module"], source)),
        name="*" if "wildcard" in match else name,
        alias="" if alias == name else alias,
        line=source.line_of(module.start_byte),
    )


def _module(nodes: list[Node], source: Source) -> str:
    """What is imported from: the text of all the nodes, without the braces of a group."""
    start, end = nodes[0].start_byte, nodes[-1].end_byte
    text = source.text(start, min(end, start + MAX_NAME))
    if len(nodes) == 1 or "{" not in text:
        return text
    joint = _JOINT.match(source.text(nodes[0].end_byte, nodes[0].end_byte + 8))
    glue = joint[0] if joint else ""
    return glue.join(_text(node, source, MAX_NAME) for node in nodes)[:MAX_NAME]


def _distinct(bindings: list[tuple[int, Import]]) -> list[Import]:
    """One entry a binding: overlapping patterns also match it bare or without its alias."""
    ordered = sorted(bindings, key=lambda entry: (entry[0], entry[1].module, entry[1].name))
    unique = list(dict.fromkeys(binding for _, binding in ordered))
    with_members = {binding.module for binding in unique if binding.name}
    whole = {binding.module for binding in unique if binding.name == "*" and not binding.alias}
    with_alias = {(binding.module, binding.name) for binding in unique if binding.alias}
    return [
        binding
        for binding in unique
        if (binding.name or binding.alias or binding.module not in with_members)
        and (binding.alias or binding.name == "*" or binding.module not in whole)
        and (binding.alias or (binding.module, binding.name) not in with_alias)
    ]


def _receiver(node: Node, source: Source) -> str:
    text = " ".join(_text(node, source, 4 * MAX_RECEIVER).split()).strip(".")
    while len(text) > MAX_RECEIVER and (shorter := _ARGUMENTS.sub("()", text)) != text:
        text = shorter
    return text if len(text) <= MAX_RECEIVER else text[: MAX_RECEIVER - 1] + "…"


def _text(node: Node, source: Source, limit: int) -> str:
    start, end = node.start_byte, node.end_byte
    return source.text(start, end if end - start <= limit else start + limit)


def _unquote(text: str) -> str:
    text = text.strip().strip("\"'`")
    return text[1:-1] if text[:1] == "<" and text[-1:] == ">" else text
