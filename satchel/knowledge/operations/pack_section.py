"""Writes the section of a pack with the knowledge about its code, warnings first.

Each item is one line. How near an item is to the files of the pack decides as soon as two items are
of the same kind and in the same state.
"""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from satchel.knowledge import text_terms
from satchel.knowledge.code_links import anchors
from satchel.knowledge.code_links.anchors import Anchor, Freshness
from satchel.knowledge.model import Item, Kind, Status, Timestamp
from satchel.knowledge.operations.focus import record_context_request
from satchel.knowledge.output.render import safe_line
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.scopes import PATH, PROJECT, SYMBOL, enclosing_scopes
from satchel.knowledge.storage import read, write
from satchel.store.model import RepoPath
from satchel.store.sqlite.database import transaction

# Kinds in the order in which they are shown; all others follow.
_KIND_ORDER = (Kind.WARNING, Kind.DECISION, Kind.CONVENTION, Kind.NEED, Kind.QUESTION)
_MAX_ITEMS = 200
# What holds for the whole project is read with every question, so there are few such lines, and
# those that share words with the question come first.
_MAX_OF_PROJECT = 3
_ALWAYS_ELIGIBLE = frozenset({Kind.WARNING, Kind.CONVENTION})
_OF_PROJECT = _ALWAYS_ELIGIBLE | {Kind.DECISION}
_FEWEST_SHARED = 2
_WORD = re.compile(r"\w+")
# Characters of an item's text after its summary, where there are tokens for it.
_MAX_DETAIL = 240


class Distance(Struct, frozen=True, order=True):
    """How far a path or symbol is from the files of a pack; compared field by field."""

    levels_up: int
    """0 for one of the files or a symbol in it, 1 for its folder, and so on."""
    file_rank: int
    """The place of the file among those of the pack, 0 for the most relevant."""
    is_path: bool
    """False for a symbol, which is nearer than its file."""


_FARTHEST = Distance(99, 99, is_path=True)


def pack_lines(
    context: RequestContext, paths: Sequence[RepoPath], budget: int, query: str = ""
) -> tuple[str, ...]:
    """Lines about some files, at most `budget` tokens together.

    Items about a symbol that the question names come first, then by kind, then nearer ones first.
    What holds for the whole project comes last. Items that are shown count as used.
    """
    distances = _distances(context, paths)
    found = _items_about(context, distances)
    links = read.links_from(context.db, [item.id for item in found])
    anchors_of = anchors.anchors_by_item(links, context.snapshot)
    # The paths and symbols that an item is about.
    targets = {
        item.id: [item.scope, *(x.dst.removeprefix(PATH) for x in links if x.src == item.id)]
        for item in found
    }
    words = frozenset(_WORD.findall(query))
    ranked = sorted(
        found,
        key=lambda item: _sort_key(
            item, targets[item.id], anchors_of.get(item.id, ()), distances, words
        ),
    )
    known = {item.id for item in ranked}
    ranked += [item for item in _of_project(context, query) if item.id not in known]
    shown: list[str] = []
    used: list[Item] = []
    for item in ranked:
        # With the beginning of its text, else its summary alone, else not at all; the lines are
        # counted together, since tokens may span a line's end.
        for n_characters in (_MAX_DETAIL, 0):
            line = _line(item, anchors_of.get(item.id, ()), n_characters)
            if context.count_tokens("".join((*shown, line))) <= budget:
                shown.append(line)
                used.append(item)
                break
    with transaction(context.db):
        write.record_shown(context.db, [item.id for item in used], context.caller.now)
        record_context_request(context)
    return tuple(shown)


def _distances(context: RequestContext, paths: Sequence[RepoPath]) -> dict[str, Distance]:
    """The distance of everything that items about the files may name: symbols, files, folders."""
    found: dict[str, Distance] = {}
    for rank, path in enumerate(paths):
        for symbol in context.snapshot.symbols.of_file(path) if context.snapshot else ():
            for name in (symbol.name, symbol.qualified_name, f"{path}#{symbol.qualified_name}"):
                found.setdefault(SYMBOL + name, Distance(0, rank, is_path=False))
        for levels, scope in enumerate(enclosing_scopes(path)):
            if scope != PROJECT:
                distance = Distance(levels, rank, is_path=True)
                found[scope] = min(found.get(scope, _FARTHEST), distance)
    return found


