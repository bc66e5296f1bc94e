"""The part of the public API that shows how answers come about and how the index stands.

`satchel.api.CodeBase` has these methods beside its questions; `satchel ui` draws what they return.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from satchel.assembler.output import segments
from satchel.assembler.output.segments import PackLayout
from satchel.assembler.values import ContextPack
from satchel.store import tokens
from satchel.workspace import index_status, packs
from satchel.workspace.index_status import Contents, GenerationState, IndexStatus
from satchel.workspace.project import Project
from satchel.workspace.serving.live import Live, LiveState


class Inspection:
    """What can be looked at of a code base. Nothing here brings the index up to date first."""

    _project: Project

    @property
    def budget(self) -> int:
        """The tokens of a pack where a question names no budget."""
        return self._project.settings.context.budget_tokens

    @contextmanager
    def kept_fresh(self) -> Iterator[Callable[[], LiveState]]:
        """Keep the index fresh in the background, as `satchel serve` does.

        Gives a function that says how it stands just now; it may be called from any thread.
        """
        live = Live(self._project)
        live.start()
        try:
            yield live.state
        finally:
            live.close()

    def replay(self, pack_id: str) -> ContextPack:
        """A pack that was made before, byte for byte, by the id in its receipt.

        Raises:
            UsageError: it is not kept, or the index is not what it was made from.
        """
        return packs.replay(self._project, pack_id)

    def layout(self, pack: ContextPack) -> PackLayout:
        """A pack taken apart: what each part of its text is and costs, what excerpts displaced."""
        with self._project.snapshot() as snapshot:
            known = {e.path: snapshot.files.identity(e.path) for e in pack.excerpts}
        languages = {path: identity[1] for path, identity in known.items() if identity}
        n_known = tokens.count(segments.known_text(pack), pack.receipt.encoding)
        return segments.layout(pack, languages, n_known)

    def generation_state(self) -> GenerationState:
        """Which generation the index is at.

        Raises:
            UsageError: there is no index yet.
        """
        with self._project.snapshot() as snapshot:
            return index_status.generation_state(snapshot)

    def status(self) -> IndexStatus:
        """What is indexed, what is not and why, what agents used it for, what it takes on disk.

        Raises:
            UsageError: there is no index yet.
        """
        with self._project.snapshot() as snapshot:
            return index_status.status(self._project, snapshot)

    def contents(self) -> Contents:
        """Which bytes every indexed file holds.

        Raises:
            UsageError: there is no index yet.
        """
        with self._project.snapshot() as snapshot:
            return index_status.contents(snapshot)
