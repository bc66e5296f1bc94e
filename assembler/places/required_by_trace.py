"""What the output of a program requires of a pack: failing tests, frames, what tests call. Pure.

The order is that in which somebody would open them: the test's own function, the functions of the
trace with the innermost first (fixtures among them, when they fail), what the innermost of these
call and use themselves, and what the test calls. Matches by words follow in the room that is left.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from satchel.assembler.places import failing_tests, nearest
from satchel.assembler.places.failing_tests import FailedTest, Relevance
from satchel.assembler.places.seeds import Located, Seeds, Tree
from satchel.assembler.query.artefacts import Artefact
from satchel.assembler.values import Required
from satchel.assembler.weights import Pointing

_MISSING = re.compile(
    r"No module named '([\w.]+)'|Cannot find (?:module|package) '(@?[\w-][\w.-]*(?:/[\w.-]+)?)'"
    r"|cannot load such file -- ([\w-]+)"
)
"""How Python, Node and Ruby say that a package is not installed."""
_MANIFEST = re.compile(
    r"(?:^|/)(?:pyproject\.toml|setup\.(?:py|cfg)|Pipfile|package\.json|Gemfile|[^/]+\.gemspec"
    r"|[^/]*requirements[^/]*\.(?:txt|in))$|(?:^|/)requirements/[^/]+\.(?:txt|in)$"
)
_MOST_MANIFESTS, _MOST_DECLARED = 20, 3
"""Manifests that are looked into, and lines of them that are shown."""
_AROUND_MODULE = 5
"""Lines shown around a frame that no function is around."""


def traced(
    tree: Tree,
    artefact: Artefact,
    pointed: Seeds,
    relevance: Relevance,
    weights: Pointing,
) -> list[Required]:
    """The places in order."""
    failed = failing_tests.tests(tree, artefact, pointed.located)
    # The first says what a run is about; others have room beside what they lead to.
    found = [_test(test) for test in failed[:1]]
    frames = [
        place for place in _distinct(pointed.located) if not _is_in_failing_test(failed, place)
    ]
    reason = "in the trace" if artefact.is_run else "in the report"
    found += [_frame(place, reason) for place in frames[: max(0, weights.frames - len(failed))]]
    product = [place for place in frames if not place.is_test]
    left_at = [(place.function, place.last_line) for place in product if place.function]
    for function, line in left_at[: weights.followed]:
        found += nearest.called(tree, function, beside=line)
        found += nearest.used(tree, function)
    # A trace that goes on into the code says by itself where to look.
    n_called = weights.frames if product else weights.called
    for each in failing_tests.called(tree, failed, relevance)[:n_called]:
        span = each.symbol.span
        why = each.lead + (f", {each.depth} calls away" if each.depth > 1 else "")
        # The best matches hold the fault oftener, so they are read first and have room beside them.
        found.append(
            Required(
                each.symbol.path, span.start_line, span.end_line, why,
                is_asked=False, is_read_last=True, waits=True,
            )
        )  # fmt: skip
    found += [replace(_test(test), waits=True) for test in failed[1:]]
    found += _manifest_places(tree, artefact)
    titled = failing_tests.named_by_title(tree, failed)
    return [*found, *(nearest.neighbour(symbol, "named by the failing test") for symbol in titled)]


def _is_in_failing_test(failed: Sequence[FailedTest], place: Located) -> bool:
    """Whether a frame is in a failing test, which is shown as such."""
    own = {test.symbol.id for test in failed if test.symbol}
    return (place.function is not None and place.function.id in own) or any(
        test.path == place.path and test.first_line <= place.first_line <= test.last_line
        for test in failed
    )


def _manifest_places(tree: Tree, artefact: Artefact) -> list[Required]:
    """Where manifests name a package that a run did not find, the highest manifests first."""
    match = _MISSING.search(artefact.prose)
    if match is None:
        return []
    name = next(filter(None, match.groups()))
    # `ephemeral_port_reserve` is imported, `ephemeral-port-reserve` is installed.
    parts = re.split("[-_.]", name.split(".")[0]) if match[1] else [name]
    spelled = re.compile(rf"(?i)(?<![\w-]){'[-_.]'.join(map(re.escape, parts))}(?![\w-])")
    manifests = sorted(filter(_MANIFEST.search, tree.files), key=lambda p: (p.count("/"), p))
    return [
        Required(path, number, number, f"names {name}", is_exact=True, is_asked=False)
        for path in manifests[:_MOST_MANIFESTS]
        for number, line in enumerate(tree.lines(path), 1)
        if spelled.search(line)
    ][:_MOST_DECLARED]


def _distinct(located: tuple[Located, ...]) -> Iterator[Located]:
    """The frames, each function once."""
    seen: set[tuple[str, int]] = set()
    for place in located:
        line = place.function.span.start_line if place.function else place.first_line
        if (place.path, line) not in seen:
            seen.add((place.path, line))
            yield place


def _frame(place: Located, reason: str) -> Required:
    """The function of a frame by the line that it was left at."""
    first, last = place.first_line, place.last_line
    if place.function:
        return Required(place.path, first, last, reason, is_asked=False)
    first = max(1, first - _AROUND_MODULE)
    return Required(place.path, first, last + _AROUND_MODULE, reason, is_exact=True)


def _test(test: FailedTest) -> Required:
    """A test; of a long one what is around the line that failed."""
    at = test.failed_at or test.first_line
    if test.symbol:
        return Required(test.path, at, at, "failing test", is_asked=False)
    place = test.path, test.first_line, test.last_line
    return Required(*place, "failing test", is_exact=True, is_asked=False, at=at)
