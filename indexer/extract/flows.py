"""From query matches to flows: what a name, an attribute or a result may hold, as written.

Flows are raw text here, cut at `MAX_VALUE`; `indexer.callgraph.expressions.expressions` reads them
when the call graph asks. Constants are left out by the queries: they lead to no definition.
"""

import re
from collections.abc import Container, Iterator

from tree_sitter import Node

from satchel.indexer.extract.overwritten import Overwritten, overwritten
from satchel.indexer.extract.parse import Match, Matches, MatchGroup
from satchel.indexer.extract.references import enclosing, start_of_chain
from satchel.indexer.extract.source import Source
from satchel.indexer.languages.spec import FunctionNodes, Language
from satchel.store.model import Flow, Symbol, SymbolKind

MAX_PLACE = 80
MAX_VALUE = 320

_NO_SCOPES = frozenset({SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.FIELD})
"""Symbols that hold a value: what the value is made of belongs to the symbol around them."""
_ASSIGNED = (
    ("from", "", ""),
    ("made", "", "()"),
    ("is", ": ", ""),
    ("narrowed", "is ", ""),
    ("each", "in ", ""),
    ("entered", "with ", ""),
    ("constant", "", ""),
)
"""Capture of a value whose place is `@to`, what is put before its text, what after it."""
_OF_SYMBOL = (
    ("returned", "return", ""),
    ("result", "return", ": "),
    ("yielded", "yield", ""),
    ("decorator", "@", ""),
    ("exported", "default", ""),
    ("declared", "=", ""),
    ("outer", "^", ""),
)
"""Capture of a value of the symbol around it, its place, what is put before its text."""
_DELEGATING = frozenset({"*", "from"})
"""What stands between `yield` and a value all of whose elements are yielded."""
_NAME = re.compile(r"[A-Za-z_]")
_CONSTANT = re.compile(r"\w")
"""Where something is looked up by a name, numbers that are handed over may be what it holds."""
_TOLD_TYPES = re.compile(
    r"@(param|returns?|var|type)\s+"
    r"(?:\{([^{}\n]+)\}|([\w\\|?&]+(?:<[^>\n]*>)?[\w\\|\[\]]*))(?:\s+\[?(?:\.\.\.)?(\$?\w+))?"
).findall
"""Types that a comment tells: tag, type of JSDoc, type of PHPDoc, name."""
_PATTERN_WORDS = re.compile(r"\b(?:var|let|final|mut|ref|val)\s+|[&@]\s*")
_MAKER = re.compile(r"(?s)([\w.:]+?)\s*([({])(.*)[)}]").fullmatch
_SHORTHAND = re.compile(r"(^|,)\s*(\w+)\s*(?=,|$)")
_PlacedFlow = tuple[int, str, str]
"""First byte of what was captured, place, value."""


def flows(
    matches: Matches, source: Source, symbols: list[Symbol], language: Language
) -> tuple[Flow, ...]:
    """Flows by position, each with the innermost symbol around it that is a scope."""
    known = overwritten(matches, source)
    keyed = _names_of_keys(matches, source)
    found = _live_values(matches, source, language, known, keyed)
    for group in matches.uses:
        if "arguments" in group.names:
            found += _arguments(group, source, known.replacing, _CONSTANT if keyed else _NAME)
        elif "given" in group.names:
            for match in group.matches:
                node = match["name"][0]
                place = f"({_text(node, source, MAX_PLACE)}"
                found.append((node.start_byte, place, _text(match["given"][0], source, MAX_VALUE)))
    # By position, and then by text: patterns overlap, and their order is no property of the source.
    found.sort()
    result: dict[Flow, None] = {}
    # What is exported stands at -1, before everything.
    scopes = enclosing([start for start, _, _ in found], symbols)
    for (_, place, value), innermost in zip(found, scopes, strict=True):
        scope = innermost
        # A variable is a symbol, but what stands in its value belongs to the scope around it.
        while scope >= 0 and symbols[scope].kind in _NO_SCOPES:
            scope = symbols[scope].parent
        result[Flow(scope, place, value)] = None
    return tuple(result)


