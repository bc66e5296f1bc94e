"""The vectors of what is known, mirrored in Chroma where that is configured: a cache of SQLite's.

The mirror lies in a folder of its own with a lock of its own, is brought up to date by the question
that finds it behind, and is thrown away when it is of another file or encoder, or damaged: then the
next process makes it anew. Whatever goes wrong here, the scan in `knowledge.storage.vectors`
answers.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np

from satchel.knowledge.storage import vectors
from satchel.store import private
from satchel.store.errors import Locked
from satchel.store.vectors import chroma
from satchel.store.vectors.chroma import Mirror
from satchel.workspace.lock import writer_lock

FOLDER = "known"
_STAMP = "edition"
_PATIENCE_SECONDS = 2.0
_PAUSE_SECONDS = 0.02
_logger = logging.getLogger("satchel.knowledge")


def nearest_search(directory: Path, scan: vectors.NearestSearch) -> vectors.NearestSearch:
    """What asks Chroma, the index lying in `directory`; `scan` where that fails."""
    folder = directory / FOLDER

    def nearest(db: vectors.Connection, query: vectors.Vector, limit: int) -> vectors.SeqArray:
        try:
            with _opened(folder) as mirror:
                _update(db, mirror, folder / _STAMP)
                found = [int(name) for name, _ in mirror.nearest(query, limit)]
        except Locked:
            return scan(db, query, limit)
        except Exception as error:  # Chroma's own errors have no common ancestor
            _logger.warning("Chroma: %s; SQLite answers", type(error).__name__)
            chroma.remove_mirror(folder)
            return scan(db, query, limit)
        return np.array(found, np.int64)

    return nearest


@contextmanager
def _opened(folder: Path) -> Iterator[Mirror]:
    """The mirror, for as long as it is ours.

    Raises:
        Locked: another process does not let go of it.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    made = vectors.encoder()
    assert made is not None, "a question has a vector"
    # Every question opens the mirror and closes it again, because another process may ask next. Who
    # waits too long for that one is answered by the scan.
    with ExitStack() as open_resources:
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            try:
                open_resources.enter_context(writer_lock(folder))
                break
            except Locked:
                if time.monotonic() > deadline:
                    raise
                time.sleep(_PAUSE_SECONDS)
        mirror = Mirror(folder, made)
        open_resources.callback(mirror.close)
        if mirror.encoder_name != made.name:
            mirror.reset()
        yield mirror


def _update(db: vectors.Connection, mirror: Mirror, stamp: Path) -> None:
    """Bring the mirror to where SQLite is: what was written since, or all when that is unclear."""
    now = vectors.vectors_version(db)
    birth, version = _read_stamp(stamp)
    n_held = vectors.count_vectors(db)
    if (birth, version) == (now.file_id, now.version) and mirror.n_held == n_held:
        return
    # The stamp may be of another file, or of a state that a restored copy never had: then nothing
    # in the mirror is known to be right.
    if birth != now.file_id or version > now.version:
        mirror.reset()
        version = -1
    seqs, matrix = vectors.load_matrix(db, since=version)
    mirror.add([str(seq) for seq in seqs], matrix)
    if mirror.n_held != n_held:  # something was deleted, or is missing
        seqs, matrix = vectors.load_matrix(db)
        names = [str(seq) for seq in seqs]
        mirrored = mirror.ids()
        mirror.remove(mirrored - set(names))
        lacking = [row for row, name in enumerate(names) if name not in mirrored]
        mirror.add([names[row] for row in lacking], matrix[lacking])
    # The stamp comes last: whoever is interrupted before it looks at the same rows again.
    private.write(stamp, f"{now.file_id} {now.version}".encode(), durable=False)


def _read_stamp(stamp: Path) -> tuple[int, int]:
    try:
        birth, version = stamp.read_text(encoding="utf-8").split()
        return int(birth), int(version)
    except (OSError, ValueError):
        return 0, -1
