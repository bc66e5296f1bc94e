"""Where a request is answered: the open knowledge, who asks, and the code they talk about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import apsw

from satchel.knowledge.code_links import resolve_scope
from satchel.knowledge.model import Caller, Item
from satchel.knowledge.scopes import ResolvedScope, normalize_scope
from satchel.knowledge.storage import read, vectors
from satchel.store import tokens
from satchel.store.errors import NotFound, UsageError
from satchel.store.reading.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class RequestContext:
    """`snapshot` is None where no index is at hand: then nothing is anchored or found drifted."""

    db: apsw.Connection
    caller: Caller
    snapshot: Snapshot | None = None
    encoding: str = tokens.DEFAULT_ENCODING
    use_vectors: bool = True
    """Whether vectors are used at all."""
    order: vectors.NearestSearch = field(default_factory=vectors.ExactScan)
    """What finds the nearest in meaning."""
    fallback: bool = False
    """Whether that was configured and is not at hand."""
    relative: Callable[[str], str] = str
    """A path as it is called below the root, from however it was said."""

    def scope(self, said: str) -> str:
        """A scope as it is stored.

        Raises:
            UsageError: it leaves the code base, or no path could look like it.
        """
        return normalize_scope(self.relative(said))

    def place(self, said: str) -> ResolvedScope:
        """The same with what the code says of it.

        Raises:
            UsageError: as above.
        """
        return resolve_scope.resolve_scope(self.db, self.snapshot, self.scope(said))

    def count(self, text: str) -> int:
        """How many tokens a text is."""
        return tokens.count(text, self.encoding)

    def item(self, item_id: str) -> Item:
        """A visible item by its id or the beginning of it.

        Raises:
            NotFound: there is none, or more than one.
        """
        found = read.items_by_id(self.db, self.caller.actor, [item_id])
        if not found:
            raise NotFound(f"no item {item_id[:40]!r}", "ids are 26 characters; see `recall`")
        return found[0]

    def require_author(self, item: Item) -> None:
        """Hold that only its writer makes an item private.

        Raises:
            UsageError: the caller is somebody else.
        """
        if item.actor != self.caller.actor:
            raise UsageError(
                f"{item.id} was written by somebody else", "only its writer may make it private"
            )
