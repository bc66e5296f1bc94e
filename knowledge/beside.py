"""What is known of some code, in a few lines beside it: warnings and decisions first."""

from __future__ import annotations

from collections.abc import Sequence

from knowledge import anchors, read, write
from knowledge.anchors import PATH, SYMBOL, Freshness
from knowledge.desk import Desk
from knowledge.focus import assembled
from knowledge.model import Item, Kind, Link, Moment
from knowledge.render import line
from knowledge.scopes import PROJECT, around
from store.database import transaction
from store.model import RepoPath

_FIRST = (Kind.WARNING, Kind.DECISION, Kind.CONVENTION, Kind.NEED, Kind.QUESTION)
_MOST = 200
_DETAIL = 240
"""Characters of an item's text that stand behind its summary."""


def beside(desk: Desk, paths: Sequence[RepoPath], room: int) -> tuple[str, ...]:
    """Lines about some files, at most `room` tokens together: what holds for them, then the rest,
    nearer files first. What is shown counts as used.
    """
    found = _about(desk, paths)
    links = read.links_from(desk.db, [item.id for item in found])
    stale = anchors.by_item(links, desk.snapshot)
    near = {place: n for n, path in enumerate(paths) for place in _places(path)}
    ranked = sorted(found, key=lambda item: _order(item, links, stale.get(item.id, ()), near))
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


def _places(path: RepoPath) -> list[str]:
    return [place for place in around(path) if place != PROJECT]


def _about(desk: Desk, paths: Sequence[RepoPath]) -> list[Item]:
    """Open items whose scope holds one of the files, or that link to one or to a symbol in it."""
    scopes = sorted({place for path in paths for place in _places(path)})
    symbols: set[str] = set()
    if desk.snapshot is not None:
        for path in paths:
            for symbol in desk.snapshot.symbols.of_file(path):
                symbols |= {SYMBOL + symbol.name, SYMBOL + symbol.qualified_name}
    # A scope that names a symbol is a link to it as well, see `remember`.
    targets = [*(PATH + path for path in paths), *sorted(symbols)]
    linked = sorted({link.src for link in read.links_to(desk.db, targets)})[:_MOST]
    clause = (
        "i.status IN ('active', 'provisional') AND"
        f" (i.scope IN ({_marks(scopes)}) OR i.id IN ({_marks(linked)}))"
    )
    order = "i.importance DESC, i.created_at DESC, i.id"
    found = read.admitted(desk.db, clause, (*scopes, *linked), desk.caller.actor, order, _MOST)
    now = desk.caller.now
    return [item for item in found if (item.body.expires_at or now) >= now]


def _marks(values: Sequence[str]) -> str:
    return ",".join("?" * len(values))


def _order(
    item: Item, links: Sequence[Link], stale: Sequence[anchors.Anchor], near: dict[str, int]
) -> tuple[int, int, int, float, Moment, str]:
    """Kind, whether its code is as it was, nearest file, then weight and age."""
    kind = _FIRST.index(item.kind) if item.kind in _FIRST else len(_FIRST)
    worst = max((anchor.freshness for anchor in stale), default=Freshness.FRESH)
    targets = [link.dst.removeprefix(PATH) for link in links if link.src == item.id]
    nearest = min((near[place] for place in (item.scope, *targets) if place in near), default=99)
    return kind, int(worst), nearest, -item.importance, Moment(-item.created_at), item.id


def _line(item: Item, stale: Sequence[anchors.Anchor], n_characters: int) -> str:
    """`[warning] summary: text (scope; marks)`, on one line, the text cut short."""
    marks = [] if item.scope == PROJECT else [line(item.scope)]
    marks += [] if item.status == "active" else [str(item.status)]
    marks += [line(anchor.said()) for anchor in stale if anchor.freshness]
    text = line(item.rationale or item.detail)
    cut = text[:n_characters] + ("…" if 0 < n_characters < len(text) else "")
    about = f" ({'; '.join(marks)})" if marks else ""
    return f"[{line(item.label)}] {line(item.summary)}{': ' if cut else ''}{cut}{about}\n"
