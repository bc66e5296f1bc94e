"""What a diff requires of a pack: its hunks as they are, then what they touch. Pure.

First the hunks, with the lines that they removed, what matters most to a reviewer before the rest
(`choose`). Then the functions around the changes, unless the hunks hold them; what calls these and
did not change itself; what the changed lines name; and the tests that say most of what they hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from msgspec.structs import replace

from satchel.assembler.budget import CountTokens
from satchel.assembler.kinds import brief
from satchel.assembler.places import nearest, related, removed
from satchel.assembler.places.chosen_hunks import Chosen, in_order, left_out
from satchel.assembler.places.hunk_parts import parts
from satchel.assembler.places.seeds import Located, Tree
from satchel.assembler.query.artefacts import Artefact
from satchel.assembler.query.diffs import CHANGED, Hunk, State
from satchel.assembler.quoting import clean
from satchel.assembler.values import Places, Required, edge_reason
from satchel.assembler.weights import ENOUGH, Pointing
from satchel.store.counted import first_of
from satchel.store.model import FUNCTIONS, RepoPath, SymbolKind
from satchel.store.records import SURE, SymbolRecord

_MAX_CALLERS = 3
"""Callers of a function that is called by a name of their own."""
_BESIDE = 12
"""Lines from a change within which a call belongs to it."""
_LARGE = 10_000
"""Characters of a diff from which callers are shown by the lines around a call."""
_MOVED = 5
"""Renamed files that are named."""
_AROUND_CALL = 4
"""Lines above and below such a call that are shown."""
_LONGEST_TYPE = 40
"""Lines of a type that is shown for a change between its methods."""
_WORD = re.compile(r"[^\W\d]\w{2,}")


def changed(
    tree: Tree,
    artefact: Artefact,
    located: Sequence[Located],
    relevance: Mapping[int, float],
    count: CountTokens,
    weights: Pointing,
) -> Places:
    """The places in order; all but the hunks wait while there are further ones."""
    # A hunk of a file that is not indexed has no place among the excerpts, so it would only use up
    # the room of the others.
    shown = [
        hunk for hunk in artefact.hunks if hunk.state != State.GONE and tree.matching(hunk.path)
    ]
    written = [*shown, *(hunk for hunk in artefact.hunks if hunk.state == State.GONE)]
    chosen, hunks = _hunks(tree, written)
    is_large = sum(len(hunk.text) for hunk in written) > _LARGE
    touched = _functions(located)
    # The lines that hunks show of each file as it is now.
    added: dict[RepoPath, list[tuple[int, int]]] = {}
    for hunk in hunks:
        added.setdefault(hunk.path, []).append((hunk.first_line, hunk.last_line))
    functions = [s for lines in touched.values() for s in lines]
    around = list(_around(functions, added))
    # Of a large change, whoever uses it tells more than code beside it.
    found = [] if is_large else around
    found += removed.users(tree, shown)
    found += removed.users_of_files(tree, artefact, weights.called)
    found += _users(tree, functions, weights.called, is_crowded=is_large)
    found += _nearest(tree, shown, functions, weights.tests_shown)
    product = [function for function in functions if not function.is_test]
    for place in located:
        if place.function in product:
            found += nearest.called(tree, place.function, beside=place.first_line, within=_BESIDE)
    said = "\n".join(hunk.text for hunk in shown)
    found += related.related(tree, product, said, relevance)
    moved = [f"renamed: {clean(old)} to {clean(new)}" for old, new in artefact.moved]
    waiting = (replace(place, waits=True) for place in (*found, *(around if is_large else ())))

    def missing(seen: Set[Required], limit: int) -> str:
        return left_out(chosen, {n for n, h in enumerate(hunks) if h in seen}, count, limit)

    return Places((*hunks, *waiting), tuple(filter(None, [first_of(moved, _MOVED)])), missing)


def _around(
    functions: Sequence[SymbolRecord],
    shown: Mapping[RepoPath, Sequence[tuple[int, int]]],
) -> Iterator[Required]:
    """The changed functions of which hunks show too little, without the lines that these show."""
    for symbol in functions:
        span = symbol.span
        ranges = sorted(shown.get(symbol.path, ()))
        inside = sum(max(0, min(b, span.end_line) - max(a, span.start_line) + 1) for a, b in ranges)
        if inside < ENOUGH * (span.end_line - span.start_line + 1):
            place = symbol.path, span.start_line, span.end_line
            yield Required(*place, "changed here", is_asked=False, told=tuple(ranges))


def _nearest(
    tree: Tree, hunks: Sequence[Hunk], functions: Sequence[SymbolRecord], n_tests: int
) -> Iterator[Required]:
    """Who calls a changed function by another name, what hunks name, and tests of what changes."""
    headings = {hunk.name: hunk.path for hunk in hunks}
    for name, path in headings.items():
        for own in tree.matching(path)[:1]:
            yield from nearest.callers_by_name(tree, name, own, _MAX_CALLERS)
    # A heading that is the name of a function tells the one above the hunk, which may not change.
    headings = {name: path for name, path in headings.items() if not _is_function(tree, name)}
    words = {word for hunk in hunks for word in _WORD.findall(hunk.text)}
    product = [function for function in functions if not function.is_test]
    for function in product:
        yield from nearest.called(tree, function, words)
        yield from nearest.used(tree, function, words)
    # A change that brings its tests needs no others.
    if product and len(product) == len(functions):
        lines = (line for hunk in hunks for line in hunk.text.split("\n"))
        text = "\n".join(line for line in lines if line[:1] in ("+", "-"))
        # Many classes have a constructor, so its name tells nothing.
        named = {f.name for f in product if f.kind != SymbolKind.CONSTRUCTOR}
        names = named | headings.keys() - {""}
        yield from nearest.tests(tree, product, sorted(names), text, n_tests)


def _is_function(tree: Tree, name: str) -> bool:
    kinds = FUNCTIONS - {SymbolKind.CONSTRUCTOR}
    return any(symbol.kind in kinds for symbol in tree.snapshot.symbols.named(name))


def _hunks(tree: Tree, written: Sequence[Hunk]) -> tuple[list[Chosen], list[Required]]:
    """What hunks change, first things first, and the same as places of the tree."""
    paths = [
        RepoPath(hunk.path) if hunk.state == State.GONE else tree.matching(hunk.path)[0]
        for hunk in written
    ]
    every = [part for n, hunk in enumerate(written) for part in parts(tree, n, hunk, paths[n])]
    chosen = in_order(every, written)
    places: list[Required] = []
    for each in chosen:
        hunk, path = written[each.part.hunk], each.part.path
        lines = each.part.first, each.part.last
        if each.text == hunk.text:
            # The lines around a change are shown too.
            now = [
                line for line in hunk.body if line[:1] not in CHANGED or line[:1] == hunk.state.mark
            ]
            lines = hunk.start, hunk.start + max(len(now), 1) - 1
        places.append(
            Required(
                path, *_inside(tree, path, *lines), hunk.state, is_exact=True, text=each.text,
                symbol=each.part.symbol,
            )
        )  # fmt: skip
    return chosen, places


def _inside(tree: Tree, path: RepoPath, first: int, last: int) -> tuple[int, int]:
    """Lines of a file that it has; of one that is gone, those that it had."""
    if path not in tree.files:
        return first, last
    n_lines = tree.source(path).count(b"\n") + 1
    first = min(max(1, first), n_lines)
    return first, min(max(first, last), n_lines)


def _functions(located: Iterable[Located]) -> dict[RepoPath, list[SymbolRecord]]:
    """The functions around changed lines by file, each once, in the order of the diff."""
    found: dict[RepoPath, list[SymbolRecord]] = {}
    for place in located:
        span = place.function.span if place.function else None
        # Of a long class with a changed line between its methods the hunk says enough.
        is_short = span is not None and span.end_line - span.start_line < _LONGEST_TYPE
        if place.function and (is_short or place.function.kind in FUNCTIONS):
            known = found.setdefault(place.path, [])
            if all(place.function.id != symbol.id for symbol in known):
                known.append(place.function)
    return found


def _users(
    tree: Tree, touched: Sequence[SymbolRecord], n_shown: int, *, is_crowded: bool
) -> Iterator[Required]:
    """What calls the changed functions and did not change: product code first, then tests.

    One of each function in turn, the surest first, then by path and line. In a large change
    (`is_crowded`) the lines around the call stand for the caller.
    """
    own = {symbol.id for symbol in touched}
    edges = [e for e in tree.snapshot.symbols.edges_to(sorted(own)) if e.kind == "call"]
    users = {s.id: s for s in tree.snapshot.symbols.by_id(sorted({e.source for e in edges}))}
    names = {symbol.id: brief(symbol.qualified_name) for symbol in touched}
    of: dict[int, list[tuple[bool, bool, RepoPath, int, int, str]]] = {}
    for edge in edges:
        user = users.get(edge.source)
        if user is None or user.id in own or user.kind not in FUNCTIONS:
            continue
        # The fields stand in the order in which users are sorted, and end with ids and rules so
        # that no two are equal by chance.
        order = user.is_test, edge.confidence < SURE, user.path, edge.line, user.id, edge.rule
        of.setdefault(edge.target, []).append(order)
    ranked = sorted(
        (is_test, turn, unsure, path, line, user, rule, target)
        for target, listed in of.items()
        for turn, (is_test, unsure, path, line, user, rule) in enumerate(sorted(listed))
    )
    seen: set[int] = set()
    for _is_test, _turn, unsure, path, line, user_id, rule, target in ranked:
        if user_id not in seen and len(seen) < n_shown:
            seen.add(user_id)
            reason = edge_reason("calls", names[target], rule, is_sure=not unsure)
            place = Required(path, line, line, reason, is_asked=False, is_neighbour=True)
            yield _around_line(place, users[user_id]) if is_crowded else place


def _around_line(place: Required, function: SymbolRecord) -> Required:
    """Some lines of a function around the one that a place has, and no more."""
    span, line = function.span, place.first_line
    return replace(
        place,
        first_line=max(span.start_line, line - _AROUND_CALL),
        last_line=min(span.end_line, line + _AROUND_CALL),
        is_exact=True,
        symbol=function,
    )
