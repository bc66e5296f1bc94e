"""The same tree, question and budget give the same bytes, whatever the hash seed or the history."""

import re
from pathlib import Path

import pytest

from tests.support.satchel import STORE, copy_of_our_source, refresh, satchel, started

PACKS = b"""
{"id": 1, "query": "how is the call graph derived", "budget": 2048}
{"id": 2, "query": "where are edits to a file noticed", "budget": 6000, "scope": "all"}
{"id": 3, "query": "encode_path", "budget": 300}
"""
RESULTS = b"""
{"id": 1, "query": "tokens of a chunk", "max_results": 50}
{"id": 2, "query": "Snapshot.files", "mode": "full", "explain": true, "scope": "all"}
{"id": 3, "query": "test", "max_results": 200, "scope": "test"}
"""
QUESTIONS = (
    (PACKS, "context", "--batch", "-"),
    (RESULTS, "search", "--batch", "-"),
    (b"", "context", "how is the call graph derived"),
    (b"", "symbols", "s*", "--json", "--limit", "400"),
    (b"", "deps", "decode_path", "--json", "--depth", "3", "--limit", "500"),
)


def built(root: Path, hash_seed: str) -> Path:
    copy_of_our_source(root, (*STORE, "satchel/indexer/callgraph/values", "tests/packing"))
    done = started("reindex", cwd=root, environment={"PYTHONHASHSEED": hash_seed})
    assert done.returncode == 0
    return root


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("determinism"), "5")


@pytest.fixture(scope="module")
def first(ours: Path) -> list[bytes]:
    return answers(ours, "1")


def answers(root: Path, hash_seed: str = "") -> list[bytes]:
    """What is said to every question; with a hash seed by a process of its own."""
    environment = {"PYTHONHASHSEED": hash_seed} if hash_seed else {}
    ask = started if hash_seed else satchel
    replies = [
        ask(*question, cwd=root, environment=environment, stdin=stdin)
        for stdin, *question in QUESTIONS
    ]
    assert [reply.stderr for reply in replies] == [b""] * len(QUESTIONS)
    return [reply.stdout for reply in replies]


def test_two_hash_seeds_give_the_same_bytes(ours: Path, first: list[bytes]):
    assert all(first)
    assert first == answers(ours, "4242")


def test_two_hash_seeds_build_the_same_index(first: list[bytes], tmp_path: Path):
    assert first == answers(built(tmp_path / "other", "6"))


def test_an_index_with_a_history_answers_like_a_fresh_one(tmp_path: Path):
    root = copy_of_our_source(tmp_path / "project", (*STORE, "assembler/ranking"))
    moved = root / "satchel" / "store" / "codec.py"
    edited = root / "assembler" / "ranking" / "rank.py"
    original = edited.read_bytes()
    edited.write_bytes(original[: len(original) // 2])
    moved.rename(root / "zzz.py")
    (root / "extra.py").write_text("def derive_changed():\n    return 1\n", encoding="utf-8")
    refresh(root)
    edited.write_bytes(original)
    (root / "zzz.py").rename(moved)
    (root / "extra.py").unlink()
    refresh(root)
    with_history = [without_generation(text) for text in answers(root)]
    refresh(root, full=True)
    assert with_history == [without_generation(text) for text in answers(root)]


def without_generation(reply: bytes) -> bytes:
    """A reply without the number of refreshes, alone and in the pack's id: it tells of the past."""
    reply = re.sub(rb'(generation |"generation":)\d+', rb"\1N", reply)
    return re.sub(rb'(pack |"id":")\d{9}\b', rb"\1N", reply)
