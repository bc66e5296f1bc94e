"""The parameters of `context` and `search`, checked for their bounds. Pure."""

from msgspec import Struct

from satchel.assembler.budget import MAX_QUERY, check_query
from satchel.assembler.kinds import Scope
from satchel.store import path_filter
from satchel.store.errors import UsageError
from satchel.store.model import RepoPath
from satchel.store.records import ChunkRecord


class NamedPlace(Struct, frozen=True):
    """Lines of a file: `first_line` to `last_line` of `path`, 1-based and inclusive."""

    path: RepoPath
    first_line: int
    last_line: int

    def overlaps(self, path: RepoPath, first: int, last: int) -> bool:
        """Whether it shares a line with lines `first` to `last` of `path`."""
        return self.path == path and self.first_line <= last and first <= self.last_line


class Question(Struct, frozen=True):
    """What both questions ask: `path` limits it to some paths (`satchel.store.path_filter`).

    `text` is words, names or the output of a program (`assembler.query.artefacts`). `changes` is a
    unified diff to be reviewed, of files as the index has them; then `text` may be empty.

    `put_in` are places that a person wants shown first, in this order; functions that touch a place
    in `taken_out` are not shown.
    """

    text: str
    scope: Scope = Scope.IMPL
    path: str = ""
    changes: str = ""
    put_in: tuple[NamedPlace, ...] = ()
    taken_out: tuple[NamedPlace, ...] = ()
    likely: tuple[tuple[str, float], ...] = ()
    """Folders, each with a "/" at its end, and how likely it is (0..1) that they are meant."""

    def __repr__(self) -> str:
        """The question as it was asked.

        The id of a pack is made from it, so that a question which nobody changed by hand keeps its
        id: what a person or a model put in is not part of it.
        """
        asked = f"text={self.text!r}, scope={self.scope!r}, path={self.path!r}"
        return f"Question({asked}, changes={self.changes!r})"

    def __post_init__(self) -> None:
        """Hold the bounds.

        Raises:
            UsageError: the text is empty or too long.
        """
        if not self.changes:
            check_query(self.text)
        # What people and programs paste is cut by `long_input` before, which can say so.
        if len(self.text) > MAX_QUERY:
            raise UsageError(
                f"query has {len(self.text)} characters, at most {MAX_QUERY} are read",
                "shorten it, or keep the part that names things",
            )

    def admits(self, chunk: ChunkRecord) -> bool:
        """Whether a chunk lies in the scope and below the path."""
        return self.scope.admits(chunk.is_test) and path_filter.admits(self.path, chunk.path)
