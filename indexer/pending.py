"""Changes to files on their way into the index, a transaction at a time."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import apsw

from satchel.indexer.callgraph import invalidation, stale
from satchel.indexer.callgraph import restored as restoring
from satchel.indexer.callgraph.invalidation import PreviousFile
from satchel.indexer.callgraph.restored import restored
from satchel.indexer.scan.test_paths import is_test_path
from satchel.store import codec
from satchel.store.model import Digest, RepoPath, SkipReason
from satchel.store.records import Analyzed, Edge, FileStat, IndexedFile, KnownFile, SkippedRecord
from satchel.store.sqlite.database import transaction
from satchel.store.sqlite.earlier import kept_edges, retention
from satchel.store.sqlite.earlier import replaced as earlier
from satchel.store.sqlite.earlier.kept_edges import LostEdge, TargetFile
from satchel.store.sqlite.earlier.replaced import Replaced
from satchel.store.sqlite.rows import encode_path
from satchel.store.sqlite.writer import FileIds, Writer

_NOTHING = Digest("")


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file whose bytes differ from what the index holds, with what its bytes say."""

    path: RepoPath
    stat: FileStat
    digest: Digest
    language: str
    analyzed: Analyzed | None
    """None when the index knows these bytes already, from another path or branch."""


class PendingChanges:
    """Files to be written, and the count of what was.

    `known` is what the index holds of what is looked at; a file that is written again leaves it.
    `tests` are the project's own patterns of tests.
    `now_ns` is when the refresh started, `is_first` says that the index holds nothing at all. With
    `since`, the last row of `store.sqlite.earlier.replaced`, the edges that files have are kept for
    when a branch is switched back; none of them are stale then.
    """

    def __init__(
        self,
        connection: apsw.Connection,
        known: dict[RepoPath, KnownFile],
        now_ns: int,
        tests: tuple[str, ...],
        *,
        is_first: bool,
        since: int | None = None,
    ) -> None:
        self.files: list[ChangedFile] = []
        self.touched: list[tuple[int, FileStat]] = []
        """Ids of files of which only the stat has changed, with the new one."""
        self.keys: set[int] = set()
        """What written and removed files say otherwise than before: edges of other files that
        depend on these keys are stale (see `indexer.callgraph.invalidation`)."""
        self.moved: list[Edge] = []
        """Edges from other files to what was written again and is the same as before."""
        self.paths: list[RepoPath] = []
        """The files that were written."""
        self.n_added = self.n_changed = 0
        self.writer = Writer(connection)
        self._connection = connection
        self._known = known
        self._now_ns = now_ns
        self._tests = tests
        self._is_first = is_first
        self._since = since
        self._lost: defaultdict[int, list[LostEdge]] = defaultdict(list)
        self._kept: dict[int, int] = {}
        self._analyzed: set[tuple[Digest, str]] = set()
        self._committing = False

    def knows(self, changed: ChangedFile) -> bool:
        """Whether these bytes have been analysed before, or are being analysed just now."""
        key = (changed.digest, changed.language)
        known = key in self._analyzed or self.writer.has_contents(*key)
        self._analyzed.add(key)
        return known

    def commit(self) -> None:
        """Write the changes that are pending, in a transaction of their own."""
        # `KeyboardInterrupt` may come out of any line of this. Then the lists here no longer say
        # what the index holds, and committing again must do nothing: the next refresh compares the
        # tree with the index and finds out.
        if self._committing or not (self.files or self.touched):
            return
        self._committing = True
        with transaction(self._connection):
            self.write()
            self.writer.advance(complete=False)
        self._committing = False

    def write(self) -> None:
        """Write what has come together, inside the caller's transaction."""
        for file_id, stat in self.touched:
            self.writer.touch_file(file_id, stat)
        self.writer.put_contents(c.analyzed for c in self.files if c.analyzed is not None)
        n_retold = self._take_out_retold()
        replaced = {c.path: self._known.pop(c.path) for c in self.files if c.path in self._known}
        self._keep([file.id for file in replaced.values()])
        before = {
            file.path: self._previous(file, self.writer.ids_of(file.id))
            for file in replaced.values()
        }
        indexed = list(map(self._indexed_file, self.files))
        self.writer.remove_files(list(replaced.values()))
        for file, first_symbol in zip(indexed, self.writer.add_files(indexed), strict=True):
            if self._is_first:
                continue  # there are no edges yet that could be stale
            was = before.get(file.path)
            self.keys |= invalidation.changed_keys(
                file.path, was.facts if was else None, file.facts, file.is_test
            )
            if was:
                self.moved += invalidation.moved_edges(was, file.facts, first_symbol)
        new = [Replaced(c.path, _NOTHING) for c in self.files if c.path not in replaced]
        was_there = [_as_it_was(file) for file in replaced.values()]
        earlier.record(self._connection, self._now_ns, [*was_there, *new])
        retention.restore(self._connection, [(c.digest, c.language) for c in self.files])
        retention.retire(self._connection, [(f.digest, f.language) for f in replaced.values()])
        self.paths += [changed.path for changed in self.files]
        self.n_changed += len(self.files)
        self.n_added += len(self.files) - len(replaced) - n_retold
        self.files, self.touched = [], []

    def _take_out_retold(self) -> int:
        """Take out the files that became tests or are none any more; they are written as new ones.

        Returns how many those are.
        """
        known = [self._known[c.path] for c in self.files if c.path in self._known]
        now = {c.path: is_test_path(c.path, c.language, self._tests) for c in self.files}
        retold = [file for file in known if file.is_test != now[file.path]]
        if retold:
            # What is kept of earlier contents holds for what the files were then.
            earlier.clear(self._connection)
            self._since = None
            self.remove(retold)
            for file in retold:
                del self._known[file.path]
        return len(retold)

    def _previous(self, file: KnownFile, ids: FileIds) -> PreviousFile:
        """What a file was that is about to be taken out."""
        incoming = tuple(self.writer.edges_into(ids.symbols))
        self._lose(encode_path(file.path), ids, incoming)
        contents = self.writer.contents(file.digest, file.language)
        facts = codec.decode_all_facts(contents.facts, contents.flows)
        return PreviousFile(facts, file.is_test, ids.symbols.start, incoming)

    def remove(self, files: Sequence[KnownFile]) -> None:
        """Take files out of the index, remembering the names they defined."""
        self._keep([file.id for file in files])
        for file in files:
            was = self._previous(file, self.writer.ids_of(file.id))
            self.keys |= invalidation.changed_keys(file.path, was.facts, None, file.is_test)
        self.writer.remove_files(files)
        earlier.record(self._connection, self._now_ns, map(_as_it_was, files))
        retention.retire(self._connection, [(file.digest, file.language) for file in files])

    def _keep(self, files: Sequence[int]) -> None:
        """Keep the edges that files have, for a switch back."""
        if self._since is not None:
            self._kept |= kept_edges.keep(self._connection, self._since, files, self._lost)

    def _lose(self, path: bytes, ids: FileIds, incoming: Iterable[Edge]) -> None:
        """Remember edges into a file that are about to go."""
        if self._since is None:
            return
        there = TargetFile(path, ids.shape)
        for edge in incoming:
            target = edge.target - ids.symbols.start
            self._lost[edge.source].append(
                LostEdge(there, target, edge.kind, edge.line, edge.rule, edge.confidence)
            )

    def mark_stale(self) -> bool:
        """Mark edges that depend on what was written and removed as stale; those that are known
        from an earlier switch are brought back.

        Returns whether no edge is stale.
        """
        if self._since is None:
            stale.mark_stale(self._connection, self.moved, self.keys)
            return False
        depending = list(self.writer.depending_on(self.keys))
        self._keep(depending)
        stale.mark_stale(self._connection, self.moved, ())
        files = [*depending, *stale.underived(self._connection)]
        found = list(restored(self._connection, files, self._kept))
        restoring.write(self.writer, found)
        known = {file.file_id for file in found}
        self.writer.forget_dependencies(each for each in depending if each not in known)
        return known.issuperset(files)

    def prune(self, keep_bytes: int) -> None:
        """Drop the oldest of what is kept of earlier contents, beyond some bytes."""
        retention.prune(self._connection, keep_bytes)
        if self._since is not None:
            kept_edges.prune(self._connection)

    def _indexed_file(self, changed: ChangedFile) -> IndexedFile:
        """A changed file with its facts, those that are known from elsewhere included."""
        analyzed = changed.analyzed or self.writer.contents(changed.digest, changed.language)
        # Flows are needed to compare them with those of before; a first index has none to compare.
        facts = (
            codec.decode_facts(analyzed.facts)
            if self._is_first
            else codec.decode_all_facts(analyzed.facts, analyzed.flows)
        )
        return IndexedFile(
            changed.path,
            changed.stat,
            is_test_path(changed.path, changed.language, self._tests),
            facts,
            codec.decode_postings(analyzed.postings),
        )

    def change_skipped(
        self, known: dict[RepoPath, SkippedRecord], found: Iterable[SkippedRecord]
    ) -> None:
        """Change the list of what was left out from `known` to `found`."""
        now = {record.path: record for record in found}
        gone = sorted(known.keys() - now.keys())
        changed = [record for path, record in now.items() if known.get(path) != record]
        if gone or changed:
            self.writer.change_skipped(gone, changed)
        # What imports through a linked folder mean depends on where the link leads.
        for path in (*gone, *(record.path for record in changed)):
            records = (known.get(path), now.get(path))
            if any(record and record.reason is SkipReason.SYMLINK for record in records):
                kept_edges.clear(self._connection)  # where links led is not on record
                self._since = None
                self.keys |= invalidation.keys_of_link(path)


def _as_it_was(file: KnownFile) -> Replaced:
    return Replaced(file.path, file.digest, file.language, file.is_test)
