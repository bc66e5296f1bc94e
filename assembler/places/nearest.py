"""The code nearest to the places of a paste: what they call and use, and their tests.

A pasted trace, test or diff says where to look. From there the first step of the call graph is what
its reader opens next (docs/decisions/pasted_places.md). Pure.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from math import log, sqrt

from msgspec.structs import replace

from satchel.assembler.kinds import brief
from satchel.assembler.places import test_blocks
from satchel.assembler.places.seeds import Tree
from satchel.assembler.places.test_names import family, is_named_after
from satchel.assembler.ranking import members
from satchel.assembler.values import MAX_MEANT, LineRange, Required
from satchel.store.model import FUNCTIONS, TYPES, ReferenceKind, RepoPath, SymbolKind
from satchel.store.records import SURE, ReferenceRecord, SymbolRecord

_LONGEST_MEMBER = 30
"""Lines of a constant or field that is shown for being used."""
_LONGEST_TEST = 40
"""Lines of a test that is shown for its words."""
_MAX_CALLED = 5
"""Callees of one frame of a trace that are shown; a long function may have dozens."""
_MAX_USES = 400
"""Uses of a name that are looked through for tests."""
_NAME = re.compile(r"[^\W\d]\w{2,}")
_PART = re.compile(r"[A-Z]{3,}(?![a-z])|[A-Z]?[a-z]{2,}")


def called(
    tree: Tree,
    function: SymbolRecord,
    words: Collection[str] | None = None,
    beside: int | None = None,
    within: int | None = None,
) -> Iterator[Required]:
    """What a function calls, in its order; with `words`, only what is named by one of these.

    With `beside`, the line at which a trace leaves the function, only the five nearest to it; with
    `within`, only helpers of the same file, called at most so many lines from it.
    """
    of = brief(function.qualified_name)
    found = list(_called(tree, function, words))
    if beside is not None:
        if within is not None:
            # Helpers of a file are made for it; what other files offer serves many.
            own = [call for call in found if call[1].path == function.path]
            found = [call for call in own if abs(call[0] - beside) <= within]
        found.sort(key=lambda call: abs(call[0] - beside))
    # Of several calls of a function the first counts, or that nearest to the line.
    once = {symbol.id: (line, symbol) for line, symbol in reversed(found)}
    chosen = sorted(once.values(), key=found.index)
    if beside is not None:
        chosen = sorted(chosen[:_MAX_CALLED], key=lambda call: (call[0], call[1].id))
    for _, symbol in chosen:
        yield neighbour(symbol, f"called by {of}")


def used(
    tree: Tree, function: SymbolRecord, words: Collection[str] | None = None
) -> Iterator[Required]:
    """The fields and constants that a function names, and the type that it belongs to where that
    is defined elsewhere; with `words`, only what is named by one of these."""
    of = brief(function.qualified_name)
    listed = tree.symbols(function.path)
    known = {symbol.id: symbol for symbol in listed}
    # A function within another one uses what that one can use.
    while (outer := known.get(function.parent_id)) and outer.kind in FUNCTIONS:
        function = replace(function, parent_id=outer.parent_id)
    owner = function.qualified_name.split(".")[-2:-1]
    types = [
        s
        for s in listed
        if s.kind in TYPES
        and s.name in owner
        and not s.span.start_line <= function.line <= s.span.end_line
    ]
    named = members.named_in(function, tree.source(function.path), listed)
    for symbol in (*types, *named):
        span = symbol.span
        is_short = span.end_line - span.start_line < _LONGEST_MEMBER
        if is_short and (words is None or symbol.name in words):
            lines = span.start_line, span.end_line
            yield _neighbour(symbol.path, lines, f"used by {of}", is_exact=True)


def _called(
    tree: Tree, function: SymbolRecord, words: Collection[str] | None
) -> Iterator[tuple[int, SymbolRecord]]:
    """Functions that are called in the lines of a function, with the lines of their calls: by sure
    edges, else by a bare name."""
    span = function.span
    own = [
        symbol.id
        for symbol in tree.symbols(function.path)
        if span.start_line <= symbol.line <= span.end_line
    ]
    inside = {function.id, *own}
    edges = [
        edge
        for edge in tree.snapshot.symbols.edges_from(sorted(inside))
        if edge.kind == ReferenceKind.CALL and edge.confidence >= SURE and edge.target not in inside
    ]
    targets = {s.id: s for s in tree.snapshot.symbols.by_id(sorted({e.target for e in edges}))}
    at = [(edge.line, targets[edge.target]) for edge in edges]
    known = {symbol.name: symbol for symbol in targets.values()}
    for use in tree.snapshot.symbols.references_from(sorted(inside)):
        # An edge has the line of one call alone.
        if use.kind == ReferenceKind.CALL and not use.receiver and use.name in known:
            at.append((use.line, known[use.name]))
        # An edge is missing where a file did not parse as a whole; a bare name still tells.
        if use.kind == ReferenceKind.CALL and not use.receiver and use.name not in known:
            meant = [s for s in _meant(tree, function, use.name) if s.id not in inside]
            at += [(use.line, s) for s in meant] if len(meant) <= MAX_MEANT else []
    for line, symbol in sorted(at, key=lambda entry: (entry[0], entry[1].id)):
        # What builds a value says less than what is done with it.
        is_wanted = symbol.kind in FUNCTIONS - {SymbolKind.CONSTRUCTOR} and not symbol.is_test
        if is_wanted and (words is None or symbol.name in words):
            yield line, symbol


def _meant(tree: Tree, function: SymbolRecord, name: str) -> list[SymbolRecord]:
    """What a bare name in a function means: what its file defines, before functions elsewhere."""
    own = [symbol for symbol in tree.symbols(function.path) if symbol.name == name]
    if own:
        # Where a language has functions outside of classes, a bare name means one of these.
        plain = [symbol for symbol in own if symbol.kind == SymbolKind.FUNCTION]
        return plain or [symbol for symbol in own if symbol.kind in FUNCTIONS]
    return [
        s
        for s in tree.snapshot.symbols.named(name)
        if s.kind in FUNCTIONS - {SymbolKind.METHOD}
        and not s.is_test
        and family(s.path) == family(function.path)
    ]


def callers_by_name(tree: Tree, name: str, path: RepoPath, n_shown: int) -> Iterator[Required]:
    """Functions outside of a file that call a bare name which nothing defines.

    Some modules hand out a function without a name, and their users name it as they like.
    """
    if not name or tree.snapshot.symbols.named(name):
        return
    calls = [
        use
        for use in tree.snapshot.symbols.references_to(name, _MAX_USES)
        if use.kind == ReferenceKind.CALL and not use.receiver
        if use.path != path and not tree.files[use.path].is_test
    ]
    yield from _users(tree, calls, f"calls {name}", n_shown)


def users_of_removed(
    tree: Tree, name: str, path: RepoPath, n_shown: int, what: str
) -> Iterator[Required]:
    """Functions elsewhere that use a name which a change has taken out of a file; `what` says where
    it is now.

    No edge leads to what is gone. So a use of that name counts where its file uses something else
    of the same file, and does not define the name itself; product code first, then by path and
    line. What the file still defines or imports is not gone.
    """
    imported = (each.alias or each.name for each in tree.imports(path))
    if tree.defines(path, name) or name in imported:
        return
    uses = [u for u in tree.snapshot.symbols.references_to(name, _MAX_USES) if u.path != path]
    uses = [use for use in uses if not tree.defines(use.path, name)]
    files = sorted({use.path for use in uses})
    tied = {user for user, used in tree.snapshot.symbols.files_used(files) if used == path}
    uses = sorted(
        (use for use in uses if use.path in tied), key=lambda use: tree.files[use.path].is_test
    )
    yield from _users(tree, uses, f"uses {name}, {what}", n_shown)


def _users(
    tree: Tree, uses: Iterable[ReferenceRecord], reason: str, n_shown: int
) -> list[Required]:
    return first_uses(tree, ((use, reason) for use in uses), n_shown)


def first_uses(
    tree: Tree, uses: Iterable[tuple[ReferenceRecord, str]], n_shown: int
) -> list[Required]:
    """The lines of the first uses with their reasons, at most `n_shown`, one in each function."""
    found: dict[tuple[RepoPath, int], Required] = {}
    for use, reason in uses:
        around = tree.function_at(use.path, use.line)
        at = use.path, around.id if around else use.line
        if at not in found and len(found) < n_shown:
            found[at] = _neighbour(use.path, (use.line, use.line), reason)
    return list(found.values())


def tests(
    tree: Tree, functions: Sequence[SymbolRecord], names: Iterable[str], text: str, n_shown: int
) -> list[Required]:
    """The tests that say most of a text about some functions, the best first.

    Looked through are the files that are named after theirs, and those that use one of `names`. A
    word counts by how few of these tests have it.
    """
    found = {
        (path, *block): _words(tree, path, block)
        for path in sorted(_test_files(tree, functions, names))
        for block in _blocks(tree, path)
    }
    wanted = set(split(text)) | {part for name in names for part in split(name)}
    holding = Counter(word for held in found.values() for word in held & wanted)
    worth = {
        # A word that every test has tells none of them apart, and a long test has many words.
        place: sum(log((len(found) + 1) / holding[word]) for word in held & wanted)
        / sqrt(len(held) + 1)
        for place, held in found.items()
    }
    # A test that names what changed comes first, if it says anything else of the change.
    naming = {place: not held.isdisjoint(names) for place, held in found.items()}
    best = sorted(found, key=lambda p: (not naming[p], -worth[p], p))
    return [
        _neighbour(path, (first, last), "test of what changes", is_exact=True)
        for path, first, last in best[:n_shown]
        if worth[path, first, last] > 0
    ]


def _test_files(
    tree: Tree, functions: Sequence[SymbolRecord], names: Iterable[str]
) -> set[RepoPath]:
    paths = {symbol.path for symbol in functions}
    found = {p for p, known in tree.files.items() if known.is_test and is_named_after(p, paths)}
    for name in names:
        uses = tree.snapshot.symbols.references_to(name, _MAX_USES)
        # A name that is used everywhere is no name of one function.
        if len(uses) < _MAX_USES:
            found |= {use.path for use in uses if tree.files[use.path].is_test}
    return found


def _blocks(tree: Tree, path: RepoPath) -> list[LineRange]:
    """The tests of a file that are short: blocks that no definition names, or else functions."""
    lines = tree.lines(path)
    functions = [s for s in tree.symbols(path) if s.kind in FUNCTIONS]
    named = [s for s in functions if s.name.lower().startswith("test")] or functions
    spans = [(s.span.start_line, s.span.end_line) for s in named]
    found = test_blocks.innermost(lines) or spans
    return [(first, last) for first, last in found if last - first < _LONGEST_TEST]


def _words(tree: Tree, path: RepoPath, block: LineRange) -> set[str]:
    first, last = block
    lines = tree.source(path).split(b"\n")[first - 1 : last]
    text = b"\n".join(lines).decode("utf-8", "replace")
    return set(split(text)) | set(_NAME.findall(text))


def split(text: str) -> list[str]:
    """The words of a text in small letters, those within a name by themselves."""
    return [part.lower() for part in _PART.findall(text)]


def neighbour(symbol: SymbolRecord, reason: str) -> Required:
    """A definition that an edge leads to."""
    return _neighbour(symbol.path, (symbol.span.start_line, symbol.span.end_line), reason)


def _neighbour(
    path: RepoPath, lines: LineRange, reason: str, *, is_exact: bool = False
) -> Required:
    first, last = lines
    return Required(path, first, last, reason, is_exact=is_exact, is_asked=False, is_neighbour=True)
