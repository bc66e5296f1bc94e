"""Writes an item: checks it, looks for duplicates and contradictions, stores it with its links.

All of one item happens in one transaction, the event that records it included.
"""

from collections.abc import Sequence
from functools import partial

from msgspec import Struct, structs

from satchel.knowledge import kinds, redact, timestamps
from satchel.knowledge.code_links.anchors import with_anchor
from satchel.knowledge.code_links.link_targets import parse_link_target
from satchel.knowledge.lifecycle import Action
from satchel.knowledge.model import (
    MAX_SUMMARY,
    Body,
    DerivedKind,
    Item,
    ItemId,
    Kind,
    Link,
    Relation,
    Source,
    Status,
)
from satchel.knowledge.operations import compare, notices
from satchel.knowledge.operations.transitions import change_status
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.requests import Entry, LinkTo
from satchel.knowledge.scopes import ITEM, PATH, PROJECT, SYMBOL
from satchel.knowledge.storage import read, write
from satchel.store.errors import UsageError
from satchel.store.sqlite.database import transaction

# Shabka links a new memory to at most this many similar ones.
_MAX_RELATED = 3


class Remembered(Struct, frozen=True, omit_defaults=True):
    """What became of an entry; `error` and `hint` say why it was not stored.

    `action` is "added", or "skipped" for what is known already, word for word; `notices` are
    messages to the writer.
    """

    id: ItemId = ItemId("")
    status: str = ""
    action: str = ""
    duplicate_of: str = ""
    conflicts: tuple[str, ...] = ()
    links_added: int = 0
    notices: tuple[str, ...] = ()
    error: str = ""
    hint: str = ""


def remember(context: RequestContext, entry: Entry) -> Remembered:
    """Store an entry, unless an open item says the same sentences, and everything beside them.

    Raises:
        UsageError: a field does not make sense.
        NotFound: it supersedes or links to an item that the caller cannot see.
    """
    with transaction(context.db):
        return add_item(context, entry)


def add_item(context: RequestContext, entry: Entry) -> Remembered:
    """The same inside a transaction that the caller holds."""
    clean = redact.every_text(entry, redact.secrets)
    item, links = _build_item(context, clean)
    messages = (
        *notices.kind_notices(item),
        *notices.redaction_notices(entry, clean),
        *notices.link_notices(links, context.snapshot),
    )
    # Compared after redaction: a secret that was rotated does not make a text another one.
    same = compare.same_sentences(context.db, item)
    adds_nothing = partial(_adds_nothing, context, clean, (item, links))
    known = next(filter(adds_nothing, same), None) if entry.on_duplicate == "skip" else None
    if known:
        return Remembered(known.id, known.status, "skipped", duplicate_of=known.id)
    old = context.find_item(entry.supersedes) if entry.supersedes else None
    # What the new item replaces may well say otherwise: that is why it is replaced.
    conflicts = [found for found in compare.conflicting_decisions(context.db, item) if found != old]
    same_symbol = compare.decisions_about_symbol(context.db, item)
    about_symbol = [found for found in same_symbol if found not in (old, *conflicts)]
    messages += tuple(notices.same_symbol_notices(about_symbol))
    elsewhere = [found for found in compare.same_text_elsewhere(context.db, item) if found != old]
    messages += tuple(notices.same_text_notices(elsewhere))
    alike = compare.items_that_say_alike(context.db, item)
    messages += notices.alike_notices(
        [o for o in alike if o not in (old, *same, *conflicts, *about_symbol, *elsewhere)]
    )
    if conflicts:
        # Nothing is refused: the new decision waits for a person, and a warning tells of it.
        item = structs.replace(item, status=Status.PROVISIONAL)
        links += [
            Link(item.id, Relation.CONTRADICTS, f"{ITEM}{found.id}", 1.0) for found in conflicts
        ]
    # Up to three links to items that say something similar (Shabka's automatic relations).
    linked = {link.dst for link in links}
    similar = compare.similar_items(context.db, item, compare.RELATED_SIMILARITY)
    links += [
        Link(item.id, Relation.RELATES_TO, f"{ITEM}{other.id}", round(similarity, 3))
        for similarity, other in similar
        if f"{ITEM}{other.id}" not in linked
    ][:_MAX_RELATED]
    write.insert_item(context.db, item)
    n_links = write.add_links(context.db, links)
    context.record("create", item)
    if conflicts:
        _add_conflict_warning(context, item, conflicts)
    if old:
        change_status(context, old, Action.SUPERSEDE, reason=f"superseded by {item.id}")
        write.add_links(context.db, [Link(item.id, Relation.SUPERSEDES, f"{ITEM}{old.id}", 1.0)])
    for link in links:
        if link.rel == Relation.ANSWERS and link.dst.startswith(ITEM):
            question = context.find_item(link.dst.removeprefix(ITEM))
            if question.is_open and question.kind in kinds.RESOLVABLE:
                change_status(context, question, Action.RESOLVE, reason=f"answered by {item.id}")
    return Remembered(
        item.id, item.status, "added", duplicate_of=same[0].id if same else "",
        conflicts=tuple(found.id for found in conflicts), links_added=n_links, notices=messages,
    )  # fmt: skip


