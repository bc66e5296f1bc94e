"""What is known of some code, in a few lines beside it: warnings and decisions first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from satchel.knowledge.code_links import anchors
from satchel.knowledge.code_links.anchors import PATH, SYMBOL, Freshness
from satchel.knowledge.model import Item, Kind, Link, Status, Timestamp
from satchel.knowledge.operations.focus import record_context_request
from satchel.knowledge.output.render import safe_line
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.scopes import PROJECT, enclosing_scopes
from satchel.knowledge.storage import read, write
from satchel.store.model import RepoPath
from satchel.store.sqlite.database import transaction

_KIND_ORDER = (Kind.WARNING, Kind.DECISION, Kind.CONVENTION, Kind.NEED, Kind.QUESTION)
_MAX_ITEMS = 200
_WORD = re.compile(r"\w+")
Distance = tuple[int, int, int]
"""How far a place is from what is shown: folders up, which of the files, 0 for a symbol in it."""
_FARTHEST: Distance = (99, 99, 1)
# Characters of an item's text that stand behind its summary.
_MAX_DETAIL = 240


def pack_lines(
    context: RequestContext, paths: Sequence[RepoPath], room: int, query: str = ""
) -> tuple[str, ...]:
    """Lines about some files, at most `room` tokens together: first what is about a symbol that the
    question names, then what holds for the files, then the rest, nearer files first. What is shown
    counts as used.
    """
    near = _distances(context, paths)
    found = _items_about(context, near)
    links = read.links_from(context.db, [item.id for item in found])
    stale = anchors.anchors_by_item(links, context.snapshot)
    targets = {item.id: _item_targets(item, links) for item in found}
    words = frozenset(_WORD.findall(query))
    ranked = sorted(
        found,
        key=lambda item: _sort_key(item, targets[item.id], stale.get(item.id, ()), near, words),
    )
    shown: list[str] = []
    used: list[Item] = []
    for item in ranked:
        for n_characters in (_MAX_DETAIL, 0):
            said = _line(item, stale.get(item.id, ()), n_characters)
            if context.count_tokens("".join((*shown, said))) <= room:
                shown.append(said)
                used.append(item)
                break
    with transaction(context.db):
        write.record_shown(context.db, [item.id for item in used], context.caller.now)
        record_context_request(context)
    return tuple(shown)


def _distances(context: RequestContext, paths: Sequence[RepoPath]) -> dict[str, Distance]:
    """How near everything is that may be said to be about the files."""
    found: dict[str, Distance] = {}
    for n, path in enumerate(paths):
        for symbol in context.snapshot.symbols.of_file(path) if context.snapshot else ():
            for name in (symbol.name, symbol.qualified_name, f"{path}#{symbol.qualified_name}"):
                found.setdefault(SYMBOL + name, (0, n, 0))
        for up, place in enumerate(enclosing_scopes(path)):
            if place != PROJECT:
                found[place] = min(found.get(place, _FARTHEST), (up, n, 1))
    return found


def _items_about(context: RequestContext, near: Mapping[str, Distance]) -> list[Item]:
    """Open items whose scope is one of the places, or that link to a file or symbol among them."""
    scopes = sorted(place for place in near if not place.startswith(SYMBOL))
    # A scope that names a symbol is a link to it as well, see `remember`.
    targets = [
        place if place.startswith(SYMBOL) else PATH + place
        for place, (up, _, _) in near.items()
        if not up
    ]
    linked = sorted({link.src for link in read.links_to(context.db, targets)})[:_MAX_ITEMS]
    clause = (
        "i.status IN ('active', 'provisional') AND"
        f" (i.scope IN ({_placeholders(scopes)}) OR i.id IN ({_placeholders(linked)}))"
    )
    order = "i.importance DESC, i.created_at DESC, i.id"
    found = read.visible_items(
        context.db, clause, (*scopes, *linked), context.caller.actor, order, _MAX_ITEMS
    )
    now = context.caller.now
    return [item for item in found if (item.body.expires_at or now) >= now]


def _item_targets(item: Item, links: Sequence[Link]) -> list[str]:
    """The places that an item is about."""
    return [item.scope, *(x.dst.removeprefix(PATH) for x in links if x.src == item.id)]


def _placeholders(values: Sequence[str]) -> str:
    return ",".join("?" * len(values))


def _sort_key(
    item: Item,
    targets: Sequence[str],
    stale: Sequence[anchors.Anchor],
    near: Mapping[str, Distance],
    words: frozenset[str],
) -> tuple[bool, int, int, bool, Distance, float, Timestamp, str]:
    """Whether it is about what the question names, kind, whether its code is as it was, whether
    it is settled, how near, then weight and age.
    """
    kind = _KIND_ORDER.index(item.kind) if item.kind in _KIND_ORDER else len(_KIND_ORDER)
    worst = max((anchor.freshness for anchor in stale), default=Freshness.FRESH)
    named = {t.rpartition("#")[2].removeprefix(SYMBOL).rpartition(".")[2]
             for t in targets if t.startswith(SYMBOL) and t in near}  # fmt: skip
    nearest = min((near[place] for place in targets if place in near), default=_FARTHEST)
    return (
        words.isdisjoint(named), kind, int(worst), item.status != Status.ACTIVE, nearest,
        -item.importance, Timestamp(-item.created_at), item.id,
    )  # fmt: skip


def _line(item: Item, stale: Sequence[anchors.Anchor], n_characters: int) -> str:
    """`[warning] summary: text (scope; marks)`, on one line, the text cut short."""
    marks = [] if item.scope == PROJECT else [safe_line(item.scope)]
    marks += [] if item.status == "active" else [str(item.status)]
    marks += [safe_line(anchor.description()) for anchor in stale if anchor.freshness]
    text = safe_line(item.rationale or item.detail)
    cut = text[:n_characters] + ("…" if 0 < n_characters < len(text) else "")
    about = f" ({'; '.join(marks)})" if marks else ""
    return f"[{safe_line(item.label)}] {safe_line(item.summary)}{': ' if cut else ''}{cut}{about}\n"
