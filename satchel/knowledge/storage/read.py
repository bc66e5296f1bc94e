"""Reads knowledge.db. Every query applies the caller's visibility before it limits anything."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import apsw
from msgspec import Struct

from satchel.knowledge.model import (
    OPEN,
    Event,
    Item,
    ItemId,
    Kind,
    Link,
    Session,
    Status,
    Timestamp,
)
from satchel.knowledge.scopes import PATH, PROJECT, SYMBOL, ResolvedScope
from satchel.knowledge.storage import fulltext, rows
from satchel.store.sqlite.database import scalar, select, select_in

VISIBLE = "(i.privacy != 'private' OR i.actor = ?)"
"""The condition that the caller, whose name is its parameter, may see an item of table i."""
IS_OPEN = f"i.status IN ({', '.join(repr(str(status)) for status in OPEN)})"
"""The condition that an item of table i is open."""

MAX_FILTERED = 2_000
"""When a filter admits at most this many items, all of them are candidates."""
# At most this many candidates by full text, by scope, of the standing kinds, by importance.
_MAX_BY_TEXT = 200
# Items of a scope that a request for all of it looks at; it bounds the time of a request.
_MAX_WHOLE_SCOPE = 1_000
_MAX_BY_SCOPE = 100
_MAX_STANDING = 100
_MAX_IMPORTANT = 200
_STANDING_KINDS = (Kind.WARNING, Kind.NEED, Kind.CONVENTION)


class ItemFilter(Struct, frozen=True):
    """The items that a question admits. Empty sequences and None admit everything."""

    actor: str
    statuses: tuple[Status, ...] = OPEN
    kinds: tuple[tuple[Kind, str], ...] = ()
    """A kind with "" for all of its items, or with the label that they were given."""
    tags: tuple[str, ...] = ()
    project: str | None = None
    min_confidence: float = 0.0
    since: Timestamp | None = None
    now: Timestamp | None = None
    """Open items that have expired by then are not admitted; None admits them."""

    @property
    def is_narrow(self) -> bool:
        """Whether it restricts more than status and visibility."""
        return bool(
            self.kinds or self.tags or self.project is not None or self.min_confidence or self.since
        )

    def where(self) -> tuple[str, list[Any]]:
        """The condition on a table called i, and its parameters."""
        clauses: list[str] = [VISIBLE]
        values: list[Any] = [self.actor]
        if self.statuses:
            clauses.append(f"i.status IN ({_placeholders(self.statuses)})")
            values += self.statuses
        if self.kinds:
            one = " OR ".join("(i.kind = ? AND ? IN ('', i.subkind))" for _ in self.kinds)
            clauses.append(f"({one})")
            values += [part for pair in self.kinds for part in pair]
        if self.tags:
            tagged = f"SELECT seq FROM tag WHERE tag IN ({_placeholders(self.tags)})"
            clauses.append(f"i.seq IN ({tagged})")
            values += self.tags
        simple: tuple[tuple[str, object], ...] = (
            ("i.project = ?", self.project),
            ("i.confidence >= ?", self.min_confidence or None),
            ("i.created_at >= ?", self.since),
        )
        for clause, value in simple:
            if value is not None:
                clauses.append(clause)
                values.append(value)
        return " AND ".join(clauses), values


NearestItems = Callable[[str, Sequence[Any]], Sequence[int]]
"""(condition on a table called i, its values) → seqs of the admitted items nearest by vector."""


def candidates(
    db: apsw.Connection,
    query: str,
    place: ResolvedScope,
    admitted: ItemFilter,
    nearest: NearestItems | None = None,
    *,
    whole_scope: bool = False,
) -> list[tuple[Item, bytes | None]]:
    """Items that may answer a question about a scope, in no order, each with its vector.

    With `whole_scope` everything that holds for the scope is among them, whatever is asked: what
    lies in it, around it, and what the whole project has.

    They are found by full text, by vector and by scope; warnings, needs and conventions that hold
    for the scope are among them whatever is asked.
    """
    where, values = admitted.where()
    seqs: list[int] | None = None
    if whole_scope:
        clause, places = scope_condition(place)
        # The most important first, up to a bound.
        sql = (
            f"SELECT i.seq FROM item i WHERE {clause} AND {where}"
            " ORDER BY i.importance DESC, i.created_at DESC, i.id LIMIT ?"
        )
        seqs = [seq for (seq,) in select(db, sql, (*places, *values, _MAX_WHOLE_SCOPE))]
        seqs += [*_by_scope(db, place, where, values), *_standing_items(db, place, where, values)]
        seqs += _by_full_text(db, query, where, values) if query else []
        seqs += nearest(where, values) if nearest else ()
    elif admitted.is_narrow and query:
        # A rare tag or project may have no item among the best two hundred of the full text, so
        # where few items pass the filter, none is left to chance.
        sql = f"SELECT i.seq FROM item i WHERE {where} LIMIT ?"
        matching = select(db, sql, (*values, MAX_FILTERED + 1))
        seqs = None if len(matching) > MAX_FILTERED else [seq for (seq,) in matching]
    if seqs is None:
        seqs = [*_by_scope(db, place, where, values), *_standing_items(db, place, where, values)]
        seqs += (
            _by_full_text(db, query, where, values)
            if query
            else _most_important(db, place, where, values)
        )
        seqs += nearest(where, values) if nearest else ()
    now = admitted.now
    return [
        (item, vector)
        for item, vector in _by_seq(db, seqs)
        if now is None or (item.body.expires_at or now) >= now or not item.is_open
    ]


def _by_full_text(db: apsw.Connection, query: str, where: str, values: list[Any]) -> list[int]:
    expression = fulltext.match_expression(db, query)
    if not expression:
        return []
    # CROSS JOIN keeps SQLite from starting at the table of items, which would run the match for
    # every one of them. A word in the summary counts twice one in the rest.
    sql = (
        "SELECT i.seq FROM item_text t CROSS JOIN item i ON i.seq = t.rowid"
        f" WHERE t.item_text MATCH ? AND {where} ORDER BY bm25(item_text, 2.0, 1.0), i.id LIMIT ?"
    )
    return [seq for (seq,) in select(db, sql, (expression, *values, _MAX_BY_TEXT))]


def _by_scope(
    db: apsw.Connection, place: ResolvedScope, where: str, values: list[Any]
) -> list[int]:
    """Items in the scope, around it or linked to it; none for "project", which everything is in."""
    scope = place.scope
    if scope == PROJECT:
        return []
    target = scope if scope.startswith(SYMBOL) else f"{PATH}{scope}"
    outer, symbols = place.enclosing, place.symbols
    linked = "WHERE i.id IN (SELECT src FROM link WHERE dst IN"
    by_scope = "INDEXED BY item_scope WHERE"
    ways: list[tuple[str, list[str]]] = [
        (f"{by_scope} i.scope IN ({_placeholders(outer)})", outer),
        (f"{linked} ({_placeholders([target, *symbols])}))", [target, *symbols]),
    ]
    if not scope.startswith(SYMBOL):
        # "0" is the character after "/": the range holds what begins with the scope and a slash.
        ways.append((f"{by_scope} i.scope > ? AND i.scope < ?", [f"{scope}/", f"{scope}0"]))
    # A unary plus keeps a column out of SQLite's choice of an index: most items are open, so an
    # index by status would read nearly all of them.
    where = where.replace("i.status", "+i.status")
    found: list[int] = []
    for clause, places in ways:  # a query each and no OR, so that each has its own index
        sql = (
            f"SELECT i.seq FROM item i {clause} AND {where}"
            " ORDER BY i.importance DESC, i.created_at DESC, i.id LIMIT ?"
        )
        found += [seq for (seq,) in select(db, sql, (*places, *values, _MAX_BY_SCOPE))]
    return found


def scope_condition(place: ResolvedScope) -> tuple[str, list[str]]:
    """The condition on a table called i that an item's scope overlaps a scope, and its values."""
    scope = place.scope
    if scope == PROJECT:
        return "1", []
    names = [*place.enclosing, *place.symbols, PROJECT]
    clause = f"i.scope IN ({_placeholders(names)})"
    if scope.startswith(SYMBOL):
        return clause, names
    return f"({clause} OR (i.scope > ? AND i.scope < ?))", [*names, f"{scope}/", f"{scope}0"]


