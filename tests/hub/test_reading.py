"""The contract of reading: everything that SQLite answers, PostgreSQL answers equally."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from bench.hub.team import build_folder
from satchel.assembler import assemble
from satchel.hub import database
from satchel.hub.database import Hub
from satchel.hub.reading.pg_snapshot import PgSnapshot, builds
from satchel.store.errors import CorruptIndex
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import FileStat
from satchel.store.sqlite.vectors import ContextShares
from satchel.workspace.project import Project
from tests.hub.conftest import new_hub
from tests.packing.test_golden_packs import FIXTURES, GOLDEN, PACKS

ODD = b"def \xff():\n    '''a \x00 in it'''\n    return odd\x00name\n" + b"x = 1\n" * 3000


def _tree(root: Path) -> Path:
    """Samples of every language, tests, two paths with the same bytes, and names that are odd."""
    shutil.copytree(FIXTURES / "languages", root, ignore=shutil.ignore_patterns("*.facts"))
    shutil.copytree(FIXTURES / "relay", root / "relay")
    shutil.copytree(FIXTURES / "relay" / "relay", root / "vendor" / "relay")
    shutil.copytree(FIXTURES / "relay" / "relay", root / "tests" / "relay")
    (root / "empty.py").touch()
    (root / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00")
    (root / os.fsdecode(b"n\xe9.py")).write_bytes(b"def latin():\n    return relay()\n")
    (root / "odd.py").write_bytes(ODD)
    return root


@pytest.fixture(scope="module")
def both(
    server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Snapshot, PgSnapshot]]:
    """The index that a worker made, and what was copied of it."""
    folder = tmp_path_factory.mktemp("both")
    tree, scratch = _tree(folder / "tree"), folder / "scratch"
    with new_hub(server) as url, database.connected(url) as hub:
        assert build_folder(url, hub, scratch, tree).problem == ""
        state = next(scratch.glob("*/state"))
        project = Project.at(tree, {"SATCHEL_STATE_FOLDER": str(state)})
        with project.snapshot() as here, database.reading(hub):
            yield here, PgSnapshot(hub, builds(hub))


def test_files(both) -> None:
    here, there = both
    no_stat = FileStat(0, 0, 0)
    assert [
        replace(f, stat=FileStat(f.stat.size, 0, 0)) for f in here.files.all()
    ] == there.files.all()
    for below in ([RepoPath("relay")], [RepoPath("relay/relay"), RepoPath("odd.py")]):
        assert [f.path for f in there.files.all(below)] == [f.path for f in here.files.all(below)]
        assert len(there.files.skipped(below)) == len(here.files.skipped(below))
    assert [replace(s, stat=None) for s in here.files.skipped()] == there.files.skipped()
    assert no_stat not in [f.stat for f in there.files.all() if f.path != "empty.py"]
    for name in ("problems", "counts", "count"):
        assert getattr(there.files, name)() == getattr(here.files, name)(), name
    for prefix in ("", "relay", "relay/", "vendor/relay/", "nowhere"):
        assert there.files.starting_with(prefix, 7) == here.files.starting_with(prefix, 7)
    for file in here.files.all():
        key = there.files.identity(file.path)
        assert key == here.files.identity(file.path)
        assert there.files.with_digest(file.digest) == here.files.with_digest(file.digest)
        for name in ("facts", "source"):
            assert getattr(there.files, name)(*key) == getattr(here.files, name)(*key)
    with pytest.raises(CorruptIndex):
        there.files.facts("0" * 32, "python")


def test_chunks(both) -> None:
    here, there = both
    mine, theirs = here.chunks.layout(), there.chunks.layout()
    for name in ("file_of", "sizes", "folder_of"):
        assert np.array_equal(getattr(mine, name), getattr(theirs, name)), name
    assert mine.n_folders == theirs.n_folders
    ids = range(-1, len(mine.file_of) + 2)
    assert here.chunks.by_id(ids) == there.chunks.by_id(ids)
    assert here.chunks.by_id([5, 3, 5]) == there.chunks.by_id([5, 3, 5])
    paths = [file.path for file in here.files.all()]
    for path in (*paths, RepoPath("nowhere.py")):
        assert here.chunks.of_file(path) == there.chunks.of_file(path)
        assert here.chunks.tokens_of([path]) == there.chunks.tokens_of([path])
    assert here.chunks.tokens_of(paths) == there.chunks.tokens_of(paths)
    for is_test in (None, True, False):
        for prefix in ("", "relay/", "vendor"):
            mine, theirs = (s.chunks.allowed(is_test, prefix) for s in both)
            assert (mine is None) == (theirs is None)
            assert mine is None or np.array_equal(mine, theirs), (is_test, prefix)
    symbols = [s.id for path in paths for s in here.symbols.of_file(path)]
    assert here.chunks.defining(symbols) == there.chunks.defining(symbols)
    inside = here.chunks.symbols_in(ids)
    assert list(inside.items()) == list(there.chunks.symbols_in(ids).items())
    assert inside


def test_symbols(both) -> None:
    here, there = both
    every = []
    for file in here.files.all():
        found = here.symbols.of_file(file.path)
        assert found == there.symbols.of_file(file.path)
        every += found
    ids = [symbol.id for symbol in every]
    assert here.symbols.by_id(ids[::-1]) == there.symbols.by_id(ids[::-1])
    names = sorted({symbol.name for symbol in every})
    assert len(names) > 300
    for name in (*names, "nothing_is_called_so"):
        assert _no_ids(here.symbols.named(name)) == _no_ids(there.symbols.named(name)), name
    several = [_no_ids(each.symbols.named(*names)) for each in both]
    assert sorted(several[0], key=repr) == sorted(several[1], key=repr)
    for prefix in ("", "s", "re", "Job", "nothing"):
        for limit in (1, 20, 5000):
            mine, theirs = (s.symbols.with_prefix(prefix, limit) for s in both)
            order = [(symbol.name, symbol.path, symbol.line) for symbol in mine]
            assert order == [(symbol.name, symbol.path, symbol.line) for symbol in theirs]


def test_uses_and_edges(both) -> None:
    here, there = both
    ids = [s.id for file in here.files.all() for s in here.symbols.of_file(file.path)]
    used = here.symbols.references_from(ids)
    assert used == there.symbols.references_from(ids)
    languages = sorted({file.language for file in here.files.all()})
    for name in sorted({use.name for use in used}):
        for limit in (3, 10_000):
            assert here.symbols.references_to(name, limit) == there.symbols.references_to(
                name, limit
            )
        mine, theirs = (s.symbols.unresolved_uses(name, languages) for s in both)
        assert mine == theirs, name
    for ask in ("edges_from", "edges_to"):
        assert getattr(here.symbols, ask)(ids) == getattr(there.symbols, ask)(ids)
    for ask in ("uses_of", "edge_counts"):
        mine, theirs = (sorted(getattr(s.symbols, ask)(ids)) for s in both)
        assert mine == theirs, ask
        assert mine, ask
    mine, theirs = (
        [
            use._replace(confidence=round(use.confidence, 6))
            for use in s.graph.module_uses(tests=True)
        ]
        for s in both
    )
    assert mine == theirs
    assert mine
    edges = list(here.graph.edges())
    assert edges == list(there.graph.edges())
    assert len(edges) > 100


def test_files_used(both) -> None:
    here, _ = both
    paths = [file.path for file in here.files.all()]
    for asked in (paths, paths[::3], [RepoPath("nowhere.py")]):
        mine, theirs = (s.symbols.files_used(asked) for s in both)
        assert mine == theirs
        assert {user for user, _ in mine} <= set(asked)
    assert here.symbols.files_used(paths)


def test_terms_texts_and_vectors(both) -> None:
    here, there = both
    assert np.array_equal(here.terms.mean_lengths(), there.terms.mean_lengths())
    assert here.terms.n_chunks() == there.terms.n_chunks()
    for term in ("job", "self", "return", "retri", "nothing_has_this"):
        for mine, theirs in zip(here.terms.postings(term), there.terms.postings(term), strict=True):
            assert np.array_equal(mine, theirs), term
    for wanted in ([[b"def "]], [[b"job", b"lease"], [b"struct"]], [[]]):
        assert here.texts.holding(wanted) == there.texts.holding(wanted)
    for file in here.texts.holding([[]]):
        assert here.texts.source(file) == there.texts.source(file)
        assert here.texts.test_lines(file) == there.texts.test_lines(file)
    encoder = Project.at(Path(__file__).parent, {}).encoder
    for shares in (ContextShares(), ContextShares(0.3, 0.2)):
        mine, theirs = here.vectors(encoder, shares), there.vectors(encoder, shares)
        assert mine.n_chunks == theirs.n_chunks
        assert np.array_equal(mine.ids, theirs.ids)
        assert np.array_equal(mine.matrix, theirs.matrix)
        assert mine.n_vectors
    for snapshot in both:
        assert snapshot.cached("names", lambda: ["one"]) is snapshot.cached("names", list)
    stands = ("generation", "complete", "linked", "head")
    assert [getattr(here, s) for s in stands] == [getattr(there, s) for s in stands]


def test_golden_packs_are_the_same_bytes(tmp_path: Path, built, hub: Hub) -> None:
    tree = shutil.copytree(FIXTURES / "relay", tmp_path / "relay")
    assert built(tree).problem == ""
    with database.reading(hub):
        snapshot = PgSnapshot(hub, builds(hub))
        for name, pack in PACKS.items():
            made = assemble.context(snapshot, pack.question, pack.budget)
            assert made.text == (GOLDEN / f"{name}.txt").read_text("utf-8"), name


def _no_ids(found):
    """Symbols in the order that both stores promise: by path and line."""
    return [(s.path, s.line, s.span.start_byte, s.qualified_name) for s in found]
