"""Makes what the full-text index reads: terms of items, and match expressions of questions.

FTS5 splits nothing by itself: text is split into terms by the rules of the index of code, and
handed over separated by blanks. So a question and an item can never be split differently.
"""

from collections.abc import Iterable
from hashlib import blake2b

import apsw

from satchel.knowledge import text_terms
from satchel.knowledge.model import Item
from satchel.store.sqlite.database import select
from satchel.store.terms import split, words

# Postings that one question may read; 12,000 take about 10 ms.
_MAX_POSTINGS = 12_000
_MAX_TERMS = 40


def indexed_terms(item: Item) -> tuple[str, str]:
    """The terms of the summary, and those of everything else, as the two columns of the index."""
    rest = " ".join((item.detail, item.rationale, *item.tags, item.label))
    return _joined_terms(item.summary), _joined_terms(rest)


def _joined_terms(text: str) -> str:
    return " ".join(term for word in words(text) for term in split(word))


def match_expression(connection: apsw.Connection, question: str) -> str:
    """An FTS5 expression that matches any of the question's terms; "" when no item has one.

    Terms consist of letters, digits and "_", so that quoting them leaves nothing to inject. The
    rarest terms are taken first, until their postings are as many as one question may read; the
    rarest of all is always taken.
    """
    # The vocabulary tells in how many items each term is, which is what its posting list costs.
    asked = sorted(text_terms.terms(question))
    marks = ",".join("?" * len(asked))
    sql = f"SELECT term, doc FROM item_vocabulary WHERE term IN ({marks}) ORDER BY doc, term"
    chosen: list[str] = []
    n_postings = 0
    for term, n_items in select(connection, sql, asked):
        n_postings += n_items
        if chosen and (n_postings > _MAX_POSTINGS or len(chosen) == _MAX_TERMS):
            break
        chosen.append(f'"{term}"')
    return " OR ".join(chosen)


def text_digest(parts: Iterable[str]) -> str:
    """A digest of some texts that ignores case and spacing: equal for what says the same."""
    folded = "\x1f".join(" ".join(part.casefold().split()) for part in parts)
    return blake2b(folded.encode(), digest_size=16).hexdigest()
