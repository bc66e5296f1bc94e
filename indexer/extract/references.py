"""From query matches to references and imports: what a file uses, as written."""

import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from satchel.indexer.extract.parse import Match, Matches, MatchGroup
from satchel.indexer.extract.source import Source
from satchel.indexer.languages.name_rules import RUN_BY_MARKS
from satchel.indexer.languages.operators import method_of
from satchel.indexer.languages.spec import Language
from satchel.store.model import FUNCTIONS, Import, Reference, ReferenceKind, Symbol, SymbolKind

MAX_NAME = 200
MAX_RECEIVER = 120

RESULT = "()"
"""The name of a use that has none, since what is called is the value of an expression."""

ITERATION = "__iter__"
"""The name of what a loop calls, which stands nowhere in the source."""

LOOP = "iterator"
"""The same in JavaScript, whose classes define `[Symbol.iterator]`."""

IN_FIELD = "{"
"""Before the name of a field of C that is given a function: what is noted as a call."""
_CLOSING = "close"
"""What Java calls at the end of `try` of what stands in its head."""
_UNNAMED = {"callee": RESULT, "looped": LOOP, "iterated": ITERATION, "closed": _CLOSING}
"""The names of uses that stand nowhere in the source, by what is captured of them."""
_PARTS_OF_CHAIN = frozenset({"selector", "cascade_section"})
_PATHS = "::"
_IN_TYPES = frozenset({"binary_operator", "subscript", "tuple", "list"})
_ASSIGNING = frozenset({"assignment"})
_ARGUMENTS = re.compile(r"\([^()]+\)")
_SEPARATOR = re.compile(r"[^\w\s{(]*")
_TYPE = ReferenceKind.TYPE  # until Python 3.12, looking it up costs as much as a call
_READ = ReferenceKind.READ
_LONGEST_READ = 4 * MAX_RECEIVER
_MEMBER = re.compile(
    r"(?s)(?:(.*[^\s.?!>:-])\s*(?:[?!]{0,2}\.|\??->|::)\s*|:{1,2})?([\w$]+)"
).fullmatch
"""A name, or a member with what stands before it."""
_WORDS = re.compile(r"\w+").findall
_KINDS = tuple((kind.value, kind) for kind in ReferenceKind if kind != _READ)
_RUN_WHEN_READ = frozenset({SymbolKind.PROPERTY, SymbolKind.FUNCTION, SymbolKind.METHOD})
_COMPARING = frozenset("== != < <= > >= === <=>".split())
_IS_LITERAL = re.compile(
    r".*literal|nil|null|true|false|integer|float|string|simple_symbol"
).fullmatch
_OPERATED = frozenset({"operated", "signed"})
_READ_LABELS = frozenset({"read", "handed"})
_PROVIDER = re.compile(
    r"(?:^\(?[\"']?|^@selector\(|@dataProvider\s+)(?:([\w.\\]+)(?:#|::class,\s*['\"]|::))?(\w+)"
).search
"""A function that provides data, with the class that has it: in a text, or in a comment of PHP; the
method that a selector of Objective-C names."""


class _Use(NamedTuple):
    """A use while it is being read; the order of uses is that of their fields."""

    start: int
    """The byte where the name starts, or the expression that stands for it."""
    name: str
    receiver: str
    kind: ReferenceKind


class _Binding(NamedTuple):
    """An import with the byte where its name starts, or else its module."""

    start: int
    found: Import


_Receivers = dict[tuple[int, int, str, ReferenceKind], str]
"""Start, end where it has no name, name and kind of a use → its receiver."""


