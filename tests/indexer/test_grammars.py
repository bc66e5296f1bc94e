"""A language whose grammar does not load is read as text, and said to be with its reason."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from satchel.indexer.extract import parse
from satchel.indexer.extract.worker import Task, perform
from satchel.store import codec
from satchel.store.model import ProblemKind
from satchel.store.sqlite import database
from tests.support.satchel import index, index_folder, satchel

WHY = "python: there is no grammar for python"


@pytest.fixture
def without_grammars(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As where the package of grammars is not installed."""
    cached = (parse.grammar, parse.query, parse.failure)
    monkeypatch.setattr(parse, "_GRAMMARS", ("satchel.nowhere",))
    for each in cached:
        each.cache_clear()
    yield
    for each in cached:
        each.cache_clear()


def test_a_file_without_its_grammar_is_text_and_says_why(without_grammars: None):
    facts = codec.decode_facts(perform(Task("python", b"def send():\n    pass\n")).facts)
    [problem] = facts.problems
    assert (problem.kind, problem.detail) == (ProblemKind.GRAMMAR, WHY)
    assert facts.chunks and not facts.symbols
    assert perform(Task("text", b"words\n")).language == "text"


def test_status_and_validate_name_the_language_and_the_reason(project):
    root: Path = project("//- a.py\ndef (:\n//- b.py\ndef pay(): pass\n")
    index(root)
    with closing(database.connect(index_folder(root), writable=True)) as db:
        db.execute("UPDATE problems SET kind = 'grammar', detail = ?", (WHY,))
    assert f"failures: {WHY} 1\n" in satchel("status", cwd=root).stdout.decode()
    reply = satchel("validate", "--level", "standard", cwd=root)
    assert reply.returncode != 0
    assert f"1 file not parsed: no grammar loads, {WHY}" in reply.stdout.decode()