def _live_values(
    matches: Matches,
    source: Source,
    language: Language,
    known: Overwritten,
    keyed: frozenset[str],
) -> list[_PlacedFlow]:
    """What names, fields and results may hold, but for values that are never read, and constants
    that are no keys."""
    # Constants lead to no definition, unless they are what something is looked up by.
    found: list[_PlacedFlow] = []
    for group in matches.flows:
        is_constant = "constant" in group.names
        if is_constant and not keyed:
            continue
        for flow in _values(group, source, language):
            start, place, value = flow
            if value.startswith(": "):
                found.append(flow)
                continue
            if start not in known.dead and (not is_constant or place in keyed):
                mark = "=" if start in known.replacing else ""
                found.append((start, mark + place, known.copied.get((start, value), value)))
    return found


def _values(group: MatchGroup, source: Source, language: Language) -> Iterator[_PlacedFlow]:
    """What names, fields and results may hold where the code says so."""
    for label, read in _BY_LABEL.items():
        if label in group.names:
            return read(group, source)
    if "handing" in group.names:
        return _given_values(group, source, language)
    return _symbol_values(group, source, language.functions)


def _field_values(group: MatchGroup, source: Source) -> Iterator[_PlacedFlow]:
    """Types of parameters that are fields as well: `constructor(private store: Store)`."""
    for match in group.matches:
        node = match["field"][0]
        type_text = _text(match["is"][0], source, MAX_VALUE)
        name = _text(node, source, MAX_PLACE)
        place = f"$this->{name[1:]}" if name[:1] == "$" else f"this.{name}"  # as PHP writes it
        yield node.start_byte, place, f": {type_text}"


def _values_apart(group: MatchGroup, source: Source) -> Iterator[_PlacedFlow]:
    """What a pattern takes out of an instance: `Order(i, _)`, `Kind::B { item, owner: o }`."""
    for match in group.matches:
        node = match["apart"][0]
        text = _text(node, source, MAX_PLACE)
        if "parts" in match:  # Swift's `case .one(let i)` is no node
            text += f"({', '.join(_text(each, source, MAX_PLACE) for each in match['parts'])})"
        maker = _MAKER(_PATTERN_WORDS.sub("", text).lstrip("."))
        if maker and text[-1] in ")}":
            inside = maker[3] if maker[2] == "(" else _SHORTHAND.sub(r"\1\2: \2", maker[3])
            yield node.start_byte, f"{maker[1]}({inside})", maker[1]


def _held_values(group: MatchGroup, source: Source) -> Iterator[_PlacedFlow]:
    """What fields of a struct of C hold, as calls: `{ .open = f }` is `{ops.open(f)`."""
    for match in group.matches:
        node, held = match["name"][0], _text(match["held"][0], source, MAX_PLACE)
        field = _text(node, source, MAX_PLACE)
        yield node.start_byte, f"{{{_struct_around(node, source)}.{field}(", f"({held})"


def _struct_around(field: Node, source: Source) -> str:
    """The type of the literal of a struct in which a field is named; "" where it is not told."""
    holder = field.parent.parent if field.parent is not None else None  # the pair
    while holder is not None:
        holder = holder.parent
        if holder is None or (
            holder.type == "initializer_pair"
            and holder.child(0) is not None
            and holder.child(0).type == "field_designator"
        ):
            return ""
        told = holder.child_by_field_name("type")
        if told is not None:
            words = _text(told, source, MAX_PLACE).split()
            return words[-1] if words[-1].isidentifier() else ""
    return ""


def _contextual_values(group: MatchGroup, source: Source) -> Iterator[_PlacedFlow]:
    """Where the functions of parameters without a type are written."""
    for match in group.matches:
        node = match["contextual"][0]
        value = _by_context(node, source)
        if value:
            yield node.start_byte, _text(node, source, MAX_PLACE), value


def _placed_values(group: MatchGroup, source: Source) -> Iterator[_PlacedFlow]:
    """What is given to names, attributes and items."""
    to, mark = ("to", "") if "to" in group.names else ("changed", "=")
    for match in group.matches:
        node = match[to][0]
        start, place = node.start_byte, mark + _text(node, source, MAX_PLACE)
        if place[:1] == "(" and place[-1:] == ")":  # several places: a callee begins like that
            place = place[1:-1]
        if "of" in match:  # a field of what is made: `Hooks{Call: f}`
            place = f"{_text(match['of'][0], source, MAX_PLACE)}.{place}"
        for label, before, after in _ASSIGNED:
            if label in group.names:
                value = _chain(match[label][0], source)
                value += _arguments_of_type(match, source)
                yield start, place, before + value + after


