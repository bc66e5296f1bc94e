"""The source files of an installed package, copied aside for as long as they are being indexed.

A copy, because an index that several projects share must hold the bytes that its key is of: what is
installed may change while it is read, and an environment in a checkout may say any name and
version of anything. The key is of name, version and every byte, so that nobody's copy stands for
another one.
"""

import os
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

from msgspec import Struct

from satchel.indexer.languages import detect
from satchel.indexer.scan import walk
from satchel.indexer.scan.ignore_rules import WalkOptions
from satchel.store.errors import UsageError
from satchel.store.model import RepoPath
from satchel.workspace.dependencies.installed import Package
from satchel.workspace.state.index_place import formatted

MAX_FILES = 20_000
MAX_BYTES = 200_000_000
"""Code of one package that is read at most; none that people read has as much."""
_MAX_DEPTH = 40
_NOT_ITS_OWN = frozenset({"node_modules", "__pycache__", ".git", ".hg", ".svn", ".venv"})


class Source(Struct, frozen=True):
    """The files of a package by path, and the key of what they say."""

    files: tuple[tuple[RepoPath, bytes], ...]
    key: str

    @property
    def n_bytes(self) -> int:
        """How long all files are together."""
        return sum(len(data) for _, data in self.files)


def read(package: Package, max_file_bytes: int) -> Source:
    """All code of a package; no link is followed, and what is no code is left out.

    Raises:
        UsageError: it has more than anybody reads.
    """
    base = package.place if package.place.is_dir() else package.place.parent
    only = [package.place.name] if package.place != base else None
    options = WalkOptions(max_file_bytes=max_file_bytes)
    digest = blake2b(digest_size=12)
    files: list[tuple[RepoPath, bytes]] = []
    n_bytes = 0
    for path in only or _paths(base, "", 0):
        data = walk.read(base, RepoPath(path), options)
        if not isinstance(data, bytes):
            continue  # too large, a link, a secret: as in the code base itself
        n_bytes += len(data)
        if len(files) >= MAX_FILES or n_bytes > MAX_BYTES:
            raise UsageError(
                f"{package.name} has more than {MAX_FILES:,} files or {MAX_BYTES:,} bytes of code",
                "it is not indexed",
            )
        digest.update(os.fsencode(path) + b"\0" + blake2b(data, digest_size=16).digest())
        files.append((RepoPath(path), data))
    # The name in front is for people who list a folder; the digest behind it is what counts.
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "_" for c in package.name)
    digest.update(f"{package.kind}\0{package.name}\0{package.version}".encode("utf-8", "replace"))
    key = formatted(f"{package.kind}-{plain[:40]}-{digest.hexdigest()}")
    return Source(tuple(files), key)


def copy(source: Source, folder: Path) -> None:
    """Write the files below a folder that is there. Raises: OSError."""
    for path, data in source.files:
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def _paths(base: Path, below: str, depth: int) -> Iterator[str]:
    """The paths of code in a folder and below it, in order; folders that are links are left out."""
    try:
        entries = sorted(os.scandir(base / below), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        path = f"{below}{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            if entry.name not in _NOT_ITS_OWN and depth < _MAX_DEPTH:
                yield from _paths(base, f"{path}/", depth + 1)
        elif entry.is_file(follow_symlinks=False) and detect.is_code(path):
            yield path
