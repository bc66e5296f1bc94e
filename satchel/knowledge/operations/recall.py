"""Finding what is known: candidates, scores, doubts about the code, a pack under the budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from satchel.knowledge import kinds, timestamps
from satchel.knowledge.code_links import anchors
from satchel.knowledge.code_links.graph_distance import steps_from
from satchel.knowledge.context import Desk
from satchel.knowledge.model import OPEN, Item, ItemId, Link, Session, Status
from satchel.knowledge.operations import transitions
from satchel.knowledge.operations.focus import assembled
from satchel.knowledge.output.layouts import layout_of
from satchel.knowledge.ranking.pack import Layout, Packed, pack
from satchel.knowledge.ranking.presets import Preset, preset_named, with_recency
from satchel.knowledge.ranking.score import Asked, Match, Ranked, demote, score
from satchel.knowledge.requests import Recall
from satchel.knowledge.scopes import PROJECT, Place, nearness
from satchel.knowledge.storage import read, vectors, write
from satchel.knowledge.storage.read import Filter
from satchel.store.errors import UsageError
from satchel.store.sqlite.database import transaction

_CHECKED = 150
"""Of the ranked, how many are compared with the code."""
_EVERYTHING = ("", "*")
_ENCODED = 500
"""Items of an older file that one request encodes, in some 50 ms."""
_KEYS: dict[str, Callable[[Item], float]] = {
    "time": lambda item: float(item.created_at),
    "confidence": lambda item: item.confidence,
    "importance": lambda item: item.importance,
}


@dataclass(frozen=True, slots=True)
class Recalled:
    """An answer; `packed.text` is what is handed over."""

    packed: Packed
    preset: Preset
    query: str
    scope: str
    fallback: bool
    """Whether vectors were to be compared and were not, or not by what was configured."""


def recall(desk: Desk, request: Recall, layout: Layout | None = None) -> Recalled:
    """The best of what is known for a question, under its budget; `layout` overrides its format.

    Raises:
        UsageError: something unknown is named.
    """
    preset = preset_named(request.preset)
    session = read.session(desk.db, desk.caller.session)
    query, scope = _aim(desk, request, session)
    ranked = find(desk, request, preset, query, scope)
    chosen = layout or layout_of(desk, request, preset, ranked, query, scope)
    budget = request.budget_tokens or preset.budget_tokens
    packed = pack(ranked, chosen, budget, request.limit or preset.limit, desk.count)
    used(desk, packed)
    has_vectors = desk.by_meaning and vectors.encoder() is not None and not desk.fallback
    return Recalled(packed, preset, query, scope, preset.by_meaning and not has_vectors)


def _aim(desk: Desk, request: Recall, session: Session | None) -> tuple[str, str]:
    """The question and its scope, from the request or else from the caller's focus."""
    query = "" if request.query.strip() in _EVERYTHING else request.query.strip()
    if not query and request.query.strip() != "*" and session:
        query = session.focus
    scope = request.scope or (session.scope if session else PROJECT)
    return query, desk.scope(scope)


def find(desk: Desk, request: Recall, preset: Preset, query: str, scope: str) -> list[Ranked]:
    """All candidates with their scores, in the order asked for."""
    admitted = filter_of(desk, request, preset)
    meant = _meant(desk, preset, query)
    place = desk.place(scope)
    items = read.candidates(
        desk.db, query, place, admitted, desk.caller.now, _nearest(desk, meant)
    )  # fmt: skip
    matches = _matches(desk, items, place, meant)
    asked = Asked(query, desk.caller.now, scope != PROJECT)
    weights = preset.weights
    if request.recency_weight is not None:
        weights = with_recency(weights, request.recency_weight)
    ranked = score(matches, asked, preset, weights)
    best, rest = ranked[:_CHECKED], ranked[_CHECKED:]
    links = read.links_from(desk.db, [one.item.id for one in best]) if desk.snapshot else []
    ranked = [*demote(best, anchors.by_item(links, desk.snapshot)), *rest]
    if request.order != "score":
        key = _KEYS[request.order]
        ranked.sort(key=lambda one: (key(one.item), one.item.id), reverse=True)
    return ranked