def references(
    matches: Matches,
    source: Source,
    symbols: list[Symbol],
    language: Language,
    named: Iterable[int] = (),
) -> tuple[Reference, ...]:
    """Calls and uses of types in source order, each with the innermost symbol around it.

    `named` is where definitions have their names that the query does not have. The name that a
    definition gives, or is filed under, is no use of it, and what is called or inherited is not
    also listed as a type.
    """
    defined = set(named) | {
        match[label][0].start_byte
        for group in matches.definitions
        for label in ("name", "owner")
        if label in group.names
        for match in group.matches
    }
    found: _Receivers = {}
    for group in matches.uses:
        for label, kind in _KINDS:
            if label in group.names:
                _add_uses(group, kind, defined, source, found)
    _add_bound(matches, source, found)
    _add_fields(matches, source, found)
    # A class that is inherited matches the pattern for types as well.
    no_types = {start for start, _, _, kind in found if kind != _TYPE}
    uses = sorted(
        _Use(start, name, receiver, kind)
        for (start, _, name, kind), receiver in found.items()
        if kind != _TYPE or start not in no_types
    )
    uses = _with_paths(_without_uncalled(uses, matches.marks), language)
    scopes = enclosing([use.start for use in uses], symbols)
    reads = _reads(matches, defined, source, symbols, found)
    reads += _run_by_operators(matches, source, language)
    read = _without_variables(reads, matches, source, symbols)
    placed = [*zip(uses, scopes, strict=True), *read]
    return tuple(
        Reference(use.name, use.receiver, use.kind, scope, source.line_of(use.start))
        for use, scope in (sorted(placed) if read else placed)
    )


def _add_uses(
    group: MatchGroup, kind: ReferenceKind, defined: set[int], source: Source, found: _Receivers
) -> None:
    """Add the uses of one kind that a pattern finds."""
    if "name" in group.names:
        _add_named(group, kind, defined, source, found)
    elif "run" in group.names:
        _add_run_by_mark(group, kind, source, found)
    elif "operator" in group.names:
        _add_operators(group, kind, source, found)
    else:
        for place, name in _UNNAMED.items():
            if place in group.names:
                _add_unnamed(group, place, (name, kind), source, found)


def _add_fields(matches: Matches, source: Source, found: _Receivers) -> None:
    """Add the fields of structs that are given functions: `{ .open = f }`, `ops->open = f`."""
    for group in matches.flows:
        for match in group.matches if "held" in group.names else ():
            node = match["name"][0]
            name = IN_FIELD + _text(node, source, MAX_NAME)
            found[node.start_byte, 0, name, ReferenceKind.CALL] = ""


def _add_bound(matches: Matches, source: Source, found: _Receivers) -> None:
    """Add types of one letter that the file imports: others are parameters of a type."""
    imported: set[str] | None = None
    for start, name in _texts(matches, "bound", source):
        if imported is None:
            imported = {
                source.text(node.start_byte, node.end_byte)
                for group in matches.imports
                for label in {"name", "alias"} & group.names
                for match in group.matches
                for node in match[label]
            }
        if name in imported:
            found.setdefault((start, 0, name, _TYPE), "")


def _with_paths(uses: list[_Use], language: Language) -> list[_Use]:
    """The uses, with packages as receivers: `Shop::Log::write` is one node in Perl's grammar; a
    function that makes an instance is a use of its class."""
    if language.makers:
        makes = re.compile(language.makers).fullmatch
        return [u._replace(name=made[1]) if (made := makes(u.name)) else u for u in uses]
    # In other languages such a name is whole: functions of shell scripts are called `lib::name`.
    if language.separator != _PATHS or not any(_PATHS in use.name for use in uses):
        return uses
    parts = [use.name.rpartition(_PATHS) for use in uses]
    return [
        use._replace(name=name or use.name, receiver=use.receiver or owner)
        for use, (owner, _, name) in zip(uses, parts, strict=True)
    ]


def _add_named(
    group: MatchGroup, kind: ReferenceKind, defined: set[int], source: Source, found: _Receivers
) -> None:
    """Add the uses of names; where patterns see several receivers, the last non-empty one stays."""
    has_receiver = "receiver" in group.names
    for match in group.matches:
        node = match["name"][0]
        name, start = _text(node, source, MAX_NAME), node.start_byte
        if name and start not in defined:
            receiver = _joined(match["receiver"], source) if has_receiver else ""
            key = (start, 0, name, kind)
            found[key] = receiver or found.get(key, "")


