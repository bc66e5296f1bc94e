"""The Chroma mirror of the process that owns an index, loaded where vectors are looked for there.

Most indexes have none, and loading what writes it takes longer than to see that nothing changed.
"""

from __future__ import annotations

import threading
from contextlib import closing
from typing import TYPE_CHECKING

from satchel.store.sqlite import database
from satchel.workspace.project import Project
from satchel.workspace.vectors.chosen_encoder import may_use_chroma

if TYPE_CHECKING:
    from satchel.workspace.vectors.index_mirror import IndexMirror
    from satchel.workspace.vectors.mirror_answers import NearestQuery, NearestReply


class OwnedMirror:
    """Does what `IndexMirror` does, from the first moment at which there is something to do."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._loading = threading.Lock()
        self._mirror: IndexMirror | None = None

    def update(self) -> None:
        """As `IndexMirror.update`."""
        if self._mirror is not None or may_use_chroma(self._project.settings, self._n_chunks()):
            self._loaded().update()

    def nearest(self, query: NearestQuery) -> NearestReply:
        """As `IndexMirror.nearest`."""
        return self._loaded().nearest(query)

    def close(self) -> None:
        """As `IndexMirror.close`."""
        if self._mirror is not None:
            self._mirror.close()

    def _n_chunks(self) -> int:
        with closing(database.connect(self._project.directory, writable=False)) as connection:
            return database.n_chunks(connection)

    def _loaded(self) -> IndexMirror:
        with self._loading:  # questions come from any thread
            if self._mirror is None:
                from satchel.workspace.vectors.index_mirror import IndexMirror

                project = self._project
                self._mirror = IndexMirror(project.directory, project.encoder, project.uses_chroma)
            return self._mirror