def _meant(desk: Desk, preset: Preset, query: str) -> vectors.Vector | None:
    """What the question means, where that counts; encodes what an older file holds, bit by bit."""
    if not (query and preset.by_meaning and desk.by_meaning):
        return None
    behind = vectors.behind(desk.db)
    if behind is not None:
        with transaction(desk.db):
            vectors.catch_up(desk.db, read.after(desk.db, behind, _ENCODED))
    return vectors.vector(query)


def _nearest(desk: Desk, meant: vectors.Vector | None) -> read.Nearest | None:
    if meant is None:
        return None
    return lambda where, values: vectors.nearest(desk.db, meant, where, values, desk.order)


def filter_of(desk: Desk, request: Recall, preset: Preset) -> Filter:
    """Which items a request admits."""
    least = preset.min_confidence if request.min_confidence is None else request.min_confidence
    return Filter(
        desk.caller.actor, _statuses(request.status),
        kinds=tuple(kinds.read_kind(label) for label in request.kinds),
        tags=request.tags, project=request.project, min_confidence=least,
        since=timestamps.read(request.since, desk.caller.now) if request.since else None,
    )  # fmt: skip


def _statuses(said: Sequence[str]) -> tuple[Status, ...]:
    """Raises:
    UsageError: there is no such status.
    """
    if "all" in said:
        return ()
    found: list[Status] = []
    for name in said:
        if name != "open" and name not in tuple(Status):
            raise UsageError(f"status is {name!r}", f"use open, all, or {', '.join(Status)}")
        found += OPEN if name == "open" else [Status(name)]
    return tuple(dict.fromkeys(found)) or OPEN


def _matches(
    desk: Desk,
    found: Sequence[tuple[Item, bytes | None]],
    place: Place,
    meant: vectors.Vector | None,
) -> list[Match]:
    ids = [item.id for item, _ in found]
    links = read.links_from(desk.db, ids)
    held: dict[ItemId, list[Link]] = {}
    for link in links:
        held.setdefault(link.src, []).append(link)
    into = read.links_to(desk.db, [f"item:{i}" for i in ids])
    disputes = Counter(end for pair in transitions.live(desk, [*links, *into]) for end in pair)
    steps = steps_from(desk.snapshot, place.scope)
    matches = [
        _match(item, held.get(item.id, []), disputes[item.id], place, steps) for item, _ in found
    ]
    if meant is None:
        return matches
    cosines = vectors.cosines(meant, [vector for _, vector in found])
    return [
        match if cosine is None else replace(match, cosine=vectors.likeness(cosine))
        for match, cosine in zip(matches, cosines, strict=True)
    ]


def _match(
    item: Item, links: Sequence[Link], n_disputes: int, place: Place, steps: dict[str, int]
) -> Match:
    near = nearness(item.scope, place)
    affected = [link.dst.removeprefix("path:") for link in links if link.rel == "affects"]
    near = max([near, *(nearness(name, place) for name in affected)]) if affected else near
    reached = [steps[link.dst] for link in links if link.dst in steps]
    return Match(
        item, nearness=near, steps=min(reached, default=None), n_links=len(links),
        n_contradictions=n_disputes,
    )  # fmt: skip


def used(desk: Desk, packed: Packed) -> None:
    """What was shown was used; the session has asked for context; moved code is followed."""
    moved = [anchor for shown in packed.shown for anchor in shown.ranked.anchors if anchor.moved_to]
    with transaction(desk.db):
        write.touch(desk.db, [shown.item.id for shown in packed.shown], desk.caller.now)
        for anchor in moved:
            write.move_link(desk.db, anchor.link, anchor.moved_to)
        assembled(desk)
