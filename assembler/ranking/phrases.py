"""Words of a question that stand side by side in a chunk: quotations, messages, log lines. Pure.

A question is searched for its words, wherever they stand; somebody who quotes means them as they
stand. Here the words of the best candidates are aligned with those of the question: runs of the
same words in the same order, with gaps where a message's placeholders were filled in. What is
matched counts by how rare its words are. The share of the question that is matched, if it is large
enough to be a quotation at all, outweighs all other signals.
"""

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from satchel.assembler.query.read_query import STOP_WORDS, Query
from satchel.assembler.ranking import rank
from satchel.assembler.ranking.path_roles import role_of
from satchel.assembler.values import Scored, TextOf
from satchel.assembler.weights import Quoting, Weights
from satchel.store import terms
from satchel.store.model import FUNCTIONS
from satchel.store.reading.languages import LanguageKind, kind_of
from satchel.store.records import ChunkRecord

_ESCAPE = re.compile(r"\\[abfnrtv]")
# Each begins with its mark, so that `re` looks for one of three characters: seven times as quick as
# with what may not stand before it in front.
_LITERAL = re.compile(
    r"\"(?<!\"\")(?!\"\")[^\"\\\n]*(?:\\.[^\"\\\n]*)*\""
    r"|'(?<!\w')[^'\\\n]*(?:\\.[^'\\\n]*)*'(?!\w)"
    r"|`(?<!``)(?!`)[^`]{1,1000}`"
)
_JOINED = re.compile(r"[\s+.\\&]*[a-zA-Z]?")
"""What may stand between two literals that make one message."""
_PLACEHOLDER = re.compile(
    r"%(?:\(\w+\))?[-+ #0]*[\d*]*(?:\.[\d*]+)?(?:ll|[lhz])?[a-zA-Z@]"
    r"|\$\{[^{}]*\}|#\{[^{}]*\}|\{[^{}]*\}|\\\([^()]*\)|\$[a-zA-Z_]\w*"
)
"""What a message has in place of a value: printf's, braces, and names after "$"."""
_SPACED = re.compile(r"\w\W*\s\W*\w")
"""Two words with white space between them."""
_PART = 3
"""Words of a part of a question, at least."""
_LETTER = re.compile(r"[^\W\d_]")
_MAX_WORDS = 400
"""Words of a question that are aligned; who pastes more does not quote one message."""


class Phrase(Struct, frozen=True):
    """Words in a row, in lower case, and how much each one tells, 0 or more.

    `text` is how they are written, `part` what they tell of the whole question (0..1).
    `is_literal` says that only the same characters match.
    """

    text: str
    words: tuple[str, ...]
    worth: tuple[float, ...]
    is_quoted: bool
    part: float = 1.0
    is_literal: bool = False
    places: Mapping[str, Sequence[int]] = {}
    """Each of its words, and where it stands among them."""

    @property
    def total(self) -> float:
        """What all its words tell."""
        return sum(self.worth)


def read(query: Query, idf: Mapping[str, float], weights: Quoting) -> list[Phrase]:
    """What a question may quote, as phrases of more than one word that tell something.

    Between colons a part of three words is enough; what is in quotes must tell its share of the
    whole. None of a question that is one name.
    """
    said = query.quotations
    if said is None:
        return []
    whole = _phrase(query.text, idf, weights, is_quoted=False)
    total = whole.total or 1.0
    quoted = [_phrase(part, idf, weights, is_quoted=True) for part in said.quoted]
    found = [p for p in quoted if p.total >= weights.spared * total]
    if said.is_literal:
        found += [replace(whole, is_literal=True)]
    elif said.is_message:
        between = [_phrase(part, idf, weights, is_quoted=False) for part in said.parts]
        found += [whole, *(p for p in between if len(p.words) >= _PART)]
    kept = [phrase for phrase in found if len(phrase.words) > 1 and phrase.total > 0]
    return [replace(phrase, part=min(1.0, phrase.total / total)) for phrase in kept]


