"""Splits the texts of items, questions and focuses into the words by which they are compared."""

import re
import unicodedata
from functools import lru_cache
from itertools import chain

from satchel.knowledge.model import Item
from satchel.store.terms import split
from satchel.store.terms import words as words_of

MAX_COMPARED = 4_000
"""Characters of a text that are compared; what matters is said in the first few thousand."""
_WORD = re.compile(r"\w+")
# Quotes and brackets around a word, and one mark after it.
_SET_OFF = re.compile(r"""^["“„«`(]+(?=\w)|(?<=\w)["”»`)]*[.,;:…]?["”»`)]*$""")
_STOP_WORDS = frozenset(
    "the is at which on a an and or but in to of for with as by be it that this was are".split()
)


def item_text(item: Item) -> str:
    """The text of an item that questions are compared with."""
    return f"{item.summary} {item.detail} {item.rationale}"[:MAX_COMPARED]


def sentences(item: Item) -> tuple[tuple[str, ...], ...]:
    """The words of summary, detail and rationale: equal for what says the same.

    Spacing, and what only sets words off are folded: quotes, brackets, and a mark after a word.
    Other marks stay, as in `C++`, `save!`, `-1`, `src/..` and `why?`, and so does case: `User` is
    a class and `user` one of its instances.
    """
    texts = (item.summary, item.detail, item.rationale)
    composed = (unicodedata.normalize("NFC", text).split() for text in texts)
    return tuple(tuple(_SET_OFF.sub("", word) or word for word in text) for text in composed)


def words(text: str) -> frozenset[str]:
    """Words as written, case-folded, without the commonest of English (jido_code's tokens)."""
    found = _WORD.findall(text[:MAX_COMPARED].casefold())
    return frozenset(word for word in found if len(word) > 1) - _STOP_WORDS


def terms(text: str) -> frozenset[str]:
    """Stemmed terms with identifiers split, by the same rules as the index of code.

    Stop words are left out; the full-text index keeps them, since it costs nothing there.
    """
    return frozenset(chain.from_iterable(map(_word_terms, words_of(text[:MAX_COMPARED]))))


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of common terms among all of both, 0..1; 0 where both are empty."""
    return len(one & other) / (len(one | other) or 1)


# Ranking splits the same items for every question: the cache makes that a dictionary look-up.
@lru_cache(maxsize=1 << 16)
def _word_terms(word: str) -> tuple[str, ...]:
    return () if word.casefold() in _STOP_WORDS else tuple(split(word))
