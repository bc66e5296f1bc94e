"""Compares what was indexed with the file's bytes, when a reply is made.

Times and sizes decide which files are indexed again, and can be forged; text that is quoted is
therefore compared with the bytes themselves. Exact text is looked for in files that were left out
of the index as well, so that nobody takes it for absent that stands there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from satchel.assembler.quoting import clean
from satchel.indexer.scan import walk
from satchel.questions.view import changed_since
from satchel.store import path_filter
from satchel.store.codec import digest_of
from satchel.store.counted import counted, first_of
from satchel.store.model import Digest, RepoPath, SkipReason
from satchel.store.reading.snapshot import Snapshot
from satchel.workspace.project import Project

if TYPE_CHECKING:
    from satchel.assembler.assemble import IsCurrent
    from satchel.assembler.exact.search import LinesReply, Wanted

_TEXT = frozenset({SkipReason.GENERATED, SkipReason.MINIFIED, SkipReason.TOO_LARGE})
"""Why text is left out of the index that somebody may look for all the same."""
_UNSAID = frozenset({SkipReason.IGNORED, SkipReason.SYMLINK, SkipReason.SPECIAL})
"""Paths that nobody expects to be searched, or that are searched at another place."""
_MAX_FILES, _MAX_FILE_BYTES = 50, 8_000_000
_MAX_WORK = 50_000_000
"""How much of what was left out is read for a question, in files, bytes of each, and steps as
`exact.search.MAX_WORK` counts them: some tenths of a second."""
_NAMED = 5


def checker(project: Project) -> IsCurrent:
    """Compares a file below the root with a digest; each file is read once, no link is followed.

    What cannot be read, or would not be indexed any more, is not current.
    """
    options = project.options().walk
    seen: dict[RepoPath, Digest] = {}

    def is_current(path: RepoPath, digest: Digest) -> bool:
        # A reply may quote a file many times; the first look at it stands for all, so that a reply
        # cannot contradict itself. No content has an empty digest: what cannot be read equals
        # nothing.
        if path not in seen:
            data = walk.read(*project.file_place(path), options)
            seen[path] = _digest(data, digest) if isinstance(data, bytes) else Digest("")
        return seen[path] == digest

    return is_current


def _digest(data: bytes, indexed_as: Digest) -> Digest:
    """The digest of what would be indexed of a file's bytes, which were indexed before."""
    # Most files are indexed as they are. To decode others and to look for secrets in them takes
    # modules that a look-up has no other use for.
    if digest_of(data) == indexed_as:
        return indexed_as
    from satchel.indexer.extract.source import indexed

    return digest_of(indexed(data))


def current_lines(
    project: Project, snapshot: Snapshot, wanted: Wanted, reply: LinesReply
) -> LinesReply:
    """The lines that may be quoted, with notices of the others, and of what was not searched."""
    is_current = checker(project)

    def may_be(path: RepoPath) -> bool:
        identity = snapshot.files.identity(path)
        if identity is None or not is_current(path, identity[0]):
            return False
        snapshot.files.source(*identity)  # what was searched is what the digest is of
        return True

    kept = tuple(row for row in reply.rows if may_be(row.path))
    left_out = len(reply.rows) - len(kept)
    notices: tuple[str, ...] = (changed_since(left_out),) if left_out else ()
    if not reply.offset:
        is_empty = not reply.n_lines
        notices += tuple(_left_out(project, snapshot, wanted, is_empty=is_empty))
    return replace(reply, rows=kept, notices=(*reply.notices, *notices))


def _left_out(
    project: Project, snapshot: Snapshot, wanted: Wanted, *, is_empty: bool
) -> Iterator[str]:
    """What files that are not indexed hold of the text, and where nothing else does, how many were
    not searched and why."""
    from satchel.assembler.exact import patterns

    pattern = patterns.compiled(wanted.text, wanted.mode, ignore_case=wanted.ignore_case)
    options = replace(project.options().walk, max_file_bytes=_MAX_FILE_BYTES)
    holders: list[str] = []
    unread: Counter[str] = Counter()
    n_read = work = 0
    for skipped in snapshot.files.skipped():
        if not path_filter.admits(wanted.path, skipped.path) or skipped.reason in _UNSAID:
            continue
        data = None
        if skipped.reason in _TEXT and n_read < _MAX_FILES and work < _MAX_WORK:
            data = walk.read(*project.file_place(skipped.path), options)
            n_read += 1
        work += len(data) * pattern.cost if isinstance(data, bytes) else 0
        if not isinstance(data, bytes) or work > _MAX_WORK:
            unread[skipped.reason] += 1
        elif n_lines := sum(1 for _ in pattern.lines(data)):
            holders.append(f"{clean(skipped.path)} ({counted(n_lines, 'line')}, {skipped.reason})")
    if holders:
        yield f"not indexed, and holds it: {first_of(holders, _NAMED)}"
    if unread and is_empty:
        why = ", ".join(f"{n} {reason}" for reason, n in sorted(unread.items()))
        yield f"not searched: {why}; `satchel status --skipped` lists them"