def _build_item(context: RequestContext, entry: Entry) -> tuple[Item, list[Link]]:
    """The item that an entry describes, with the defaults of its kind and caller, and its links."""
    kind, label = kinds.parse_kind(entry.kind)
    if not entry.summary.strip():
        raise UsageError("summary is empty", "say it in 1 to 200 characters")
    if kind == Kind.DECISION and not entry.rationale.strip():
        raise UsageError("rationale is missing", "a decision says why it was taken")
    caller, now = context.caller, context.caller.now
    # An assumption is provisional by nature: `promote` is how it becomes a fact of the team.
    is_provisional = entry.provisional or caller.review or kind == Kind.ASSUMPTION
    usual = kinds.CONVENTION_IMPORTANCE if kind == Kind.CONVENTION else kinds.DEFAULT_IMPORTANCE
    expires = timestamps.parse(entry.expires_at, now, "expires_at") if entry.expires_at else None
    if expires is not None and expires < now:
        raise UsageError("expires_at has passed", "an item is shown until then: name a day to come")
    session = read.find_session(context.db, caller.session)
    body = Body(
        domain=entry.domain.strip(), context=entry.context, constraints=entry.constraints,
        alternatives=entry.alternatives, reversible=entry.reversible,
        capabilities=tuple(tag.strip().casefold() for tag in entry.capabilities),
        expires_at=expires, results=entry.results, origin=entry.origin,
        informed=bool(session and session.assembled_at is not None),
    )  # fmt: skip
    item = Item(
        id=write.new_id(now), kind=kind, subkind=label, summary=" ".join(entry.summary.split()),
        status=Status.PROVISIONAL if is_provisional else Status.ACTIVE,
        detail=entry.detail.strip(), rationale=entry.rationale.strip(), body=body,
        scope=context.normalize_scope(entry.scope), project=entry.project.strip(),
        tags=tuple(dict.fromkeys(tag.strip() for tag in entry.tags if tag.strip())),
        privacy=entry.privacy or caller.privacy,
        confidence=kinds.parse_confidence(entry.confidence, kind),
        importance=usual if entry.importance is None else entry.importance,
        verification=entry.verification, source=entry.source or caller.source,
        actor=caller.actor, session=caller.session, created_at=now, updated_at=now, status_at=now,
    )  # fmt: skip
    return item, resolve_links(context, item, (*entry.links, *scope_links(item)))


def _adds_nothing(
    context: RequestContext, entry: Entry, new: tuple[Item, Sequence[Link]], same: Item
) -> bool:
    """Whether all that an entry gives beside its sentences is what an item has already."""
    item, links = new
    stored = {(link.rel, link.dst) for link in read.links_from(context.db, [same.id])}
    wanted = {(link.rel, link.dst) for link in links}
    if entry.supersedes:
        wanted.add((Relation.SUPERSEDES, f"{ITEM}{context.find_item(entry.supersedes).id}"))
    # What was left out is a default, which says nothing against the item as it stands.
    given = {f.name for f in structs.fields(entry) if getattr(entry, f.name) != f.default}
    whole = given & {"confidence", "importance", "verification"}
    body = given & set(Body.__struct_fields__)
    return (
        wanted <= stored
        and set(item.tags) <= set(same.tags)
        and all(getattr(item, name) == getattr(same, name) for name in whole)
        and all(getattr(item.body, name) == getattr(same.body, name) for name in body)
    )


def scope_links(item: Item) -> tuple[LinkTo, ...]:
    """The link from an item to the file or symbol that its scope names; none for "project".

    Through it the item gets an anchor: when that code changes, the item counts as drifted.
    """
    if item.scope == PROJECT:
        return ()
    name = item.scope if item.scope.startswith(SYMBOL) else PATH + item.scope
    return (LinkTo(Relation.AFFECTS, name),)


def resolve_links(context: RequestContext, item: Item, links: Sequence[LinkTo]) -> list[Link]:
    """Links as they are stored: targets checked, links to code anchored, each once."""
    found: dict[tuple[str, str], Link] = {}
    for requested in links:
        dst = parse_link_target(context, requested.to, requested.rel)
        link = Link(item.id, requested.rel, dst, requested.strength, requested.note)
        link = with_anchor(link, context.snapshot) if context.snapshot else link
        found.setdefault((link.rel, link.dst), link)
    return list(found.values())


def _add_conflict_warning(context: RequestContext, item: Item, conflicts: Sequence[Item]) -> None:
    """Add a warning that names a new decision and those that it contradicts."""
    names = ", ".join(found.id for found in conflicts)
    # Made from the decision, so that the warning has its scope, project, tags and privacy: whoever
    # sees one of them sees the other.
    warning = structs.replace(
        item, id=write.new_id(context.caller.now), kind=Kind.WARNING, subkind="",
        summary=f"Conflicting decisions: {item.summary}"[:MAX_SUMMARY],
        detail=f"{item.id} contradicts {names}; override one of them, promote it if it stands.",
        rationale="", body=Body(derived_kind=DerivedKind.CONFLICT), status=Status.ACTIVE,
        confidence=kinds.CONFIDENCE[Kind.WARNING], source=Source.DERIVED,
    )  # fmt: skip
    write.insert_item(context.db, warning)
    parties = [item, *conflicts]
    links = [Link(warning.id, Relation.RELATES_TO, f"{ITEM}{one.id}", 1.0) for one in parties]
    write.add_links(context.db, links)
    context.record("create", warning, reason="conflict")
