"""Repair: whatever was done to an index, it ends as a fresh one, and a dry run changes nothing."""

import hashlib
import shutil
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from satchel.store.sqlite import database
from satchel.store.sqlite.dump import dump
from satchel.store.vectors import chroma
from satchel.workspace.project import Project
from satchel.workspace.repair import repair
from tests.support.satchel import ROOT, index, index_folder, satchel, silent

CONTENT = "(SELECT digest FROM files WHERE path = CAST('store/terms.py' AS BLOB))"
DERIVED = {
    "terms lost": "DELETE FROM postings WHERE term LIKE 's%'",
    "terms of another chunk": "UPDATE postings SET block = block + 1 WHERE term = 'stem'",
    "lengths": "UPDATE field_lengths SET total = total + 5",
    "edges lost": "DELETE FROM edges",
    "an edge to nothing": "INSERT INTO edges VALUES (1, 99999999, 'call', 1, 'made up', 1.0)",
    "vectors flipped": "UPDATE vectors SET vectors = zeroblob(length(vectors))",
    "signatures of nothing": "INSERT INTO grams VALUES ('0', 'python', x'00')",
    "signatures damaged": "UPDATE grams SET signature = zeroblob(length(signature))",
    "signatures lost": "DELETE FROM grams",
    "vectors of nothing": "INSERT INTO vectors VALUES ('0', 'python', 'x', x'', x'')",
    "symbols of no file": "INSERT INTO symbols SELECT id + 9000000, 424242, name, qualified, kind,"
    " line, start_line, end_line, start_byte, end_byte, signature, doc, visibility, parent_id,"
    " is_test FROM symbols LIMIT 3",
}
FILES = {
    "a chunk moved": "UPDATE chunks SET start_line = start_line + 1 WHERE id = 5",
    "symbols lost": "DELETE FROM symbols WHERE name = 'stem'",
    "uses lost": "DELETE FROM refs WHERE name = 'stem'",
    "an import changed": "UPDATE imports SET module = 'gone' WHERE module = 'satchel.store.terms'",
    "facts damaged": f"UPDATE contents SET facts = substr(facts, 1, 40) WHERE digest = {CONTENT}",
    "flows damaged": f"UPDATE contents SET flows = x'00' WHERE digest = {CONTENT}",
    "source damaged": f"UPDATE contents SET source = zeroblob(99) WHERE digest = {CONTENT}",
    "contents lost": f"DELETE FROM contents WHERE digest = {CONTENT}",
    "a type that makes no sense": "UPDATE files SET first_chunk = 'many' WHERE id = 3",
    "one file under another's name": "UPDATE files SET digest = (SELECT digest FROM files"
    " WHERE path = CAST('store/codec.py' AS BLOB))"
    " WHERE path = CAST('store/terms.py' AS BLOB)",
}
HOPELESS = {
    "meta": "UPDATE meta SET value = 7 WHERE key = 'generation'",
    "a table gone": "DROP TABLE refs",
    "another version": "PRAGMA user_version = 3",
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("sound") / "project"
    larger = ("vocab", "table", "joined", "reading", "sqlite", "vectors")
    ignore = shutil.ignore_patterns("__pycache__", *larger, "s[a-s]*")
    shutil.copytree(ROOT / "satchel" / "store", root / "store", ignore=ignore)
    index(root).build_vectors()
    return root


@pytest.fixture(scope="module")
def sound(tree: Path) -> Path:
    """The folder of an index as it should be."""
    return Path(shutil.copytree(index_folder(tree), tree.parent / "sound"))


@pytest.fixture(scope="module")
def rows(sound: Path) -> list[str]:
    """What that index says."""
    return list(dump(sound))


@pytest.fixture
def root(tree: Path, sound: Path) -> Path:
    """The tree with that index, ready to be damaged."""
    shutil.rmtree(index_folder(tree))
    shutil.copytree(sound, index_folder(tree), dirs_exist_ok=True)
    return tree


def damage(root: Path, sql: str) -> None:
    connection = apsw.Connection(str(index_folder(root) / database.INDEX_NAME))
    before = connection.total_changes()
    connection.execute(sql)
    assert connection.total_changes() > before or not sql.startswith(("UPDATE", "DELETE", "INSERT"))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def state(root: Path) -> str:
    with closing(apsw.Connection(str(index_folder(root) / database.INDEX_NAME))) as connection:
        hashed = hashlib.sha256()
        for table in ("meta", "files", "contents", "chunks", "postings", "edges", "vectors"):
            for row in connection.execute(f"SELECT * FROM {table}"):
                hashed.update(repr(row).encode())
        return hashed.hexdigest()


@pytest.mark.parametrize("what", [*DERIVED, *FILES])
def test_what_is_damaged_is_made_as_a_fresh_index_has_it(root: Path, rows: list[str], what: str):
    damage(root, {**DERIVED, **FILES}[what])
    damaged, project = state(root), Project.at(root, {})
    promised = repair(project, silent, dry_run=True)
    assert state(root) == damaged, "a dry run changed something"
    done = repair(project, silent)
    assert (promised.mended, promised.rebuilt) == (done.mended, "")
    assert not done.is_sound
    assert (what in FILES) == any(mended.paths for mended in done.mended)
    assert sorted(set(dump(index_folder(root))) ^ set(rows)) == []
    project.build_vectors()
    assert repair(project, silent, dry_run=True).is_sound


@pytest.mark.parametrize("what", HOPELESS)
def test_what_cannot_be_believed_is_made_anew(root: Path, rows: list[str], what: str):
    damage(root, HOPELESS[what])
    project = Project.at(root, {})
    assert repair(project, silent, dry_run=True).rebuilt
    assert repair(project, silent).rebuilt
    assert dump(index_folder(root)) == rows


@pytest.mark.parametrize("at", range(0, 40, 4))
def test_pages_overwritten_at_random_places_end_well(root: Path, rows: list[str], at: int):
    path = index_folder(root) / database.INDEX_NAME
    data = bytearray(path.read_bytes())
    place = len(data) * at // 40
    data[place : place + 2_000] = bytes((at * 37 + n * 11) % 251 for n in range(2_000))
    path.write_bytes(data)
    done = repair(Project.at(root, {}), silent)
    assert not done.is_sound or at > 0
    assert dump(index_folder(root)) == rows


def test_a_sound_index_is_left_alone(root: Path):
    before = state(root)
    reply = satchel("repair", cwd=root)
    assert reply.stdout == b"the index is sound: nothing to repair\n"
    assert state(root) == before


def test_the_command_says_what_it_would_do_and_what_it_did(root: Path):
    damage(root, DERIVED["lengths"])
    tried = satchel("repair", "--dry-run", cwd=root)
    assert tried.stdout == b"would be repaired: 1 the index of terms\n"
    assert satchel("repair", cwd=root).stdout == b"repaired: 1 the index of terms\n"
    assert b'"mended":[]' in satchel("repair", "--json", cwd=root).stdout.replace(b" ", b"")


def test_without_an_index_there_is_nothing_to_repair(tmp_path: Path):
    reply = satchel("repair", cwd=tmp_path)
    assert reply.returncode == 2
    assert b"has no index" in reply.stderr


def test_a_mirror_that_lies_on_another_disk_is_let_go_of(root: Path, tmp_path: Path):
    elsewhere = tmp_path / "larger"
    elsewhere.mkdir()
    (elsewhere / "kept").touch()
    project = Project.at(root, {})
    (project.directory / chroma.FOLDER).symlink_to(elsewhere)
    assert repair(project, silent).mirror
    assert not (project.directory / chroma.FOLDER).exists()
    assert (elsewhere / "kept").exists()
