"""Search results, definitions and call-graph edges as the text a person or a model reads. Pure.

The command line and the MCP tools print the same lines. Every line is data: names and paths in it
have their control characters escaped; source stands in a fence that it cannot close.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from satchel.assembler import quoting
from satchel.assembler.kinds import brief
from satchel.assembler.lookup.prototypes import without_announced
from satchel.assembler.output.definition_lines import definition_line, picking_line, use_line
from satchel.assembler.quoting import clean, neutral
from satchel.assembler.render import fenced, locate_line, location
from satchel.store.counted import counted, first_of
from satchel.store.model import FUNCTIONS, Digest, ReferenceKind, RepoPath
from satchel.store.records import SymbolRecord

if TYPE_CHECKING:
    from satchel.assembler.exact.search import LinesReply
    from satchel.assembler.graph.overrides import Override
    from satchel.assembler.lookup.definition_source import DefinitionSource
    from satchel.assembler.lookup.dependencies import Dependencies, Dependency
    from satchel.assembler.lookup.mentions import Mention, Mentions
    from satchel.assembler.values import SearchReply, TextOf

_ROOTS = 10
"""Definitions of an ambiguous name that are listed above its edges."""
_TESTS_OF_FILE = 12
"""Tests of one file that are named; more are counted."""
_BUILTINS = 20
_LINES = 20
"""Lines of one user with the same use that are listed."""


def search_lines(
    reply: SearchReply, text_of: TextOf | None = None, *, explain: bool = False
) -> Iterator[str]:
    """Results best first, a line each; with `text_of` their source, with `explain` their shares."""
    for absent in reply.absent:
        yield str(absent)
    for item in reply.results:
        yield locate_line(item)
        if explain:
            shares = ", ".join(f"{entry.signal} {entry.share:.3f}" for entry in item.why)
            yield f"    {shares}"
        if text_of is not None:
            yield fenced(text_of(item.chunk).rstrip("\n")).rstrip("\n")


def exact_lines(reply: LinesReply) -> Iterator[str]:
    """A line for each file, and below it one for each row: its number, its symbol, its text."""
    for absent in reply.absent:
        yield str(absent)
    for path, rows in groupby(reply.rows, key=lambda row: row.path):
        yield quoting.path(path)
        for row in rows:
            symbol = f" {clean(brief(row.symbol))}" if row.symbol else ""
            yield f"  {row.line}{symbol}| {neutral(row.text)}"


def exact_head(reply: LinesReply) -> str:
    """How much was found: `12 lines in 3 files`, with a "+" where not all could be counted."""
    if reply.stopped:
        return f"{reply.n_lines:,}+ lines in {reply.n_files:,}+ files"
    return f"{counted(reply.n_lines, 'line')} in {counted(reply.n_files, 'file')}"


def exact_tail(reply: LinesReply, *, option: str = "offset") -> Iterator[str]:
    """What a page leaves out, and the option that shows it, as the reader has to write it."""
    if reply.following:
        yield f"{reply.n_lines - reply.following:,} more; {option} {reply.following} shows them"
    if reply.stopped:
        yield f"stopped: {clean(reply.stopped)}"


def sources_lines(
    found: Iterable[DefinitionSource], is_current: Callable[[RepoPath, Digest], bool]
) -> Iterator[str]:
    """Definitions, each with its source below; without it where it did not fit, or where the file
    is another by now."""
    for each in found:
        yield definition_line(each.record)
        if not is_current(each.record.path, each.digest):
            yield "  its file has changed since it was indexed: ask again"
        elif each.text is None:
            outline = "; its functions:" if each.members else ""
            yield f"  {each.tokens} tokens of source do not fit: raise budget_tokens{outline}"
            for member in each.members:
                lines = f"{member.line}-{member.span.end_line}"
                yield f"  {lines}  {clean(member.qualified_name)}  {clean(member.signature)}"
        else:
            yield fenced(each.text).rstrip("\n")


def dependencies_lines(found: Dependencies, *, tests: bool = False) -> Iterator[str]:
    """Roots, edges indented by their depth, overrides, then uses that no rule could resolve.

    With `tests` the users are told by their files, a line for each.
    """
    for record in found.roots[:_ROOTS]:
        yield definition_line(record)
    # An ambiguous name mixes the edges of all its definitions, so a reader has to be told how to
    # pick one.
    meant = without_announced(found.roots)  # a prototype is no other function
    if len(meant) > 1:
        first = f", {_ROOTS} of them listed" if len(meant) > _ROOTS else ""
        picking = picking_line([(record.path, record.name) for record in meant])
        yield f"  {len(meant)} definitions are meant{first}; {picking}"
    if tests:
        yield from _tests_lines(found.edges)
    else:
        for edge in found.edges:
            yield edge_line(edge, whole=edge.depth > 1 or len(meant) > 1)
    yield from override_lines(found.overrides)
    yield from _unclear_lines(found)
    yield from _mentions_lines(found.mentions)
    for absent in found.absent:
        yield str(absent)


def _tests_lines(edges: Sequence[Dependency]) -> Iterator[str]:
    """Users by file, the nearest first: how far the nearest is, and their names and lines."""
    by_file: dict[RepoPath, dict[int, Dependency]] = {}
    # Edges come with the nearest first, so a user that several lead to is told where it is nearest.
    for edge in edges:
        by_file.setdefault(edge.source.path, {}).setdefault(edge.source.id, edge)
    for path, users in by_file.items():
        sources = [edge.source for edge in users.values()]
        tests = [f"{clean(brief(test.qualified_name))}:{test.line}" for test in sources]
        nearest = counted(next(iter(users.values())).depth, "step")
        yield f"  <- {quoting.path(path)}  ({nearest})  {first_of(tests, _TESTS_OF_FILE)}"


def _unclear_lines(found: Dependencies) -> Iterator[str]:
    """Uses that no rule could resolve, then those that need none."""
    for use in found.unresolved:
        yield f"  ?  {use_line(use)}  (unresolved {use.kind})"
    if found.n_maybe_uses:
        more = counted(found.n_maybe_uses, "more use")
        yield f"  ?  {more} of this name, tied to no definition; search it"
    if found.n_unresolved:
        yield f"  ?  {counted(found.n_unresolved, 'more use')} that no rule could resolve"
    if found.builtins:
        yield _names_line("built in", found.builtins)
    if found.outside:
        yield _names_line("not defined here", found.outside)


def _mentions_lines(found: Mentions) -> Iterator[str]:
    """Lines that hold the name, and how many there are beside them."""
    yield from map(mention_line, found.rows)
    more = found.n_lines - len(found.rows)
    if more or not found.is_whole:
        at_least = "" if found.is_whole else "at least "
        lines = counted(more, "more line")
        yield f"  ~  {at_least}{lines} with the name; an exact search lists them"


def mention_line(each: Mention) -> str:
    """A line that holds a name: where it is, and its text."""
    symbol = f" in {clean(brief(each.symbol))}" if each.symbol else ""
    at = location(each.path, each.line, each.line)
    return f"  ~  {at}{symbol}  (by its name)  {neutral(each.text)}"


def _names_line(what: str, used: Sequence[tuple[str, int]]) -> str:
    """What the roots use of their language, or of libraries: `isinstance ×3, len`."""
    names = [clean(name) + (f" ×{n}" if n > 1 else "") for name, n in used]
    return f"  {what}: {first_of(names, _BUILTINS)}"


def dependencies_head(found: Dependencies) -> str:
    """How much was found: `12 edges, 3 overrides, 2 unresolved uses`."""
    more = ((len(found.overrides), "override"), (found.n_unclear, "unresolved use"))
    told = (counted(n, what) for n, what in more if n)
    return ", ".join([counted(found.n_found, "edge"), *told])


def override_lines(overrides: Iterable[Override]) -> Iterator[str]:
    """A line for each member that stands in for another: both, their places, how sure it is."""
    for each in overrides:
        member, base = each.member, each.base
        how = "implements" if each.implements else "overrides"
        yield (
            f"  =  {clean(member.qualified_name)}  {_location(member)}"
            f"  {how} {clean(base.qualified_name)} at {_location(base)}  ({each.confidence:.2f})"
        )


def edge_line(edge: Dependency, *, whole: bool = False) -> str:
    """The far end of an edge, where it is, how the edge was found, and the line of the use in the
    user's file; `whole` names the near end too, which is not always the line above."""
    # An edge always runs from the user to the used, so which end is the far one depends on the way
    # that was walked.
    from satchel.assembler.lookup.dependencies import Direction

    called_by = edge.direction == Direction.CALLERS
    near, far = (edge.target, edge.source) if called_by else (edge.source, edge.target)
    # A block of settings or a module is long: what uses something is told by its own line there.
    is_named = not called_by or edge.kind != ReferenceKind.CALL or far.kind in FUNCTIONS
    at = _location(far) if is_named else location(far.path, edge.line, edge.line)
    kind: str = edge.kind
    if whole:
        kind += f" {'of' if called_by else 'in'} {clean(near.qualified_name)} at {_location(near)}"
    return (
        f"{'  ' * edge.depth}{'<-' if called_by else '->'} {clean(far.qualified_name)}"
        f"  {at}"
        f"  ({kind}, {edge.rule} {edge.confidence:.2f}{', cycle' if edge.is_cycle else ''})"
        + (f"  {edge.line}| {neutral(edge.text)}" if edge.text else "")
        + _other_lines(edge)
    )


def _other_lines(edge: Dependency) -> str:
    """The other lines of the user with the same use: `  (also 998, 1002)`."""
    others = [str(line) for line in edge.lines if line != edge.line]
    return f"  (also {first_of(others, _LINES)})" if others else ""


def _location(record: SymbolRecord) -> str:
    return location(record.path, record.line, record.line)
