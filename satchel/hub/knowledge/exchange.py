"""Synchronises knowledge of a checkout and a team: a three-way comparison of each item.

Both sides are compared with what they were when they were last equal. What changed on one side goes
to the other; what changed on both is a conflict, which is shown and written nowhere. Private items
never leave the checkout.
"""

from collections.abc import Mapping
from enum import StrEnum
from hashlib import blake2b
from typing import NamedTuple

import msgspec
from msgspec import Struct, field

from satchel.hub import database
from satchel.hub.database import Hub, rows
from satchel.hub.knowledge.items_in_memory import insert
from satchel.hub.knowledge.places import outward
from satchel.knowledge.model import Item, Link, Privacy
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.storage import read, write
from satchel.knowledge.transfer.export_format import export_text, read_export
from satchel.store.errors import UsageError
from satchel.store.sqlite.database import transaction

_UNREADABLE = UsageError(
    "the hub holds an item that cannot be read", "`satchel hub validate URL --deep` looks for more"
)


class Way(StrEnum):
    """Which way items go."""

    PUSH = "push"
    PULL = "pull"


class Base(msgspec.Struct, frozen=True):
    """Digests of an item as it was on both sides when they were last equal."""

    here: str
    there: str


class Exchanged(Struct):
    """Ids by what became of them; `waiting` are newer on the side that is only read this time."""

    sent: list[str] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)
    same: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    conflicts: list[tuple[str, str, str]] = field(default_factory=list)
    """(id, summary here, summary there)."""
    base: dict[str, Base] = field(default_factory=dict)
    """What to compare with the next time."""
    n_private: int = 0
    """Items that stay here because they are private."""


def digest(line: str) -> str:
    """The digest of an item's line, "" for none."""
    return blake2b(line.encode(), digest_size=12).hexdigest() if line else ""


def exchange(
    hub: Hub,
    context: RequestContext,
    repository: str,
    way: Way,
    base: Mapping[str, Base],
) -> Exchanged:
    """Push or pull the shared items of one repository.

    Raises:
        UsageError: somebody else pushed one of them at the same moment.
    """
    here, n_private = _here(context)
    done = Exchanged(base=dict(base), n_private=n_private)
    sql = "SELECT id, line FROM knowledge WHERE repository = %s AND privacy <> 'private'"
    with database.explained_errors(), database.writing(hub):
        there = {number: database.read_back(line) for number, line in rows(hub, sql, (repository,))}
        # In one order on every machine, so that two pushes never wait for each other in a circle.
        for number in sorted(here.keys() | there.keys()):
            mine, theirs = here.get(number, ""), there.get(number, "")
            before = base.get(number, Base("", ""))
            is_changed = digest(mine) != before.here, digest(theirs) != before.there
            sides = _Sides(number, mine, theirs, *is_changed)
            _exchange_item(hub, context, repository, way, sides, done)
        # Once for all that were taken: a line also depends on which other items are there.
        here = _here(context)[0] if done.taken else here
        for number in done.taken:
            done.base[number] = Base(digest(here[number]), digest(there[number]))
    return done


class _Sides(NamedTuple):
    """The line of an item here and there, and whether each has changed since the last exchange."""

    number: str
    mine: str
    theirs: str
    changed_here: bool
    changed_there: bool


def _exchange_item(
    hub: Hub, context: RequestContext, repository: str, way: Way, item: _Sides, done: Exchanged
) -> None:
    number, mine, theirs, changed_here, changed_there = item
    if mine == theirs or not (changed_here or changed_there):
        done.same.append(number)
        done.base[number] = Base(digest(mine), digest(theirs))
    # What is gone on one side was archived or made private there: the other keeps its own.
    elif (changed_here and changed_there and mine and theirs) or not (
        mine if changed_here else theirs
    ):
        done.conflicts.append((number, _summary(mine), _summary(theirs)))
    elif changed_here and way == Way.PUSH:
        if _send(hub, context, repository, number, mine):
            done.sent.append(number)
            done.base[number] = Base(digest(mine), digest(mine))
        else:
            done.conflicts.append((number, _summary(mine), "(kept with another repository)"))
    elif changed_there and not changed_here and way == Way.PULL:
        if _take(context, number, theirs):
            done.taken.append(number)
        else:
            done.conflicts.append((number, "(private here)", _summary(theirs)))
    else:
        done.waiting.append(number)


def _here(context: RequestContext) -> tuple[dict[str, str], int]:
    """The lines of the items that are shared, by id, and how many others there are."""
    items = read.visible_items(context.db, "1", (), context.caller.actor, "i.id", -1)
    # Taken out before anything is compared: not even the id of a private item leaves.
    shared = [item for item in items if item.privacy != Privacy.PRIVATE]
    links = read.links_from(context.db, [item.id for item in shared])
    text = export_text(shared, links)
    lines = [line for line in text.split("\n") if line]
    numbers = sorted(item.id for item in shared)
    return dict(zip(numbers, lines, strict=True)), len(items) - len(shared)


def _send(hub: Hub, context: RequestContext, repository: str, number: str, line: str) -> bool:
    """Write what is here over what the hub has; False where that is another repository's, or
    private."""
    item, links = _item_of_row(context, number, line)
    over = (
        "ON CONFLICT (id) DO UPDATE SET line = excluded.line, privacy = excluded.privacy,"
        " places = excluded.places WHERE knowledge.repository = excluded.repository"
        " AND knowledge.privacy <> 'private'"
    )
    shown = outward(item, links, repository)
    return insert(hub, shown, repository, context.caller.actor, line, over)


def _take(context: RequestContext, number: str, line: str) -> bool:
    """Write what the hub has over what is here; False where that is private, and stays so."""
    item, links = _item_of_row(context, number, line)
    known = read.items_of_everybody(context.db, [item.id])
    if known and known[0].privacy == Privacy.PRIVATE:
        return False
    with transaction(context.db):
        if known:
            write.update_item(context.db, item)
        else:
            write.insert_item(context.db, item)
        write.add_links(context.db, links)
        context.record("import", item, known[0] if known else None, "from the hub")
    return True


def _item_of_row(context: RequestContext, number: str, line: str) -> tuple[Item, list[Link]]:
    """The item of a row of the hub, which must be the one that the row is called after: under
    another's id it would be written over that one, and a private one would leave the checkout's
    sight."""
    drafts = read_export(line, "the hub", context.caller.now)
    if [draft.item.id for draft in drafts] != [number]:
        raise _UNREADABLE
    if drafts[0].item.privacy == Privacy.PRIVATE:
        raise _UNREADABLE
    return drafts[0].item, list(drafts[0].links)


def _summary(line: str) -> str:
    if not line:
        return "(not there)"
    try:
        return str(msgspec.json.decode(line)["summary"])
    except (msgspec.MsgspecError, KeyError, TypeError) as error:
        raise _UNREADABLE from error
