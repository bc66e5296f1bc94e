"""Blocks of vectors that a process maps from files are those that it would make, bit for bit."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path
from random import Random
from zlib import crc32

import numpy as np
import pytest

from satchel.store.reading import vector_blocks
from satchel.store.sqlite import database, vectors
from satchel.store.sqlite.vectors import VectorTable
from satchel.store.vectors import block_files
from satchel.store.vectors.block_files import BlockFiles
from satchel.validation.baseline import Baseline
from satchel.validation.model import Level
from satchel.validation.validate import validate
from satchel.workspace.project import Project
from satchel.workspace.repair import repair
from satchel.workspace.vectors.mirror_answers import shares_of
from tests.support.edits import Editor
from tests.support.satchel import TIMEOUT_S, silent


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """One whose blocks are small enough that a few files have several."""
    return project_of_edits(tmp_path, monkeypatch, 25, bits=1)


def project_of_edits(
    root: Path, monkeypatch: pytest.MonkeyPatch, n_edits: int, *, bits: int
) -> Project:
    monkeypatch.setattr(vectors, "BLOCK_BITS", bits)
    monkeypatch.setattr(vector_blocks, "STORED_FROM", 1)
    editor = Editor(root, 5)
    for _ in range(n_edits):
        editor.edit()
    made = Project.at(root, {})
    bring_up_to_date(made)
    return made


def bring_up_to_date(project: Project) -> None:
    project.refresh(silent)
    project.build_vectors()


def table(project: Project, files: BlockFiles | None) -> VectorTable:
    with closing(database.connect(project.directory, writable=False)) as connection:
        shares = shares_of(project.encoder)
        return vector_blocks.load(connection, project.encoder, shares, files)


def n_mapped(found: VectorTable) -> int:
    """How many blocks lie in files: nobody may write to these."""
    return sum(not block.matrix.flags.writeable for block in found.blocks.values())


def files_of(project: Project) -> list[Path]:
    return sorted((project.directory / block_files.FOLDER).glob("*.f32"))


def assert_same(one: VectorTable, other: VectorTable) -> None:
    assert list(one.blocks) == list(other.blocks)
    assert one.ids.tolist() == other.ids.tolist()
    assert one.matrix.tobytes() == other.matrix.tobytes()
    assert (one.n_chunks, one.without) == (other.n_chunks, other.without)


@pytest.mark.parametrize(("bits", "n_edits"), [(1, 25), (3, 80)])
def test_every_block_is_mapped_and_what_is_mapped_is_what_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bits: int, n_edits: int
):
    project = project_of_edits(tmp_path, monkeypatch, n_edits, bits=bits)
    random, editor = Random(3), Editor(tmp_path, 9)
    for _ in range(12):
        stored, made = table(project, BlockFiles(project.directory)), table(project, None)
        assert len(made.blocks) > 1
        assert n_mapped(stored) == len(stored.blocks)
        assert n_mapped(made) == 0
        assert_same(stored, made)
        for _ in range(random.randrange(1, 4)):
            editor.edit()
        bring_up_to_date(project)


def test_what_a_save_changed_is_made_until_somebody_stores_it(project: Project, tmp_path: Path):
    before = set(files_of(project))
    (tmp_path / "another.py").write_text("def another_one():\n    return 1\n", encoding="utf-8")
    project.refresh(silent)
    found = table(project, BlockFiles(project.directory))
    assert 0 < n_mapped(found) < len(found.blocks)
    assert_same(found, table(project, None))
    project.build_vectors()
    assert before != set(files_of(project))
    assert n_mapped(table(project, BlockFiles(project.directory))) == len(found.blocks)


@pytest.mark.parametrize("left", [0, 100])
def test_a_file_of_another_size_is_not_read(project: Project, left: int):
    cut, *others = files_of(project)
    cut.write_bytes(cut.read_bytes()[:left])
    found = table(project, BlockFiles(project.directory))
    assert n_mapped(found) == len(others)
    assert_same(found, table(project, None))


def test_a_file_with_a_flipped_bit_is_not_read_and_is_found(project: Project):
    hurt, *others = files_of(project)
    data = bytearray(hurt.read_bytes())
    data[len(data) // 3] ^= 1
    hurt.write_bytes(data)
    found = table(project, BlockFiles(project.directory))
    assert n_mapped(found) == len(others)
    assert_same(found, table(project, None))
    report = validate(project, Level.STANDARD, Baseline(), lambda _check: None)
    assert [finding.code for finding in report.findings if finding.code[1:] < "030"] == ["V028"]


def test_few_vectors_are_not_stored(project: Project, monkeypatch: pytest.MonkeyPatch):
    assert files_of(project)
    monkeypatch.setattr(vector_blocks, "STORED_FROM", 1_000_000)
    (project.root / "new.py").write_text("value = 1\n", encoding="utf-8")
    bring_up_to_date(project)
    assert not files_of(project)


def test_a_changed_number_is_found_and_repaired(project: Project):
    damaged = files_of(project)[0]
    data = bytearray(damaged.read_bytes()[:-4])
    data[:4] = (np.frombuffer(data, "<f4", 1) + 1).tobytes()
    damaged.write_bytes(data + crc32(data).to_bytes(4, "little"))
    report = validate(project, Level.STANDARD, Baseline(), lambda _check: None)
    assert [finding.code for finding in report.findings if finding.code[1:] < "030"] == ["V028"]
    repair(project, silent)
    assert not files_of(project)
    bring_up_to_date(project)
    assert_same(table(project, BlockFiles(project.directory)), table(project, None))


def test_a_lost_vector_is_made_again_although_all_were_there(project: Project):
    assert project.build_vectors().encoded == 0
    connection = database.connect(project.directory, writable=True)
    connection.execute(
        "DELETE FROM vectors WHERE digest IN (SELECT digest FROM files WHERE n_chunks > 0 LIMIT 1)"
    )
    connection.close()
    assert project.build_vectors().encoded > 0
    assert project.build_vectors().encoded == 0
    assert n_mapped(table(project, BlockFiles(project.directory))) > 2


_OTHER = """
import sys
from hashlib import blake2b
from pathlib import Path
from satchel.store.sqlite import vectors
from satchel.workspace.project import Project
vectors.BLOCK_BITS = 1
project = Project.at(Path(sys.argv[1]), {"SATCHEL_STATE_FOLDER": sys.argv[2]})
with project.snapshot() as snapshot:
    table = project.vector_table(snapshot)
