"""What a pasted stack trace, compiler error, test run, diff or description points at. Pure.

A question may be the output of a program instead of words. Each place it names becomes a `Frame`,
the most telling first; what is left of the text when the machine's own lines are taken out is the
`prose` that is searched for. Which frames lie in the code base is decided by
`assembler.ranking.seeds`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from satchel.assembler.query import diffs, traces
from satchel.assembler.query.traces import Frame

_PATHS = re.compile(r"(?<![\w/.])((?:[\w@+.-]+/)+[\w@+-]+(?:\.[\w+-]+)+)(?!\w)")
_MAX_FRAMES = 200
"""A recursion of thousands of frames says what its first ones say."""


class ArtefactKind(StrEnum):
    """What a text turned out to hold."""

    TRACE = "stack trace"
    COMPILER = "compiler output"
    TESTS = "test output"
    DIFF = "diff"
    DESCRIPTION = "description"
    """Several lines of prose that name files."""


@dataclass(frozen=True, slots=True)
class Artefact:
    """What a text points at, the most telling place first; `prose` is the rest of it."""

    kinds: tuple[ArtefactKind, ...]
    frames: tuple[Frame, ...]
    prose: str


def read(text: str) -> Artefact | None:
    """The artefact in a text, None when it is a plain question."""
    diff = diffs.read(text)
    if diff.hunks:
        frames = tuple(diffs.frames(diff))
        prose = diff.prose if diff.prose.strip() else diffs.words(diff)
        return Artefact((ArtefactKind.DIFF,), frames[:_MAX_FRAMES], prose)
    found = traces.read(text)
    if found.frames:
        kinds = tuple(ArtefactKind(kind) for kind in found.kinds)
        return Artefact(kinds, _distinct(found.frames), found.prose or text)
    paths = tuple(dict.fromkeys(_PATHS.findall(text)))
    if paths and "\n" in text.strip():
        frames = tuple(Frame(path) for path in paths)
        return Artefact((ArtefactKind.DESCRIPTION,), frames[:_MAX_FRAMES], text)
    return None


def _distinct(frames: tuple[Frame, ...]) -> tuple[Frame, ...]:
    return tuple(dict.fromkeys(frames))[:_MAX_FRAMES]
