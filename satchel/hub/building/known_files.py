"""An index brought up to date with what a hub knows: files of known bytes are not parsed again.

A worker does so before it copies its index into the hub, and `satchel pull --hub` in a checkout.
"""

from contextlib import closing

from msgspec.structs import replace

from satchel.hub.building import publish
from satchel.hub.database import Hub
from satchel.indexer.refresh import refresh
from satchel.indexer.refresh_values import RefreshReport
from satchel.store import codec
from satchel.store.errors import CorruptIndex
from satchel.store.model import Digest
from satchel.store.reading.read_files import checked_source
from satchel.store.records import Analyzed
from satchel.store.sqlite import database as index_file
from satchel.store.sqlite.unencoded import unencoded
from satchel.store.sqlite.writer import Writer
from satchel.workspace.lock import writer_lock
from satchel.workspace.project import Project, ignore_progress


def bring_up_to_date(hub: Hub, project: Project) -> RefreshReport:
    """Index a tree; what its files say, and their vectors, are taken from the hub where it knows.

    The report counts what was parsed here.

    Raises:
        HubUnavailable: PostgreSQL did not answer.
        SatchelError: the tree cannot be indexed, or somebody else does so just now.
    """
    with (
        writer_lock(project.directory),
        index_file.explained_errors(),
        closing(index_file.connect(project.directory, writable=True)) as connection,
    ):
        options = replace(
            project.options(),
            # The whole graph, whatever it takes: nobody waits for a first answer here.
            link_if_fewer=None,
            known_elsewhere=lambda digest, language: _sound_contents(hub, digest, language),
        )
        report = refresh(connection, project.root, options, ignore_progress)
        # Vectors that the hub has are taken over before the encoder is asked for the others.
        todo = unencoded(connection, project.encoder.name)
        known_vectors = publish.vectors_of(hub, [key[:2] for key in todo], project.encoder.name)
        with index_file.transaction(connection):
            Writer(connection).put_vectors(known_vectors)
    project.build_vectors(lambda _done, _all: None, lambda _done, _all: None)
    return report


def _sound_contents(hub: Hub, digest: str, language: str) -> Analyzed | None:
    found = publish.contents_of(hub, digest, language)
    if found is None:
        return None
    try:
        # A damaged row of the hub would be copied into every index that holds the file.
        checked_source(found.source, Digest(digest), "")
    except (CorruptIndex, codec.Damaged, ValueError):
        return None
    return found
