"""Compares a new item with stored ones: is it known already, similar to, or contradicted by them?

Only what the writer can see is compared, within one project: another project's items and another
person's private notes neither hide nor replace anything. Likeness is told and linked, and never
keeps an item out: one number or one "not" makes another statement of the same words.
"""

import apsw

from satchel.knowledge import text_terms
from satchel.knowledge.model import Item, Kind
from satchel.knowledge.scopes import SYMBOL, overlap
from satchel.knowledge.storage import fulltext, read
from satchel.store.sqlite.database import select

RELATED_SIMILARITY = 0.35
"""Jaccard similarity of terms from which two items are related."""
ALIKE_SHARE = 0.5
"""Share of the words of the shorter summary from which two items are told to be alike."""
_LEAST_COMMON = 3
"""Fewer common words are those of a subject, about which much may be decided."""
# How many items that the full-text index ranks first are compared term by term.
_MAX_COMPARED = 20
_MAX_DECISIONS = 200
_MAX_ELSEWHERE = 3


def same_sentences(db: apsw.Connection, item: Item) -> list[Item]:
    """The open items of the same kind, scope and privacy that say the same sentences, oldest first;
    some of them where they are more than twenty."""
    alike = (item.kind, item.privacy, item.scope, text_terms.sentences(item))
    # Other punctuation makes another digest, and leaves the terms as they are; a text may have no
    # terms at all.
    near = [other for _, other in similar_items(db, item, 1.0)]
    near += _same_text(db, item, "i.scope = ?", _MAX_COMPARED)
    found = [o for o in near if (o.kind, o.privacy, o.scope, text_terms.sentences(o)) == alike]
    return sorted({other.id: other for other in found}.values(), key=lambda other: other.id)


def same_text_elsewhere(db: apsw.Connection, item: Item) -> list[Item]:
    """The open items of other scopes with the same text, oldest first, at most three."""
    return _same_text(db, item, "i.scope != ?", _MAX_ELSEWHERE)


def _same_text(db: apsw.Connection, item: Item, of_scope: str, limit: int) -> list[Item]:
    # A private note and a team's rule are two things even when they read alike, so privacy and
    # kind must be equal as well.
    clause = (
        "i.digest = ? AND i.kind = ? AND i.project = ? AND i.privacy = ?"
        f" AND {of_scope} AND {read.IS_OPEN}"
    )
    key = fulltext.text_digest((item.summary, item.detail, item.rationale))
    values = (key, item.kind, item.project, item.privacy, item.scope)
    return read.visible_items(db, clause, values, item.actor, "i.seq", limit)


def similar_items(db: apsw.Connection, item: Item, floor: float) -> list[tuple[float, Item]]:
    """(similarity, item) of open items of the project, `floor` or more, most similar first.

    The similarity is the Jaccard index of their terms: common ones over all of both, 0..1.
    """
    ours = text_terms.terms(text_terms.item_text(item))
    similar: list[tuple[float, Item]] = []
    for other in _found_by(db, item, f"{item.summary} {item.detail}"):
        similarity = text_terms.jaccard(ours, text_terms.terms(text_terms.item_text(other)))
        if similarity >= floor:
            similar.append((similarity, other))
    return sorted(similar, key=lambda pair: (-pair[0], pair[1].id))


def _found_by(db: apsw.Connection, item: Item, text: str) -> list[Item]:
    """The open items of an item's project that the full-text index ranks first for a text."""
    expression = fulltext.match_expression(db, text)
    if not expression:
        return []
    sql = (
        "SELECT i.id FROM item_text t CROSS JOIN item i ON i.seq = t.rowid"
        f" WHERE t.item_text MATCH ? AND i.project = ? AND {read.VISIBLE} AND {read.IS_OPEN}"
        " ORDER BY t.rank, i.id LIMIT ?"
    )
    found = select(db, sql, (expression, item.project, item.actor, _MAX_COMPARED))
    ids = [row[0] for row in found if row[0] != item.id]
    return read.items_by_id(db, item.actor, ids)


def conflicting_decisions(db: apsw.Connection, item: Item) -> list[Item]:
    """Open decisions on the same subject in an overlapping scope, with another summary, newest
    first; none where the item is no decision, or has neither domain nor tags.

    Whether two texts contradict each other is not decided here: two decisions on one subject that
    read differently are a conflict until somebody says otherwise.
    """
    if item.kind != Kind.DECISION or not (item.body.domain or item.tags):
        return []
    return [
        other
        for other in _open_decisions(db, item)
        if _same_subject(item, other) and overlap(item.scope, other.scope)
    ]


def decisions_about_symbol(db: apsw.Connection, item: Item) -> list[Item]:
    """Open decisions about the very symbol that a decision is about, with another summary, newest
    first; none where it is about no symbol.

    They are no conflict: a symbol may have many decisions, and only a domain or tags tell that two
    are on one subject.
    """
    if item.kind != Kind.DECISION or not item.scope.startswith(SYMBOL):
        return []
    return _open_decisions(db, item, " AND i.scope = ?", item.scope)


def _open_decisions(db: apsw.Connection, item: Item, more: str = "", *values: str) -> list[Item]:
    """Open decisions of an item's project that its author may see, with another summary, newest
    first, at most 200; `more` is a further condition, and `values` its parameters."""
    clause = f"i.kind = 'decision' AND i.project = ? AND {read.IS_OPEN}{more}"
    order = "i.created_at DESC, i.id"
    asked = (item.project, *values)
    found = read.visible_items(db, clause, asked, item.actor, order, _MAX_DECISIONS)
    return [other for other in found if other.summary.casefold() != item.summary.casefold()]


def items_that_say_alike(db: apsw.Connection, item: Item) -> list[Item]:
    """Open items of the same kind in an overlapping scope with much the same words, most alike
    first, then newest.

    They may say the same, the opposite, or the same with another number; words do not tell.
    """
    alike = [
        (share, other)
        for other in _found_by(db, item, item.summary)
        if other.kind == item.kind
        and overlap(item.scope, other.scope)
        and (share := _shared_words(item.summary, other.summary)) >= ALIKE_SHARE
    ]
    alike.sort(key=lambda pair: (-pair[0], -pair[1].created_at, pair[1].id))
    return [other for _, other in alike]


def _shared_words(one: str, other: str) -> float:
    """The share of the shorter summary's words that the other has too; 0.0 for fewer than a few."""
    ours, theirs = text_terms.terms(one), text_terms.terms(other)
    n_common = len(ours & theirs)
    return n_common / min(len(ours), len(theirs)) if n_common >= _LEAST_COMMON else 0.0


def _same_subject(item: Item, other: Item) -> bool:
    """Whether two decisions have the same domain, or without any domain a common tag."""
    if item.body.domain or other.body.domain:
        return item.body.domain.casefold() == other.body.domain.casefold()
    return not set(item.tags).isdisjoint(other.tags)
