"""From query matches to symbols: which definitions nest in which, where each one really starts.

Pure functions. A definition's span covers its decorators, attributes and the comment lines right
above it; its doc is that comment, or the docstring inside.
"""

import re
from collections import Counter
from typing import NamedTuple

from msgspec.structs import replace

from satchel.indexer.extract.captures import RawDefinition
from satchel.indexer.extract.comments import Attachments, clean_doc
from satchel.indexer.extract.source import Source
from satchel.indexer.languages.spec import Language, VisibilityRule
from satchel.store.model import CLASS_LIKE, FUNCTIONS, Span, Symbol, SymbolKind, Visibility

MAX_SIGNATURE = 300
MAX_DOC = 2000
MAX_DEPTH = 60
_HEAD_BYTES = 2000
"""How much of a definition without a body is looked through for the mark of a test."""

_FIELDS = (SymbolKind.FIELD, SymbolKind.PROPERTY)
_MEMBER = {SymbolKind.FUNCTION: SymbolKind.METHOD, SymbolKind.VARIABLE: SymbolKind.FIELD}
# The keywords of all languages with `VisibilityRule.KEYWORDS` or `EXPORT`: in none of them does one
# mean anything else before the parameters. `private(set)` and `private constructor` are of another
# thing than the definition.
_KEYWORD = re.compile(
    r"[^(]*?\b(public\b|protected\b|fileprivate\b"
    r"|(?:private|internal)\b(?!\s*\(|\s+constructor)|pub\b\(?)"
)
_OF_KEYWORD = {"fileprivate": "private", "pub": "public", "pub(": "internal"}
_STRING = r'"(?:[^"\\]|\\.)*"'
_ANNOTATION = re.compile(
    rf"(?:@(?!(?:interface|implementation|protocol|testset|testitem|property(?!\())\b)[\w.:]+(?:\((?:[^()\"]|{_STRING}|\((?:[^()\"]|{_STRING})*\))*\))?"
    r"|#?\[[^\]]*\]+)\s*"
)
_PLAIN_WORDS = re.compile(r"[A-Za-z][^({\[@#/]{0,120}\s")
_QUOTED = re.compile(r"(?:@\w+\s+)?(?P<quote>[\"'`])(.+?)(?:(?P=quote)|$)", re.DOTALL)


def symbols(
    found: list[RawDefinition], language: Language, source: Source, attachments: Attachments
) -> list[Symbol]:
    """The symbols of a file in source order; `Symbol.parent` indexes into the result."""
    # A wrapper around several definitions (`type ( … )`) belongs to none of them.
    wraps = Counter(raw.wrap for raw in found if raw.wrap)
    for raw in found:
        if raw.wrap and wraps[raw.wrap] > 1:
            raw.wrap = None
    _extend_rest(found, attachments)
    test_marker = re.compile(language.test_marker) if language.test_marker else None
    file = _File(language, source, attachments, test_marker)
    result: list[Symbol] = []
    stack: list[tuple[RawDefinition, int]] = []  # the enclosing definitions and their indexes
    for raw in found:
        closed: list[int] = []
        while stack and stack[-1][0].end < raw.end:
            closed.append(stack.pop()[1])
        # Names of one declaration, as in `var a, b int`, share its node and are siblings; what is
        # in `typedef struct { … } name, *pointer;` belongs to the first of them.
        before = stack[-1][0] if stack else None
        is_sibling = before is not None and (before.start, before.end) == (raw.start, raw.end)
        holder = stack.pop() if is_sibling else None
        closed += [holder[1]] if holder else []
        if len(stack) >= MAX_DEPTH:
            continue
        if raw.outer and any(outer.kind in FUNCTIONS for outer, _ in stack):
            continue
        parent = stack[-1][1] if stack else -1
        # What a constructor's parameters declare are fields of the class.
        if raw.kind in _FIELDS and parent >= 0 and result[parent].kind == SymbolKind.CONSTRUCTOR:
            parent = result[parent].parent
        result.append(_symbol(raw, parent, result, file))
        has_members = holder and holder[0].kind in CLASS_LIKE
        stack.append(holder if holder and has_members else (raw, len(result) - 1))
        _end_before_comment(result, closed, source)
    return result


def _end_before_comment(result: list[Symbol], closed: list[int], source: Source) -> None:
    """End the symbols that were left where the comment of the last symbol begins.

    Grammars that go by indentation count that comment to what stands above it.
    """
    limit = result[-1].span.start_byte
    for index in closed:
        span = result[index].span
        if span.start_byte < limit < span.end_byte:
            result[index] = replace(result[index], span=_span(span.start_byte, limit, source))


def _span(start: int, end: int, source: Source) -> Span:
    """The span of a definition without the blank lines that a grammar may count to it, or that a
    rewriting left where something stood before it."""
    while start < end - 1 and source.data[start] in b" \t\r\n":
        start += 1
    while end > start + 1 and source.data[end - 1] in b" \t\r\n":
        end -= 1
    return source.span(start, max(end, start + 1))


def _extend_rest(found: list[RawDefinition], attachments: Attachments) -> None:
    """Extend each `namespace x;` over what follows: to the next in its block, or to the end."""
    ends: dict[int, int] = {}
    for raw in reversed(found):
        if raw.rest:
            raw.end = max(raw.end, ends.get(raw.rest, raw.rest))
            ends[raw.rest] = attachments.above(raw.start)[0]


class _File(NamedTuple):
    """What is read of one file while its symbols are made."""

    language: Language
    source: Source
    attachments: Attachments
    test_marker: re.Pattern[str] | None


