"""Terms of items and of questions for the full-text index: the project's own, safely quoted."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import apsw

from satchel.knowledge.model import Item
from satchel.knowledge.ranking import signals
from satchel.store.sqlite.database import select
from satchel.store.terms import split, words

# Postings that one question reads, about 10 ms; its rarest terms come first.
_MAX_POSTINGS = 12_000
_MAX_TERMS = 40


def indexed_terms(item: Item) -> tuple[str, str]:
    """The terms of the summary, and those of everything else."""
    rest = " ".join((item.detail, item.rationale, *item.tags, item.label))
    return _joined_terms(item.summary), _joined_terms(rest)


def _joined_terms(text: str) -> str:
    return " ".join(term for word in words(text) for term in split(word))


def match_expression(connection: apsw.Connection, question: str) -> str:
    """An FTS5 expression for any of the question's terms; "" when it has none that is known.

    Terms consist of letters, digits and "_", so quoting them leaves nothing to inject. The rarest
    are asked for first, until their postings are as many as one question may read; the rarest of
    all is always asked for.
    """
    asked = sorted(signals.terms(question))
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
    """What equal texts share, however they are spaced and capitalised."""
    folded = "\x1f".join(" ".join(part.casefold().split()) for part in parts)
    return blake2b(folded.encode(), digest_size=16).hexdigest()