def _told_types(group: MatchGroup, source: Source) -> Iterator[_PlacedFlow]:
    """Types that the comment above a definition tells: of `@to`, a variable or a field, else of the
    parameters and the result of the function that is called `@at`."""
    for match in group.matches:
        comment, named = match["told"][0], match["to" if "to" in match else "at"][0]
        text = source.text(comment.start_byte, comment.end_byte)
        for tag, in_braces, plain, name in _TOLD_TYPES(text):
            written = f": {(in_braces or plain).strip()}"[:MAX_VALUE]
            if "to" in match:
                if tag in ("var", "type"):
                    yield named.start_byte, _text(named, source, MAX_PLACE), written
            elif tag.startswith("return"):
                yield named.start_byte, "return", written
            elif tag == "param" and name and (in_braces or name[0] == "$"):
                yield named.start_byte, name[:MAX_PLACE], written


def _arguments_of_type(match: Match, source: Source) -> str:
    """The arguments of a type, where these are no part of its node: in Dart."""
    return _text(match["is_of"][0], source, MAX_VALUE) if "is_of" in match else ""


def _given_values(group: MatchGroup, source: Source, language: Language) -> Iterator[_PlacedFlow]:
    """What the parameters of a function get that is handed to the method `@handing` of `@of`: the
    first is `@first`, or is not written (`@implied` begins the function), the next `@second`; bare
    names may be members of what `@receiving` begins to get."""
    for match in group.matches:
        method, holder = _text(match["handing"][0], source, MAX_PLACE), match["of"][0]
        of = _on_one_line(source.text(start_of_chain(holder), holder.end_byte))
        for number, label in enumerate(("first", "second")):
            if label in match:
                node = match[label][0]
                name = _text(node, source, MAX_PLACE)
                yield node.start_byte, name, f"of {number} {method} {of}"[:MAX_VALUE]
        if "receiving" in match:
            is_made = method == language.names.instance_maker
            value = f"{of}.{method}" if is_made else f"of 0 {method} {of}"
            yield match["receiving"][0].start_byte, ".", value[:MAX_VALUE]
        if "implied" in match:
            node = match["implied"][0]
            body = node.parent or node
            text = source.text(node.start_byte, body.end_byte)
            for name in language.implied_parameters:
                if name in text:
                    yield node.start_byte, name, f"of 0 {method} {of}"[:MAX_VALUE]


def _by_context(parameter: Node, source: Source) -> str:
    """Where the function of a parameter is written: an argument of a call, or what is returned; ""
    for anywhere else."""
    holder = parameter.parent
    number = 0
    if holder is not None and holder.type == "required_parameter" and holder.parent is not None:
        number = _position(holder)
        holder = holder.parent.parent
    around = holder.parent if holder is not None else None
    if holder is None or around is None:
        return ""
    if around.type in ("return_statement", "arrow_function"):
        return f"given - {number}"
    call = around.parent if around.type == "arguments" else None
    callee = call.child_by_field_name("function") if call is not None else None
    if callee is None or callee.end_byte - callee.start_byte > MAX_PLACE:
        return ""
    return f"given {_position(holder)} {number} {_text(callee, source, MAX_PLACE)}"


def _position(node: Node) -> int:
    """The position of a node in the list that it is in, comments left out."""
    beside = node.parent.named_children if node.parent is not None else []
    return [each.id for each in beside if each.type != "comment"].index(node.id)


def _filled_values(group: MatchGroup, source: Source) -> Iterator[_PlacedFlow]:
    """What a call gives to a variable that it declares as an argument: `out var x`."""
    for match in group.matches:
        node, argument = match["filled"][0], match["filled"][0].parent
        while argument is not None and argument.type != "argument":
            argument = argument.parent
        if argument is not None:
            callee = _text(match["filling"][0], source, MAX_PLACE)
            value = f"out {_position(argument)} {callee}"
            yield node.start_byte, _text(node, source, MAX_PLACE), value


