"""Indexes of installed packages: each made once, in the user's cache, and shared by all projects.

An index is complete when its folder has `checkout.json`, which names the package and is written
last. It is never updated: other bytes have another key.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from satchel.indexer.refresh_values import OnProgress
from satchel.store import private
from satchel.store.sqlite import database
from satchel.workspace.configuration.load import load
from satchel.workspace.configuration.settings import IndexSettings
from satchel.workspace.dependencies import source
from satchel.workspace.dependencies.installed import Package
from satchel.workspace.dependencies.source import Source
from satchel.workspace.lock import explained_write_errors
from satchel.workspace.project import Project
from satchel.workspace.state import state_folder
from satchel.workspace.state.find_root import own_settings_file
from satchel.workspace.state.identity import checkout_at
from satchel.workspace.state.index_place import CHECKOUT_FOLDER
from satchel.workspace.state.state_folder import Bases, StateFolders
from satchel.workspace.vectors.chosen_encoder import encoder_in


class Shared(Project):
    """The index of one package; it is never updated."""

    def prepare(self) -> None:
        """Make the folder of the index; `checkout.json` is written when the index is complete."""
        with explained_write_errors(self.directory):
            private.make(self.folders.bases.cache, self.directory)


class Indexes:
    """All indexes of packages that a user has."""

    def __init__(self, bases: Bases, environment: Mapping[str, str]) -> None:
        """Only the user's settings apply: a repository's would decide what other projects find."""
        self._bases = bases
        settings = load((own_settings_file(environment),), environment)
        self._encoder = encoder_in(settings, environment)
        usual = IndexSettings()
        index = replace(settings.index, ignore=(), tests=(), max_file_bytes=usual.max_file_bytes)
        self._settings = replace(settings, index=index)

    @property
    def max_file_bytes(self) -> int:
        """Longer files are left out, for all users of an index alike."""
        return self._settings.index.max_file_bytes

    def is_whole(self, key: str) -> bool:
        """Whether there is an index of this key, complete."""
        folder = self._folder(key)
        # `checkout.json` alone tells of an interruption, but not that somebody deleted the index.
        return (
            private.check(self._bases.cache, folder)
            and state_folder.read(folder) is not None
            and database.file_in(folder).is_file()
        )

    def of(self, key: str) -> Shared:
        """The index of a key, to be read."""
        return self._index_at(key, self._folder(key))

    def build(self, package: Package, found: Source, on_progress: OnProgress) -> None:
        """Make the index of a package, unless it is there.

        Raises:
            Locked: another process is making it.
            Unwritable: it cannot be written.
        """
        if self.is_whole(found.key):
            return
        with self._copied(found) as root:
            made = self._index_at(found.key, root)
            made.refresh(on_progress)
            # A complete index is not visited again, so its vectors are made with it.
            made.build_vectors()
        title = f"{package.name} {package.version} ({package.kind})".replace("  ", " ")
        with explained_write_errors(made.directory):
            state_folder.note_dependency(made.directory, title)

    def _folder(self, key: str) -> Path:
        return self._bases.dependencies / key

    def _index_at(self, key: str, root: Path) -> Shared:
        index = self._folder(key)
        folders = StateFolders(
            root, self._bases, checkout_at(root), index, index, root / CHECKOUT_FOLDER,
            index / "none.sock",
        )  # fmt: skip
        return Shared(folders, self._settings, self._encoder)

    @contextmanager
    def _copied(self, found: Source) -> Iterator[Path]:
        """A folder of this user's alone with the files of a package, for a while."""
        above = self._bases.dependencies
        with explained_write_errors(above):
            private.make(self._bases.cache, above)
            # No index has a name that begins with a dot. The id in it tells a later deletion
            # whether this process is still at it (`state_folder.left_behind`).
            root = Path(tempfile.mkdtemp(prefix=f".{os.getpid()}.", dir=above)).resolve()
            try:
                source.copy(found, root)
                yield root
            finally:
                shutil.rmtree(root, ignore_errors=True)
