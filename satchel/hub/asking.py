"""Questions to a hub: chooses repositories, then answers from them as from one tree."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from satchel.assembler.query import long_input
from satchel.assembler.ranking.candidates import VectorSearch
from satchel.hub import database, nearest, selection
from satchel.hub.access import role_of
from satchel.hub.database import Hub, rows
from satchel.hub.reading.file_table import Build
from satchel.hub.reading.pg_snapshot import PgSnapshot, builds
from satchel.knowledge.model import Timestamp
from satchel.questions.request import About, Request, refuse
from satchel.questions.view import View
from satchel.store.counted import counted, first_of
from satchel.store.errors import UsageError
from satchel.store.sqlite.vectors import VectorTable
from satchel.store.vectors.encoders import Encoder
from satchel.store.vectors.table_encoder import TableEncoder
from satchel.workspace.index_paths import path_in
from satchel.workspace.vectors.mirror_answers import shares_of
from satchel.workspace.vectors.vector_search import table_search

if TYPE_CHECKING:
    from satchel.assembler.assemble import KnowledgeLines
    from satchel.assembler.survey.changes import History

AT_ONCE = 8
"""Repositories that one answer is taken from, unless a pattern says which are meant."""
_MOST_NAMED = 50
"""Repositories that a pattern may mean at once: their files are held in memory."""
_NAMES_SHOWN = 8
_SEPARATOR = re.compile(r"\.|::|#|->|/|:")

_ROOT = Path("/")
"""A hub has no folder: every path begins with the name of its repository."""
CANNOT = {
    "diff": (
        "a hub has no working tree to review", "review changes in a checkout: `satchel ui`"
    ),
    "hunks": ("a hub has no working tree to show hunks of", "ask in a checkout"),
    "with_dependencies": ("a hub has no installed dependencies", "ask in a checkout"),
    "only_new": ("a hub does not remember what it sent", "leave only_new out"),
}  # fmt: skip
"""Fields of requests that a hub has no answer to: why, and what to do."""


class HubView(View, frozen=True, kw_only=True):
    """The repositories that answer, as of one moment; see there for what its methods promise.

    What it quotes is its generation: there is no disk to compare it with. Settings are the usual
    ones, since those of a checkout are nobody's here.
    """

    # ruff: noqa: D102
    snapshot: PgSnapshot
    question: str = ""
    """The question without the words that only name the repository."""
    hub: Hub
    person: str = ""
    """Who asks; "" is whoever owns the tables."""
    pattern: str = "*"

    @property
    def state(self) -> str:
        of = counted(len(self.snapshot.parts), "repository", "repositories")
        return f"{of}, {super().state}"

    def question_text(self, text: str) -> str:
        return self.question or text

    def path(self, written: str) -> str:
        return path_in(self.snapshot, _ROOT, written)

    def changes_since(self, since: str, path: str) -> str:
        raise UsageError(*CANNOT["diff"])

    def history(self, since: str) -> History:
        from satchel.hub import past

        now = Timestamp(time.time_ns() // 1_000_000)
        return past.history(self.hub, self.snapshot, since, past.moment(since, now))

    def across(self, name: str, limit: int) -> tuple[int, tuple[str, ...]]:
        from satchel.hub import across

        found = across.uses(self.hub, self.snapshot, name, limit)
        return found.n_found, tuple(across.lines(found))

    def knowledge_lines(self, text: str, session: str) -> KnowledgeLines | None:
        # Read in the same transaction as the code, so that both are of the same moment.
        from satchel.hub.knowledge.ask import Asking, pack_knowledge

        return pack_knowledge(self.hub, Asking(self.person, self.pattern, session), text)


@contextmanager
def opened(
    hub: Hub, pattern: str, asked: Request, person: str = "", *, named: bool
) -> Iterator[HubView]:
    """The repositories that a request is about: chosen by its names, its words or its path.

    `person` is who asks, in whose role of PostgreSQL is read.

    Raises:
        UsageError: nothing was built, no name matches, too many do, or a hub has no answer.
        HubUnavailable: PostgreSQL did not answer.
    """
    refuse(asked, CANNOT)
    # Text that is looked for as it is written needs no vectors, whose table takes time to load.
    encoder = TableEncoder() if asked.is_ranked and asked.about.text else None
    role = role_of(person) if person else ""
    with view(hub, pattern, asked.about, encoder, role, named=named) as found:
        yield structs.replace(found, person=person, pattern=pattern)


@contextmanager
def view(
    hub: Hub,
    pattern: str,
    asked: About,
    encoder: Encoder | None = None,
    role: str = "",
    *,
    named: bool = False,
) -> Iterator[HubView]:
    """The repositories of a question, as of one moment; `encoder` None leaves vectors out.

    `pattern` names repositories as a glob; "*" lets `asked` choose: by names those that define or
    use one, by words those that they are likely about, among those that hold its path where that
    names one; without either it is the one that holds the path, else the first 50. `role` is the
    reader's. With `named` every path begins with the name of its repository, though there is but
    one; so it does where neither names nor words are asked for.

    Raises:
        UsageError: nothing was built, no name matches, or too many do.
        HubUnavailable: PostgreSQL did not answer.
    """
    with database.explained_errors(), database.reading(hub, role):
        found = _matching(hub, pattern)
        likely: list[tuple[str, float]] = []
        question = asked.text
        if asked.names:
            chosen = _within_bounds(found, pattern)
            if len(found) > AT_ONCE and pattern == "*":
                knowing = [build for name in asked.names for build in _knowing(hub, found, name)]
                chosen = list(dict.fromkeys(knowing))[:_MOST_NAMED] or found[:1]
        elif asked.text:
            found = _holding(found, asked.path) or found
            chosen = _within_bounds(found, pattern)
            # Text that is looked for as it is written is taken as it is.
            question = long_input.read(question).text if encoder else question
            if pattern == "*":
                put_to, question = selection.addressed(found, question)
                chosen = put_to or chosen
                if not put_to and len(found) > 1:
                    ranked = selection.choose(hub, found, question, AT_ONCE)
                    chosen = [each.build for each in ranked]
                    likely = [(f"{each.build.repository}/", each.likely) for each in ranked]
        else:
            named = True
            chosen = (_holding(found, asked.path) or _within_bounds(found, pattern))[:_MOST_NAMED]
        snapshot = PgSnapshot(hub, chosen, named=named)
        # Vectors of another encoder lie in another space, and cannot be compared with the question.
        search = None
        if encoder and any(build.encoder == encoder.name for build in chosen):
            search = _vectors(hub, snapshot, encoder)
        yield HubView(
            hub=hub, snapshot=snapshot, vectors=search, notices=_notices(chosen, found),
            likely=tuple(likely), question=question,
        )  # fmt: skip


def _vectors(hub: Hub, snapshot: PgSnapshot, encoder: Encoder) -> VectorSearch | None:
    """The search for nearest vectors: PostgreSQL for several repositories, if it can."""
    parts = snapshot.parts

    def scan() -> VectorTable:
        return snapshot.vectors(encoder, shares_of(encoder))

    # By the index the answer of one repository would not be quite that of its checkout.
    if len(parts) > 1 and all(part.build.is_placed for part in parts):
        index = nearest.index(hub)
        if index:
            return nearest.search(hub, index, parts, encoder, scan)
    table = scan()
    return table_search(table, encoder) if table.blocks else None


@contextmanager
def tree(hub: Hub, path: str, names: Sequence[str], role: str) -> Iterator[PgSnapshot]:
    """The repository that a path lies in, else those that know one of the names, else the first 50.

    Paths begin with the name of the repository.

    Raises:
        UsageError: nothing was built.
        HubUnavailable: PostgreSQL did not answer.
    """
    with database.explained_errors(), database.reading(hub, role):
        found = _matching(hub, "*")
        chosen = _holding(found, path)
        for name in () if chosen else names:
            chosen += [build for build in _knowing(hub, found, name) if build not in chosen]
        yield PgSnapshot(hub, (chosen or found)[:_MOST_NAMED], named=True)


def _matching(hub: Hub, pattern: str) -> list[Build]:
    found = builds(hub)
    if not found:
        raise UsageError("no repository of this hub can be read", "run `satchel hub sync URL`")
    return selection.matching(found, pattern)


def _holding(found: Sequence[Build], path: str) -> list[Build]:
    """The repositories that a path lies in, by the name that it begins with; "" lies in none."""
    return [build for build in found if f"{path}/".startswith(f"{build.repository}/")]


def _within_bounds(found: list[Build], pattern: str) -> list[Build]:
    if pattern != "*" and len(found) > _MOST_NAMED:
        hint = f"name at most {_MOST_NAMED}, or leave the choice to the question"
        raise UsageError(f"{pattern!r} means {len(found)} repositories", hint)
    return found


def _notices(chosen: Sequence[Build], found: Sequence[Build]) -> tuple[str, ...]:
    if len(chosen) == len(found):
        return ()
    names = first_of([build.repository for build in chosen], _NAMES_SHOWN)
    of = counted(len(found), "repository", "repositories")
    return (f"answered from {len(chosen)} of {of}: {names}",)


def _knowing(hub: Hub, found: Sequence[Build], name: str) -> list[Build]:
    """The repositories in which a name is defined, else those in which it is used, by name."""
    # A path as it is printed for several repositories begins with the name of one.
    inside = [build for build in found if name.startswith(f"{build.repository}/")]
    if inside:
        return inside
    simple = _SEPARATOR.split(name.rstrip("*"))[-1]
    # Definitions first: a name is used in many more repositories than define it.
    for table in ("content_symbols", "content_refs"):
        matches = "s.name >= %s AND s.name < %s" if name.endswith("*") else "s.name = %s"
        # The end of a range that an index of the table can answer, unlike LIKE.
        values = (simple, simple + "\U0010ffff") if name.endswith("*") else (simple,)
        sql = (
            f"SELECT DISTINCT f.build_id FROM {table} s JOIN files f USING (content_id)"
            f" WHERE {matches}"
        )
        ids = {row[0] for row in rows(hub, sql, values)}
        knowing = [build for build in found if build.id in ids]
        if knowing:
            return knowing
    return []
