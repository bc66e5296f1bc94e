"""What a checkout answers questions from: one generation of its index, its files, its settings.

A workspace of several checkouts and one with its dependencies are projects as well, and are asked
through the same view.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from satchel.assembler.budget import Spending
from satchel.questions.view import View
from satchel.store.errors import UsageError
from satchel.workspace.index_paths import path_in, symbol_inside
from satchel.workspace.project import Project

if TYPE_CHECKING:
    from satchel.assembler.assemble import IsCurrent, KnowledgeLines
    from satchel.assembler.exact.search import LinesReply, Wanted
    from satchel.assembler.survey.changes import Changes, History
    from satchel.assembler.survey.impact import KnownHere
    from satchel.assembler.values import ContextPack
    from satchel.assembler.weights import Weights
    from satchel.questions.view import PackRecord, Surveyed


CANNOT = {
    "across": ("across asks a hub: a checkout has no other repositories", "give --hub URL"),
}
"""Fields of requests that a checkout has no answer to: why, and what to do."""


class CheckoutView(View, frozen=True, kw_only=True):
    """A view of a project; see there for what its methods promise."""

    # ruff: noqa: D102
    project: Project

    @property
    def encoding(self) -> str:
        return self.project.settings.context.tokenizer

    @property
    def spending(self) -> Spending:
        settings = self.project.settings.context
        return Spending(settings.budget_tokens, settings.turn_tokens)

    def path(self, written: str) -> str:
        return path_in(self.snapshot, self.project.root, written)

    def symbol(self, written: str) -> str:
        return symbol_inside(self.project.root, written)

    def is_current(self) -> IsCurrent:
        from satchel.workspace import span_check

        return span_check.checker(self.project)

    def changes_since(self, since: str, path: str) -> str:
        return self.project.changes_since(self.snapshot, since, path)

    def knowledge_lines(self, text: str, session: str) -> KnowledgeLines | None:
        # Most projects keep nothing, and loading what reads it takes longer than making the pack.
        if not self.project.remembers:
            return None
        from satchel.workspace.multi_root import known

        return known.pack_knowledge(self.project, self.snapshot, session, text)

    def history(self, since: str) -> History:
        return self.project.history(self.snapshot, since)

    def knowledge_survey(self, scope: str, since: str = "") -> Surveyed:
        from satchel.workspace.multi_root import known

        return known.surveyed(self.project, self.snapshot, scope, since)

    def touched_by(self, found: Changes) -> tuple[KnownHere, ...]:
        from satchel.workspace import knowledge

        return knowledge.touched_by(self.project, self.snapshot, found)

    def chunks_without_vectors(self) -> int:
        return self.project.chunks_without_vectors()

    @property
    def weights(self) -> Weights:
        from satchel.workspace.configuration import tuned

        return tuned.weights(self.project.directory)

    def record(self, pack: ContextPack, made: PackRecord) -> None:
        from satchel.workspace import pack_log

        # Everything the pack depends on, so that a replay makes the same bytes again.
        kept = pack_log.PackRecord(
            made.question, made.spending, self.encoding, self.snapshot.generation, made.notices,
            self.vectors is not None, pack_log.digest_of(pack.text), made.sent,
            pack.receipt.known, self.client,
        )  # fmt: skip
        pack_log.write(self.project.directory, pack, kept)

    def across(self, name: str, limit: int) -> tuple[int, tuple[str, ...]]:
        raise UsageError(*CANNOT["across"])

    def current_lines(self, wanted: Wanted, found: LinesReply) -> LinesReply:
        from satchel.workspace import span_check

        return span_check.current_lines(self.project, self.snapshot, wanted, found)


@contextmanager
def view(
    project: Project, notices: tuple[str, ...] = (), *, ranked: bool = True
) -> Iterator[CheckoutView]:
    """The index as it is, with its vectors where something is to be ranked."""
    with project.snapshot() as snapshot:
        vectors, said = project.vector_search(snapshot) if ranked else (None, ())
        yield CheckoutView(
            project=project,
            snapshot=snapshot,
            vectors=vectors,
            notices=(*notices, *said),
            is_behind=bool(notices),
        )
