"""From query matches to references and imports: what a file uses, as written."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

from tree_sitter import Node

from indexer.parse import Match, Matches
from indexer.source import Source
from store.model import Import, Reference, ReferenceKind, Symbol

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


def references(matches: Matches, source: Source, symbols: list[Symbol]) -> tuple[Reference, ...]:
    """Calls and uses of types in source order, each with the innermost symbol around it.

    The name that a definition gives, or is filed under, is no use of it, and what is called or
    inherited is not also listed as a type.
    """
    defined = _defined(matches.definitions)
    found: dict[tuple[int, str, ReferenceKind], str] = {}
    for match in matches.uses:
        for label, kind in _KINDS:
            if label not in match:
                continue
            if "name" in match:
                name_node = match["name"][0]
                name = _text(name_node, source, MAX_NAME)
                if name and name_node.start_byte not in defined:
                    key = (name_node.start_byte, name, kind)
                    found[key] = _receiver(match.get("receiver"), source) or found.get(key, "")
            elif "callee" in match:
                start = match["callee"][0].start_byte
                found[start, RESULT, kind] = _receiver(match["callee"], source)
            elif "iterated" in match:
                start = match["iterated"][0].start_byte
                found[start, ITERATION, kind] = _receiver(match["iterated"], source)
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


def _outside(
    ordered: list[tuple[int, str, str, ReferenceKind]], marks: list[Match]
) -> list[tuple[int, str, str, ReferenceKind]]:
    """The references without the calls inside what `@uncalled` captured."""
    quiet = [(n.start_byte, n.end_byte) for m in marks for n in m.get("uncalled", ())]
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


def _defined(definitions: list[Match]) -> set[int]:
    return {
        match[label][0].start_byte
        for match in definitions
        for label in ("name", "owner")
        if label in match
    }


def enclosing(positions: list[int], symbols: list[Symbol]) -> list[int]:
    """For ascending byte positions, the index of the innermost symbol that holds each (or -1)."""
    result: list[int] = []
    stack: list[int] = []
    upcoming = 0
    for position in positions:
        while upcoming < len(symbols) and symbols[upcoming].span.start_byte <= position:
            stack.append(upcoming)
            upcoming += 1
        while stack and symbols[stack[-1]].span.end_byte <= position:
            stack.pop()
        result.append(stack[-1] if stack else -1)
    return result


def imports(matches: Iterable[Match], source: Source) -> tuple[Import, ...]:
    """Imported bindings in source order; a statement that names members is not also listed bare."""
    found: dict[tuple[int, int], list[tuple[int, Import]]] = {}
    for match in map(_with_module, matches):
        if "import" in match and "module" in match:
            statement = match["import"][0]
            key = (statement.start_byte, statement.end_byte)
            found.setdefault(key, []).append(_binding(match, source))
    return tuple(
        binding for _, bindings in sorted(found.items()) for binding in _distinct(bindings)
    )


def _with_module(match: Match) -> Match:
    """A member of an import with the statement around it, and the module that this names."""
    if "member" not in match:
        return match
    statement = match["member"][0].parent
    while statement is not None and statement.type not in _STATEMENTS:
        statement = statement.parent
    module = statement.child_by_field_name("source") if statement else None
    return {**match, "import": [statement], "module": [module]} if statement and module else match


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


def _receiver(nodes: list[Node] | None, source: Source) -> str:
    if not nodes:
        return ""
    text = " ".join(_text(nodes[0], source, 4 * MAX_RECEIVER).split()).strip(".")
    while len(text) > MAX_RECEIVER and (shorter := _ARGUMENTS.sub("()", text)) != text:
        text = shorter
    return text if len(text) <= MAX_RECEIVER else text[: MAX_RECEIVER - 1] + "…"


def _text(node: Node, source: Source, limit: int) -> str:
    return source.text(node.start_byte, min(node.end_byte, node.start_byte + limit))


def _unquote(text: str) -> str:
    text = text.strip().strip("\"'`")
    return text[1:-1] if text[:1] == "<" and text[-1:] == ">" else text
