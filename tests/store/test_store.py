"""The store: versions, transactions, snapshots, codecs, and rows that go as they came."""

from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.store import codec
from satchel.store.errors import CorruptIndex, UsageError
from satchel.store.model import (
    Chunk,
    ChunkKind,
    Digest,
    FileFacts,
    Problem,
    ProblemKind,
    Reference,
    ReferenceKind,
    RepoPath,
    SkipReason,
    Span,
    Symbol,
    SymbolKind,
)
from satchel.store.postings import count_terms, index_terms
from satchel.store.reading.sqlite_snapshot import SqliteSnapshot
from satchel.store.records import Analyzed, Edge, FileStat, IndexedFile, SkippedRecord
from satchel.store.sqlite import database
from satchel.store.sqlite.rows import decode_path, encode_path
from satchel.store.sqlite.schema import FORMAT_VERSION
from satchel.store.sqlite.writer import Writer

NUMBER = st.integers(0, 1 << 40)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SPAN = st.builds(Span, NUMBER, NUMBER, NUMBER, NUMBER)
FACTS = st.builds(
    FileFacts,
    digest=TEXT.map(Digest),
    language=TEXT,
    n_lines=NUMBER,
    symbols=st.tuples(
        st.builds(Symbol, TEXT, TEXT, st.sampled_from(SymbolKind), SPAN, NUMBER, TEXT, TEXT)
    ),
    references=st.tuples(
        st.builds(Reference, TEXT, TEXT, st.sampled_from(ReferenceKind), NUMBER, NUMBER)
    ),
    chunks=st.tuples(st.builds(Chunk, SPAN, st.sampled_from(ChunkKind), NUMBER, TEXT, NUMBER)),
    problems=st.tuples(st.builds(Problem, st.sampled_from(ProblemKind), NUMBER, TEXT)),
)


@given(FACTS)
def test_facts_come_back_as_they_were(facts: FileFacts):
    assert codec.decode_facts(codec.encode(facts)) == facts


@given(st.binary())
def test_sources_and_paths_come_back_as_they_were(data: bytes):
    assert codec.decompress(codec.compress(data)) == data
    assert encode_path(decode_path(data)) == data


TEXT_OF_FILE = "def f():\n    g()\n"
FACTS_OF_FILE = FileFacts(
    Digest("d"),
    "python",
    2,
    symbols=(Symbol("f", "f", SymbolKind.FUNCTION, Span(1, 2, 0, 17), 1),),
    references=(Reference("g", "", ReferenceKind.CALL, 0, 2),),
    chunks=(Chunk(Span(1, 2, 0, 17), ChunkKind.DEFINITION, 0, "def f()", 7),),
    problems=(Problem(ProblemKind.SYNTAX, 1),),
)


def projection(path: str) -> IndexedFile:
    [postings] = index_terms(count_terms([[("f", "", "", "def f()", "", TEXT_OF_FILE, "")]]))
    return IndexedFile(RepoPath(path), FileStat(17, 1, 2), False, FACTS_OF_FILE, postings)


@pytest.fixture
def db(tmp_path: Path):
    connection = database.connect(tmp_path, writable=True)
    yield connection
    connection.close()


def add(db: apsw.Connection, *paths: str) -> None:
    with database.transaction(db):
        writer = Writer(db)
        source = codec.compress(TEXT_OF_FILE.encode())
        held = [projection(path) for path in paths]
        packed = codec.encode(held[0].postings)
        writer.put_contents(
            [Analyzed(Digest("d"), "python", codec.encode(FACTS_OF_FILE), packed, source)]
        )
        writer.add_files(held)
        writer.advance(complete=True)


TABLES = "files chunks symbols refs imports problems edges depends postings".split()


def sizes(db: apsw.Connection) -> dict[str, int]:
    return {table: database.scalar(db, f"SELECT count(*) FROM {table}") for table in TABLES}


