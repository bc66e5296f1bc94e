"""Compares what was indexed with the file's bytes, when a reply is made.

Times and sizes decide which files are indexed again, and can be forged; text that is quoted is
therefore compared with the bytes themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from satchel.assembler.values import SearchReply
from satchel.indexer.scan import walk
from satchel.store.codec import digest_of
from satchel.store.model import Digest, RepoPath
from satchel.store.reading.snapshot import Snapshot
from satchel.workspace.project import Project

if TYPE_CHECKING:
    from satchel.assembler.assemble import IsCurrent
    from satchel.assembler.exact.search import LinesReply

_Row = TypeVar("_Row")


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


def current_results(project: Project, reply: SearchReply) -> SearchReply:
    """The results that may be quoted, with a notice of the others."""
    is_current = checker(project)
    kept, notices = _kept(reply.results, lambda r: is_current(r.chunk.path, r.chunk.digest))
    return replace(reply, results=kept, notices=(*reply.notices, *notices))


def current_lines(project: Project, snapshot: Snapshot, reply: LinesReply) -> LinesReply:
    """The lines that may be quoted, with a notice of the others."""
    is_current = checker(project)

    def may_be(path: RepoPath) -> bool:
        identity = snapshot.files.identity(path)
        if identity is None or not is_current(path, identity[0]):
            return False
        snapshot.files.source(*identity)  # what was searched is what the digest is of
        return True

    kept, notices = _kept(reply.rows, lambda row: may_be(row.path))
    return replace(reply, rows=kept, notices=(*reply.notices, *notices))


def _kept(
    rows: Iterable[_Row], may_be: Callable[[_Row], bool]
) -> tuple[tuple[_Row, ...], tuple[str, ...]]:
    every = tuple(rows)
    kept = tuple(row for row in every if may_be(row))
    left_out = len(every) - len(kept)
    said = f"{left_out} left out: their files have changed since they were indexed; ask again"
    return kept, (said,) if left_out else ()