def symbol_targets(db: apsw.Connection, limit: int) -> list[str]:
    """The symbols that items are about or link to as "symbol:Name", in order, at most `limit`."""
    # ";" is the character after ":", which makes this a range scan of the two indexes.
    one = "SELECT {0} FROM {1} WHERE {0} > 'symbol:' AND {0} < 'symbol;'"
    both = f"{one.format('scope', 'item')} UNION {one.format('dst', 'link')}"
    return [name for (name,) in select(db, f"{both} ORDER BY 1 LIMIT ?", (limit,))]


def _standing_items(
    db: apsw.Connection, place: ResolvedScope, where: str, values: list[Any]
) -> list[int]:
    """Warnings, needs and conventions that hold for a scope, whatever is asked."""
    clause, places = scope_condition(place)
    sql = (
        f"SELECT i.seq FROM item i INDEXED BY item_standing WHERE i.kind = ? AND {clause}"
        f" AND {where} ORDER BY i.importance DESC, i.created_at DESC, i.id LIMIT ?"
    )
    found: list[int] = []
    for kind in _STANDING_KINDS:
        rows_ = select(db, sql, (kind, *places, *values, _MAX_STANDING // len(_STANDING_KINDS)))
        found += [seq for (seq,) in rows_]
    return found


def _most_important(
    db: apsw.Connection, place: ResolvedScope, where: str, values: list[Any]
) -> list[int]:
    """For a request without a question: the most important items of a scope, and the newest."""
    found: list[int] = []
    clause, places = scope_condition(place)
    for index, order in (
        ("item_important", "i.importance DESC, i.created_at DESC"),
        ("item_newest", "i.created_at DESC"),
    ):
        sql = (
            f"SELECT i.seq FROM item i INDEXED BY {index} WHERE {clause} AND {where}"
            f" ORDER BY {order}, i.id LIMIT ?"
        )
        found += [seq for (seq,) in select(db, sql, (*places, *values, _MAX_IMPORTANT))]
    return found


def _by_seq(db: apsw.Connection, seqs: Iterable[int]) -> list[tuple[Item, bytes | None]]:
    sql = (
        f"SELECT v.vector, {rows.ITEM_COLUMNS} FROM item i LEFT JOIN vector v ON v.seq = i.seq"
        " WHERE i.seq IN (KEYS)"
    )
    found = select_in(db, sql, sorted(set(seqs)))
    return [(rows.from_row(Item, row[1:]), row[0]) for row in found]


def items_after(db: apsw.Connection, seq: int, limit: int) -> list[tuple[int, Item]]:
    """Items of everybody with a higher seq, by seq: (seq, item)."""
    sql = f"SELECT i.seq, {rows.ITEM_COLUMNS} FROM item i WHERE i.seq > ? ORDER BY i.seq LIMIT ?"
    return [(row[0], rows.from_row(Item, row[1:])) for row in select(db, sql, (seq, limit))]


def items_by_id(db: apsw.Connection, actor: str, ids: Sequence[str]) -> list[Item]:
    """Visible items by id or by the beginning of one (6 characters or more), in the order given.

    Ids that no item has, and beginnings that two items share, are left out.
    """
    found: dict[str, Item] = {}
    for asked in ids:
        key = asked.strip().upper()
        if len(key) < 6 or not key.isalnum():
            continue
        sql = (
            f"SELECT {rows.ITEM_COLUMNS} FROM item i"
            f" WHERE i.id >= ? AND i.id < ? AND {VISIBLE} LIMIT 2"
        )
        rows_ = select(db, sql, (key, key + "~", actor))
        if len(rows_) == 1:
            found.setdefault(rows_[0][0], rows.from_row(Item, rows_[0]))
    return list(found.values())


def items_of_everybody(db: apsw.Connection, ids: Iterable[str]) -> list[Item]:
    """Items by id, private ones of others among them, sorted by id.

    For rules that must hold whoever may see the items; nothing of these may reach a reply.
    """
    sql = f"SELECT {rows.ITEM_COLUMNS} FROM item i WHERE i.id IN (KEYS) ORDER BY i.id"
    return [rows.from_row(Item, row) for row in select_in(db, sql, sorted(set(ids)))]


def visible_items(
    db: apsw.Connection, clause: str, values: Sequence[Any], actor: str, order: str, limit: int
) -> list[Item]:
    """Visible items that meet a condition on a table called i; `order` must end in the id."""
    sql = (
        f"SELECT {rows.ITEM_COLUMNS} FROM item i"
        f" WHERE {clause} AND {VISIBLE} ORDER BY {order} LIMIT ?"
    )
    return [rows.from_row(Item, row) for row in select(db, sql, (*values, actor, limit))]


def links_from(db: apsw.Connection, ids: Sequence[str]) -> list[Link]:
    """Links of some items, by item, relation and target."""
    return _read_links(db, "src", ids)


def links_to(db: apsw.Connection, targets: Sequence[str]) -> list[Link]:
    """Links that lead to some targets, by item, relation and target."""
    return _read_links(db, "dst", targets)


def _read_links(db: apsw.Connection, column: str, keys: Sequence[str]) -> list[Link]:
    sql = f"SELECT {rows.LINK_COLUMNS} FROM link WHERE {column} IN (KEYS)"
    found = map(partial(rows.from_row, Link), select_in(db, sql, sorted(set(keys))))
    return sorted(found, key=lambda link: (link.src, link.rel, link.dst))


def relation_exists(db: apsw.Connection, name: str) -> bool:
    """Whether any link has this relation."""
    return bool(select(db, "SELECT 1 FROM link WHERE rel = ? LIMIT 1", (name,)))


def item_history(db: apsw.Connection, item_id: ItemId) -> list[Event]:
    """What happened to an item, oldest first."""
    sql = f"SELECT {rows.EVENT_COLUMNS} FROM event WHERE item_id = ? ORDER BY seq"
    return [rows.from_row(Event, row) for row in select(db, sql, (item_id,))]


def count_visible(db: apsw.Connection, clause: str, values: Sequence[Any], actor: str) -> int:
    """The number of visible items that meet a condition on a table called i."""
    sql = f"SELECT count(*) FROM item i WHERE {clause} AND {VISIBLE}"
    return int(scalar(db, sql, (*values, actor)))


def _placeholders(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))


def find_session(db: apsw.Connection, key: str) -> Session | None:
    """The session with this key, None when there is none."""
    found = (
        select(db, f"SELECT {rows.SESSION_COLUMNS} FROM session WHERE id = ?", (key,))
        if key
        else []
    )
    return rows.from_row(Session, found[0]) if found else None
