"""What a pasted stack trace, compiler error, test run, diff or description points at. Pure.

A question may be the output of a program instead of words. Each place it names becomes a `Frame`,
the most telling first; what is left of the text when the machine's own lines are taken out is the
`prose` that is searched for. Which frames lie in the code base is decided by
`assembler.places.seeds`.
"""

import re
from enum import StrEnum

from msgspec import Struct

from satchel.assembler.query import diffs, traces
from satchel.assembler.query.diffs import Hunk
from satchel.assembler.query.traces import Failure, Frame

_PATHS = re.compile(r"(?<![\w/.])((?:[\w@+.-]+/)+[\w@+-]+(?:\.[\w+-]+)+)(?!\w)")
MAX_FRAMES = 200
"""A recursion of thousands of frames says what its first ones say."""
_MAX_FAILURES = 20
"""Failing tests that are read: where everything fails, the first tell as much as all of them."""


class ArtefactKind(StrEnum):
    """What a text turned out to hold."""

    TRACE = "stack trace"
    COMPILER = "compiler output"
    TESTS = "test output"
    DIFF = "diff"
    DESCRIPTION = "description"
    """Several lines of prose that name files."""


class Artefact(Struct, frozen=True):
    """What a text points at, the most telling place first; `prose` is the rest of it.

    `failures` are the tests that failed, `hunks` those of a diff, in its order,
    `deleted` the files that it removes, and `moved` the old and new paths of those that it renames.
    """

    kinds: tuple[ArtefactKind, ...]
    frames: tuple[Frame, ...]
    prose: str
    failures: tuple[Failure, ...] = ()
    hunks: tuple[Hunk, ...] = ()
    deleted: tuple[str, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    is_said: bool = True
    """Whether the prose is around the artefact, rather than lines of it."""

    @property
    def is_diff(self) -> bool:
        """Whether it is a diff, be it one that only renames files."""
        return bool(self.hunks or self.moved)

    @property
    def is_run(self) -> bool:
        """Whether it says how code ran, not how it was compiled or changed."""
        return bool({ArtefactKind.TRACE, ArtefactKind.TESTS} & set(self.kinds))


def read(text: str) -> Artefact | None:
    """The artefact in a text, None when it is a plain question."""
    # A diff is looked for first, since its lines may hold traces and paths that are not the
    # writer's own.
    diff = diffs.read(text)
    if diff.hunks or diff.moved:
        frames = tuple(frame for hunk in diff.kept for frame in diffs.changed_lines(hunk))
        is_said = bool(diff.prose.strip())
        return Artefact(
            (ArtefactKind.DIFF,), frames[:MAX_FRAMES],
            diff.prose if is_said else diffs.words(diff),
            hunks=diff.hunks, deleted=diff.deleted, moved=diff.moved, is_said=is_said,
        )  # fmt: skip
    found = traces.read(text)
    if found.frames or found.failures:
        kinds = tuple(ArtefactKind(kind) for kind in found.kinds)
        failures = found.failures[:_MAX_FAILURES]
        frames = tuple(dict.fromkeys(found.frames))[:MAX_FRAMES]
        return Artefact(kinds, frames, found.prose or text, failures)
    paths = tuple(dict.fromkeys(_PATHS.findall(text)))
    # One line that names a file is a question about it, which the ranking by paths answers.
    if paths and "\n" in text.strip():
        frames = tuple(Frame(path) for path in paths)
        return Artefact((ArtefactKind.DESCRIPTION,), frames[:MAX_FRAMES], text)
    return None
