"""What both questions ask, within its bounds. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from satchel.assembler.values import Scope
from satchel.store import path_filter
from satchel.store.errors import UsageError
from satchel.store.records import ChunkRecord

MAX_QUERY = 10_000


@dataclass(frozen=True, slots=True)
class Question:
    """What both questions ask: `path` limits it to some paths (`satchel.store.path_filter`).

    `text` is words, names or the output of a program (`assembler.pasted.artefacts`). `changes` is a
    unified diff to be reviewed, of files as the index has them; then `text` may be empty.
    """

    text: str
    scope: Scope = Scope.IMPL
    path: str = ""
    changes: str = ""

    def __post_init__(self) -> None:
        """Hold the bounds.

        Raises:
            UsageError: the text is empty or too long.
        """
        if not self.text.strip() and not self.changes:
            raise UsageError("query is empty", "say what you are looking for in words or names")
        # What people and programs paste is cut by `pasted.long_input` before, which can say so.
        if len(self.text) > MAX_QUERY:
            raise UsageError(
                f"query has {len(self.text)} characters, at most {MAX_QUERY} are read",
                "shorten it, or keep the part that names things",
            )

    def admits(self, chunk: ChunkRecord) -> bool:
        """Whether a chunk lies in the scope and below the path."""
        return self.scope.admits(chunk.is_test) and path_filter.admits(self.path, chunk.path)
