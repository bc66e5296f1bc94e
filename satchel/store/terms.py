"""The one tokenizer for terms, used on both sides of the index.

A word is a run of letters, digits and underscores. A word made of several parts (`getHTTPResponse`,
`retry_count`, `utf8`) gives the whole and every part; parts are lower-cased and lightly stemmed so
that `registered`, `registers` and `register` meet. Scripts without spaces give character pairs.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

MAX_TERM = 64
"""Longer words are cut: they are data, not names."""

_WORD = re.compile(r"\w+")
_BLANKED = bytes(code if _WORD.match(chr(code)) else 32 for code in range(256))
"""What stands for each byte of ASCII text: itself in a word, else a blank."""
_UNSPACED_RANGE = "぀-ヿ㐀-鿿가-힯"
_ASCII_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_PART = re.compile(rf"[{_UNSPACED_RANGE}]+|\d+|[^\W\d_{_UNSPACED_RANGE}]+")
_UNSPACED = re.compile(rf"[{_UNSPACED_RANGE}]")
_VOWEL = re.compile(r"[aeiouy]")
_SIBILANT_PLURAL = re.compile(r"(?:s|x|z|ch|sh)es$")


def words(text: str) -> list[str]:
    """The words of `text` as written, in order."""
    # The same for ASCII either way; this way takes a seventh of the time.
    if not text.isascii():
        return _WORD.findall(text)
    return text.encode().translate(_BLANKED).decode().split()


def term_counts(text: str) -> dict[str, int]:
    """How often each term occurs in `text`."""
    counts: dict[str, int] = {}
    for word, n in Counter(words(text)).items():
        for term in split(word):
            counts[term] = counts.get(term, 0) + n
    return counts


@lru_cache(maxsize=1 << 17)
def split(word: str) -> tuple[str, ...]:
    """The terms of one word: the whole first when it has several parts, then its stemmed parts."""
    word = word[:MAX_TERM]
    parts = (_ASCII_PART if word.isascii() else _PART).findall(word)
    if len(parts) == 1 and not _UNSPACED.search(parts[0]):
        return (stem(parts[0].lower()),)
    terms = [] if len(parts) < 2 else [word.strip("_").lower()]
    for part in parts:
        terms.extend(_pairs(part) if _UNSPACED.search(part) else [stem(part.lower())])
    return tuple(dict.fromkeys(terms))


def _pairs(text: str) -> list[str]:
    return [text[i : i + 2] for i in range(len(text) - 1)] or [text]


def stem(word: str) -> str:
    """A lower-case word without its plural, participle, agent or nominal ending.

    >>> [stem(word) for word in ("caches", "caching", "cached", "cache")]
    ['cach', 'cach', 'cach', 'cach']
    """
    if len(word) <= 3 or not word.isascii():
        return word
    word = _singular(word)
    for endings in (("ing", "ed"), ("er", "or", "ion")):
        word = _without_ending(word, endings)
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


def _without_ending(word: str, endings: tuple[str, ...]) -> str:
    for ending in endings:
        bare = word[: -len(ending)]
        if word.endswith(ending) and len(bare) >= 3 and _VOWEL.search(bare):
            return word if ending == "ion" and bare[-1] not in "ts" else _undouble(bare)
    return word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if _SIBILANT_PLURAL.search(word):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _undouble(word: str) -> str:
    """`stopp` → `stop`, but `pass` and `call` keep their ends."""
    doubled = len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz"
    return word[:-1] if doubled else word