def _phrase(text: str, idf: Mapping[str, float], weights: Quoting, *, is_quoted: bool) -> Phrase:
    words = tuple(_words(text)[:_MAX_WORDS])
    worth = tuple(_worth(word, idf, weights) for word in words)
    places: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        places.setdefault(word, []).append(place)
    return Phrase(text.strip(), words, worth, is_quoted, places=places)


def held(
    candidates: Iterable[ChunkRecord],
    phrases: Sequence[Phrase],
    text_of: TextOf,
    weights: Quoting,
) -> list[tuple[ChunkRecord, float]]:
    """The candidates that hold one of the phrases, with how much of it they hold, 0..1."""
    # A quotation shares at least two words in a row with the text, so texts without any such pair
    # are dropped before they are aligned.
    pairs = {pair for phrase in phrases for pair in pairwise(phrase.words)}
    known = frozenset().union(*(phrase.places for phrase in phrases))
    in_quotes = [phrase for phrase in phrases if phrase.is_quoted]
    found: list[tuple[ChunkRecord, float]] = []
    for chunk in candidates if phrases else ():
        # In documents quotation marks set off words, and no literal is a message.
        is_prose = kind_of(chunk.language) is LanguageKind.PROSE
        meant = in_quotes if is_prose else phrases
        value = _value(meant, pairs, known, text_of(chunk), weights) if meant else 0.0
        if value:
            found.append((chunk, value))
    return found


def boost(
    items: Sequence[Scored],
    found: Sequence[tuple[ChunkRecord, float]],
    asked: Query,
    weights: Weights,
) -> list[Scored]:
    """The ranking with one more signal, "quoted": how much of a phrase a chunk holds.

    Chunks that hold one come into the ranking; where none does nothing changes. A catalogue of
    translations repeats what code prints, so a place that is rarely meant counts as little here as
    it does everywhere. A report quotes much that has nothing to do with its fault, so what it
    quotes tells as much as its words and outweighs nothing; a table of messages is no place of a
    fault, so only functions count.
    """
    if asked.title is not None:
        found = [(chunk, value) for chunk, value in found if chunk.symbol_kind in FUNCTIONS]
    strength: list[tuple[ChunkRecord, float]] = []
    for chunk, value in found:
        role = role_of(chunk.path, chunk.language, chunk.is_test)
        of_place = rank.penalty(role, chunk.kind, asked, weights)
        # Rounded, so that what is worth the same ties.
        strength.append((chunk, round(value * of_place * rank.STEP) / rank.STEP))
    return rank.boosted(items, strength, "quoted", weights.stated if asked.title is None else 1.0)


def _value(
    phrases: Sequence[Phrase],
    pairs: Set[tuple[str, str]],
    known: Set[str],
    text: str,
    weights: Quoting,
) -> float:
    """How much of the phrases, of whose words `pairs` and `known` are made, is quoted from a text,
    0..1.

    What is in quotes may be quoted from anywhere, what is not, from what is printed alone: comments
    use the same words as questions about them.
    """
    phrases = [phrase for phrase in phrases if not phrase.is_literal or phrase.text in text]
    # Most candidates of a task end here, and most others below: to take a text apart takes ten
    # times as long as to look for characters in it, and to look for its literals fifty times.
    if not phrases:
        return 0.0
    words = _words(text)
    if pairs.isdisjoint(pairwise(words)):
        return 0.0
    messages = _messages(text)
    if all(map(known.isdisjoint, messages)) and not any(phrase.is_quoted for phrase in phrases):
        return 0.0
    # The empty word matches no word of a question, so no run goes on from one message into the
    # next.
    printed = [word for message in messages for word in ("", *message)]
    best = 0.0
    for phrase in phrases:
        is_same = phrase.text in text
        found = _aligned_share(phrase, words if phrase.is_quoted else printed, weights)
        for message in messages:
            found = max(found, _message_value(phrase, message, weights))
        exactness = 1.0 if is_same else weights.inexact
        of_question = weights.half + (1 - weights.half) * phrase.part
        best = max(best, found * of_question * exactness)
    return best


