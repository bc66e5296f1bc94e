"""Finds the places of pasted text in the code base, and what a pack must show for them. Pure."""

import re
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.assembler.budget import CountTokens
from satchel.assembler.kinds import Absent
from satchel.assembler.lookup import absence
from satchel.assembler.places import failing_tests, required_by_diff, required_by_trace, seeds
from satchel.assembler.places.seeds import Seed, Seeds, Tree
from satchel.assembler.query import diffs
from satchel.assembler.query.artefacts import MAX_FRAMES, Artefact
from satchel.assembler.query.diffs import Hunk, State
from satchel.assembler.query.traces import Frame
from satchel.assembler.values import Places, Required, Scored
from satchel.assembler.weights import POOL, Pointing
from satchel.store import path_filter
from satchel.store.reading.snapshot import Snapshot

_SENTENCE = re.compile(r"[A-Z][^.!?\n]*(?:\s[a-z',]+){4}[^.!?\n]*[.!?](?=\s|$)")
_TOLD = 3
"""Sentences in the prose around an artefact from which it is a report: programs print fewer."""


class Pasted(Struct, frozen=True):
    """An artefact and where it points."""

    artefact: Artefact
    tree: Tree
    pointed: Seeds

    def seeds(self, path: str) -> list[Seed]:
        """What the ranking is told to prefer within some paths.

        Of a failing test that is its code alone: the test itself is required as it is, and what
        else its file holds is not asked for.
        """
        # In a review the tests are part of what changed, so they are not taken out there.
        own: set[str] = set()
        if not self.artefact.is_diff:
            failed = failing_tests.tests(self.tree, self.artefact, self.pointed.located)
            own |= {test.path for test in failed}
        found = (seed for seed in self.pointed.found if path_filter.admits(path, seed.chunk.path))
        return [seed for seed in found if seed.chunk.path not in own]

    def required(self, ranked: Sequence[Scored], count: CountTokens, weights: Pointing) -> Places:
        """The places that a pack shows first; `ranked` is best first."""
        located = self.pointed.located
        best = [item for item in ranked[:POOL] if item.score > 0]
        inside = self.tree.snapshot.chunks.symbols_in(item.chunk.id for item in best)
        relevance: dict[int, float] = {}
        # A symbol that spans several chunks takes the score of the best of them, since the best is
        # written last.
        for item in reversed(best):
            relevance.update(dict.fromkeys(inside.get(item.chunk.id, ()), item.score))
        if self.artefact.is_diff:
            return required_by_diff.changed(
                self.tree, self.artefact, located, relevance, count, weights
            )
        traced = required_by_trace.traced(
            self.tree, self.artefact, self.pointed, relevance, weights
        )
        return Places(tuple(traced))

    def suffices(self, required: Sequence[Required]) -> bool:
        """Whether a pack of these places needs no matches by words.

        True for a diff that has little prose around it, unless it touches tests alone. Else matches
        by words are added: the cause of a failing run is often some calls away from its frames.
        """
        files = self.tree.files
        is_code = any(p.path not in files or not files[p.path].is_test for p in required)
        is_told = len(_SENTENCE.findall(self.artefact.prose)) >= _TOLD and self.artefact.is_said
        return is_code and not is_told and self.artefact.is_diff

    def absent(self) -> list[Absent]:
        """Frames outside the code base, and files of a diff that are not indexed."""
        if self.artefact.is_diff:
            written = dict.fromkeys(hunk.path for hunk in self.artefact.hunks)
            gone = self.artefact.deleted
            lacking = [p for p in written if p not in gone and not self.tree.matching(p)]
            return absence.of_diff(gone, lacking)
        return absence.frames_outside(self.pointed.frames_outside)


def find(snapshot: Snapshot, artefact: Artefact, weights: Pointing) -> Pasted:
    """An artefact in a code base."""
    tree = Tree(snapshot)
    artefact = _placed(tree, artefact)
    return Pasted(artefact, tree, seeds.resolve(tree, artefact, weights))


def _placed(tree: Tree, artefact: Artefact) -> Artefact:
    """The artefact with the hunks of a diff where the files of a code base have them."""
    hunks: list[Hunk] = []
    for hunk in artefact.hunks:
        for path in tree.matching(hunk.path)[:1]:
            hunk = diffs.settled(diffs.placed(hunk, tree.lines(path)))
        # The path of a file that is gone may be the end of another one's.
        if hunk.path in artefact.deleted and hunk.state != State.PENDING:
            hunk = diffs.gone(hunk)
        hunks.append(hunk)
    if not hunks:
        return artefact
    kept = (hunk for hunk in hunks if hunk.state != State.GONE)
    frames = [_in_place(tree, hunk, frame) for hunk in kept for frame in diffs.changed_lines(hunk)]
    return replace(artefact, hunks=tuple(hunks), frames=tuple(frames[:MAX_FRAMES]))


def _in_place(tree: Tree, hunk: Hunk, frame: Frame) -> Frame:
    """The changed lines of a hunk, without the name in its heading where that is of a definition
    which ends above them.

    Git heads a hunk with the function above its first line, which may not be the one that changes.
    """
    if hunk.state == State.UNKNOWN:
        return frame
    named = [s for path in tree.matching(frame.path)[:1] for s in tree.symbols(path)]
    spans = [s.span for s in named if s.name == frame.name]
    is_around = any(s.start_line <= frame.line <= s.end_line for s in spans)
    return frame if is_around or not spans else replace(frame, name="")