def _symbol(raw: RawDefinition, parent: int, earlier: list[Symbol], file: _File) -> Symbol:
    language, source, attachments, test_marker = file
    start = min(raw.start, raw.wrap[0]) if raw.wrap else raw.start
    end = max(raw.end, raw.wrap[1]) if raw.wrap else raw.end
    owner = earlier[parent] if parent >= 0 else None
    attached, comment = attachments.above(start)
    if owner and attached <= owner.span.start_byte:
        comment = ""  # it is the owner's, which begins on the same line
        attached = max(start, owner.span.start_byte)
    start = attached
    name, qualified = _names(raw, owner, language)
    signature = _signature(raw, source, attachments)
    if _is_prototype(raw, source, language):
        signature += ";"
    doc = clean_doc(source.text(*raw.doc)) if raw.doc else ""
    is_test = bool(owner and owner.is_test)
    if test_marker and not is_test:
        head = source.text(start, raw.body if raw.body > 0 else min(end, start + _HEAD_BYTES))
        is_test = test_marker.search(head) is not None
    return Symbol(
        name=name,
        qualified_name=qualified,
        kind=_kind(raw, name, owner, language),
        span=_span(start, end, source),
        line=source.line_of(raw.name_start),
        signature=signature,
        doc=(doc or comment)[:MAX_DOC],
        visibility=_visibility(raw, name, signature, owner, language),
        parent=parent,
        is_test=is_test,
    )


def _names(raw: RawDefinition, owner: Symbol | None, language: Language) -> tuple[str, str]:
    """The simple name and the qualified name."""
    # A definition may be written with a path of its own: `void Outer::Inner::method()`.
    separator, name = language.separator, raw.name.removeprefix(language.sigil)
    parts = [name]
    if not name.isidentifier():
        quoted = _QUOTED.match(name)
        pieces = [quoted[2]] if quoted else name.split(separator or None)
        marks = ": " if separator else " "  # without one, `:+:` may be a name
        parts = [p.strip(marks) for p in pieces if p.strip(marks)] or parts
    prefix = [owner.qualified_name] if owner and not raw.whole else []
    if raw.owner:
        prefix += [p for p in raw.owner.split(separator or None) if p]
    return parts[-1], ".".join([*prefix, *parts])


def _kind(raw: RawDefinition, name: str, owner: Symbol | None, language: Language) -> SymbolKind:
    kind = raw.kind
    member = raw.owner or (owner is not None and owner.kind in CLASS_LIKE)
    if member:
        kind = _MEMBER.get(kind, kind)
        if kind == SymbolKind.METHOD and name in language.constructors:
            return SymbolKind.CONSTRUCTOR
    if raw.kind == SymbolKind.VARIABLE and name.isupper():
        return SymbolKind.CONSTANT
    return kind


def _signature(raw: RawDefinition, source: Source, attachments: Attachments) -> str:
    """A definition's head on one line, without annotations and comments."""
    end = raw.body if raw.start < raw.body else raw.end
    end = min(end, raw.start + 4 * MAX_SIGNATURE)
    # On one line a comment would hide what follows it.
    text = attachments.code(raw.start, end)
    while annotation := _ANNOTATION.match(text):
        text = text[annotation.end() :]
    if raw.body < 0:
        # The first line, and those after it up to the end of parameters that it opens.
        text, _, rest = text.partition("\n")
        while rest and "=" not in text and text.count("(") > text.count(")"):
            more, _, rest = rest.partition("\n")
            text = f"{text}\n{more}"
    if raw.wrap and raw.wrap[0] < raw.start:
        # What a wrapper says before the definition counts if it is plain words: `export`, `type`.
        before = source.text(raw.wrap[0], raw.start)
        text = before + text if _PLAIN_WORDS.fullmatch(before) else text
    text = " ".join(text.split()).rstrip("{:=;,\\").strip()
    return text if len(text) <= MAX_SIGNATURE else text[: MAX_SIGNATURE - 1] + "…"


def _is_prototype(raw: RawDefinition, source: Source, language: Language) -> bool:
    """Whether a function is declared here and defined elsewhere: `store.reading.prototypes`."""
    has_headers = bool(language.names.header_extensions)
    return has_headers and raw.kind in FUNCTIONS and source.data[raw.body : raw.body + 1] == b";"


def _visibility(
    raw: RawDefinition, name: str, signature: str, owner: Symbol | None, language: Language
) -> Visibility:
    if raw.access:
        return Visibility(raw.access)
    rule = language.visibility
    if rule == VisibilityRule.UNDERSCORE:
        hidden = name.startswith("_") and not (name.startswith("__") and name.endswith("__"))
        return Visibility.PRIVATE if hidden else Visibility.PUBLIC
    if rule == VisibilityRule.CAPITAL:
        return Visibility.PUBLIC if name[:1].isupper() else Visibility.INTERNAL
    if name.startswith("#"):  # `#field` of JavaScript
        return Visibility.PRIVATE
    keyword = _KEYWORD.match(signature) if rule != VisibilityRule.LABELS else None
    if keyword:
        return Visibility(_OF_KEYWORD.get(keyword[1], keyword[1]))
    if raw.section and not raw.exported:
        return Visibility(raw.section)
    if rule == VisibilityRule.EXPORT:
        member = owner or raw.owner
        return Visibility.PUBLIC if member or raw.exported else Visibility.INTERNAL
    return Visibility(language.default_visibility)