def _symbol_values(
    group: MatchGroup, source: Source, functions: FunctionNodes
) -> Iterator[_PlacedFlow]:
    """The results and decorators of symbols."""
    for label, place, before in _OF_SYMBOL:
        if label in group.names:
            for match in group.matches:
                node = match[label][0]
                if label == "returned" and _is_of_callback(node, functions):
                    continue
                text = before + _chain(node, source) + _arguments_of_type(match, source)
                if label == "yielded" and _is_delegated(node):
                    text = "*" + text
                # What a module exports is its own, wherever the exported name begins; and what is
                # defined where it is returned does not return itself.
                is_symbol = node.type in functions.anonymous or node.type == "class"
                start = -1 if label == "exported" else node.start_byte - is_symbol
                yield start, place, text


def _is_of_callback(node: Node, functions: FunctionNodes) -> bool:
    """Whether a returned value is that of a function that is no symbol: passed to a call, or made
    by another function."""
    outer = node.parent if functions.anonymous else None
    while outer is not None and outer.type not in functions.named:
        if outer.type in functions.anonymous:
            return not _is_symbol(outer, functions)
        outer = outer.parent
    return False


def _is_symbol(function: Node, functions: FunctionNodes) -> bool:
    """Whether a function expression is the value of something that has a name, or has its own."""
    holder = function.parent
    if holder is None or function.child_by_field_name("name") is not None:
        return True
    if holder.type not in functions.members:
        return holder.type in functions.holders
    # What the query says of members of objects, here for what they return.
    # An arrow without a block is a symbol where the object itself has a name.
    body = function.child_by_field_name("body")
    if body is not None and body.type in functions.blocks:
        return True
    around = holder.parent.parent if holder.parent is not None else None
    return around is not None and around.type in functions.holders


def _is_delegated(node: Node) -> bool:
    before = node.prev_sibling
    return before is not None and before.type in _DELEGATING


def _names_of_keys(matches: Matches, source: Source) -> frozenset[str]:
    """The names that are keys somewhere in the file: only their constants tell anything."""
    return frozenset(
        source.text(match["keyed"][0].start_byte, match["keyed"][0].end_byte)
        for group in matches.flows
        if "keyed" in group.names
        for match in group.matches
    )


def _arguments(
    group: MatchGroup, source: Source, replacing: Container[int], telling: re.Pattern[str]
) -> Iterator[_PlacedFlow]:
    """The arguments of calls, but for those without anything telling, which lead nowhere."""
    called = "callee" if "callee" in group.names else "name"
    first = "receiver" if "receiver" in group.names else called
    for match in group.matches:
        node = match["arguments"][0]
        if node.end_byte - node.start_byte <= 2:  # "()"
            continue
        text = _text(node, source, MAX_VALUE)
        if not telling.search(text):
            continue
        start = match[first][0].start_byte
        callee = source.text(start, min(match[called][0].end_byte, start + MAX_PLACE))
        if " " in callee or not callee.isprintable():
            callee = _on_one_line(callee)
        mark = "=" if start in replacing else ""
        yield start, f"{mark}{callee}(", text


def _text(node: Node, source: Source, limit: int) -> str:
    start, end = node.start_byte, node.end_byte
    text = source.text(start, end if end - start <= limit else start + limit)
    return _on_one_line(text) if "\n" in text else text


def _chain(node: Node, source: Source) -> str:
    """The text of a value, from where its chain begins."""
    start, end = start_of_chain(node), node.end_byte
    text = source.text(start, min(end, start + MAX_VALUE))
    return _on_one_line(text) if "\n" in text else text


def _on_one_line(text: str) -> str:
    """The text with one blank for each run of white space, also at its ends."""
    # The dots keep blanks at the ends from being lost. A fifth of the time of a pattern.
    return " ".join(f".{text}.".split())[1:-1]


_BY_LABEL = {
    "field": _field_values,
    "contextual": _contextual_values,
    "told": _told_types,
    "apart": _values_apart,
    "held": _held_values,
    "filled": _filled_values,
    "to": _placed_values,
    "changed": _placed_values,
}
"""Who reads the values of a match, by one of its captures; the first counts."""
