"""Recall by meaning: found without a common word, before and after every change, by any engine."""

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from satchel.knowledge.operations import recall
from satchel.knowledge.storage import read, vectors
from satchel.knowledge.storage.schema import MIGRATIONS
from satchel.store.sqlite.database import transaction
from tests.support.knowing import Team, team
from tests.support.satchel import ROOT

WORDS = "queue order invoice user login cache token index parser window network disk".split()


@pytest.fixture
def ann(tmp_path: Path):
    with team(tmp_path) as found:
        yield found


def some(ann: Team, n: int, **said) -> None:
    rng = random.Random(n)
    for number in range(n):
        words = " ".join(rng.choices(WORDS, k=4))
        ann.keep("fact", f"{words} {number}", on_duplicate="add", **said)


def test_a_question_in_other_words_finds_an_item_and_words_alone_do_not(ann: Team):
    ann.keep("fact", "The picture cannot be uploaded")
    ann.keep("fact", "Invoices are printed at night")
    asked = "sending an image fails"
    assert ann.summaries(asked)[:1] == ["The picture cannot be uploaded"]
    deaf = Team(replace(ann.context, use_vectors=False))
    assert deaf.summaries(asked) == []
    assert ann.recall(asked).fallback is False and deaf.recall(asked).fallback is True


def test_vectors_follow_edits_and_deletions(ann: Team):
    item = ann.keep("fact", "The picture cannot be uploaded").id
    ann.revise("edit", item, fields={"summary": "Nightly job prints invoices"})
    assert ann.summaries("sending an image fails") == []
    assert ann.summaries("batch run of the printer for bills") == ["Nightly job prints invoices"]
    ann.revise("delete", item)
    assert ann.summaries("batch run of the printer for bills") == []
    assert ann.context.db.execute("SELECT count(*) FROM vector").get == 0


def test_the_scan_follows_every_change_of_any_connection(ann: Team, tmp_path: Path):
    query = vectors.encode_text("login of a user")
    scan = vectors.ExactScan()
    some(ann, 100)
    scan(ann.context.db, query, 10)
    with team(tmp_path) as other:
        item = other.keep("fact", "login of a user").id
        assert scan(ann.context.db, query, 1).tolist() == [101]
        other.revise("edit", item, fields={"summary": "Bread is baked"})
        assert scan(ann.context.db, query, 1).tolist() != [101]
    seqs, matrix = vectors.load_matrix(ann.context.db)
    for asked in ("disk cache", "the parser opens a window"):
        query = vectors.encode_text(asked)
        best = [seqs[place] for place in np.argsort(-(matrix @ query), kind="stable")]
        assert scan(ann.context.db, query, 20).tolist() == best[:20]


def test_what_is_admitted_is_not_crowded_out_by_what_is_not(ann: Team, monkeypatch):
    monkeypatch.setattr(vectors, "_FIRST_BATCH", 2)
    some(ann, 60, privacy="private")
    bob = ann.by("bob")
    bob.keep("fact", "Customers forget their password", privacy="team")
    assert bob.summaries("login user") == ["Customers forget their password"]


def test_an_older_file_is_encoded_bit_by_bit_while_it_answers(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(recall, "_ENCODED_PER_REQUEST", 50)
    with team(tmp_path) as ann:
        some(ann, 70)
        ann.keep("fact", "The picture cannot be uploaded")
        for table in ("vector", "encoded"):
            ann.context.db.execute(f"DELETE FROM {table}")  # as step four of the schema leaves it
        assert len(MIGRATIONS) >= 4 and vectors.unencoded_after(ann.context.db) == 0
        ann.recall("sending an image fails")
        assert vectors.unencoded_after(ann.context.db) == 50
        ann.keep("fact", "one more")  # in between
        assert vectors.unencoded_after(ann.context.db) == 50
        assert "The picture cannot be uploaded" in ann.summaries("sending an image fails")
        assert vectors.unencoded_after(ann.context.db) is None
        ann.keep("fact", "and another")
        assert vectors.unencoded_after(ann.context.db) is None


def test_vectors_of_another_encoder_are_not_compared(ann: Team):
    some(ann, 20)
    ann.context.db.execute("UPDATE encoded SET name = 'other'")
    with transaction(ann.context.db):
        vectors.encode_missing(ann.context.db, read.items_after(ann.context.db, 0, 5))
    assert ann.context.db.execute("SELECT count(*) FROM vector").get == 5


def test_without_a_table_words_answer_and_say_so_and_chroma_is_not_asked(tmp_path: Path):
    """The same call, the same shape, less found, in processes where the one or both are missing."""
    script = tmp_path / "without.py"
    script.write_text(_WITHOUT, "utf-8")
    (tmp_path / "root").mkdir()
    for lacking, engine, found in (
        ("", "exact", "False 1"),
        ("chroma", "chroma", "False 1"),
        ("table", "exact", "True 0"),
        ("chroma table", "chroma", "True 0"),
    ):
        said = subprocess.run(
            [sys.executable, script, lacking, str(tmp_path / "root")],
            env={**os.environ, "PYTHONPATH": str(ROOT), "SATCHEL_VECTORS_ENGINE": engine},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert said.stdout.strip() == found, (lacking, said.stderr)


_WITHOUT = """
import os, socket, sys
from importlib.util import find_spec
from pathlib import Path

def refused(*_args, **_keywords):
    raise OSError("no network")

socket.create_connection = socket.socket.connect = refused  # what tiktoken would fetch with
lacking, root = sys.argv[1], Path(sys.argv[2])
if "chroma" in lacking:
    sys.modules["chromadb"] = None
if "table" in lacking:
    from satchel.store.vectors import shipped_table, table_encoder
    shipped_table.FILE = "lost.bin"
from satchel.knowledge.requests import Recall, Remember, read
from satchel.workspace.knowledge import ask
from satchel.workspace.project import Project

project = Project.at(root, dict(os.environ))
item = {"kind": "fact", "summary": "The picture cannot be uploaded"}
ask(project, read(Remember, {"items": [item]}))
reply = ask(project, read(Recall, {"query": "sending an image fails", "budget_tokens": 300}))
assert reply.value.used_tokens <= 300
reply = reply.value
print(reply.fallback, len(reply.items))
"""
