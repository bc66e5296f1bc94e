"""Questions to a hub: repositories are chosen first, then answered from as one tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from satchel.assembler.ranking.candidates import VectorSearch
from satchel.hub import database, selection
from satchel.hub.database import Hub, rows
from satchel.hub.reading.file_table import Build
from satchel.hub.reading.pg_snapshot import PgSnapshot, builds
from satchel.store.errors import UsageError
from satchel.store.vectors.encoders import Encoder
from satchel.workspace.vectors.vector_search import shares_of, table_search

AT_ONCE = 5
"""Repositories that one answer is taken from, unless a pattern says which are meant."""
_MOST_NAMED = 50
"""Repositories that a pattern may mean at once: their files are held in memory."""
_NAMES_SHOWN = 8


@dataclass(frozen=True, slots=True)
class HubView:
    """The repositories that answer, what answers for their vectors, and what to say of it."""

    snapshot: PgSnapshot
    vectors: VectorSearch | None
    notices: tuple[str, ...]


@contextmanager
def view(
    hub: Hub, pattern: str, question: str, encoder: Encoder | None, role: str = ""
) -> Iterator[HubView]:
    """The repositories of a question, as of one moment; `encoder` None leaves vectors out.

    `pattern` names repositories as a glob; "*" lets the question choose. `role` is the reader's.

    Raises:
        UsageError: nothing was built, no name matches, or too many do.
        HubUnavailable: PostgreSQL did not answer.
    """
    with database.explained_errors(), database.reading(hub, role):
        found = builds(hub)
        if not found:
            raise UsageError("no repository of this hub can be read", "run `satchel hub sync URL`")
        chosen, notices = _choose(hub, selection.matching(found, pattern), pattern, question)
        snapshot = PgSnapshot(hub, chosen)
        search = None
        if encoder and any(build.encoder == encoder.name for build in chosen):
            table = snapshot.vectors(encoder, shares_of(encoder))
            search = table_search(table, encoder) if table.blocks else None
        yield HubView(snapshot, search, notices)


def _choose(
    hub: Hub, found: Sequence[Build], pattern: str, question: str
) -> tuple[list[Build], tuple[str, ...]]:
    if len(found) <= AT_ONCE:
        return list(found), ()
    if pattern != "*":
        if len(found) > _MOST_NAMED:
            raise UsageError(f"{pattern!r} means {len(found)} repositories", "name fewer")
        return list(found), ()
    chosen = [each.build for each in selection.choose(hub, found, question, AT_ONCE)]
    names = ", ".join(build.repository for build in chosen)
    return chosen, (f"answered from {len(chosen)} of {len(found)} repositories: {names}",)


def defining(hub: Hub, pattern: str, name: str, role: str = "") -> str:
    """A pattern's repositories that define a name, as the one pattern that means them all."""
    raise NotImplementedError
