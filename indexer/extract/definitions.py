"""From query matches to symbols: which definitions nest in which, where each one really starts.

Pure functions. A definition's span covers its decorators, attributes and the comment lines right
above it; its doc is that comment, or the docstring inside.
"""

from __future__ import annotations

import re
from collections import Counter

from msgspec.structs import replace

from satchel.indexer.extract.captures import RawDefinition
from satchel.indexer.extract.comments import Attachments, clean_doc
from satchel.indexer.extract.source import Source
from satchel.indexer.languages.spec import Language, VisibilityRule
from satchel.store.model import FUNCTIONS, Span, Symbol, SymbolKind, Visibility

MAX_SIGNATURE = 300
MAX_DOC = 2000
MAX_DEPTH = 60

_CONTAINERS = frozenset(
    {SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.TRAIT, SymbolKind.STRUCT, SymbolKind.ENUM,
     SymbolKind.EXTENSION}
)  # fmt: skip
_MEMBER = {SymbolKind.FUNCTION: SymbolKind.METHOD, SymbolKind.VARIABLE: SymbolKind.FIELD}
_KEYWORD = re.compile(
    r"[^(]*?\b(public\b|protected\b|fileprivate\b"
    r"|(?:private|internal)\b(?!\s*\(|\s+constructor)|pub\b\(?)"
)
_SAID = {"fileprivate": "private", "pub": "public", "pub(": "internal"}
_STRING = r'"(?:[^"\\]|\\.)*"'
_ANNOTATION = re.compile(
    rf"(?:@(?!interface\b)[\w.:]+(?:\((?:[^()\"]|{_STRING}|\((?:[^()\"]|{_STRING})*\))*\))?"
    r"|#?\[[^\]]*\]+)\s*"
)
_LEAD = re.compile(r"[A-Za-z][^({\[@#/]{0,120}\s")
_QUOTED = re.compile(r"(?:@\w+\s+)?(?P<quote>[\"'`])(.+?)(?:(?P=quote)|$)", re.DOTALL)


def symbols(
    found: list[RawDefinition], language: Language, source: Source, attachments: Attachments
) -> list[Symbol]:
    """The symbols of a file in source order; `Symbol.parent` indexes into the result."""
    _drop_shared_wraps(found)
    _stretch(found, source, attachments)
    test_marker = re.compile(language.test_marker) if language.test_marker else None
    result: list[Symbol] = []
    stack: list[tuple[RawDefinition, int]] = []  # the enclosing definitions and their indexes
    for draft in found:
        closed: list[int] = []
        while stack and not _encloses(stack[-1][0], draft):
            closed.append(stack.pop()[1])
        if len(stack) >= MAX_DEPTH:
            continue
        if draft.outer and any(outer.kind in FUNCTIONS for outer, _ in stack):
            continue
        parent = stack[-1][1] if stack else -1
        result.append(_symbol(draft, parent, result, language, source, attachments, test_marker))
        stack.append((draft, len(result) - 1))
        _make_room(result, closed, source)
    return result


def _make_room(result: list[Symbol], closed: list[int], source: Source) -> None:
    """End what came before the last symbol above its comment, which indentation may add to it."""
    limit = result[-1].span.start_byte
    for index in closed:
        span = result[index].span
        if span.start_byte < limit < span.end_byte:
            result[index] = replace(result[index], span=_span(span.start_byte, limit, source))


def _span(start: int, end: int, source: Source) -> Span:
    """The span of a definition without the blank lines that a grammar may count to it."""
    while end > start + 1 and source.data[end - 1] in b" \t\r\n":
        end -= 1
    return source.span(start, max(end, start + 1))


def _encloses(outer: RawDefinition, inner: RawDefinition) -> bool:
    """Names of one declaration, as in `var a, b int`, share its node and are siblings."""
    return outer.end >= inner.end and (outer.start, outer.end) != (inner.start, inner.end)


def _stretch(found: list[RawDefinition], source: Source, attachments: Attachments) -> None:
    """A `namespace x;` holds what follows: to the next of its kind, or to the end."""
    end = len(source.data)
    for draft in reversed(found):
        if draft.rest:
            draft.end = max(draft.end, end)
            end = attachments.above(draft.start)[0]


def _drop_shared_wraps(found: list[RawDefinition]) -> None:
    """A wrapper around several definitions (`type ( … )`) belongs to none of them."""
    uses = Counter(draft.wrap for draft in found if draft.wrap)
    for draft in found:
        if draft.wrap and uses[draft.wrap] > 1:
            draft.wrap = None


