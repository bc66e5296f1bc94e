"""Recalls items: finds candidates, scores them, checks their anchors, packs them into a budget."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from satchel.knowledge import kinds, timestamps
from satchel.knowledge.code_links import anchors
from satchel.knowledge.code_links.graph_distance import steps_from
from satchel.knowledge.model import OPEN, Item, ItemId, Link, Relation, Session, Status
from satchel.knowledge.operations import transitions
from satchel.knowledge.operations.focus import record_context_request
from satchel.knowledge.output.layouts import choose_layout
from satchel.knowledge.ranking.fitting_items import FittingItems, Layout, fit_items
from satchel.knowledge.ranking.presets import Preset, preset_named, with_recency
from satchel.knowledge.ranking.score import Candidate, ScoredItem, ScoringQuery, demote_stale, score
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.requests import Recall
from satchel.knowledge.scopes import ITEM, PATH, PROJECT, ResolvedScope, proximity
from satchel.knowledge.storage import read, vectors, write
from satchel.knowledge.storage.read import ItemFilter
from satchel.store.errors import UsageError
from satchel.store.sqlite.database import transaction

# How many of the best are compared with the code: each takes a look-up in the index, and what
# ranks lower seldom fits a budget.
_MAX_ANCHOR_CHECKS = 150
_NO_QUERY = ("", "*")
# How many items of a file that older versions wrote one request encodes; it takes some 50 ms.
_ENCODED_PER_REQUEST = 500
_ORDER_KEYS: dict[str, Callable[[Item], float]] = {
    "time": lambda item: float(item.created_at),
    "confidence": lambda item: item.confidence,
    "importance": lambda item: item.importance,
}


class RecallResult(Struct, frozen=True):
    """An answer; `packed.text` is the text for the caller."""

    packed: FittingItems
    preset: Preset
    query: str
    scope: str
    fallback: bool
    """Whether the preset uses vectors and there were none."""


def recall(context: RequestContext, request: Recall, layout: Layout | None = None) -> RecallResult:
    """The best items for a question, within its budget; `layout` overrides its format.

    Raises:
        UsageError: the preset, a kind, a status or the time is none that exists.
    """
    preset = preset_named(request.preset)
    session = read.find_session(context.db, context.caller.session)
    query, scope = _query_and_scope(context, request, session)
    ranked = rank_items(context, request, preset, query, scope)
    chosen = layout or choose_layout(context, request, preset, ranked, query, scope)
    budget = request.budget_tokens or preset.budget_tokens
    packed = fit_items(ranked, chosen, budget, request.limit or preset.limit, context.count_tokens)
    record_shown_items(context, packed)
    has_vectors = context.use_vectors and vectors.encoder() is not None
    return RecallResult(packed, preset, query, scope, preset.use_vectors and not has_vectors)


def _query_and_scope(
    context: RequestContext, request: Recall, session: Session | None
) -> tuple[str, str]:
    """The question and its scope, from the request or else from the caller's focus."""
    # "*" asks for everything, as Shabka's callers know it; an empty query follows the focus.
    query = "" if request.query.strip() in _NO_QUERY else request.query.strip()
    if not query and request.query.strip() != "*" and session:
        query = session.focus
    scope = request.scope or (session.scope if session else PROJECT)
    return query, context.normalize_scope(scope)


def rank_items(
    context: RequestContext,
    request: Recall,
    preset: Preset,
    query: str,
    scope: str,
    *,
    whole_scope: bool = False,
) -> list[ScoredItem]:
    """All candidates with their scores, in the order asked for.

    With `whole_scope` everything that holds for the scope is among them, whatever is asked.
    """
    admitted = item_filter(context, request, preset)
    # None also where the question has no word that the encoder knows.
    vector = None
    if query and preset.use_vectors and context.use_vectors:
        last_encoded = vectors.unencoded_after(context.db)
        if last_encoded is not None:
            with transaction(context.db):
                missing = read.items_after(context.db, last_encoded, _ENCODED_PER_REQUEST)
                vectors.encode_missing(context.db, missing)
        vector = vectors.encode_text(query)
    resolved = context.resolve_scope(scope)
    nearest: read.NearestItems | None = None
    if vector is not None:
        nearest = partial(vectors.nearest_items, context.db, vector, scan=context.scan)
    items = read.candidates(
        context.db, query, resolved, admitted, nearest, whole_scope=whole_scope
    )  # fmt: skip
    matches = _candidates(context, items, resolved, vector)
    has_place = scope != PROJECT or whole_scope
    follows_focus = bool(query) and not request.query.strip()
    asked = ScoringQuery(query, context.caller.now, has_place, follows_focus)
    reaches = any(match.steps is not None for match in matches)
    weights = (preset.graph_weights if reaches else None) or preset.weights
    if request.recency_weight is not None:
        weights = with_recency(weights, request.recency_weight)
    ranked = score(matches, asked, preset, weights)
    best, rest = ranked[:_MAX_ANCHOR_CHECKS], ranked[_MAX_ANCHOR_CHECKS:]
    links = read.links_from(context.db, [one.item.id for one in best]) if context.snapshot else []
    ranked = [*demote_stale(best, anchors.anchors_by_item(links, context.snapshot), asked), *rest]
    if request.order != "score":
        # All of it is sorted again, and the packer then takes what fits in that order.
        key = _ORDER_KEYS[request.order]
        ranked.sort(key=lambda one: (key(one.item), one.item.id), reverse=True)
    return ranked


