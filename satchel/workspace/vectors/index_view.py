"""One generation of the index with what answers for its vectors, as a question needs it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec import Struct

from satchel.store.reading.snapshot import Snapshot
from satchel.workspace.project import Project

if TYPE_CHECKING:
    from satchel.assembler.ranking.candidates import VectorSearch


class IndexView(Struct, frozen=True):
    """One generation of the index, what answers for its vectors, and what to say of the answer."""

    project: Project
    snapshot: Snapshot
    vectors: VectorSearch | None
    """None as well where nothing is ranked."""
    notices: tuple[str, ...] = ()


@contextmanager
def view(project: Project, notices: tuple[str, ...] = ()) -> Iterator[IndexView]:
    """The index as it is, with its vectors."""
    with project.snapshot() as snapshot:
        vectors, said = project.vector_search(snapshot)
        yield IndexView(project, snapshot, vectors, (*notices, *said))
