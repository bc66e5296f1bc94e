"""The one tokenizer for terms: names come apart, words meet their other forms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.store import terms

NAMES = st.text(st.characters(categories=["L", "N"], include_characters="_"), min_size=1)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("send", "send"),
        ("getHTTPResponse", "gethttpresponse get http respons"),
        ("retry_count", "retry_count retry count"),
        ("__init__", "init"),
        ("utf8", "utf8 utf 8"),
        ("HTTPServer2", "httpserver2 http serv 2"),
        ("XMLHttpRequest", "xmlhttprequest xml http request"),
        ("naïveCafé", "naïvecafé naïvecafé"),
        ("日本語", "日本 本語"),
        ("_", ""),
        ("x" * 100, "x" * 64),
    ],
)
def test_a_name_gives_its_whole_and_its_parts(word: str, expected: str):
    assert terms.split(word) == tuple(dict.fromkeys(expected.split()))


@pytest.mark.parametrize(
    "family",
    [
        "cache caches caching cached",
        "register registers registered registering",
        "index indexes indexing indexed indexer",
        "resolve resolves resolved resolver resolving",
        "stop stops stopped stopping",
        "query queries",
        "connect connects connection connector",
        "token tokens",
    ],
)
def test_forms_of_a_word_meet(family: str):
    assert len({terms.stem(word) for word in family.split()}) == 1, family


@pytest.mark.parametrize("pair", ["class classify", "status stat", "process procure", "use us"])
def test_different_words_stay_apart(pair: str):
    first, second = pair.split()
    assert terms.stem(first) != terms.stem(second)


@given(NAMES)
def test_splitting_never_fails_and_never_repeats(word: str):
    found = terms.split(word)
    assert len(set(found)) == len(found)
    assert all(term and term == term.lower() and len(term) <= 2 * terms.MAX_TERM for term in found)


@given(st.lists(st.sampled_from(["alpha", "Alpha", "alphaBeta", "beta_gamma", "日本"])))
def test_counts_add_up_over_the_words_of_a_text(words: list[str]):
    counted = terms.term_counts(" ".join(words))
    assert sum(counted.values()) == sum(len(terms.split(word)) for word in words)


@given(st.text())
def test_any_text_has_counts(text: str):
    assert all(n > 0 for n in terms.term_counts(text).values())
