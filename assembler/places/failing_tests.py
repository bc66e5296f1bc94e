"""The places that a failing test points at: its function, those of its trace, what it calls.

What a test calls is read from the call graph, nearest first; helpers of other test files are walked
through and not shown. A test without a definition of its name (`it("…", () => …)`) is the lines of
its block; it calls what is called in these lines. Pure.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import partial

from msgspec import Struct, structs

from satchel.assembler.places import test_blocks, test_names
from satchel.assembler.places.seeds import Located, Tree
from satchel.assembler.query.artefacts import Artefact
from satchel.assembler.query.traces import Failure
from satchel.store.model import FUNCTIONS, WITH_CODE, RepoPath
from satchel.store.records import SURE, Edge, SymbolRecord

_MAX_TESTS = 3
"""Number of tests whose code is shown; what they call counts for all of them."""
_MAX_DEPTH = 3
_MAX_SAME = 2
"""If more definitions than this have a test's name, it points at none of them."""
_MAX_BESIDE = 3
"""Functions taken from the file that a test is named after, if the test calls no product code."""
_MAX_SUBJECTS = 3
"""Files that a test may be named after; with more it is unclear which one is tested."""

Relevance = Mapping[int, float]
"""Score of the text search of functions by the id of their symbol, 0..1; others have 0."""

_NAME = re.compile(r"[^\W\d]\w*[?!]?")


class FailedTest(Struct, frozen=True):
    """Where a test stands, 1-based inclusive; `symbol` is its function, None for a block.

    `failed_at` is the line of it where the trace left it, 0 if that is not known.
    """

    path: RepoPath
    first_line: int
    last_line: int
    symbol: SymbolRecord | None
    failed_at: int = 0


class Lead(StrEnum):
    """How a test leads to a function, in the words that a pack has for it."""

    CALLED = "called by the failing test"
    UNSURE = "perhaps called by the failing test"
    """By an edge of the call graph that is less likely right than wrong."""
    NAMED = "named in the failing test"
    """Something is called so in the file that it tests; no edge leads there."""
    BESIDE = "in the file that the test is named after"


class Called(Struct, frozen=True):
    """A function that a test leads to, in `depth` calls or words."""

    symbol: SymbolRecord
    depth: int
    lead: Lead


def tests(tree: Tree, artefact: Artefact, located: Sequence[Located]) -> list[FailedTest]:
    """The tests that failed, in the order of the report; those of the trace where none is named."""
    found = [
        test for failure in artefact.failures for test in _tests_of_failure(tree, failure, located)
    ]
    if not found and artefact.is_run:
        found = [test for place in located if place.is_test for test in _tests_around(tree, place)]
    # Reversed, so that the first of two entries for one test is kept.
    distinct = {(test.path, test.first_line): test for test in reversed(found)}
    listed = sorted(distinct.values(), key=lambda t: found.index(t))
    return listed[:_MAX_TESTS]


def called(tree: Tree, failed: Sequence[FailedTest], relevance: Relevance) -> list[Called]:
    """The functions that some tests lead to, each once: helpers of their own file, and the nearest
    product code.

    Nearest is what they surely call or name of the file that they test; else what matches in that
    file; else what these helpers call; else what may be called, and what helpers of other files
    call, step by step. Each of these groups is ordered by relevance, path and line.
    """
    direct = [edge for test in failed for edge in _leaving(tree, test)]
    helpers, every = _own_helpers(tree, failed, direct)
    subject = {s.id: s for path in _subjects(tree, failed) for s in tree.symbols(path)}
    used = {name for test in failed for name in _names_in_test(tree, test)}
    named = {s.id for s in subject.values() if s.name in used}
    sure = {s.id for s in _targets(tree, direct, SURE)}
    near = [
        each if each.symbol.id in sure else structs.replace(each, lead=Lead.NAMED)
        for each in _by_relevance(_targets(tree, direct, SURE, named), 1, relevance)
    ]
    matching = (s for s in subject.values() if relevance.get(s.id))
    levels: list[Callable[[], list[Called]]] = [
        lambda: near,
        lambda: _by_relevance(matching, 1, relevance, Lead.BESIDE)[:_MAX_BESIDE],
        lambda: _by_relevance(_targets(tree, every, SURE), 2, relevance),
        lambda: _by_relevance(_targets(tree, direct), 1, relevance, Lead.UNSURE),
        *(partial(_further, tree, every, depth, relevance) for depth in range(2, _MAX_DEPTH + 1)),
    ]
    nearest = next(filter(None, (level() for level in levels)), [])
    found = [*_by_relevance(helpers, 1, relevance, of_tests=True), *nearest]
    own = {test.symbol.id for test in failed if test.symbol}
    distinct = {each.symbol.id: each for each in reversed(found) if each.symbol.id not in own}
    return sorted(distinct.values(), key=found.index)


