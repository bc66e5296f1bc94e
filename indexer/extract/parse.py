"""The edge to tree-sitter: grammars, compiled queries, and matches as plain tuples of nodes.

Parsers hold the interpreter lock and a few grammars can crash on hostile input, so this runs in
worker processes only (`indexer.extract.pool`). Within one process the caches below may be shared.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.resources import files
from itertools import groupby
from operator import itemgetter
from sys import intern

from msgspec import Struct, field
from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser, Query, QueryCursor

from satchel.indexer.extract.source import Source
from satchel.store.model import Symbol

Match = dict[str, list[Node]]
DEFINITION, ACCESS, OWNER = "definition.", "access.", "owner."
"""What names of captures begin with; the kind of a definition follows, a visibility, or a name."""

_PURPOSES = (
    ("uses", {"call", "inherit", "implement", "type", "bound", "read", "handed", "provided",
              "local", "pasting", "operated", "signed"}),
    ("imports", {"import", "member"}),
    ("flows", {"from", "filled", "made", "is", "each", "entered", "returned", "result", "yielded",
               "decorator", "exported", "declared", "outer", "constant", "keyed", "contextual",
               "handing", "told", "narrowed", "receiving",
               "apart", "held"}),
    ("notes", {"comment", "decoration"}),
)  # fmt: skip
"""Lists of `Matches`; a match belongs in each of which it has a capture."""
_MARKS = frozenset({"same", "uncalled", "export"})
_PATTERN = re.compile(r"^[(\[].*(?:\n(?![(\[]).*)*", re.MULTILINE)
"""A pattern begins where a line does; its other lines are indented or close it."""
_TYPE = re.compile(r"\(#type\? @([\w.]+) ([\w\s]+)\)")
_QUOTED = re.compile(
    r"string|comment|^template_literal|char|doc|regex|pod|quoted|sigil|preproc_(?:arg|def)"
    r"|uninterpreted|token_tree"
)
_ESCAPED = dict.fromkeys(range(0xDC80, 0xDD00), "?")


_GRAMMARS = ("satchel.indexer.languages.grammars", "tree_sitter_language_pack.bindings")
"""Where grammars are: in the wheel those that are used; a checkout has the whole pack instead."""
_OWN_PACKAGES = {"csharp": "tree_sitter_c_sharp"}
"""Grammars that the pack takes from packages of their own."""


@cache
def grammar(name: str) -> Grammar:
    """The grammar called `name` in tree-sitter-language-pack.

    Raises:
        LookupError: there is none.
    """
    own = _OWN_PACKAGES.get(name)
    for module in (own,) if own else [f"{package}.{name}" for package in _GRAMMARS]:
        with suppress(ModuleNotFoundError):
            return Grammar(import_module(module).language())
    raise LookupError(f"there is no grammar for {name}")


@cache
def failure(grammar_name: str, query_name: str) -> str:
    """Why files of a language cannot be parsed here, "" where they can."""
    # What does not load is one of few kinds: it is not there, is another system's, or is of a
    # version that the library or our query does not know.
    try:
        query(grammar_name, query_name)
    except (LookupError, ImportError, OSError, ValueError) as error:
        return str(error) or type(error).__name__
    return ""


class Extraction(Struct, frozen=True):
    """The extraction query of a language, compiled as two that number patterns as the files do.

    A pattern for the root of the tree would wait for another match at every node of the file: such
    patterns are matched at the root alone, which saves a seventh of the time of all.
    """

    anywhere: Query
    at_root: Query | None
    """None where no pattern is rooted in the root: even an empty query takes some ms to compile."""
    types: dict[int, tuple[str, frozenset[str]]]
    """By number of the pattern, its `#type?`: a capture, and the types of nodes that it may be."""


@cache
def query(grammar_name: str, query_name: str) -> Extraction:
    """The compiled extraction query of a language."""
    folder = files("satchel.indexer.languages").joinpath("queries")
    parts = [folder.joinpath(f"{name}.scm").read_text("utf-8") for name in query_name.split("+")]
    root = Parser(grammar(grammar_name)).parse(b"").root_node.type
    patterns = _PATTERN.findall("\n".join(parts))
    rooted = [pattern.startswith((f"({root} ", f"({root}\n")) for pattern in patterns]
    types = [_TYPE.search(pattern) for pattern in patterns]
    return Extraction(
        _compiled(grammar_name, patterns, [not is_rooted for is_rooted in rooted]),
        _compiled(grammar_name, patterns, rooted) if any(rooted) else None,
        {n: (found[1], frozenset(found[2].split())) for n, found in enumerate(types) if found},
    )


def _compiled(grammar_name: str, patterns: list[str], used: list[bool]) -> Query:
    """A query of the patterns that are used, each with its number among all."""
    # Patterns that are not used leave a placeholder: their numbers must stay taken.
    chosen = zip(patterns, used, strict=True)
    result = Query(grammar(grammar_name), "\n".join(p if use else "(ERROR)" for p, use in chosen))
    for number, use in enumerate(used):
        if not use:
            result.disable_pattern(number)
    return result


def parse(data: bytes, grammar_name: str) -> Node:
    """The root of the syntax tree; never raises on malformed source."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        # Predicates of queries decode text. One "?" for each wrong byte keeps all offsets.
        data = data.decode("utf-8", "surrogateescape").translate(_ESCAPED).encode("utf-8")
    return Parser(grammar(grammar_name)).parse(data).root_node


