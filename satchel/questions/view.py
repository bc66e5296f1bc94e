"""What a question is asked of: one generation of an index, and what its source knows beside it.

A checkout, several of them, one with its dependencies, and a hub are sources. Each opens a view;
what a source cannot do its view refuses, in the same words for every face.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from satchel.assembler.assemble import IsCurrent, KnowledgeLines
    from satchel.assembler.budget import Spending
    from satchel.assembler.exact.search import LinesReply, Wanted
    from satchel.assembler.query.question import Question
    from satchel.assembler.ranking.candidates import VectorSearch
    from satchel.assembler.survey.changes import Changes, History
    from satchel.assembler.survey.impact import KnownHere
    from satchel.assembler.values import ContextPack, Sent
    from satchel.assembler.weights import Weights
    from satchel.knowledge.operations.overview import KnowledgeState
    from satchel.store.reading.snapshot import Snapshot


class PackRecord(Struct, frozen=True):
    """What a pack was made from, beside the index."""

    question: Question
    spending: Spending
    notices: tuple[str, ...]
    sent: Sent


class Surveyed(Struct, frozen=True):
    """What is known of a scope: as lines, and as a value, None where nothing is kept."""

    lines: tuple[str, ...] = ()
    value: KnowledgeState | None = None


class View(Struct, frozen=True, kw_only=True):
    """One generation of what is asked; a source says what it has beside the index."""

    snapshot: Snapshot
    vectors: VectorSearch | None = None
    """What answers for its vectors; None as well where nothing is ranked."""
    notices: tuple[str, ...] = ()
    """What a reader should know of any answer."""
    is_behind: bool = False
    """Whether the index may not have caught up with its files."""
    likely: tuple[tuple[str, float], ...] = ()
    """Folders, and how likely each is meant, where the source has chosen between some."""
    client: str = ""
    """The program that asks, "" where nobody said."""
    reached: Callable[[str], None] = lambda _stage: None
    """Told of each stage of the answer that is over."""

    @property
    def encoding(self) -> str:
        """The name of the tokenizer that budgets are counted with."""
        from satchel.store import tokens  # few questions count any

        return tokens.DEFAULT_ENCODING

    @property
    def spending(self) -> Spending:
        """What a pack may cost where no budget is written."""
        from satchel.assembler.budget import USUAL

        return USUAL

    @property
    def weights(self) -> Weights:
        """The numbers that ranking and packing go by."""
        from satchel.assembler.weights import DEFAULT

        return DEFAULT

    @property
    def state(self) -> str:
        """The generation, and of what, as a reply names it."""
        building = "" if self.snapshot.complete else ", index still building"
        return f"generation {self.snapshot.generation}{building}"

    def question_text(self, text: str) -> str:
        """A question without the words that only say which part of the source is meant."""
        return text

    def path(self, written: str) -> str:
        """The path or glob that somebody wrote, from the root on. Raises: UsageError."""
        raise NotImplementedError

    def symbol(self, written: str) -> str:
        """The name that somebody wrote, its path from the root on. Raises: UsageError."""
        return written

    def is_current(self) -> IsCurrent:
        """What compares a file with the digest of what is indexed of it, where there is a disk."""
        return lambda _path, _digest: True

    def current_lines(self, _wanted: Wanted, found: LinesReply) -> LinesReply:
        """The lines that may be quoted, and notices of what else holds the text."""
        return found

    def changes_since(self, since: str, path: str) -> str:
        """The unified diff of what changed since then in `path`. Raises: UsageError."""
        raise NotImplementedError

    def history(self, since: str) -> History:
        """What files were at a time or revision. Raises: UsageError: it means nothing here."""
        raise NotImplementedError

    def across(self, name: str, limit: int) -> tuple[int, tuple[str, ...]]:
        """How often other repositories use a name, and lines of the surest uses."""
        raise NotImplementedError

    def knowledge_lines(self, _text: str, _session: str) -> KnowledgeLines | None:
        """What tells a pack what is known of its files; None where nothing is."""
        return None

    def knowledge_survey(self, _scope: str, _since: str = "") -> Surveyed:
        """What is known of a scope, or with `since` what happened to it."""
        return Surveyed()

    def touched_by(self, _found: Changes) -> tuple[KnownHere, ...]:
        """Decisions and warnings about what changed."""
        return ()

    def chunks_without_vectors(self) -> int:
        """Chunks that have no vector yet."""
        return 0

    def record(self, pack: ContextPack, made: PackRecord) -> None:
        """Keep how a pack was made, where packs are kept."""


def changed_since(n: int) -> str:
    """What is said of results or lines of files that are not what was indexed."""
    return f"{n} left out: their files have changed since they were indexed; ask again"