def _reads(
    matches: Matches, defined: set[int], source: Source, symbols: list[Symbol], found: _Receivers
) -> list[_Use]:
    """What names, and members of what stands before them, are read and not called, in any order.

    A bare name is most often a variable: what is not handed on must be defined in the file.
    """
    own = {each.name for each in symbols if each.kind in _RUN_WHEN_READ}
    named = defined | {start for start, end, _, _ in found if not end}
    called = {start + len(name) for start, end, name, _ in found if not end}
    pasting = {name for _, name in _texts(matches, "pasting", source)}
    parts: dict[str, tuple[str, str]] = {}
    result: list[_Use] = []
    for label, match in _labelled(matches, _READ_LABELS):
        node = match[label][0]
        start, end = node.start_byte, node.end_byte
        # Behind a long expression nothing is followed.
        if end in called or end - start > _LONGEST_READ:
            continue
        # A macro that pastes its arguments together uses them as parts of other names.
        if pasting and "by" in match and _text(match["by"][0], source, MAX_NAME) in pasting:
            continue
        text = source.text(start, end)
        if text not in parts:
            read = _MEMBER(text)
            parts[text] = (" ".join((read[1] or "").split()), read[2]) if read else ("", "")
        receiver, name = parts[text]
        if "receiver" in match:
            receiver = _joined(match["receiver"], source)
        if not name or end - len(name) in named:
            continue
        if receiver or label != "read" or name in own:
            result.append(_Use(end - len(name), name, receiver, _READ))
    return result


def _run_by_operators(matches: Matches, source: Source, language: Language) -> Iterator[_Use]:
    """The methods that operators run of the value that stands before them."""
    for label, match in _labelled(matches, _OPERATED):
        node, sign = match[label][0], match["operator"][0]
        operator, behind = _text(sign, source, MAX_NAME), sign.next_sibling
        if _is_async(sign):
            continue
        # What is compared with a literal is most often one of the language's own.
        if behind is not None and operator in _COMPARING and _IS_LITERAL(behind.type):
            continue
        is_sign, is_stored = label == "signed", "stored" in match
        operators = language.names.operators
        names = operators.run_by(operator, is_sign=is_sign, is_stored=is_stored)
        if "setting" in match:
            names = [_text(match["setting"][0], source, MAX_NAME) + operators.setter]
        for name in names:
            yield _Use(node.start_byte, name, _joined(match[label], source), _READ)


def _is_async(word: Node | None) -> bool:
    """Whether `async` stands before a word: then other methods run."""
    before = word.prev_sibling if word is not None else None
    return before is not None and before.type == "async"


def _providers(matches: Matches, source: Source) -> Iterator[_Use]:
    """Functions that provide a test with data, named in a text; a comment lies before its test."""
    for _, match in _labelled(matches, frozenset({"provided"})):
        node = match["provided"][0]
        provider = _PROVIDER(source.text(node.start_byte, node.end_byte))
        if provider:
            at = match.get("at", match["provided"])[0]
            yield _Use(at.start_byte, provider[2], provider[1] or "", _READ)


def _without_variables(
    reads: list[_Use], matches: Matches, source: Source, symbols: list[Symbol]
) -> list[tuple[_Use, int]]:
    """Reads with the symbol around each, every name of it once, but for those of variables."""
    provided = set(_providers(matches, source))
    reads += provided
    if not reads:
        return []
    bound = sorted(_texts(matches, "local", source))
    around = enclosing([start for start, _ in bound], symbols)
    variables = {(scope, name) for scope, (_, name) in zip(around, bound, strict=True)}
    parameters: dict[int, set[str]] = {-1: set()}
    reads.sort()
    first: dict[tuple[int, str, str], _Use] = {}
    for use, scope in zip(reads, enclosing([use.start for use in reads], symbols), strict=True):
        if scope not in parameters:
            symbol = symbols[scope]
            signature = symbol.signature if symbol.kind in FUNCTIONS else ""
            # Before the name stand annotations, behind the parameters of a function in one line
            # what it does.
            behind = signature.partition(f"{symbol.name}(")[2] or signature.partition("(")[2]
            parameters[scope] = set(_WORDS(behind.partition(") = ")[0]))
        is_variable = use.name in parameters[scope] or (scope, use.name) in variables
        if use.receiver or use in provided or not is_variable:
            first.setdefault((scope, use.name, use.receiver), use)
    return [(use, scope) for (scope, _, _), use in first.items()]


