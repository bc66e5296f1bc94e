"""What a diff requires of a pack: its hunks as they are, then what they touch. Pure.

First every hunk, with the lines that it removed; of one that is longer than its share the first
lines, and how many more there are. Then the functions around the changes, unless the hunks hold
them; what calls these and did not change itself; what the changed lines name; and the tests that
say most of what they hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from satchel.assembler.budget import CountTokens, n_fitting
from satchel.assembler.kinds import brief
from satchel.assembler.pasted import nearest, related
from satchel.assembler.pasted.diffs import Hunk, State
from satchel.assembler.pasted.seeds import Located, Tree
from satchel.assembler.values import Required, edge_reason
from satchel.assembler.weights import Pointing
from satchel.store.counted import counted
from satchel.store.model import FUNCTIONS, RepoPath, SymbolKind
from satchel.store.records import SURE, SymbolRecord

_MAX_CALLERS = 3
"""Callers of a function that is called by a name of their own."""
_BESIDE = 12
"""Lines from a change within which a call belongs to it."""
_LONGEST_TYPE = 40
"""Lines of a type that is shown for a change between its methods."""
_DEFINITION = re.compile(
    r"\s*(?:[\w<>\[\],.&*?@]+\s+)*?"
    r"(?:(?:def|func|fun|function|fn|sub)\s+(?:\([^)]*\)\s*)?)?(\w+)\s*(?:<[^>]*>)?\([^;]*$"
)
"""A line that may define a function; what it names is looked for by that name only."""
_WORD = re.compile(r"[^\W\d]\w{2,}")


def changed(
    tree: Tree,
    hunks: Sequence[Hunk],
    located: Sequence[Located],
    relevance: Mapping[int, float],
    count: CountTokens,
    budget: int,
    weights: Pointing,
) -> list[Required]:
    """The places in order; hunks take at most their share of `budget` tokens."""
    # A hunk of a file that is not indexed has no place among the excerpts, so it would only use up
    # the share of the others.
    shown = [hunk for hunk in hunks if tree.matching(hunk.path)]
    found = list(_hunks(tree, shown, count, int(budget * weights.hunk_share)))
    touched = _functions(located)
    # The lines that hunks show of each file as it is now.
    added: dict[RepoPath, list[tuple[int, int]]] = {}
    for hunk in shown:
        for path in tree.matching(hunk.path)[:1]:
            added.setdefault(path, []).append((hunk.start, hunk.end))
    for path, lines in touched.items():
        for symbol in lines:
            span = symbol.span
            inside = sum(
                max(0, min(b, span.end_line) - max(a, span.start_line) + 1)
                for a, b in added.get(path, ())
            )
            if inside < weights.hunks_suffice * (span.end_line - span.start_line + 1):
                found.append(
                    Required(path, span.start_line, span.end_line, "changed here", is_asked=False)
                )
    functions = [s for lines in touched.values() for s in lines]
    found += _users_of_removed(tree, shown)
    found += _users(tree, functions, weights.users_shown)
    found += _nearest(tree, shown, functions, weights.tests_shown)
    product = [function for function in functions if not function.is_test]
    for place in located:
        if place.function in product:
            found += nearest.called(tree, place.function, beside=place.first_line, within=_BESIDE)
    said = "\n".join(hunk.text for hunk in shown)
    return [*found, *related.related(tree, product, said, relevance)]


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


def _users_of_removed(tree: Tree, hunks: Sequence[Hunk]) -> Iterator[Required]:
    """What uses the functions whose definitions a diff takes out, in its order."""
    for hunk in hunks:
        defined = [(line[:1], _DEFINITION.match(line[1:])) for line in hunk.text.split("\n")[1:]]
        kept = {match[1] for mark, match in defined if match and mark == "+"}
        names = dict.fromkeys(match[1] for mark, match in defined if match and mark == "-")
        for path in tree.matching(hunk.path)[:1]:
            for name in (name for name in names if name not in kept):
                yield from nearest.users_of_removed(tree, name, path, _MAX_CALLERS)


def _is_function(tree: Tree, name: str) -> bool:
    kinds = FUNCTIONS - {SymbolKind.CONSTRUCTOR}
    return any(symbol.kind in kinds for symbol in tree.snapshot.symbols.named(name))


def _hunks(
    tree: Tree, hunks: Sequence[Hunk], count: CountTokens, available: int
) -> Iterator[Required]:
    """Each hunk as it is, cut to an equal share where all of them do not fit."""
    sizes = [count(hunk.text) for hunk in hunks]
    limit = _level(sizes, available)
    for hunk, size in zip(hunks, sizes, strict=True):
        text = hunk.text if size <= limit else _cut(hunk.text, limit, count)
        for path in tree.matching(hunk.path)[:1]:
            n_lines = tree.source(path).count(b"\n") + 1
            first = min(max(1, hunk.start), n_lines)
            other = "+" if hunk.state == State.PENDING else "-"
            n_now = sum(line[:1] in (" ", "", *({"+", "-"} - {other})) for line in text.split("\n"))
            last = min(max(first, first + n_now - 1), n_lines)
            yield Required(path, first, last, hunk.state, is_exact=True, text=text)


def _level(sizes: Sequence[int], available: int) -> int:
    """The most that one of them may have so that all together fit: small ones are not cut."""
    left, rest = available, sorted(sizes)
    for n, size in enumerate(rest):
        # Sizes ascend, so what a small hunk leaves of its share goes to all the larger ones.
        share = left // (len(rest) - n)
        if size > share:
            return share
        left -= size
    return max(rest, default=0)


def _cut(text: str, limit: int, count: CountTokens) -> str:
    """The first lines of a text that keep within some tokens, and how many follow."""
    lines = text.split("\n")
    shown = n_fitting(lines, count, limit)
    return "\n".join([*lines[:shown], f"… {counted(len(lines) - shown, 'more line')}"])


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


def _users(tree: Tree, touched: Sequence[SymbolRecord], n_shown: int) -> Iterator[Required]:
    """What calls the changed functions and did not change: product code first, then tests.

    One of each function in turn, the surest first, then by path and line.
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
            yield Required(path, line, line, reason, is_asked=False, is_neighbour=True)
