"""What is known of some code, in a few lines beside it: warnings and decisions first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from satchel.knowledge.code_links import anchors
from satchel.knowledge.code_links.anchors import PATH, SYMBOL, Freshness
from satchel.knowledge.context import Desk
from satchel.knowledge.model import Item, Kind, Link, Moment, Status
from satchel.knowledge.operations.focus import assembled
from satchel.knowledge.output.render import line
from satchel.knowledge.scopes import PROJECT, around
from satchel.knowledge.storage import read, write
from satchel.store.model import RepoPath
from satchel.store.sqlite.database import transaction

_FIRST = (Kind.WARNING, Kind.DECISION, Kind.CONVENTION, Kind.NEED, Kind.QUESTION)
_MOST = 200
_WORD = re.compile(r"\w+")
Near = tuple[int, int, int]
"""How far a place is from what is shown: folders up, which of the files, 0 for a symbol in it."""
_FAR: Near = (99, 99, 1)
_DETAIL = 240
"""Characters of an item's text that stand behind its summary."""


def beside(desk: Desk, paths: Sequence[RepoPath], room: int, query: str = "") -> tuple[str, ...]:
    """Lines about some files, at most `room` tokens together: first what is about a symbol that the
    question names, then what holds for the files, then the rest, nearer files first. What is shown
    counts as used.
    """
    near = _near(desk, paths)
    found = _about(desk, near)
    links = read.links_from(desk.db, [item.id for item in found])
    stale = anchors.by_item(links, desk.snapshot)
    targets = {item.id: _targets(item, links) for item in found}
    words = frozenset(_WORD.findall(query))
    ranked = sorted(
        found,
        key=lambda item: _order(item, targets[item.id], stale.get(item.id, ()), near, words),
    )
    shown: list[str] = []
    used: list[Item] = []
    for item in ranked:
        for n_characters in (_DETAIL, 0):
            said = _line(item, stale.get(item.id, ()), n_characters)
            if desk.count("".join((*shown, said))) <= room:
                shown.append(said)
                used.append(item)
                break
    with transaction(desk.db):
        write.touch(desk.db, [item.id for item in used], desk.caller.now)
        assembled(desk)
    return tuple(shown)


def _near(desk: Desk, paths: Sequence[RepoPath]) -> dict[str, Near]:
    """How near everything is that may be said to be about the files."""
    found: dict[str, Near] = {}
    for n, path in enumerate(paths):
        for symbol in desk.snapshot.symbols.of_file(path) if desk.snapshot else ():
            for name in (symbol.name, symbol.qualified_name, f"{path}#{symbol.qualified_name}"):
                found.setdefault(SYMBOL + name, (0, n, 0))
        for up, place in enumerate(around(path)):
            if place != PROJECT:
                found[place] = min(found.get(place, _FAR), (up, n, 1))
    return found


def _about(desk: Desk, near: Mapping[str, Near]) -> list[Item]:
    """Open items whose scope is one of the places, or that link to a file or symbol among them."""
    scopes = sorted(place for place in near if not place.startswith(SYMBOL))
    # A scope that names a symbol is a link to it as well, see `remember`.
    targets = [
        place if place.startswith(SYMBOL) else PATH + place
        for place, (up, _, _) in near.items()
        if not up
    ]
    linked = sorted({link.src for link in read.links_to(desk.db, targets)})[:_MOST]
    clause = (
        "i.status IN ('active', 'provisional') AND"
        f" (i.scope IN ({_marks(scopes)}) OR i.id IN ({_marks(linked)}))"
    )
    order = "i.importance DESC, i.created_at DESC, i.id"
    found = read.admitted(desk.db, clause, (*scopes, *linked), desk.caller.actor, order, _MOST)
    now = desk.caller.now
    return [item for item in found if (item.body.expires_at or now) >= now]


def _targets(item: Item, links: Sequence[Link]) -> list[str]:
    """The places that an item is about."""
    return [item.scope, *(x.dst.removeprefix(PATH) for x in links if x.src == item.id)]


def _marks(values: Sequence[str]) -> str:
    return ",".join("?" * len(values))


def _order(
    item: Item,
    targets: Sequence[str],
    stale: Sequence[anchors.Anchor],
    near: Mapping[str, Near],
    words: frozenset[str],
) -> tuple[bool, int, int, bool, Near, float, Moment, str]:
    """Whether it is about what the question names, kind, whether its code is as it was, whether
    it is settled, how near, then weight and age.
    """
    kind = _FIRST.index(item.kind) if item.kind in _FIRST else len(_FIRST)
    worst = max((anchor.freshness for anchor in stale), default=Freshness.FRESH)
    named = {t.rpartition("#")[2].removeprefix(SYMBOL).rpartition(".")[2]
             for t in targets if t.startswith(SYMBOL) and t in near}  # fmt: skip
    nearest = min((near[place] for place in targets if place in near), default=_FAR)
    return (
        words.isdisjoint(named), kind, int(worst), item.status != Status.ACTIVE, nearest,
        -item.importance, Moment(-item.created_at), item.id,
    )  # fmt: skip


def _line(item: Item, stale: Sequence[anchors.Anchor], n_characters: int) -> str:
    """`[warning] summary: text (scope; marks)`, on one line, the text cut short."""
    marks = [] if item.scope == PROJECT else [line(item.scope)]
    marks += [] if item.status == "active" else [str(item.status)]
    marks += [line(anchor.said()) for anchor in stale if anchor.freshness]
    text = line(item.rationale or item.detail)
    cut = text[:n_characters] + ("…" if 0 < n_characters < len(text) else "")
    about = f" ({'; '.join(marks)})" if marks else ""
    return f"[{line(item.label)}] {line(item.summary)}{': ' if cut else ''}{cut}{about}\n"
