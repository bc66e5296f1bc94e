"""Changes to files on their way into the index, a transaction at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import apsw
from msgspec.structs import replace

from satchel.indexer.callgraph import invalidation
from satchel.indexer.callgraph.invalidation import PreviousFile
from satchel.indexer.scan.test_paths import is_test_path
from satchel.store import codec
from satchel.store.model import Digest, FileFacts, Generation, RepoPath
from satchel.store.records import Analyzed, Edge, FileStat, KnownFile, Projection, SkippedRecord
from satchel.store.sqlite import retention
from satchel.store.sqlite.database import transaction
from satchel.store.sqlite.writer import Writer


@dataclass(frozen=True, slots=True)
class Changed:
    """A file whose bytes differ from what the index holds, with what its bytes say."""

    path: RepoPath
    stat: FileStat
    digest: Digest
    language: str
    analyzed: Analyzed | None
    """None when the index knows these bytes already, from another path or branch."""


class Pending:
    """Files to be written, and the count of what was.

    `known` is what the index holds of what is looked at; a file that is written again leaves it.
    `is_first` says that it holds nothing at all. `keys` is what written and removed files say
    differently than before (see `indexer.callgraph.invalidation`), `paths` those of the files
    written.
    """

    def __init__(
        self, connection: apsw.Connection, known: dict[RepoPath, KnownFile], *, is_first: bool
    ) -> None:
        self.files: list[Changed] = []
        self.touched: list[tuple[int, FileStat]] = []
        self.keys: set[int] = set()
        self.moved: list[Edge] = []
        """Edges from other files to what was written again and is the same as before."""
        self.paths: list[RepoPath] = []
        self.n_added = self.n_changed = 0
        self._connection = connection
        self._known = known
        self._is_first = is_first
        self._writer = Writer(connection)
        self._analyzed: set[tuple[Digest, str]] = set()
        self._committing = False

    def knows(self, changed: Changed) -> bool:
        """Whether these bytes have been analysed before, or are being analysed just now."""
        key = (changed.digest, changed.language)
        known = key in self._analyzed or self._writer.has_contents(*key)
        self._analyzed.add(key)
        return known

    def commit(self) -> None:
        """Write what has come together, in a transaction of its own.

        An exception may come out of any line of this. Then what is here no longer says what the
        index holds, and committing again does nothing: the next refresh finds out.
        """
        if self._committing or not (self.files or self.touched):
            return
        self._committing = True
        with transaction(self._connection):
            self.write()
            self.advance(complete=False)
        self._committing = False

    def write(self) -> None:
        """Write what has come together, inside the caller's transaction."""
        for file_id, stat in self.touched:
            self._writer.touch_file(file_id, stat)
        self._writer.put_contents(c.analyzed for c in self.files if c.analyzed is not None)
        replaced = [self._known.pop(c.path) for c in self.files if c.path in self._known]
        before = self._remove(replaced)
        projections = [self._project(changed) for changed in self.files]
        for projection, first in zip(projections, self._writer.add_files(projections), strict=True):
            self._compare(projection, first, before.get(projection.path))
        retention.hold(self._connection, [(c.digest, c.language) for c in self.files])
        retention.release(self._connection, [(file.digest, file.language) for file in replaced])
        self.paths += [changed.path for changed in self.files]
        self.n_changed += len(self.files)
        self.n_added += len(self.files) - len(replaced)
        self.files, self.touched = [], []

    def remove(self, files: Sequence[KnownFile]) -> None:
        """Take files out of the index, remembering the names they defined."""
        for path, before in self._remove(files).items():
            self.keys |= invalidation.changed_keys(path, before.facts, None, before.is_test)
        retention.release(self._connection, [(file.digest, file.language) for file in files])

    def _remove(self, files: Iterable[KnownFile]) -> dict[RepoPath, PreviousFile]:
        """Take files out and say what they were."""
        found: dict[RepoPath, PreviousFile] = {}
        for file in files:
            facts = _whole_facts(self._writer.contents(file.digest, file.language))
            first, incoming = self._writer.edges_into(file.id)
            found[file.path] = PreviousFile(facts, file.is_test, first, tuple(incoming))
            self._writer.remove_file(file)
        return found

    def _compare(
        self, projection: Projection, first_symbol: int, before: PreviousFile | None
    ) -> None:
        """Note what a written file means for the edges of others."""
        if self._is_first:
            return  # nobody has asked yet
        facts, path = projection.facts, projection.path
        was = before.facts if before else None
        self.keys |= invalidation.changed_keys(path, was, facts, projection.is_test)
        if before:
            self.moved += invalidation.moved_edges(before, facts, first_symbol)

    def change_skipped(
        self, known: dict[RepoPath, SkippedRecord], found: Iterable[SkippedRecord]
    ) -> None:
        """Make the list of what was left out say `found` where it said `known`."""
        now = {record.path: record for record in found}
        gone = sorted(known.keys() - now.keys())
        changed = [record for path, record in now.items() if known.get(path) != record]
        if gone or changed:
            self._writer.change_skipped(gone, changed)

    def prune(self, max_bytes: int) -> None:
        """Drop the oldest contents that no file holds beyond `max_bytes`."""
        retention.prune(self._connection, max_bytes)

    def set_head(self, head: str) -> None:
        """Remember which commit was checked out."""
        self._writer.set_head(head)

    def advance(self, *, complete: bool, linked: bool = True) -> Generation:
        """Count a transaction, inside the caller's."""
        return self._writer.advance(complete=complete, linked=linked)

    def _project(self, changed: Changed) -> Projection:
        analyzed = changed.analyzed or self._writer.contents(changed.digest, changed.language)
        # What names may hold is compared with what was there before, and not stored again.
        facts = codec.decode_facts(analyzed.facts) if self._is_first else _whole_facts(analyzed)
        return Projection(
            changed.path,
            changed.stat,
            is_test_path(changed.path, changed.language),
            facts,
            codec.decode_postings(analyzed.postings),
        )


def _whole_facts(analyzed: Analyzed) -> FileFacts:
    facts = codec.decode_facts(analyzed.facts)
    return replace(facts, flows=codec.decode_flows(analyzed.flows))
