"""Nearest vectors by pgvector: what the comparison of all finds, and nothing of other people's."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.hub import access, asking, creation, database, nearest, repositories
from satchel.hub.database import Hub, rows
from satchel.hub.reading.pg_snapshot import PgSnapshot, builds
from satchel.questions.request import About
from satchel.store.sqlite import vectors
from satchel.store.vectors.table_encoder import TableEncoder
from satchel.workspace.vectors.mirror_answers import shares_of
from tests.hub.conftest import Build

ENCODER = TableEncoder()
WORDS = ("retry", "jitter", "socket", "parse", "header", "token", "cache", "render", "query")
QUESTIONS = ("retry a request with jitter", "parse the header of a token", "render cache")
LIMIT = 20


def _file(first: str) -> str:
    return "\n\n".join(
        f"def {first}_{second}_{third}(value):\n    return {third}({second}(value))\n"
        for second in WORDS
        for third in WORDS[:3]
    )


@pytest.fixture
def indexed(hub: Hub, built: Build, tmp_path: Path) -> Iterator[Hub]:
    """Two repositories of some hundred chunks with an index; ann may read one of them."""
    for name, words in (("left", WORDS), ("right", WORDS[:4])):
        root = tmp_path / name
        root.mkdir()
        for word in words:
            (root / f"{word}.py").write_text(_file(word), "utf-8")
        assert built(root).problem == ""
    access.grant(hub, "ann", "right")
    assert nearest.index(hub) is None
    assert nearest.keep_index(hub, least=1)
    yield hub


def test_the_index_finds_what_comparing_all_of_them_does(indexed: Hub) -> None:
    with database.reading(indexed):
        snapshot = PgSnapshot(indexed, builds(indexed))
        table = snapshot.vectors(ENCODER, shares_of(ENCODER))
        index = nearest.index(indexed)
        assert index is not None
        for question in QUESTIONS:
            wanted = ENCODER.encode([question])[0]
            exact = vectors.nearest(table, wanted, LIMIT)
            found = nearest.nearest(indexed, index, snapshot.parts, ENCODER.name, wanted, LIMIT)
            assert len(found) == LIMIT
            scores = dict(vectors.nearest(table, wanted, table.n_chunks))
            for chunk, score in found:
                assert score == pytest.approx(scores[chunk], abs=0.01)
            # Half precision may put those that are as good as equal in another order.
            assert found[-1][1] >= exact[-1][1] - 0.01


def test_nobody_finds_what_they_may_not_read(indexed: Hub) -> None:
    # The builds are those of somebody who may read both: only policies stand in between.
    parts = PgSnapshot(indexed, builds(indexed)).parts
    wanted = ENCODER.encode([QUESTIONS[0]])[0]
    first = {part.build.repository: part.first_chunk for part in parts}
    for role, many in ((access.role_of("ann"), True), ("satchel_readers", False)):
        with database.reading(indexed, role):
            index = nearest.index(indexed)
            assert index is not None
            found = nearest.nearest(indexed, index, parts, ENCODER.name, wanted, 1_000)
            assert bool(found) == many
            assert all(chunk >= first["right"] for chunk, _ in found)


def test_several_repositories_are_asked_by_the_index_and_one_is_compared(
    indexed: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    by_index = nearest.nearest

    def noting(hub: Hub, index: object, parts: tuple[object, ...], *rest: object) -> object:
        asked.append(len(parts))
        return by_index(hub, index, parts, *rest)

    monkeypatch.setattr(nearest, "nearest", noting)
    for pattern in ("*", "left"):
        with asking.view(indexed, pattern, About(QUESTIONS[0]), ENCODER) as view:
            assert view.vectors is not None
            assert len(view.vectors(QUESTIONS[0], LIMIT)) >= LIMIT // 2
    assert asked == [2]
    # Where the index would look at more than there is to compare, all are compared.
    with asking.view(indexed, "*", About(QUESTIONS[0]), ENCODER) as view:
        assert view.vectors is not None
        assert view.vectors(QUESTIONS[0], 100_000)
        assert list(view.vectors("zzxqj", LIMIT)) == []
    assert asked == [2]
    indexed.execute("DROP TABLE place_vectors")
    with asking.view(indexed, "*", About(QUESTIONS[0]), ENCODER) as view:
        assert view.vectors is not None
        assert view.vectors(QUESTIONS[0], LIMIT)
    assert asked == [2]


def test_vectors_stay_with_their_places_and_go_with_them(
    indexed: Hub, url: str, built: Build, tmp_path: Path
) -> None:
    def placed() -> set[tuple[bytes, int]]:
        return set(rows(indexed, "SELECT path, content_id FROM place_vectors"))

    before = placed()
    assert len(before) == len(WORDS)  # the same files in both repositories are kept once
    (tmp_path / "left" / "query.py").rename(tmp_path / "left" / "other.py")
    assert built(tmp_path / "left").problem == ""
    repositories.collect_garbage(indexed, 0)
    after = placed()
    assert {path for path, _ in after - before} == {b"other.py"}
    assert {path for path, _ in before - after} == {b"query.py"}
    # A hub that was filled before there was pgvector is filled when it is prepared again.
    indexed.execute("DROP TABLE place_vectors")
    indexed.execute("UPDATE builds SET is_placed = false")
    assert creation.init(url) is False
    assert placed() == after
    assert rows(indexed, "SELECT bool_and(is_placed) FROM builds") == [(True,)]