def named_by_title(tree: Tree, failed: Sequence[FailedTest]) -> list[SymbolRecord]:
    """The functions of the product whose name is the whole of a title, of a test or its suite."""
    subject = set(_subjects(tree, failed))
    found: dict[int, SymbolRecord] = {}
    for test in failed:
        titles = test_blocks.titles(tree.lines(test.path), test.first_line)
        for title in [test.symbol.name, *titles] if test.symbol else titles:
            name, owner = test_names.tested(title)
            spellings = dict.fromkeys((name, name[:1].lower() + name[1:]))
            same = [s for each in spellings for s in tree.snapshot.symbols.named(each) if each]
            same = [s for s in same if s.kind in WITH_CODE and not s.is_test]
            same = [s for s in same if owner in s.qualified_name.split(".")] or same
            same = [s for s in same if s.path in subject] or same
            found |= {s.id: s for s in same} if len(same) <= _MAX_SAME else {}
    return list(found.values())


def _own_helpers(
    tree: Tree, failed: Sequence[FailedTest], edges: Sequence[Edge]
) -> tuple[list[SymbolRecord], list[Edge]]:
    """The functions of test files that are called, and all calls from there and from the tests."""
    paths = {test.path for test in failed}
    every, helpers = list(edges), dict[int, SymbolRecord]()
    # What is no function, such as a macro, is followed as well, and may call itself.
    seen: set[int] = set()
    while edges:
        sure = {e.target for e in edges if e.confidence >= SURE} - seen
        seen |= sure
        new = [s for s in tree.snapshot.symbols.by_id(sorted(sure)) if s.path in paths]
        helpers |= {s.id: s for s in new if s.kind in FUNCTIONS}
        edges = _calls_from(tree, new)
        every += edges
    return list(helpers.values()), every


def _calls_from(tree: Tree, symbols: Iterable[SymbolRecord]) -> list[Edge]:
    edges = tree.snapshot.symbols.edges_from(sorted(s.id for s in symbols))
    return [e for e in edges if e.kind == "call"]


def _targets(
    tree: Tree, edges: Iterable[Edge], least: float = 0.0, more: Collection[int] = ()
) -> list[SymbolRecord]:
    """What edges of at least some confidence lead to, and the symbols with `more` ids."""
    ids = {e.target for e in edges if e.confidence >= least}.union(more)
    return tree.snapshot.symbols.by_id(sorted(ids))


def _further(tree: Tree, edges: Sequence[Edge], depth: int, relevance: Relevance) -> list[Called]:
    """What is called `depth` calls away."""
    for _ in range(1, depth):
        edges = _calls_from(tree, _targets(tree, edges))
    return _by_relevance(_targets(tree, edges), depth, relevance, Lead.UNSURE)


def _by_relevance(
    symbols: Iterable[SymbolRecord],
    depth: int,
    relevance: Relevance,
    lead: Lead = Lead.CALLED,
    *,
    of_tests: bool = False,
) -> list[Called]:
    """Functions of the product, or of tests, the most relevant first."""
    functions = [s for s in symbols if s.kind in FUNCTIONS and s.is_test == of_tests]
    functions.sort(key=lambda s: (-relevance.get(s.id, 0.0), s.path, s.line, s.id))
    return [Called(symbol, depth, lead) for symbol in functions]


def _subjects(tree: Tree, failed: Sequence[FailedTest]) -> list[RepoPath]:
    """The files that tests are named after, the nearest of several: of `test_util_shelf.py` that
    is `util_shelf.py`, else `shelf.py`."""
    found: dict[RepoPath, None] = {}
    # The graph alone led from 13 of 44 failing tests to the changed function, and the file that
    # the test is named after held it in 13 more (docs/decisions/pasted_places.md, "A failing test
    # leads to the file that it is named after").
    product = _product(tree)
    for path in dict.fromkeys(test.path for test in failed):
        named = (product.get((tail, test_names.family(path))) for tail in test_names.subjects(path))
        folders = set(path.split("/")[:-1])
        near = {p: len(folders & set(p.split("/")[:-1])) for p in next(filter(None, named), ())}
        best = sorted(p for p, n in near.items() if n == max(near.values()))
        if len(best) <= _MAX_SUBJECTS:
            found |= dict.fromkeys(best)
    return list(found)