def _symbol(
    draft: RawDefinition,
    parent: int,
    earlier: list[Symbol],
    language: Language,
    source: Source,
    attachments: Attachments,
    test_marker: re.Pattern[str] | None,
) -> Symbol:
    start = min(draft.start, draft.wrap[0]) if draft.wrap else draft.start
    end = max(draft.end, draft.wrap[1]) if draft.wrap else draft.end
    owner = earlier[parent] if parent >= 0 else None
    attached, comment = attachments.above(start)
    if owner and attached <= owner.span.start_byte:
        comment = ""  # it is the owner's, which begins on the same line
        attached = max(start, owner.span.start_byte)
    start = attached
    name, qualified = _names(draft, owner, language)
    signature = _signature(draft, source, attachments)
    doc = clean_doc(source.text(*draft.doc)) if draft.doc else ""
    is_test = bool(owner and owner.is_test)
    if test_marker and not is_test:
        head = source.text(start, draft.body if draft.body > 0 else min(end, start + 2000))
        is_test = test_marker.search(head) is not None
    return Symbol(
        name=name,
        qualified_name=qualified,
        kind=_kind(draft, name, owner, language),
        span=_span(start, end, source),
        line=source.line_of(draft.name_start),
        signature=signature,
        doc=(doc or comment)[:MAX_DOC],
        visibility=_visibility(draft, name, signature, owner, language),
        parent=parent,
        is_test=is_test,
    )


def _names(draft: RawDefinition, owner: Symbol | None, language: Language) -> tuple[str, str]:
    parts = [draft.name] if draft.name.isidentifier() else _parts(draft.name, language.separator)
    prefix = [owner.qualified_name] if owner else []
    if draft.owner:
        prefix += [p for p in draft.owner.split(language.separator or None) if p]
    return parts[-1], ".".join([*prefix, *parts])


def _parts(name: str, separator: str) -> list[str]:
    quoted = _QUOTED.match(name)
    pieces = [quoted[2]] if quoted else name.split(separator or None)
    marks = ": " if separator else " "  # without one, `:+:` may be a name
    return [p.strip(marks) for p in pieces if p.strip(marks)] or [name]


def _kind(draft: RawDefinition, name: str, owner: Symbol | None, language: Language) -> SymbolKind:
    kind = draft.kind
    member = draft.owner or (owner is not None and owner.kind in _CONTAINERS)
    if member:
        kind = _MEMBER.get(kind, kind)
        if kind == SymbolKind.METHOD and name in language.constructors:
            return SymbolKind.CONSTRUCTOR
    if draft.kind == SymbolKind.VARIABLE and name.isupper():
        return SymbolKind.CONSTANT
    return kind


def _signature(draft: RawDefinition, source: Source, attachments: Attachments) -> str:
    """A definition's head on one line, where a comment in it would hide what follows."""
    end = draft.body if draft.start < draft.body else draft.end
    end = min(end, draft.start + 4 * MAX_SIGNATURE)
    text = attachments.code(draft.start, end)
    while annotation := _ANNOTATION.match(text):
        text = text[annotation.end() :]
    if draft.body < 0:
        text = _first_line(text)
    text = " ".join((_lead(draft, source) + text).split()).rstrip("{:=;,\\").strip()
    return text if len(text) <= MAX_SIGNATURE else text[: MAX_SIGNATURE - 1] + "…"


def _first_line(text: str) -> str:
    """The first line, and those after it up to the end of a parameter list that it opens."""
    line, _, rest = text.partition("\n")
    while rest and "=" not in line and line.count("(") > line.count(")"):
        more, _, rest = rest.partition("\n")
        line = f"{line}\n{more}"
    return line


def _lead(draft: RawDefinition, source: Source) -> str:
    """What a wrapper says before the definition, if it is plain words: `export`, `type`."""
    if not draft.wrap or draft.wrap[0] >= draft.start:
        return ""
    text = source.text(draft.wrap[0], draft.start)
    return text if _LEAD.fullmatch(text) else ""


def _visibility(
    draft: RawDefinition, name: str, signature: str, owner: Symbol | None, language: Language
) -> Visibility:
    if draft.access:
        return Visibility(draft.access)
    rule = language.visibility
    if rule == VisibilityRule.UNDERSCORE:
        hidden = name.startswith("_") and not (name.startswith("__") and name.endswith("__"))
        return Visibility.PRIVATE if hidden else Visibility.PUBLIC
    if rule == VisibilityRule.CAPITAL:
        return Visibility.PUBLIC if name[:1].isupper() else Visibility.INTERNAL
    if name.startswith("#"):
        return Visibility.PRIVATE
    said = _KEYWORD.match(signature) if rule != VisibilityRule.LABELS else None
    if said:
        return Visibility(_SAID.get(said[1], said[1]))
    if draft.section and not draft.exported:
        return Visibility(draft.section)
    if rule == VisibilityRule.EXPORT:
        member = owner or draft.owner
        return Visibility.PUBLIC if member or draft.exported else Visibility.INTERNAL
    return Visibility(language.default_visibility)
