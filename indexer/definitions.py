"""From query matches to symbols: which definitions nest in which, where each one really starts.

Pure functions. A definition's span covers its decorators, attributes and the comment lines right
above it; its doc is that comment, or the docstring inside.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from indexer.comments import Attachments, clean_doc
from indexer.language import Language, VisibilityRule
from indexer.parse import Match
from indexer.source import Source
from store.model import Symbol, SymbolKind, Visibility

MAX_SIGNATURE = 300
MAX_DOC = 2000
MAX_NAME = 200
MAX_DEPTH = 60

_DEFINITION = "definition."
_CONTAINERS = frozenset(
    {SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.TRAIT, SymbolKind.STRUCT, SymbolKind.ENUM,
     SymbolKind.EXTENSION}
)  # fmt: skip
_MEMBER = {SymbolKind.FUNCTION: SymbolKind.METHOD, SymbolKind.VARIABLE: SymbolKind.FIELD}
_KEYWORD = re.compile(r"\b(public|protected|private|internal|fileprivate|pub)\b")
_SPACE = re.compile(r"\s+")


@dataclass(slots=True)
class Draft:
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
    wrapped: bool = False
    children: list[Draft] = field(default_factory=list)


def drafts(matches: Iterable[Match], source: Source) -> list[Draft]:
    """One draft for each defined node, outermost first; unnamed nodes are left out."""
    found: dict[tuple[int, int, int], Draft] = {}
    unnamed: dict[tuple[int, int], Match] = {}
    for match in matches:
        label = next((name for name in match if name.startswith(_DEFINITION)), None)
        if label is None:
            continue
        node = match[label][0]
        names = match.get("name")
        if not names:
            unnamed[node.start_byte, node.end_byte] = match
            continue
        name_node = names[0]
        key = (node.start_byte, node.end_byte, name_node.start_byte)
        draft = found.get(key)
        if draft is None:
            name = source.text(name_node.start_byte, name_node.end_byte)[:MAX_NAME]
            kind = SymbolKind(label[len(_DEFINITION) :])
            draft = Draft(node.start_byte, node.end_byte, kind, name, name_node.start_byte)
            found[key] = draft
        _merge(draft, match, source)
    for draft in found.values():
        extra = unnamed.get((draft.start, draft.end))
        if extra is not None:
            _merge(draft, extra, source)
    return sorted(found.values(), key=lambda d: (d.start, -d.end, d.name_start))


def _merge(draft: Draft, match: Match, source: Source) -> None:
    if "wrap" in match:
        node = match["wrap"][0]
        if draft.wrap is None or node.end_byte - node.start_byte > draft.wrap[1] - draft.wrap[0]:
            draft.wrap = (node.start_byte, node.end_byte)
            draft.wrapped = True
    if "body" in match and draft.body < 0:
        draft.body = match["body"][0].start_byte
    if "doc" in match and draft.doc is None:
        draft.doc = (match["doc"][0].start_byte, match["doc"][-1].end_byte)
    if "owner" in match and not draft.owner:
        node = match["owner"][0]
        draft.owner = source.text(node.start_byte, node.end_byte)[:MAX_NAME]


def symbols(
    found: list[Draft], language: Language, source: Source, attachments: Attachments
) -> list[Symbol]:
    """The symbols of a file in source order; `Symbol.parent` indexes into the result."""
    _drop_shared_wraps(found)
    test_marker = re.compile(language.test_marker) if language.test_marker else None
    result: list[Symbol] = []
    stack: list[tuple[int, int]] = []  # (end byte, index) of the enclosing definitions
    for draft in found:
        while stack and stack[-1][0] < draft.end:
            stack.pop()
        if len(stack) >= MAX_DEPTH:
            continue
        parent = stack[-1][1] if stack else -1
        result.append(_symbol(draft, parent, result, language, source, attachments, test_marker))
        stack.append((draft.end, len(result) - 1))
    return result


def _drop_shared_wraps(found: list[Draft]) -> None:
    """A wrapper around several definitions (`type ( … )`) belongs to none of them."""
    uses = Counter(draft.wrap for draft in found if draft.wrap)
    for draft in found:
        if draft.wrap and uses[draft.wrap] > 1:
            draft.wrap = None


def _symbol(
    draft: Draft,
    parent: int,
    earlier: list[Symbol],
    language: Language,
    source: Source,
    attachments: Attachments,
    test_marker: re.Pattern[str] | None,
) -> Symbol:
    start = min(draft.start, draft.wrap[0]) if draft.wrap else draft.start
    end = max(draft.end, draft.wrap[1]) if draft.wrap else draft.end
    start, comment = attachments.above(start)
    owner = earlier[parent] if parent >= 0 else None
    start = max(start, owner.span.start_byte) if owner else start
    name, qualified = _names(draft, owner, language)
    signature = _signature(draft, source)
    doc = clean_doc(source.text(*draft.doc)) if draft.doc else ""
    is_test = bool(owner and owner.is_test)
    if test_marker and not is_test:
        head = source.text(start, draft.body if draft.body > 0 else min(end, start + 2000))
        is_test = test_marker.search(head) is not None
    return Symbol(
        name=name,
        qualified_name=qualified,
        kind=_kind(draft, name, owner, language),
        span=source.span(start, max(end, start + 1)),
        line=source.line_of(draft.name_start),
        signature=signature,
        doc=(doc or clean_doc(comment))[:MAX_DOC],
        visibility=_visibility(draft, name, signature, owner, language),
        parent=parent,
        is_test=is_test,
    )


def _names(draft: Draft, owner: Symbol | None, language: Language) -> tuple[str, str]:
    parts = [p.strip() for p in draft.name.split(language.separator)] if language.separator else []
    parts = [p for p in parts if p] or [draft.name]
    prefix = [owner.qualified_name] if owner else []
    if draft.owner:
        prefix += [p for p in draft.owner.split(language.separator) if p]
    return parts[-1], ".".join([*prefix, *parts])


def _kind(draft: Draft, name: str, owner: Symbol | None, language: Language) -> SymbolKind:
    kind = draft.kind
    member = draft.owner or (owner is not None and owner.kind in _CONTAINERS)
    if member:
        kind = _MEMBER.get(kind, kind)
        if kind == SymbolKind.METHOD and name in language.constructors:
            return SymbolKind.CONSTRUCTOR
    if kind == SymbolKind.VARIABLE and name.isupper():
        return SymbolKind.CONSTANT
    return kind


def _signature(draft: Draft, source: Source) -> str:
    end = draft.body if draft.start < draft.body else draft.end
    end = min(end, draft.start + 4 * MAX_SIGNATURE)
    text = source.text(draft.start, end)
    if draft.body < 0:
        text = text.split("\n", 1)[0]
    text = _SPACE.sub(" ", text).strip().rstrip("{:=").strip()
    return text if len(text) <= MAX_SIGNATURE else text[: MAX_SIGNATURE - 1] + "…"


def _visibility(
    draft: Draft, name: str, signature: str, owner: Symbol | None, language: Language
) -> Visibility:
    rule = language.visibility
    if rule == VisibilityRule.UNDERSCORE:
        hidden = name.startswith("_") and not (name.startswith("__") and name.endswith("__"))
        return Visibility.PRIVATE if hidden else Visibility.PUBLIC
    if rule == VisibilityRule.CAPITAL:
        return Visibility.PUBLIC if name[:1].isupper() else Visibility.INTERNAL
    if name.startswith("#"):
        return Visibility.PRIVATE
    said = _KEYWORD.search(signature.split("(", 1)[0])
    if said:
        word = {"fileprivate": "private", "pub": "public"}.get(said[1], said[1])
        return Visibility(word)
    if rule == VisibilityRule.EXPORT:
        return Visibility.PUBLIC if owner or draft.wrapped else Visibility.INTERNAL
    return Visibility(language.default_visibility)
