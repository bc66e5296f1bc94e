"""What a question says: names, paths, what it is about, and how else its words are spelled."""

import pytest

from assembler import query
from store import terms


def spellings(text: str) -> dict[str, tuple[str, ...]]:
    return {term.text: term.spellings for term in query.read(text, 0.8).terms}


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("configuration", "cfg"),
        ("cfg", "configuration"),
        ("authentication", "auth"),
        ("auth", "authorization"),
        ("requests", "req"),
        ("parameters", "param"),
        ("initialize", "init"),
        ("databases", "db"),
    ],
)
def test_a_word_meets_its_abbreviation(asked: str, written: str):
    assert terms.split(written)[0] in spellings(asked)[terms.split(asked)[0]]


def test_a_spelling_that_is_asked_for_itself_is_not_counted_twice():
    found = spellings("which cfg is the configuration")
    assert terms.split("configuration")[0] not in found["cfg"]
    assert "conf" in found["cfg"]