def _items_about(context: RequestContext, distances: Mapping[str, Distance]) -> list[Item]:
    """Open items whose scope is one of the places, or that link to a file or symbol among them."""
    scopes = sorted(place for place in distances if not place.startswith(SYMBOL))
    # Symbols are looked up by their links alone: an item whose scope is a symbol links to it as
    # well, see `remember.scope_links`.
    targets = [
        place if place.startswith(SYMBOL) else PATH + place
        for place, distance in distances.items()
        if not distance.levels_up
    ]
    linked = sorted({link.src for link in read.links_to(context.db, targets)})[:_MAX_ITEMS]
    clause = (
        f"{read.IS_OPEN} AND"
        f" (i.scope IN ({','.join('?' * len(scopes))}) OR i.id IN ({','.join('?' * len(linked))}))"
    )
    return _valid_items(context, clause, (*scopes, *linked))


def _of_project(context: RequestContext, query: str) -> list[Item]:
    """Warnings and conventions of the whole project, and decisions that share words with the
    question; at most a few, first those that share the most, then the most important.
    """
    asked = text_terms.terms(query)
    found: list[tuple[int, Item]] = []
    about = f"{read.IS_OPEN} AND i.scope = ? AND i.kind IN ({','.join('?' * len(_OF_PROJECT))})"
    for item in _valid_items(context, about, (PROJECT, *sorted(_OF_PROJECT))):
        n_shared = len(asked & text_terms.terms(item.summary))
        is_shared = item.kind == Kind.DECISION and n_shared >= _FEWEST_SHARED
        if item.kind in _ALWAYS_ELIGIBLE or is_shared:
            found.append((n_shared, item))
    # The sort is stable, so equal items stay in the order in which they were read.
    return [item for _, item in sorted(found, key=lambda each: -each[0])][:_MAX_OF_PROJECT]


def _valid_items(context: RequestContext, clause: str, values: Sequence[str]) -> list[Item]:
    """Items that have not expired, the most important first, then the newest, then by id."""
    order = "i.importance DESC, i.created_at DESC, i.id"
    found = read.visible_items(context.db, clause, values, context.caller.actor, order, _MAX_ITEMS)
    now = context.caller.now
    return [item for item in found if (item.body.expires_at or now) >= now]


def _sort_key(
    item: Item,
    targets: Sequence[str],
    anchors_: Sequence[Anchor],
    distances: Mapping[str, Distance],
    words: frozenset[str],
) -> tuple[bool, int, int, bool, Distance, float, Timestamp, str]:
    """Sort key. First: names a symbol of the question, then the order of kinds, fresh code, active,
    near, important, new; then by id.
    """
    kind = _KIND_ORDER.index(item.kind) if item.kind in _KIND_ORDER else len(_KIND_ORDER)
    worst = max((anchor.freshness for anchor in anchors_), default=Freshness.FRESH)
    named = {t.rpartition("#")[2].removeprefix(SYMBOL).rpartition(".")[2]
             for t in targets if t.startswith(SYMBOL) and t in distances}  # fmt: skip
    nearest = min((distances[place] for place in targets if place in distances), default=_FARTHEST)
    return (
        words.isdisjoint(named), kind, int(worst), item.status != Status.ACTIVE, nearest,
        -item.importance, Timestamp(-item.created_at), item.id,
    )  # fmt: skip


def _line(item: Item, anchors_: Sequence[Anchor], n_characters: int) -> str:
    """`[warning] summary: text (scope; marks)`, on one line, the text cut to some characters."""
    marks = [] if item.scope == PROJECT else [safe_line(item.scope)]
    marks += [] if item.status == "active" else [str(item.status)]
    marks += [safe_line(anchor.description()) for anchor in anchors_ if anchor.freshness]
    text = safe_line(item.rationale or item.detail)
    cut = text[:n_characters] + ("…" if 0 < n_characters < len(text) else "")
    about = f" ({'; '.join(marks)})" if marks else ""
    head = f"[{safe_line(item.label)}] {safe_line(item.summary)}"
    return f"{head}{': ' if cut else ''}{cut}{about}\n"
