"""The one tokenizer for terms, used on both sides of the index.

A word is a run of letters, digits and underscores. A word made of several parts (`getHTTPResponse`,
`retry_count`, `utf8`) gives the whole and every part; parts are lower-cased and lightly stemmed so
that `registered`, `registers` and `register` meet. Scripts without spaces give character pairs.
"""

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
# Compiled when the first word in another script comes, which takes some milliseconds.
_PART = rf"[{_UNSPACED_RANGE}]+|\d+|[^\W\d_{_UNSPACED_RANGE}]+"
_UNSPACED = rf"[{_UNSPACED_RANGE}]"
_VOWEL = re.compile(r"[aeiouy]")
_SIBILANT_PLURALS = ("ses", "xes", "zes", "ches", "shes")
_LONGEST_BARE = 3
"""Words up to this length have no ending that goes."""
_LAST_OF_ENDINGS = frozenset("sgdrne")


def words(text: str) -> list[str]:
    """The words of `text` as written, in order."""
    # For ASCII both ways give the same; this one takes a seventh of the time.
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
    if not word.isascii():
        return _split_unicode(word)
    if word.islower() and word.isalpha():  # most words: one part, that need not be searched
        return (stem(word),)
    # "getHTTPResponse" has the parts get, HTTP, Response: capitals before a capitalised word are an
    # abbreviation.
    # Short parts have no ending. Digests are made of thousands, each of which comes once.
    terms = [
        part if len(part) <= _LONGEST_BARE else stem(part)
        for part in map(str.lower, _ASCII_PART.findall(word))
    ]
    if len(terms) < 2:
        return tuple(terms)
    return tuple(dict.fromkeys((word.strip("_").lower(), *terms)))


def _split_unicode(word: str) -> tuple[str, ...]:
    """As `split`, for a word with characters outside of ASCII."""
    parts = re.findall(_PART, word)
    if len(parts) == 1 and not re.search(_UNSPACED, parts[0]):
        return (stem(parts[0].lower()),)
    terms = [] if len(parts) < 2 else [word.strip("_").lower()]
    for part in parts:
        if re.search(_UNSPACED, part):
            # No dictionary says where words end in these scripts; pairs of characters overlap with
            # whatever word was meant.
            terms.extend([part[i : i + 2] for i in range(len(part) - 1)] or [part])
        else:
            terms.append(stem(part.lower()))
    return tuple(dict.fromkeys(terms))


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """A lower-case word without its plural, participle, agent or nominal ending.

    >>> [stem(word) for word in ("caches", "caching", "cached", "cache")]
    ['cach', 'cach', 'cach', 'cach']
    """
    if len(word) <= _LONGEST_BARE or word[-1] not in _LAST_OF_ENDINGS or not word.isascii():
        return word
    if word[-1] == "s":
        word = _without_plural(word)
    # At most one ending of each group goes, inflection before derivation: "handlers" and "handling"
    # both become "handl".
    for endings in (("ing", "ed"), ("er", "or", "ion")):
        if word.endswith(endings):
            word = _without_ending(word, endings)
    # A last "e" goes, so that "cache" and "caching" meet.
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


def _without_plural(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(_SIBILANT_PLURALS):
        return word[:-2]
    # Words such as "class", "status" and "basis" are no plurals.
    return word if word.endswith(("ss", "us", "is")) else word[:-1]


def _without_ending(word: str, endings: tuple[str, ...]) -> str:
    for ending in endings:
        bare = word[: -len(ending)]
        if word.endswith(ending) and len(bare) >= 3 and _VOWEL.search(bare):
            if ending == "ion" and bare[-1] not in "ts":
                return word
            # "stopp" becomes "stop", but "pass" and "call" keep their ends.
            doubled = len(bare) > 3 and bare[-1] == bare[-2] and bare[-1] not in "lsz"
            return bare[:-1] if doubled else bare
    return word
