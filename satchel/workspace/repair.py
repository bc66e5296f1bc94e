"""Repairing an index: derived parts first, then files, then everything. What people decided is not
touched: an index is a cache of the tree, and knowledge lies in a file of its own.

A dry run does the same work and takes it back, so that it says what a repair would do.
"""

import os

from msgspec import Struct

from satchel.indexer.refresh_values import OnProgress
from satchel.indexer.repair import Repaired, repair_index
from satchel.store.errors import CorruptIndex, UsageError
from satchel.store.sqlite import database
from satchel.store.sqlite.audit import UNREADABLE, Audit
from satchel.store.vectors import block_files
from satchel.store.vectors.chroma import FOLDER, remove_mirror
from satchel.workspace.lock import writer_lock
from satchel.workspace.project import Project


class RepairReport(Struct, frozen=True):
    """What was not as it should be and is, or in a dry run would be, made sound.

    `rebuilt` says why the whole index was made anew, "" when that was not needed. `mirror` says
    that the Chroma mirror was thrown away, whatever its state: it is a copy, and no count of it
    proves anything.
    """

    dry_run: bool
    mended: tuple[Repaired, ...] = ()
    rebuilt: str = ""
    mirror: bool = False

    @property
    def is_sound(self) -> bool:
        """Whether there was nothing to do."""
        return not self.mended and not self.rebuilt


def repair(project: Project, on_progress: OnProgress, *, dry_run: bool = False) -> RepairReport:
    """Make the index of a project sound, and bring it up to date afterwards.

    Raises:
        UsageError: there is no index.
        Locked: another process is writing it.
        Unwritable: the disk is full, read-only or fails.
    """
    if not project.is_indexed:
        raise UsageError(f"{project.root} has no index", "run `satchel reindex` there")
    with writer_lock(project.directory):
        why = _hopeless(project)
        if not dry_run:
            # They are copies as well. First, since what is noted beside them says that no vector
            # is missing.
            block_files.remove(project.directory)
        mended: tuple[Repaired, ...] = ()
        if not why:
            try:
                mended = _repair_rows(project, dry_run=dry_run)
            except CorruptIndex as error:
                why = error.message
        # Chroma is opened under this lock alone, so nobody has the mirror open while it goes.
        has_mirror = os.path.lexists(project.directory / FOLDER)
        if has_mirror and not dry_run:
            remove_mirror(project.directory)
        if why and not dry_run:
            database.remove(project.directory)
    # The refresh takes the lock itself: within the block above it would find it taken, by us.
    if not dry_run and (mended or why):
        project.refresh(on_progress)
    return RepairReport(dry_run, mended, why, has_mirror)


def _hopeless(project: Project) -> str:
    """Why nothing in the file can be believed, "" when something can."""
    try:
        connection = database.connect(project.directory, writable=False)
    except (CorruptIndex, UsageError) as error:
        return error.message
    try:
        audit = Audit(connection)
        if audit.schema():
            return "its tables are not those of this version"
        return "" if audit.meta_checksum_holds() else "what it says about itself is damaged"
    except UNREADABLE as error:
        return f"it cannot be read: {error}"
    finally:
        connection.close()


def _repair_rows(project: Project, *, dry_run: bool) -> tuple[Repaired, ...]:
    """Make SQLite's own indexes anew when they disagree with the rows, then what is derived.

    Raises:
        CorruptIndex: the pages themselves are damaged.
    """
    connection = database.connect(project.directory, writable=True)
    try:
        with database.explained_errors(), database.transaction(connection, keep=not dry_run):
            mended: list[Repaired] = []
            audit = Audit(connection)
            wrong = audit.pages(thorough=True)
            if wrong:
                # REINDEX makes indexes from rows. What is wrong afterwards lies in the pages of the
                # rows themselves, and only a rebuild helps.
                connection.execute("REINDEX")
                left = audit.pages(thorough=True)
                if left:
                    raise CorruptIndex(f"its pages are damaged: {left[0]}")
                mended.append(Repaired("look-up tables of SQLite", len(wrong)))
            return (*mended, *repair_index(connection, project.settings.index.tests))
    # What `explained_errors` has no words for comes from a damaged file here; the caller rebuilds
    # it.
    except database.SQLiteError as error:
        raise CorruptIndex(f"it cannot be read: {error}") from error
    finally:
        connection.close()