def _product(tree: Tree) -> dict[tuple[str, str], list[RepoPath]]:
    """Product files by their name in small letters, without "_", and their family."""
    found: dict[tuple[str, str], list[RepoPath]] = {}
    for path, known in tree.files.items():
        if not known.is_test:
            named = test_names.name_key(path), test_names.family(path)
            found.setdefault(named, []).append(path)
    return found


def _names_in_test(tree: Tree, test: FailedTest) -> set[str]:
    """The names that are written in the lines of a test: what it hands over is tested as well."""
    lines = tree.lines(test.path)[test.first_line - 1 : test.last_line]
    return {name for line in lines for name in _NAME.findall(line)}


def _tests_of_failure(tree: Tree, failure: Failure, located: Sequence[Located]) -> list[FailedTest]:
    """The place of a named test: by its trace, its line, its name or its title."""
    files = tree.matching(failure.path) if failure.path else []
    for place in located:
        in_file = place.path in files if files else place.is_test
        if not in_file or not place.function:
            continue
        # A title may begin with that of its suite.
        own = place.function.name
        if failure.name == own or (" " in failure.name and failure.name.endswith(f" {own}")):
            return [_function(place.function, place.first_line)]
    if failure.line and files:
        return list(_test_at_line(tree, files[0], failure.line))
    named = _definitions_of_test(tree, failure, files or [p.path for p in located])
    if named:
        return [_function(symbol) for symbol in named]
    for path in files or dict.fromkeys(p.path for p in located if p.is_test):
        lines = tree.lines(path)
        if block := test_blocks.titled(lines, failure.name, failure.parent):
            at = [p.first_line for p in located if p.path == path]
            inside = (line for line in at if block[0] <= line <= block[1])
            return [FailedTest(path, *block, None, next(inside, 0))]
    return []


def _definitions_of_test(
    tree: Tree, failure: Failure, files: Sequence[RepoPath]
) -> list[SymbolRecord]:
    """Definitions of a test's name: those in its suite and file if there are any; few or none."""
    if not failure.name:
        return []
    same = [s for s in tree.snapshot.symbols.named(failure.name) if s.kind in FUNCTIONS]
    same = [s for s in same if s.is_test] or [s for s in same if s.path in files]
    same = [s for s in same if s.path in files] or same
    same = [s for s in same if failure.parent in s.qualified_name.split(".")] or same
    return same if len(same) <= _MAX_SAME else []


def _tests_around(tree: Tree, place: Located) -> Iterable[FailedTest]:
    if place.function:
        yield _function(place.function, place.first_line)
    else:
        yield from _test_at_line(tree, place.path, place.first_line)


def _test_at_line(tree: Tree, path: RepoPath, line: int) -> Iterable[FailedTest]:
    """The test around a line: a function, or else a block."""
    function = tree.function_at(path, line)
    if function:
        yield _function(function, line)
    elif block := test_blocks.around(tree.lines(path), line):
        yield FailedTest(path, *block, None, line)


def _function(symbol: SymbolRecord, line: int = 0) -> FailedTest:
    span = symbol.span
    return FailedTest(symbol.path, span.start_line, span.end_line, symbol, line)


def _leaving(tree: Tree, test: FailedTest) -> list[Edge]:
    """The calls that are made in the lines of a test."""
    inside = [
        symbol.id
        for symbol in tree.symbols(test.path)
        if test.first_line <= symbol.line <= test.last_line
    ]
    calls = [e for e in tree.snapshot.symbols.edges_from(inside) if e.kind == "call"]
    if test.symbol is None:
        calls += _of_block(tree, test)
    return calls


def _of_block(tree: Tree, test: FailedTest) -> list[Edge]:
    """Edges of the symbol around a block whose names are used in the block's lines."""
    around = [
        symbol
        for symbol in tree.symbols(test.path)
        if symbol.span.start_line <= test.first_line and test.last_line <= symbol.span.end_line
    ]
    if not around:
        return []
    owner = min(around, key=lambda s: (s.span.end_byte - s.span.start_byte, -s.id))
    used = {
        reference.name
        for reference in tree.snapshot.symbols.references_from([owner.id])
        if test.first_line <= reference.line <= test.last_line
    }
    edges = [e for e in tree.snapshot.symbols.edges_from([owner.id]) if e.kind == "call"]
    names = {s.id: s for s in tree.snapshot.symbols.by_id(sorted({e.target for e in edges}))}
    parents = sorted({s.parent_id for s in names.values()} - {0})
    above = {s.id: s.name for s in tree.snapshot.symbols.by_id(parents)}
    # A call of a class leads to its constructor, which is not named there.
    return [
        edge
        for edge in edges
        if names[edge.target].name in used or above.get(names[edge.target].parent_id) in used
    ]