class MatchGroup(Struct, frozen=True):
    """Matches that follow each other and captured the same names.

    A file has hundreds of matches for each group: what follows from the names is decided once.
    """

    names: frozenset[str]
    label: str
    """The name that begins with "definition.", such as "definition.class"; "" for none."""
    access: str
    """The WORD of a name "access.WORD"; "" for none."""
    owner: str
    """The same of "owner.WORD"."""
    matches: list[Match]


class Matches(Struct):
    """The matches of one file by what they are for; a group that is for two things is in two lists.

    Each list is ordered by pattern as in the query file, then by position.
    """

    definitions: list[MatchGroup] = field(default_factory=list)
    uses: list[MatchGroup] = field(default_factory=list)
    """Calls and uses of types."""
    imports: list[MatchGroup] = field(default_factory=list)
    flows: list[MatchGroup] = field(default_factory=list)
    """What names and results may hold."""
    notes: list[MatchGroup] = field(default_factory=list)
    """Comments and decorations."""
    marks: list[MatchGroup] = field(default_factory=list)
    """What is captured here but is about a definition elsewhere: labels, exports, repetitions."""


def matches(root: Node, grammar_name: str, query_name: str) -> Matches:
    """Every match of the language's query."""
    extraction = query(grammar_name, query_name)
    found = QueryCursor(extraction.anywhere).matches(root)
    if extraction.at_root is not None:
        top = QueryCursor(extraction.at_root)
        top.set_max_start_depth(0)
        found += top.matches(root)
    result, types_of = Matches(), extraction.types
    # By pattern: earlier patterns of a query file have precedence. Sorting is stable, so that the
    # matches of one pattern stay in source order.
    found.sort(key=itemgetter(0))
    kept = [
        match
        for number, match in found
        if number not in types_of or _is_of_type(match, *types_of[number])
    ]
    for captured, alike in groupby(kept, key=tuple):
        names, words, purposes = _meaning(captured)
        group = MatchGroup(names, *words, list(alike))
        for purpose in purposes:
            getattr(result, purpose).append(group)
    return result


def _is_of_type(match: Match, capture: str, types: frozenset[str]) -> bool:
    return match[capture][0].type in types


@cache
def _meaning(
    captured: tuple[str, ...],
) -> tuple[frozenset[str], tuple[str, str, str], tuple[str, ...]]:
    """What the names of captures say: the fields of a `MatchGroup`, and the lists it belongs in."""
    label = next((name for name in captured if name.startswith(DEFINITION)), "")
    access = next((name for name in reversed(captured) if name.startswith(ACCESS)), "")
    owner = next((name for name in captured if name.startswith(OWNER)), "")
    names = frozenset({*map(intern, captured), *(("call",) if "arguments" in captured else ())})
    purposes = ["definitions"] if label else []
    purposes += [purpose for purpose, telling in _PURPOSES if names & telling]
    if not purposes or names & _MARKS:
        purposes.append("marks")
    words = label, access.removeprefix(ACCESS), owner.removeprefix(OWNER)
    return names, words, tuple(purposes)


def lost_lines(root: Node, symbols: Sequence[Symbol], source: Source) -> list[int]:
    """The lines, from 1, that syntax errors touch and no symbol that begins in the error holds.

    They are those of the source: where it was rewritten for its grammar only offsets are the same.
    """
    if not root.has_error:
        return []
    lost: set[int] = set()
    covered = []
    for start, end in _errors(root):
        lost.update(range(source.line_of(start), source.line_of(end) + 1))
        covered.append((start, end))
    starts = [start for start, _ in covered]
    for symbol in symbols if lost else ():
        at = bisect_right(starts, symbol.span.start_byte) - 1
        if at >= 0 and symbol.span.start_byte < covered[at][1]:
            lost.difference_update(range(symbol.span.start_line, symbol.span.end_line + 1))
    return sorted(lost)


def _errors(root: Node) -> Iterator[tuple[int, int]]:
    """The bytes of the outermost syntax errors, in order. What has none is not looked into."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if not node.is_error:
            waiting += [child for child in reversed(node.children) if child.has_error]
        elif node.end_byte > node.start_byte:
            yield node.start_byte, node.end_byte


def is_quoted(root: Node, start: int) -> bool:
    """Whether a string, a comment or the body of a macro holds a byte, as the grammar sees them."""
    node = root.descendant_for_byte_range(start, start + 1)
    while node is not None and not _QUOTED.search(node.type):
        node = node.parent
    return node is not None
