"""The state of an index: what it holds, what it left out and why, what it takes on disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from satchel.store.model import Digest, RepoPath
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import Counts, SkippedRecord
from satchel.store.sqlite import usage
from satchel.store.sqlite.usage import ToolUsage
from satchel.workspace.configuration.load import LeftOut
from satchel.workspace.project import Project


class GenerationState(Struct, frozen=True):
    """Which generation an index is at.

    `complete`: no first index is being built; `linked`: every edge of the call graph is of this
    generation. `content_generation` is the one that last changed more than edges.
    """

    generation: int
    content_generation: int
    complete: bool
    linked: bool


class FileProblem(Struct, frozen=True):
    """Something odd about a file that is indexed; `line` is 0 where it is not about one."""

    path: RepoPath
    kind: str
    line: int
    detail: str


class DiskUse(Struct, frozen=True):
    """What a part of the state takes: a file, or a folder with all that is in it."""

    name: str
    bytes: int


class IndexStatus(Struct, frozen=True, kw_only=True):
    """The state of an index. Lists are by path; `disk` has the largest first."""

    root: Path
    index: Path
    knowledge: Path
    state: GenerationState
    counts: Counts
    skipped: tuple[SkippedRecord, ...]
    problems: tuple[FileProblem, ...]
    usage: tuple[ToolUsage, ...]
    disk: tuple[DiskUse, ...]
    n_without_vectors: int
    """Chunks that have no vector yet."""
    left_out: tuple[LeftOut, ...]
    """What of the repository's own settings is not in force."""


class Saved(Struct, frozen=True):
    """What became of the files between two generations, by path."""

    added: tuple[RepoPath, ...]
    changed: tuple[RepoPath, ...]
    removed: tuple[RepoPath, ...]


class Contents(Struct, frozen=True):
    """Which bytes every file of a generation holds."""

    state: GenerationState
    digests: Mapping[RepoPath, Digest]

    def since(self, before: Contents) -> Saved:
        """What became of the files since an earlier generation."""
        now, then = self.digests, before.digests
        return Saved(
            tuple(sorted(now.keys() - then.keys())),
            tuple(sorted(path for path in now.keys() & then.keys() if now[path] != then[path])),
            tuple(sorted(then.keys() - now.keys())),
        )


def generation_state(snapshot: Snapshot) -> GenerationState:
    """Which generation a snapshot is of."""
    return GenerationState(
        snapshot.generation, snapshot.content_generation, snapshot.complete, snapshot.linked
    )


def status(project: Project, snapshot: Snapshot) -> IndexStatus:
    """How the index of a project stands."""
    files = snapshot.files
    disk = [*_disk("index", project.folders.index), *_disk("knowledge", project.folders.knowledge)]
    return IndexStatus(
        root=project.root,
        index=project.folders.index,
        knowledge=project.folders.knowledge,
        state=generation_state(snapshot),
        counts=files.counts(),
        skipped=tuple(files.skipped()),
        problems=tuple(FileProblem(*row) for row in files.problems()),
        usage=usage.read(project.directory),
        disk=tuple(sorted(disk, key=lambda use: (-use.bytes, use.name))),
        n_without_vectors=project.chunks_without_vectors(),
        left_out=project.left_out,
    )


def contents(snapshot: Snapshot) -> Contents:
    """What every file of a snapshot holds."""
    digests = {file.path: file.digest for file in snapshot.files.all()}
    return Contents(generation_state(snapshot), digests)


def _disk(title: str, folder: Path) -> Iterator[DiskUse]:
    """What is directly in a folder, each with all that is below it; nothing where there is none."""
    for path in sorted(folder.glob("*")):
        below = path.rglob("*") if path.is_dir() and not path.is_symlink() else (path,)
        # Files of SQLite come and go while others write; one that has gone takes no room.
        yield DiskUse(f"{title}/{path.name}", sum(_size(each) for each in below))


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0