def _labelled(matches: Matches, labels: frozenset[str]) -> Iterator[tuple[str, Match]]:
    """Each match of uses with each of its labels that is one of some."""
    for group in matches.uses:
        for label in labels & group.names:
            for match in group.matches:
                yield label, match


def _texts(matches: Matches, label: str, source: Source) -> Iterator[tuple[int, str]]:
    """Where each node that has a label begins, and its text."""
    for _, match in _labelled(matches, frozenset({label})):
        for node in match[label]:
            yield node.start_byte, source.text(node.start_byte, node.end_byte)


def _add_unnamed(
    group: MatchGroup,
    label: str,
    use: tuple[str, ReferenceKind],
    source: Source,
    found: _Receivers,
) -> None:
    """Add the uses of what `label` captured, an expression without a name of its own."""
    for match in group.matches:
        node = match[label][0]
        if label == "iterated" and node.parent is not None and _is_async(node.parent.child(1)):
            continue
        # `f()()` and `f()()()` begin together.
        found[node.start_byte, node.end_byte, *use] = _receiver(node, source)


def _add_run_by_mark(
    group: MatchGroup, kind: ReferenceKind, source: Source, found: _Receivers
) -> None:
    """Add the methods that run of a class which an annotation is given."""
    for match in group.matches:
        node = match["run"][0]
        methods = RUN_BY_MARKS.get(_text(match["mark"][0], source, MAX_NAME), "")
        for name in methods.split():
            found[node.start_byte, 0, name, kind] = _text(node, source, MAX_RECEIVER)


def _add_operators(
    group: MatchGroup, kind: ReferenceKind, source: Source, found: _Receivers
) -> None:
    """Add the methods that operators run, of the value that is asked first."""
    is_sign, is_reflected = "signed" in group.names, "reflected" in group.names
    label = "signed" if is_sign else "reflected" if is_reflected else "operated"
    for match in group.matches:
        node, operator = match[label][0], match["operator"][0]
        if _is_in_type(node):
            continue
        around = node.parent.parent if node.parent is not None else None
        is_stored = (
            around is not None
            and around.type in _ASSIGNING
            and around.child_by_field_name("left") == node.parent
        )
        name = method_of(
            operator.type, is_sign=is_sign, is_reflected=is_reflected, is_stored=is_stored
        )
        # Of `a + b + c` only the first value is asked: what it gives has no name in the source.
        if name:
            found[node.start_byte, node.end_byte, name, kind] = _receiver(node, source)


def _is_in_type(node: Node) -> bool:
    """Whether a value is part of an annotation, where `|` and brackets run nothing."""
    holder = node.parent
    while holder is not None and holder.type in _IN_TYPES:
        holder = holder.parent
    return holder is not None and holder.type == "type"


def _without_uncalled(uses: list[_Use], marks: list[MatchGroup]) -> list[_Use]:
    """The uses without the calls inside what `@uncalled` captured: type specifications."""
    places = [
        (node.start_byte, node.end_byte)
        for group in marks
        if "uncalled" in group.names
        for match in group.matches
        for node in match["uncalled"]
    ]
    if not places:
        return uses
    # Sorted, so that of places that begin together the longest stays and one bisection finds it.
    ends = dict(sorted(places))
    starts = list(ends)
    result = []
    for use in uses:
        before = bisect_right(starts, use.start) - 1
        inside = before >= 0 and use.start < ends[starts[before]]
        if not inside or use.kind != ReferenceKind.CALL:
            result.append(use)
    return result


def enclosing(positions: Sequence[int], symbols: Sequence[Symbol]) -> list[int]:
    """For ascending byte positions, the index of the innermost symbol that holds each (or -1)."""
    result: list[int] = []
    stack: list[int] = []
    upcoming = valid_until = 0
    for position in positions:
        # Symbols are in source order and nest, so that one sweep with a stack finds them. The top
        # of the stack stays the answer until a symbol begins or ends: most positions ask nothing.
        if position >= valid_until:
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


