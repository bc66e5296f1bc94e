"""Is what was indexed still what is in the file? Answered from the file's bytes, at reply time."""

from __future__ import annotations

from satchel.assembler.assemble import IsCurrent
from satchel.indexer.extract.source import indexed
from satchel.indexer.scan import walk
from satchel.store.codec import digest_of
from satchel.store.model import Digest, RepoPath
from satchel.workspace.project import Project


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
            seen[path] = digest_of(indexed(data)) if isinstance(data, bytes) else Digest("")
        return seen[path] == digest

    return is_current
