"""Items of a hub for one request: read from PostgreSQL into a file of knowledge in memory, and what
the request changed written back.

So everything that can be asked of knowledge in a checkout is asked of a team's by the same code:
duplicates, contradictions, ranking, layout. PostgreSQL stays the one truth; who may see and change
a row is its row-level security.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from fnmatch import fnmatchcase

import apsw
import psycopg
from msgspec import Struct, field

from satchel.hub import database
from satchel.hub.database import Hub, rows
from satchel.hub.knowledge.places import inward, outward, repository_of
from satchel.knowledge.model import Item, Link, Session, Timestamp
from satchel.knowledge.scopes import ITEM
from satchel.knowledge.storage import database as file_of_knowledge
from satchel.knowledge.storage import read, write
from satchel.knowledge.storage.rows import ITEM_COLUMNS, from_row
from satchel.knowledge.transfer.export_format import export_text, read_export
from satchel.store.errors import UsageError
from satchel.store.sqlite.database import select, transaction

_MOVED = UsageError(
    "an item cannot move to another repository", "remember it anew there, and archive this one"
)
_MEANWHILE = UsageError("somebody else changed it at the same time", "recall it and try again")


class ItemsInMemory(Struct):
    """The items that a caller sees, in memory; `repositories` says whose each is, by id."""

    db: apsw.Connection
    repositories: dict[str, str] = field(default_factory=dict)


@contextmanager
def load_items(
    hub: Hub, person: str, pattern: str, now: Timestamp, places: Sequence[str] | None = None
) -> Iterator[ItemsInMemory]:
    """What is known of the team and of the repositories that a glob names, as `person` sees it.

    With `places` only what is about one of them, by its scope or a link, as `places_of` tells.

    Raises:
        UsageError: a row is none that Satchel writes.
    """
    with closing(file_of_knowledge.in_memory()) as db:
        found = ItemsInMemory(db)
        sql = (
            "SELECT repository, line FROM knowledge WHERE (privacy <> 'private' OR person = %s)"
            " AND (%s::text[] IS NULL OR places IS NULL OR places && %s::text[]) ORDER BY id"
        )
        wanted = None if places is None else [database.written(place) for place in places]
        with transaction(db):
            # Row-level security has chosen already; the condition is for who owns the tables.
            for repository, line in rows(hub, sql, (person, wanted, wanted)):
                if repository and not fnmatchcase(repository, pattern):
                    continue
                # A line is JSON, which escapes what PostgreSQL cannot hold.
                for draft in read_export(line, "the hub", now):
                    item, links = outward(draft.item, draft.links, repository)
                    write.insert_item(db, item)
                    write.add_links(db, links)
                    found.repositories[item.id] = repository
        yield found


def places_of(item: Item, links: Sequence[Link]) -> list[str]:
    """What an item is about, as the hub shows it: its scope, and what it links to."""
    return sorted({database.written(place) for place in (item.scope, *(x.dst for x in links))})


def stored_lines(found: ItemsInMemory) -> dict[str, str]:
    """What each item would be kept as now, by id."""
    return {
        number: stored_line(item, links, found.repositories[number])
        for number, (item, links) in _items(found).items()
    }


def load_focus(hub: Hub, found: ItemsInMemory, person: str, session: str) -> None:
    """The focus of a person's session, where it was set."""
    sql = "SELECT query, intent, scope FROM focus WHERE person = %s AND session = %s"
    for query, intent, scope in rows(hub, sql, (person, session)):
        with transaction(found.db):
            write.save_session(
                found.db, Session(id=session, query=query, intent=intent, scope=scope)
            )


def save_focus(hub: Hub, found: ItemsInMemory, person: str, session: str) -> None:
    """Keep the focus as it is now."""
    now = read.find_session(found.db, session)
    if now is not None:
        hub.execute(
            "INSERT INTO focus (person, session, query, intent, scope) VALUES (%s, %s, %s, %s, %s)"
            " ON CONFLICT (person, session) DO UPDATE SET query = excluded.query,"
            " intent = excluded.intent, scope = excluded.scope, at = now()",
            (person, session, now.query, now.intent, now.scope),
        )


def save(
    hub: Hub,
    found: ItemsInMemory,
    before: Mapping[str, str],
    person: str,
    names: Sequence[str],
    default: str,
) -> None:
    """Write what a request added and changed.

    `before` is what `stored_lines` gave before the request; `default` is whose an item about no
    path is.

    Raises:
        UsageError: somebody changed one of them meanwhile, or an item was deleted.
    """
    # What the request did is found by comparing, so that every operation is covered, also those
    # that change other items than the one they were asked about.
    after = _items(found)
    if before.keys() - after.keys():
        raise UsageError("items of a hub cannot be deleted", "archive them: others may have them")
    try:
        for number, (item, links) in after.items():
            own = repository_of(item.scope, names)
            repository = found.repositories.setdefault(number, own or default)
            line = stored_line(item, links, repository)
            if number not in before:
                insert(hub, (item, links), repository, person, line)
            elif line != before[number]:
                # Its paths would be read as those of the repository that it was kept with.
                if repository and own not in ("", repository):
                    raise _MOVED
                hub.execute(
                    "UPDATE knowledge SET line = %s, privacy = %s, places = %s WHERE id = %s",
                    (database.written(line), str(item.privacy), places_of(item, links), number),
                )
    # Another transaction was quicker: PostgreSQL says so, and neither overwrites the other.
    except (psycopg.errors.SerializationFailure, psycopg.errors.UniqueViolation) as error:
        raise _MEANWHILE from error


def insert(
    hub: Hub,
    made: tuple[Item, Sequence[Link]],
    repository: str,
    person: str,
    line: str,
    on_conflict: str = "",
) -> bool:
    """Write a row for an item as the hub shows it; returns whether one was written."""
    item = made[0]
    written = hub.execute(
        "INSERT INTO knowledge (id, repository, person, privacy, line, places)"
        f" VALUES (%s, %s, %s, %s, %s, %s) {on_conflict}".encode(),
        (
            item.id, repository, person, str(item.privacy), database.written(line),
            places_of(*made),
        ),
    )  # fmt: skip
    return written.rowcount == 1


def stored_line(item: Item, links: Sequence[Link], repository: str) -> str:
    """An item as it is kept: an export's line, with the paths of its repository."""
    kept, kept_links = inward(item, links, repository)
    # Links to other items stay, also to one that this caller may not see.
    others = [link.dst.removeprefix(ITEM) for link in kept_links]
    return export_text([kept], kept_links, private=True, also=others)


def _items(found: ItemsInMemory) -> dict[str, tuple[Item, list[Link]]]:
    items = [
        from_row(Item, row)
        for row in select(found.db, f"SELECT {ITEM_COLUMNS} FROM item i ORDER BY i.id")
    ]
    links: dict[str, list[Link]] = {}
    for link in read.links_from(found.db, [item.id for item in items]):
        links.setdefault(link.src, []).append(link)
    return {item.id: (item, links.get(item.id, [])) for item in items}
