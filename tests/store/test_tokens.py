"""Token counts are exact: the vocabularies and patterns are the published ones."""

import base64
import hashlib
from pathlib import Path

import pytest
import tiktoken_ext.openai_public as published
from hypothesis import given
from hypothesis import strategies as st

from satchel.store import token_estimate, tokens
from satchel.store.errors import ConfigError

SHA256 = {
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}
NAMES = pytest.mark.parametrize("name", SHA256)
LANGUAGES = Path(__file__).parents[1] / "fixtures/languages"


@NAMES
def test_the_vocabulary_is_the_published_file_byte_for_byte(name: str):
    lines = (
        base64.b64encode(token) + b" %d\n" % rank
        for rank, token in enumerate(tokens.vocabulary(name))
    )
    assert hashlib.sha256(b"".join(lines)).hexdigest() == SHA256[name]


@NAMES
def test_the_pattern_is_the_published_one(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(published, "load_tiktoken_bpe", lambda *_a, **_k: {})  # it would download
    assert tokens.encoding(name)._pat_str == getattr(published, name)()["pat_str"]


@pytest.mark.parametrize(
    ("text", "cl100k", "o200k"),
    [("", 0, 0), ("hello world", 2, 2), ("tiktoken is great!", 6, 6), ("<|endoftext|>", 7, 7)],
)
def test_known_counts(text: str, cl100k: int, o200k: int):
    assert tokens.count(text) == cl100k
    assert tokens.count(text, "o200k_base") == o200k


PARTS = [
    "\n",
    "\r\n",
    "\r",
    " ",
    "    ",
    "\t",
    "/",
    "//",
    "#",
    "_",
    ")",
    "{",
    "'s",
    "```",
    "a",
    "Bc",
]
PARTS += [
    "1",
    "12345",
    "é",
    "中",
    "\u0301",
    "\x0b",
    "\x1c",
    "\x85",
    "\xa0",
    "\u2028",
    "\u3000",
    "\ud800",
]


@NAMES
@given(st.lists(st.sampled_from(PARTS), max_size=16).map("".join))
def test_lines_counted_once_add_up_to_the_count_of_the_text(name: str, text: str):
    counted = tokens.counter(name)
    assert [counted(text), counted(text)] == [tokens.count(text, name)] * 2


@NAMES
def test_lines_counted_once_add_up_in_every_language_that_is_tested(name: str):
    counted = tokens.counter(name)
    for path in sorted(p for p in LANGUAGES.rglob("*") if p.is_file()):
        text = path.read_bytes().decode("utf-8", "replace")
        assert counted(text) == tokens.count(text, name), path.name


def test_long_lines_are_forgotten_with_what_counted_them():
    kept = tokens._tokens_of.cache_info().misses
    long = "a word, " * 100
    assert tokens.counter()(long) == tokens.count(long)
    assert tokens._tokens_of.cache_info().misses == kept


def test_the_estimate_is_near_the_count_of_our_own_source():
    for path in sorted(Path(token_estimate.__file__).parent.glob("*.py")):
        data = path.read_bytes()
        guess = token_estimate.cumulative_tokens(data)[-1]
        assert abs(guess / tokens.count(data.decode()) - 1) < 0.2, path.name


@given(st.binary())
def test_the_estimate_only_grows(data: bytes):
    cumulative = token_estimate.cumulative_tokens(data)
    assert len(cumulative) == len(data) + 1
    assert cumulative[0] == 0
    assert (cumulative[1:] >= cumulative[:-1]).all()


def test_an_unknown_tokenizer_is_an_error_that_names_the_known_ones():
    with pytest.raises(ConfigError, match="unknown tokenizer") as caught:
        tokens.count("x", "p50k_base")
    assert "o200k_base" in caught.value.hint