def imports(
    groups: Iterable[MatchGroup], source: Source, language: Language
) -> dict[tuple[int, int], list[Import]]:
    """The bindings of each import statement, by its first byte and the one behind it, in order.

    A statement that names members is not also listed bare.
    """
    found: dict[tuple[int, int], list[_Binding]] = {}
    for group in groups:
        for match in _with_modules(group, language.import_statements):
            if "import" in match and "module" in match:
                statement = match["import"][0]
                key = (statement.start_byte, statement.end_byte)
                found.setdefault(key, []).append(_binding(match, source))
    return {extent: _distinct(bindings) for extent, bindings in sorted(found.items())}


def _with_modules(group: MatchGroup, statements: frozenset[str]) -> Iterator[Match]:
    """The matches of imports; those of members with `import` and `module` added.

    A pattern for a member with the statement around it would match once for every pair of them.
    """
    if "member" not in group.names:
        yield from group.matches
        return
    statement = module = None
    end = 0
    for match in group.matches:
        node = match["member"][0]
        if node.start_byte >= end:  # behind the statement of the member before
            statement = node.parent
            while statement is not None and statement.type not in statements:
                statement = statement.parent
            module = statement.child_by_field_name("source") if statement else None
            end = statement.end_byte if statement else 0
        if statement and module:
            yield {**match, "import": [statement], "module": [module]}


def _binding(match: Match, source: Source) -> _Binding:
    module = match["module"][0]
    names = match.get("name")
    aliases = match.get("alias")
    name = _text(names[0], source, MAX_NAME).strip(": ") if names else ""
    # `import a from "b"` binds what the module exports under this name.
    name = "default" if "default" in match else name
    alias = _text(aliases[0], source, MAX_NAME) if aliases else ""
    nodes = match["module"]
    start, end = nodes[0].start_byte, nodes[-1].end_byte
    written = source.text(start, min(end, start + MAX_NAME))
    if len(nodes) > 1 and "{" in written:
        # `use a::{b, c}` names a::b and a::c: the parts are joined by what stands behind the first.
        separator = _SEPARATOR.match(source.text(nodes[0].end_byte, nodes[0].end_byte + 8))
        parts = (_text(node, source, MAX_NAME) for node in nodes)
        written = (separator[0] if separator else "").join(parts)[:MAX_NAME]
    written = written.strip().strip("\"'`")
    found = Import(
        module=written[1:-1] if written[:1] == "<" and written[-1:] == ">" else written,
        name="*" if "wildcard" in match else name,
        alias="" if alias == name else alias,
        line=source.line_of(module.start_byte),
    )
    return _Binding(names[0].start_byte if names else module.start_byte, found)


def _distinct(bindings: list[_Binding]) -> list[Import]:
    """One entry a binding: overlapping patterns also match it bare or without its alias."""
    ordered = sorted(bindings, key=lambda b: (b.start, b.found.module, b.found.name))
    unique = list(dict.fromkeys(binding.found for binding in ordered))
    # A pattern for a whole statement matches once more where another matched its members.
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


def start_of_chain(node: Node) -> int:
    """Where the expression begins of which a node is the last part: Dart's are neighbours."""
    while node.type in _PARTS_OF_CHAIN and node.prev_sibling is not None:
        node = node.prev_sibling
    return node.start_byte


def _joined(parts: Sequence[Node], source: Source) -> str:
    """A receiver that may stand in several nodes: `module.a`, `Item.new().b()`."""
    return _shortened(".".join(_receiver(part, source) for part in parts))


def _receiver(node: Node, source: Source) -> str:
    start, end = start_of_chain(node), node.end_byte
    text = source.text(start, min(end, start + 4 * MAX_RECEIVER))
    return _shortened(" ".join(text.split()).strip("."))


def _shortened(text: str) -> str:
    # Innermost arguments go first: of a chain of calls the names are what can be followed.
    while len(text) > MAX_RECEIVER and (shorter := _ARGUMENTS.sub("()", text)) != text:
        text = shorter
    return text if len(text) <= MAX_RECEIVER else text[: MAX_RECEIVER - 1] + "…"


def _text(node: Node, source: Source, limit: int) -> str:
    start, end = node.start_byte, node.end_byte
    return source.text(start, end if end - start <= limit else start + limit)
