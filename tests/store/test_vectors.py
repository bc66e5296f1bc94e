"""Arrays that follow those of an earlier text are the ones read anew, bit for bit."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from bench.robustness.crash_scene import Here
from satchel.indexer import encode
from satchel.indexer.refresh import refresh
from satchel.store.errors import CorruptIndex
from satchel.store.reading.snapshot import Snapshot
from satchel.store.reading.snapshot_cache import SnapshotCache
from satchel.store.sqlite import chunk_id_log, chunk_ids, database, vectors
from satchel.workspace.project import Project
from tests.support.edits import Editor
from tests.support.hashing_encoder import HashingEncoder
from tests.support.satchel import silent

PREFIXES = ("", "a", "app/", "lib/web", "nowhere")


def compare(snapshot: Snapshot, anew: Snapshot, project: Project) -> int:
    """Compares everything that is kept; returns how many vectors there are."""
    kept, made = project.vector_table(snapshot), project.vector_table(anew)
    assert list(kept.blocks) == list(made.blocks)
    assert kept.ids.tolist() == made.ids.tolist()
    assert kept.matrix.tobytes() == made.matrix.tobytes()
    assert (kept.n_chunks, set(kept.without)) == (made.n_chunks, set(made.without))
    one, other = snapshot.chunks.layout(), anew.chunks.layout()
    for field in ("file_of", "sizes", "folder_of", "n_folders"):
        assert np.array_equal(getattr(one, field), getattr(other, field)), field
    for prefix in PREFIXES:
        for is_test in (None, False, True):
            mask, right = (s.chunks.allowed(is_test, prefix) for s in (snapshot, anew))
            assert np.array_equal(mask, right) if right is not None else mask is None
    assert snapshot.terms.mean_lengths().tolist() == anew.terms.mean_lengths().tolist()
    return len(kept.ids)


def write(project: Project, random: Random, *, encoded: bool) -> None:
    """Brings the index up to date, in this process."""
    with closing(database.connect(project.directory, writable=True)) as connection:
        link_later = random.random() < 0.7
        options = replace(project.options(), link_if_fewer=0 if link_later else None)
        refresh(connection, project.root, options, silent, None, Here())
        if encoded:
            encode.encode(connection, project.encoder, lambda *_: None)


def test_kept_arrays_are_those_read_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(chunk_ids, "SLACK", 4)  # ids of chunks are used again all the time
    monkeypatch.setattr(chunk_ids, "CHECK", 4)
    monkeypatch.setattr(chunk_id_log, "KEEP", 4)  # and the log of them is cut
    monkeypatch.setattr(vectors, "BLOCK_BITS", 3)
    since, known = chunk_id_log.changed_since, Counter[bool]()

    def counted(*of: Any) -> Any:
        ranges = since(*of)
        known[ranges is not None] += 1
        return ranges

    monkeypatch.setattr(chunk_id_log, "changed_since", counted)
    project, random, editor = Project.at(tmp_path, {}), Random(7), Editor(tmp_path, 7)
    project.prepare()
    n_vectors = 0
    for step in range(60):
        for _ in range(random.randrange(1, 4) if step else 25):
            editor.edit()
        if step == 40:
            database.remove(project.directory)  # another index, whose texts count from one again
        write(project, random, encoded=random.random() < 0.8)  # now and then vectors are late
        if random.random() < 0.6:  # and nobody asks
            with project.snapshot() as kept, Project.at(tmp_path, {}).snapshot() as anew:
                n_vectors = max(n_vectors, compare(kept, anew, project))
    assert n_vectors > 8
    assert known[True] > 100
    assert known[False] > 20


def test_threads_that_want_one_array_wait_for_whoever_makes_it():
    kept, made = SnapshotCache(), list[int]()
    begun, go_on = threading.Event(), threading.Event()

    def slowly() -> int:
        made.append(1)
        begun.set()
        assert go_on.wait(120)
        return len(made)

    with ThreadPoolExecutor(4) as threads:
        found = [threads.submit(kept.get, "array", slowly) for _ in range(4)]
        assert begun.wait(120)
        go_on.set()
        assert [each.result() for each in found] == [1, 1, 1, 1]


@pytest.mark.parametrize("damage", [np.inf, -np.inf, np.nan])
def test_vectors_that_are_no_numbers_are_damage(damage: float):
    encoder = HashingEncoder(32)
    numbers = np.zeros((2, 32), dtype="<f2")
    numbers[0, :2] = 1
    whole = vectors.FileVectors(b"whole.py", 0, 2, numbers.tobytes())
    numbers[1, 0] = damage
    numbers[0, 0] = -damage
    hurt = vectors.FileVectors(b"hurt.py", 2, 2, numbers.tobytes())
    assert vectors.with_context([whole], encoder, vectors.NO_CONTEXT).shape == (2, 32)
    with pytest.raises(CorruptIndex, match=r"hurt\.py are no numbers"):
        vectors.with_context([whole, hurt], encoder, vectors.NO_CONTEXT)