def _messages(text: str) -> list[list[str]]:
    """The words of each string literal, placeholders left out; joined literals are one.

    A literal without a space between its words ("import.meta.url", "text/html") is a name, which
    questions write as well: only what is in quotes is compared with it.
    """
    found: list[str] = [""]
    end = 0
    for literal in _LITERAL.finditer(text):
        if not _JOINED.fullmatch(text, end, literal.start()):
            found.append("")
        end = literal.end()
        found[-1] += _PLACEHOLDER.sub("\0", literal.group()[1:-1])
    return [_words(message) for message in found if _SPACED.search(message)]


def _message_value(phrase: Phrase, message: Sequence[str], weights: Quoting) -> float:
    """The value of a phrase that holds all words of a message in order, 0 where it does not.

    Between two of them stands at most what a placeholder is filled with.
    """
    # `a,b,c` is an example wherever it stands.
    if not phrase.places.keys() >= set(message):
        return 0.0
    if sum(len(word) > 1 for word in message) < _PART:
        return 0.0
    for start, word in enumerate(phrase.words):
        if word != message[0]:
            continue
        places = [start]
        for wanted in message[1:]:
            # Taking the nearest place for each word is enough to find an order, and avoids trying
            # all of them.
            following = phrase.words[places[-1] + 1 : places[-1] + 2 + weights.gap]
            if wanted not in following:
                break
            places.append(places[-1] + 1 + following.index(wanted))
        if len(places) == len(message):
            share = sum(phrase.worth[place] for place in places) / phrase.total
            return weights.half + (1 - weights.half) * share
    return 0.0


def _words(text: str) -> list[str]:
    # The "n" of "\nUsage" is no letter of a word.
    return terms.words((_ESCAPE.sub(" ", text) if "\\" in text else text).lower())


def _worth(word: str, idf: Mapping[str, float], weights: Quoting) -> float:
    if not _LETTER.search(word):
        return 0.0
    if word in STOP_WORDS or len(word) == 1:
        return weights.half
    return max((idf.get(term, 0.0) for term in terms.split(word)), default=0.0)


def _aligned_share(phrase: Phrase, words: Sequence[str], weights: Quoting) -> float:
    """The share of a phrase that stands in some words, 0 where that is no quotation.

    An alignment with gaps: chains of runs of the same words, in the same order.
    """
    worth, longest = 0.0, 0
    chains: dict[_Pair, _Chain] = {}
    recent: list[_Pair] = []
    for at, word in enumerate(words):
        places = phrase.places.get(word)
        if places is None:
            continue
        # Only chains that ended within the gap can be continued, so the work grows with the text
        # and not with its square.
        recent = [end for end in recent if at - end[1] <= weights.gap]
        ends: list[_Pair] = []
        for place in places:
            chain = _best_chain(chains, recent, (place, at), phrase.worth[place], weights)
            chains[place, at] = chain
            ends.append((place, at))
            worth, longest = max((worth, longest), (chain[0], chain[1]))
        recent += ends
    share = worth / phrase.total
    # Quotation marks say that these words are meant as they stand, so a shorter run is believed.
    longest += phrase.is_quoted
    needed = max(weights.spared, 1.0 - weights.spared * max(0, longest - 1))
    return share if share >= needed else 0.0


# Plain tuples: a long text has thousands of them, and a record takes three times as long to make.
_Pair = tuple[int, int]
"""A word of the phrase and an equal word of the text, by their positions."""
_Chain = tuple[float, int, int]
"""What the words of a chain are worth, and how many its longest and its last run have."""


def _best_chain(
    chains: Mapping[_Pair, _Chain],
    recent: Sequence[_Pair],
    end: _Pair,
    worth: float,
    weights: Quoting,
) -> _Chain:
    """The best chain that ends with a pair, whose word is worth `worth`.

    It continues a run, or one of the chains that ended `recent`ly.
    """
    place, at = end
    # Continuing a run is never worth less than jumping to here, since a word that begins a run is
    # discounted by `half`.
    before = chains.get((place - 1, at - 1))
    if before:
        length = before[2] + 1
        return before[0] + worth, max(before[1], length), length
    found = (worth * weights.half, 1, 1)
    for earlier in recent:
        gap = place - earlier[0]
        if 0 < gap <= weights.gap and at > earlier[1]:
            chain = chains[earlier]
            found = max(found, (chain[0] + worth * weights.half, chain[1], 1))
    return found