def test_taking_a_file_out_takes_every_row_of_it(db: apsw.Connection):
    add(db, "kept.py")
    before = sizes(db)
    lengths = list(db.execute("SELECT * FROM field_lengths ORDER BY field"))
    add(db, "gone.py")
    with database.transaction(db):
        Writer(db).replace_edges(2, [Edge(2, 4, "call", 2, "local", 1.0)], [7])
    with SqliteSnapshot(db) as snapshot:
        (gone,) = (file for file in snapshot.files.all() if file.path == "gone.py")
        assert len(snapshot.terms.postings("f").chunks) > 0
    with database.transaction(db):
        Writer(db).remove_files([gone])
    assert sizes(db) == before
    assert list(db.execute("SELECT * FROM field_lengths ORDER BY field")) == lengths


def test_undecodable_paths_are_kept(db: apsw.Connection):
    path = decode_path(b"caf\xe9/\xff.py")
    add(db, path)
    with SqliteSnapshot(db) as snapshot:
        assert [file.path for file in snapshot.files.all()] == [path]
        assert [chunk.path for chunk in snapshot.chunks.of_file(path)] == [path]


def test_skipped_paths_are_taken_off_and_put_on(db: apsw.Connection):
    for gone, reason in (("b", SkipReason.BINARY), ("b", SkipReason.TOO_LARGE)):
        with database.transaction(db):
            record = SkippedRecord(RepoPath("a"), reason, "why")
            Writer(db).change_skipped([RepoPath(gone)], [record])
    with SqliteSnapshot(db) as snapshot:
        (record,) = snapshot.files.skipped()
    assert (record.path, record.reason, record.detail) == ("a", SkipReason.TOO_LARGE, "why")


def test_a_failed_transaction_leaves_nothing(db: apsw.Connection):
    with pytest.raises(KeyboardInterrupt), database.transaction(db):
        Writer(db).add_files([projection("a.py")])
        raise KeyboardInterrupt
    assert set(sizes(db).values()) == {0}
    assert database.scalar(db, "SELECT value FROM meta WHERE key = 'next_chunk'") == 0


def test_a_reader_sees_one_generation_while_the_next_is_written(db, tmp_path: Path):
    add(db, "a.py")
    reader = database.connect(tmp_path, writable=False)
    with SqliteSnapshot(reader) as old:
        add(db, "b.py")
        assert (old.generation, old.files.count()) == (1, 1)
        assert len(old.symbols.named("f")) == 1
    with SqliteSnapshot(reader) as new:
        assert (new.generation, new.files.count()) == (2, 2)
    reader.close()


def test_a_reader_makes_no_index(tmp_path: Path):
    with pytest.raises(FileNotFoundError):
        database.connect(tmp_path / "elsewhere", writable=False)


@pytest.mark.parametrize("statement", ["PRAGMA user_version = 1", "PRAGMA application_id = 7"])
def test_another_format_is_refused_by_readers_and_replaced_by_the_writer(
    tmp_path: Path, statement: str
):
    connection = database.connect(tmp_path, writable=True)
    add(connection, "a.py")
    connection.execute(statement)
    connection.close()
    with pytest.raises(CorruptIndex, match="another version"):
        database.connect(tmp_path, writable=False)
    connection = database.connect(tmp_path, writable=True)
    assert sizes(connection)["files"] == 0
    assert connection.pragma("user_version") // 1000 == FORMAT_VERSION
    connection.close()


def test_a_file_that_is_no_database_is_corrupt(tmp_path: Path):
    (tmp_path / database.INDEX_NAME).write_bytes(b"nonsense " * 1000)
    for writable in (False, True):
        with pytest.raises(CorruptIndex, match="is damaged"):
            database.connect(tmp_path, writable=writable)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5])
def test_a_truncated_index_is_never_believed(tmp_path: Path, share: float):
    connection = database.connect(tmp_path, writable=True)
    add(connection, *(f"{n}.py" for n in range(200)))
    connection.close()
    path = tmp_path / database.INDEX_NAME
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    with pytest.raises((CorruptIndex, UsageError, apsw.CorruptError)):
        read_all(tmp_path)


def read_all(directory: Path) -> None:
    with SqliteSnapshot(database.connect(directory, writable=False)) as snapshot:
        assert len(snapshot.files.all()) == 200
        assert len(snapshot.symbols.named("f")) == 200
        assert snapshot.files.counts().chunks == 200