mapped = sum(not block.matrix.flags.writeable for block in table.blocks.values())
print(mapped, len(table.blocks), blake2b(table.matrix.tobytes()).hexdigest())
"""


def test_another_process_maps_what_this_one_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(vectors, "BLOCK_BITS", 1)
    monkeypatch.setattr(vector_blocks, "STORED_FROM", 1)
    root, state = tmp_path / "root", tmp_path / "state"
    root.mkdir()
    editor = Editor(root, 5)
    for _ in range(25):
        editor.edit()
    here = Project.at(root, {"SATCHEL_STATE_FOLDER": str(state)})
    here.refresh(silent)

    def there() -> list[str]:
        command = [sys.executable, "-c", _OTHER, root, state]
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=True)
        return done.stdout.decode().split()

    none, n_blocks, made = there()
    assert int(none) == 0
    here.build_vectors()
    assert there() == [n_blocks, n_blocks, made]


@pytest.mark.parametrize("n_bytes", [1, 2, 5, 30])
def test_a_file_of_a_block_that_is_cut_off_is_made_anew(project: Project, n_bytes: int):
    wanted = table(project, None)
    files = BlockFiles(project.directory)
    for path in files_of(project):
        path.write_bytes(path.read_bytes()[:n_bytes])
    assert_same(table(project, files), wanted)
