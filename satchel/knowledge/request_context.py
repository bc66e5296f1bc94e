"""The context of one request: the open file, who asks, and the code that items are about."""

from collections.abc import Callable, Sequence

import apsw
from msgspec import Struct, field

from satchel.knowledge import scopes
from satchel.knowledge.code_links.resolve_scope import resolve_scope
from satchel.knowledge.model import Caller, Change, Item
from satchel.knowledge.ranking.presets import PRESETS, Preset, PresetName
from satchel.knowledge.scopes import ResolvedScope
from satchel.knowledge.storage import read, vectors, write
from satchel.store import tokens
from satchel.store.errors import NotFound, UsageError
from satchel.store.reading.snapshot import Snapshot


class RequestContext(Struct, frozen=True):
    """What every operation needs beside its request.

    `snapshot` is None where no index can be read: then links get no anchors and nothing is
    reported as drifted.
    """

    db: apsw.Connection
    caller: Caller
    snapshot: Snapshot | None = None
    encoding: str = tokens.DEFAULT_ENCODING
    use_vectors: bool = True
    """Whether questions and items are compared by their vectors as well as by their words."""
    scan: vectors.ExactScan = field(default_factory=vectors.ExactScan)
    """The search for the nearest vectors."""
    task_preset: Preset = PRESETS[PresetName.TASK]
    """How Twining's `assemble` scores, and below what it costs by default, in tokens."""
    task_tokens: int = 4_000
    relative_path: Callable[[str], str] = str
    """Turns a path as the caller wrote it into one relative to the root."""

    def normalize_scope(self, scope: str) -> str:
        """The scope in the form that is stored.

        Raises:
            UsageError: it leaves the code base, or no path could look like it.
        """
        return scopes.normalize_scope(self.relative_path(scope))

    def resolve_scope(self, scope: str) -> ResolvedScope:
        """The normalised scope with the symbols that the index finds for it.

        Raises:
            UsageError: it leaves the code base, or no path could look like it.
        """
        return resolve_scope(self.db, self.snapshot, self.normalize_scope(scope))

    def record(
        self,
        action: str,
        item: Item,
        before: Item | None = None,
        reason: str = "",
        changes: Sequence[Change] = (),
    ) -> None:
        """Record that `action` turned `before` (None for a new item) into `item`."""
        caller, was = self.caller, before.status if before else ""
        event = (
            caller.now, caller.actor, caller.session, action, item.id, item.summary, was,
            item.status, reason,
        )  # fmt: skip
        write.add_event(self.db, event, changes)

    def count_tokens(self, text: str) -> int:
        """The number of tokens of a text in the request's encoding."""
        return tokens.count(text, self.encoding)

    def find_item(self, item_id: str) -> Item:
        """The visible item with an id, or with an id that begins so.

        Raises:
            NotFound: there is none, or more than one.
        """
        found = read.items_by_id(self.db, self.caller.actor, [item_id])
        # The same words for an id that nobody has and for somebody's private item: an answer that
        # told them apart would give away that the item exists.
        if not found:
            raise NotFound(f"no item {item_id[:40]!r}", "ids are 26 characters; see `recall`")
        return found[0]

    def require_author(self, item: Item) -> None:
        """Check that the caller wrote the item: nobody else may make it private.

        Raises:
            UsageError: the caller is somebody else.
        """
        if item.actor != self.caller.actor:
            raise UsageError(
                f"{item.id} was written by somebody else", "only its writer may make it private"
            )
