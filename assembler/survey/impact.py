"""What a change may break: the tests that reach it, nearest first. Pure.

A test reaches a changed symbol over at most `DEPTH` edges of the call graph, or lies in a file
whose name says that it tests the changed file. Edges that no rule resolved are not seen, so this
says what to run first, not what may be left out.
"""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from satchel.assembler.kinds import Absence, Absent, Scope
from satchel.assembler.lookup.dependencies import Dependencies, Direction, Filter, dependencies
from satchel.assembler.lookup.prototypes import definitions_of
from satchel.assembler.survey.changes import Changes
from satchel.assembler.survey.versions import ChangeKind
from satchel.store.counted import counted
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import SURE

DEPTH = 3
BY_NAME = DEPTH + 1
"""The distance of a test file that only its name ties to the change."""
_NEUTRAL = re.compile(
    r"(?i)(?:.*[._-])?(?:tests?|specs?|__tests?__|testing)|src|source|lib|main|java|kotlin|scala"
    r"|unit|integration|functional|e2e|it|[a-z]+tests?"
)
"""Folders that are no part of what is tested."""
GUESSED = BY_NAME + 1
"""The distance of one that only edges lead to that are likelier wrong than right."""


class TestFile(Struct, frozen=True):
    """A file of tests; `distance` counts edges, 0 for one that was changed itself."""

    path: RepoPath
    distance: int


class KnownHere(Struct, frozen=True):
    """A decision, warning or convention about a place that a change touches."""

    kind: str
    scope: str
    summary: str


def tests_to_run(snapshot: Snapshot, found: Changes) -> tuple[TestFile, ...]:
    """Files of tests that may see the change, nearest first, then by path."""
    distances: dict[RepoPath, int] = {}
    for change in found.changes:
        if change.now is not None and change.now.is_test:
            distances[change.now.path] = 0
    changed = {c.now.id for c in found.changes if c.now and c.kind != ChangeKind.ADDED}
    changed = set(definitions_of(snapshot, changed))
    paths = {change.at.path for change in found.changes}
    return _reaching(snapshot, changed, paths, distances)


class SymbolImpact(Struct, frozen=True):
    """What depends on a symbol: `users` are the edges that lead to it or to what stands in for it,
    with these overriders; `tests` come nearest first."""

    users: Dependencies
    tests: tuple[TestFile, ...]


def symbol_impact(
    snapshot: Snapshot,
    name: str,
    depth: int,
    limit: int,
    offset: int = 0,
    scope: Scope = Scope.IMPL,
) -> SymbolImpact:
    """What a change of every definition of `name` may break: callers in `scope`, overriders, tests.

    Raises:
        UsageError: `depth` is outside 1 to 5, or nothing is called `name`.
    """
    users = dependencies(
        snapshot,
        name,
        (Direction.CALLERS, depth),
        scope,
        limit,
        Filter(offset=offset, guesses=False),
    )
    if guesses := _guesses(snapshot, users, scope):
        message = f"{counted(guesses, 'guess')} of callers left out; `deps` lists them"
        users = replace(users, absent=(*users.absent, Absent(Absence.FILTERED_OUT, message)))
    changed = {root.id for root in users.roots} | {o.member.id for o in users.overrides}
    paths = {root.path for root in users.roots}
    return SymbolImpact(users, _reaching(snapshot, changed, paths, {}))


def _guesses(snapshot: Snapshot, users: Dependencies, scope: Scope) -> int:
    """How many symbols in scope use the roots by edges alone that are likelier wrong than right."""
    edges = snapshot.symbols.edges_to([root.id for root in users.roots])
    sure = {edge.source for edge in edges if edge.confidence >= SURE}
    unsure = {edge.source for edge in edges} - sure
    return sum(scope.admits(user.is_test) for user in snapshot.symbols.by_id(sorted(unsure)))


def _reaching(
    snapshot: Snapshot, changed: set[int], paths: set[RepoPath], distances: dict[RepoPath, int]
) -> tuple[TestFile, ...]:
    """Test files that reach symbols or are named for files, nearest first, then by path.

    `distances` are those that are known already, and grows.
    """
    # The first distance that a file gets is kept, so the surest ways to reach it are tried first.
    for path, distance in _reached_tests(snapshot, changed, SURE):
        distances.setdefault(path, distance)
    # Test files called after a changed file: test_x.py, x_test.go, x.spec.ts, XTest.java.
    # Every package has an `__init__`, so its name ties no test to it.
    by_stem: dict[str, list[RepoPath]] = {}
    for path in sorted(paths):
        by_stem.setdefault(_stem(path), []).append(path)
    found: list[RepoPath] = []
    for file in snapshot.files.all():
        if file.is_test:
            stem = _stem(file.path)
            bare = stem.removeprefix("test_").removesuffix("_test").removesuffix("_spec")
            named = {stem, bare, bare.removesuffix("tests"), bare.removesuffix("test")}
            tested = [path for each in named - {"__init__", ""} for path in by_stem.get(each, ())]
            if any(_mirrors(file.path, path) for path in tested):
                found.append(file.path)
    for path in found:
        distances.setdefault(path, BY_NAME)
    # Guesses are walked in a pass of their own, because one on the way would make all that follows
    # look sure.
    for path, _ in _reached_tests(snapshot, changed, 0.0):
        distances.setdefault(path, GUESSED)
    tests = [TestFile(path, distance) for path, distance in distances.items()]
    return tuple(sorted(tests, key=lambda test: (test.distance, test.path)))


def _reached_tests(
    snapshot: Snapshot, changed: set[int], confidence: float
) -> Iterator[tuple[RepoPath, int]]:
    """Files of tests that edges of some confidence lead to, and over how many; nearest first."""
    frontier, seen = changed, set(changed)
    for distance in range(1, DEPTH + 1):
        edges = snapshot.symbols.edges_to(sorted(frontier))
        users = {edge.source for edge in edges if edge.confidence >= confidence} - seen
        for user in snapshot.symbols.by_id(sorted(users)):
            if user.is_test:
                yield user.path, distance
        seen |= users
        frontier = users


def _mirrors(test: RepoPath, path: RepoPath) -> bool:
    """Whether tests lie in the folder of a file, or in one that repeats the end of it: the same
    name in another folder is another file's."""
    if PurePosixPath(test).parent == PurePosixPath(path).parent:
        return True
    own, other = _folders(test), _folders(path)
    n = min(len(own), len(other))
    return not own or (n > 0 and own[-n:] == other[-n:])


def _folders(path: RepoPath) -> list[str]:
    """The folders of a path without those that only say that source or tests lie there."""
    return [each for each in PurePosixPath(path).parts[:-1] if not _NEUTRAL.fullmatch(each)]


def _stem(path: RepoPath) -> str:
    """The name before its first dot, "" for a dotfile."""
    return PurePosixPath(path).name.split(".", 1)[0].lower()
