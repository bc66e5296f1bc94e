"""Downloads an index that others made and installs it after it was validated.

fetch → compare with its manifest → update to the tree, in a folder beside the index in use →
validate at level standard → install
"""

from pathlib import Path

from msgspec import Struct, structs

from satchel.indexer.refresh_values import OnProgress, RefreshReport
from satchel.store.errors import CorruptIndex
from satchel.store.sqlite import database
from satchel.store.sqlite.audit import UNREADABLE, Audit
from satchel.validation.baseline import Baseline
from satchel.validation.model import Fault, Level, Severity
from satchel.validation.validate import OnCheck, validate
from satchel.workspace.lock import writer_lock
from satchel.workspace.project import Project
from satchel.workspace.share import Manifest, fetched, install

_STAYS = "nothing was replaced; `satchel reindex` makes one here"


class Pulled(Struct, frozen=True):
    """The downloaded index, and what was done to update it to the tree."""

    manifest: Manifest
    refreshed: RefreshReport


def pull(project: Project, source: str, on_progress: OnProgress, on_check: OnCheck) -> Pulled:
    """Replace the index of a project by the latest of a share, if it is valid.

    Files that differ from the share's tree are read and parsed here; the rest is taken over after
    its bytes, rows, terms, vectors and edges were compared.

    Raises:
        UsageError: the share cannot be read, or is of another version.
        CorruptIndex: it is damaged or does not match its tree; the index in use stays.
        Locked: another process is writing the index.
    """
    project.prepare()
    with (
        writer_lock(project.directory),
        fetched(source, project.directory, project.encoder.name) as (place, manifest),
    ):
        _check_format(place, source)
        # Vectors are compared as SQLite has them, without a Chroma mirror of the fetched index.
        vectors = structs.replace(project.settings.vectors, engine="exact")
        exact = structs.replace(project.settings, vectors=vectors)
        fetched_project = Project(project.folders.aside(place), exact, project.encoder)
        try:
            refreshed = fetched_project.refresh(on_progress)
            fetched_project.build_vectors(_no_progress, _no_progress)
        except CorruptIndex as error:
            message = f"the index from {source} is damaged: {error.message}"
            raise CorruptIndex(message, _STAYS) from error
        report = validate(fetched_project, Level.STANDARD, Baseline(), on_check)
        # Findings about the code itself, such as secrets, are no reason to reject an index.
        wrong = [
            finding
            for outcome in report.outcomes
            if outcome.check.fault >= Fault.STALE
            for finding in outcome.findings
            if finding.severity == Severity.ERROR
        ]
        if wrong:
            raise CorruptIndex(
                f"the index from {source} fails check {wrong[0].code}: {wrong[0].message}",
                _STAYS,
            )
        install(project, place)
    return Pulled(manifest, refreshed)


def _check_format(place: Path, source: str) -> None:
    """Compare the file with the format before anything is written to it.

    A trigger that somebody put into the schema would run with the first write.
    """
    try:
        connection = database.connect(place, writable=False)
    except CorruptIndex as error:
        message = f"the index from {source} is damaged: {error.message}"
        raise CorruptIndex(message, _STAYS) from error
    try:
        audit = Audit(connection)
        wrong = [*audit.schema(), *audit.pages(thorough=True)]
        if wrong or not audit.meta_checksum_holds():
            reason = wrong[0] if wrong else "its rows of state do not belong together"
            raise CorruptIndex(f"the index from {source} is damaged: {reason}", _STAYS)
    except UNREADABLE as error:
        raise CorruptIndex(
            f"the index from {source} cannot be read: {error!r:.200}", _STAYS
        ) from error
    finally:
        connection.close()


def _no_progress(_done: int, _todo: int) -> None:
    """Ignores the progress."""