def item_filter(context: RequestContext, request: Recall, preset: Preset) -> ItemFilter:
    """The filter of a request, with its preset's minimum of confidence where it names none."""
    least = preset.min_confidence if request.min_confidence is None else request.min_confidence
    return ItemFilter(
        context.caller.actor, _parse_statuses(request.status),
        kinds=tuple(kinds.parse_kind(label) for label in request.kinds),
        tags=request.tags, project=request.project, min_confidence=least,
        since=timestamps.parse(request.since, context.caller.now) if request.since else None,
        now=context.caller.now,
    )  # fmt: skip


def _parse_statuses(names: Sequence[str]) -> tuple[Status, ...]:
    """The statuses that names and "open" stand for; none, which admits all, for "all".

    Raises:
        UsageError: there is no such status.
    """
    if "all" in names:
        return ()
    found: list[Status] = []
    for name in names:
        if name != "open" and name not in tuple(Status):
            raise UsageError(f"status is {name!r}", f"use open, all, or {', '.join(Status)}")
        found += OPEN if name == "open" else [Status(name)]
    return tuple(dict.fromkeys(found)) or OPEN


def _candidates(
    context: RequestContext,
    found: Sequence[tuple[Item, bytes | None]],
    scope: ResolvedScope,
    query_vector: vectors.Vector | None,
) -> list[Candidate]:
    """Items with what their links, the scope, the call graph and their vectors say of them."""
    ids = [item.id for item, _ in found]
    links = read.links_from(context.db, ids)
    by_item: dict[ItemId, list[Link]] = {}
    for link in links:
        by_item.setdefault(link.src, []).append(link)
    into = read.links_to(context.db, [f"{ITEM}{i}" for i in ids])
    # A contradiction counts against both sides, whichever of them has the link.
    contradictions = Counter(
        end for pair in transitions.open_contradictions(context, [*links, *into]) for end in pair
    )
    steps = steps_from(context.snapshot, scope.scope)
    matches = [
        _candidate(item, by_item.get(item.id, []), contradictions[item.id], scope, steps)
        for item, _ in found
    ]
    if query_vector is None:
        return matches
    cosines = vectors.cosines(query_vector, [vector for _, vector in found])
    return [
        match if cosine is None else replace(match, cosine=vectors.cosine_to_relevance(cosine))
        for match, cosine in zip(matches, cosines, strict=True)
    ]


def _candidate(
    item: Item,
    links: Sequence[Link],
    n_contradictions: int,
    scope: ResolvedScope,
    steps: dict[str, int],
) -> Candidate:
    # An item is as near as the nearest of its scope and the files and symbols that it affects.
    affected = [link.dst.removeprefix(PATH) for link in links if link.rel == Relation.AFFECTS]
    near = max(proximity(name, scope) for name in (item.scope, *affected))
    reached = [steps[link.dst] for link in links if link.dst in steps]
    return Candidate(
        item, nearness=near, steps=min(reached, default=None), n_links=len(links),
        n_contradictions=n_contradictions,
    )  # fmt: skip


def record_shown_items(context: RequestContext, packed: FittingItems) -> None:
    """Count the shown items as used, and point links at code that has moved to another path."""
    moved = [anchor for shown in packed.shown for anchor in shown.ranked.anchors if anchor.moved_to]
    # A question writes, but only about use: in one transaction, so that nothing is half counted.
    with transaction(context.db):
        write.record_shown(
            context.db, [shown.item.id for shown in packed.shown], context.caller.now
        )
        for anchor in moved:
            write.retarget_link(context.db, anchor.link, anchor.moved_to)
        record_context_request(context)
