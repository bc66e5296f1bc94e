"""The part of the public API that shows how answers come about and how the index stands.

`satchel.api.CodeBase` has these methods beside its questions; `satchel ui` draws what they return.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from satchel.assembler.lookup.dependencies import Dependencies
from satchel.assembler.output import drawings, segments
from satchel.assembler.output.segments import PackLayout
from satchel.assembler.values import ContextPack
from satchel.knowledge import requests
from satchel.knowledge.replies import Reply
from satchel.store import tokens
from satchel.workspace import index_status, pack_log
from satchel.workspace.index_status import Contents, GenerationState, IndexStatus
from satchel.workspace.multi_root import known
from satchel.workspace.multi_root.live import live_for
from satchel.workspace.pack_log import KeptPack
from satchel.workspace.project import Project
from satchel.workspace.review import Review, review
from satchel.workspace.serving.live import LiveState


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
        # The same thread of work as that of `satchel serve`, so a page sees what agents see.
        live = live_for(self._project)
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
        return pack_log.replay(self._project, pack_id)

    def packs(self) -> tuple[KeptPack, ...]:
        """The packs that were made and are kept for `replay`, the newest first."""
        return pack_log.kept_packs(self._project.directory)

    def layout(self, pack: ContextPack) -> PackLayout:
        """A pack taken apart: what each part of its text is and costs, what excerpts displaced."""
        with self._project.snapshot() as snapshot:
            # Files of the pack may have gone since it was made; they are drawn without colours.
            known = {e.path: snapshot.files.identity(e.path) for e in pack.excerpts}
        languages = {path: identity[1] for path, identity in known.items() if identity}
        # Counted by itself, as the pack keeps the text of knowledge and not its cost.
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

    def drawing(self, found: Dependencies, form: str) -> str:
        """The call graph around a symbol as "dot", "mermaid", "graphml", "gexf" or "json".

        Raises:
            UsageError: there is no such form.
        """
        return drawings.drawing(found, form)

    def review(self, since: str = "HEAD") -> Review:
        """What changed since a revision or time: hunks, symbols, users that did not, tests.

        Raises:
            UsageError: nothing has changed, or `since` means nothing here.
        """
        with self._project.snapshot() as snapshot:
            return review(self._project, snapshot, since)

    def knowledge_state(self) -> Reply:
        """How much is known, what calls for a look, and what happened."""
        return known.ask(self._project, requests.Overview())

    @property
    def keeps_knowledge(self) -> bool:
        """Whether anything was ever written down here; asking does not begin it."""
        return self._project.folders.has_knowledge
