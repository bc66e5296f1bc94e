"""Anchors: digests on links by which an item knows whether its code has changed since.

A link to a path or a symbol carries a digest of the bytes that were there. Against a snapshot it
is fresh (unchanged, perhaps at a new path), drifted (changed) or orphaned (gone). The digest of a
symbol is that of its definition, whichever file it lies in. Renamed files are found by content.
"""

from collections.abc import Iterable, Sequence
from enum import IntEnum
from hashlib import blake2b

from msgspec import Struct

from satchel.knowledge.model import ItemId, Link
from satchel.knowledge.scopes import PATH, SYMBOL
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import SymbolRecord

_DIGEST_BYTES = 16


class Freshness(IntEnum):
    """How an anchor compares with the code, best first, so that the worst of some is their max."""

    FRESH = 0
    DRIFTED = 1
    """The code is there and its bytes are others."""
    ORPHANED = 2
    """The code is gone."""


class Anchor(Struct, frozen=True):
    """A link compared with the code; `moved_to` names where the same bytes lie now, or is ""."""

    link: Link
    freshness: Freshness
    moved_to: str = ""

    def description(self) -> str:
        """`src/a.py changed`, `src/a.py is gone`, `src/a.py moved to src/b.py`."""
        name = self.link.dst.partition(":")[2]
        if self.freshness == Freshness.DRIFTED:
            return f"{name} changed"
        if self.freshness == Freshness.ORPHANED:
            return f"{name} is gone"
        return f"{name} moved to {self.moved_to.partition(':')[2]}" if self.moved_to else name


def with_anchor(link: Link, snapshot: Snapshot) -> Link:
    """The link with a digest of what its target holds now; unchanged when nothing is there."""
    digests = _digests(link.dst, snapshot)
    if not digests:
        return link
    # Several definitions may share a name: the first by path and line is the one that is anchored,
    # and `check_anchors` accepts any of them.
    return Link(link.src, link.rel, link.dst, link.strength, link.note, digests[0])


def check_anchors(links: Iterable[Link], snapshot: Snapshot) -> list[Anchor]:
    """Every link that carries an anchor, compared with the snapshot, in the order given."""
    return [_check_anchor(link, snapshot) for link in links if link.anchor]


def anchors_by_item(
    links: Sequence[Link], snapshot: Snapshot | None
) -> dict[ItemId, tuple[Anchor, ...]]:
    """The anchors of each item; none without a snapshot."""
    found: dict[ItemId, tuple[Anchor, ...]] = {}
    for anchor in check_anchors(links, snapshot) if snapshot else ():
        found[anchor.link.src] = (*found.get(anchor.link.src, ()), anchor)
    return found


def _check_anchor(link: Link, snapshot: Snapshot) -> Anchor:
    now = _digests(link.dst, snapshot)
    if link.anchor in now:
        return Anchor(link, Freshness.FRESH)
    if now:
        return Anchor(link, Freshness.DRIFTED)
    if link.dst.startswith(PATH):
        # git finds renames in the same way: the same bytes under another path.
        moved = snapshot.files.with_digest(link.anchor)
        if moved:
            # Of files with equal bytes, the one with the same file name, else the first by path.
            name = link.dst.rpartition("/")[2]
            return Anchor(
                link,
                Freshness.FRESH,
                PATH + next((path for path in moved if path.rpartition("/")[2] == name), moved[0]),
            )
    return Anchor(link, Freshness.ORPHANED)


def _digests(dst: str, snapshot: Snapshot) -> list[str]:
    """Digests of what a target holds: one for a path, one for each definition of a symbol."""
    if dst.startswith(PATH):
        known = snapshot.files.identity(RepoPath(dst.removeprefix(PATH)))
        return [known[0]] if known else []
    if dst.startswith(SYMBOL):
        name = dst.removeprefix(SYMBOL)
        return [_definition_digest(symbol, snapshot) for symbol in definitions(name, snapshot)]
    return []  # commits, urls and items do not change under their name


def definitions(name: str, snapshot: Snapshot) -> list[SymbolRecord]:
    """The definitions that `Name`, `Class.method` or `path#Name` refers to, by path and line."""
    path, _, qualified = name.rpartition("#")
    found = snapshot.symbols.named(qualified.rpartition(".")[2])
    return [
        symbol
        for symbol in found
        if (symbol.qualified_name == qualified or symbol.name == qualified
            or symbol.qualified_name.endswith("." + qualified))
        and path in ("", symbol.path)
    ]  # fmt: skip


def _definition_digest(symbol: SymbolRecord, snapshot: Snapshot) -> str:
    known = snapshot.files.identity(symbol.path)
    if known is None:
        return ""
    source = snapshot.files.source(*known)[symbol.span.start_byte : symbol.span.end_byte]
    return blake2b(source, digest_size=_DIGEST_BYTES).hexdigest()
