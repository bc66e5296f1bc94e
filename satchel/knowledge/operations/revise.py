"""Changing what is kept: moves of the status machine, and edits, each told of in an event."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import structs

from satchel.knowledge import kinds, redact
from satchel.knowledge.code_links.anchors import with_anchor
from satchel.knowledge.lifecycle import Action, status_after
from satchel.knowledge.model import Change, Item, ItemId, Kind, Link, Privacy, Status
from satchel.knowledge.operations import notices
from satchel.knowledge.operations.remember import add_item, resolve_links, scope_links
from satchel.knowledge.operations.transitions import (
    change_status,
    conflict_warnings_of,
    resolve_settled,
)
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.requests import Entry, Fields, Revise
from satchel.knowledge.storage import read, write
from satchel.store.errors import UsageError, WrongStatus
from satchel.store.sqlite.database import transaction

# How the item named by `by` is linked to the one that made way for it.
_REPLACES = {Action.SUPERSEDE: "supersedes", Action.OVERRIDE: "replaces", Action.RESOLVE: "answers"}
_LINK = "link"


@dataclass(frozen=True, slots=True)
class RevisedItem:
    """An item as it became, or as it was before it was deleted, and what of it changed."""

    item: Item
    changes: tuple[Change, ...] = ()
    is_deleted: bool = False


@dataclass(frozen=True, slots=True)
class ReviseResult:
    """What became of each id: `wrong_status` pairs it with the reason."""

    changed: tuple[RevisedItem, ...] = ()
    unchanged: tuple[ItemId, ...] = ()
    not_found: tuple[str, ...] = ()
    wrong_status: tuple[tuple[ItemId, str], ...] = ()
    added: tuple[ItemId, ...] = ()
    """Items that the change brought with it: a replacement, a warning."""
    notices: tuple[str, ...] = ()
    """What the caller should know, see `notices`."""


def revise(context: RequestContext, request: Revise) -> ReviseResult:
    """Do one thing to one or more items, each in a transaction of its own.

    Raises:
        UsageError: the request lacks what its action needs, or says what does not make sense.
        NotFound: `by` names nothing that the caller can see.
    """
    clean = redact.every_text(request, redact.secrets)
    said = notices.redaction_notices(request, clean)
    request = clean
    if request.by:
        context.find_item(request.by)
    changed: list[RevisedItem] = []
    unchanged: list[ItemId] = []
    missing: list[str] = []
    wrong: list[tuple[ItemId, str]] = []
    added: list[ItemId] = []
    for item_id in dict.fromkeys(request.ids):
        found = read.items_by_id(context.db, context.caller.actor, [item_id])
        if not found:
            missing.append(item_id)
            continue
        try:
            with transaction(context.db):
                new, brought = _apply(context, found[0], request)
        except WrongStatus as error:
            wrong.append((found[0].id, f"{error.message}; {error.hint}"))
            continue
        added += brought
        if new is None:
            unchanged.append(found[0].id)
        else:
            changed.append(new)
            said += notices.link_notices(_new_links(new), context.snapshot)
    return ReviseResult(
        tuple(changed), tuple(unchanged), tuple(missing), tuple(wrong), tuple(added),
        tuple(dict.fromkeys(said)),
    )  # fmt: skip


def _new_links(done: RevisedItem) -> list[Link]:
    """The links that an edit added."""
    told = (change.new.partition(" ") for change in done.changes if change.field == _LINK)
    return [Link(done.item.id, rel, dst) for rel, _, dst in told]


def _apply(
    context: RequestContext, item: Item, request: Revise
) -> tuple[RevisedItem | None, list[ItemId]]:
    """What was done, None if nothing changed, and the ids of what was added."""
    action = request.action
    if action == Action.DELETE:
        return RevisedItem(_delete(context, item, request.reason), is_deleted=True), []
    if action == Action.RECONSIDER:
        moved = change_status(context, item, action, request.reason)
        return RevisedItem(moved), [_warn_dependents(context, moved, request.reason)]
    if action == Action.RESTORE:
        return RevisedItem(_restore(context, item, request.reason)), []
    if action in (Action.PROMOTE, Action.ARCHIVE):
        return RevisedItem(change_status(context, item, action, request.reason)), []
    if action in _REPLACES:
        moved, added = _replace(context, item, request)
        return RevisedItem(moved), added
    return _edit(context, item, request), []


def _delete(context: RequestContext, item: Item, reason: str) -> Item:
    told = conflict_warnings_of(context, item)
    write.delete_item(context.db, item.id)
    gone = structs.replace(item, summary="", detail="", rationale="", tags=())
    write.add_event(context.db, context.caller, "delete", gone, item, reason)
    resolve_settled(context, told)
    return item


def _warn_dependents(context: RequestContext, item: Item, reason: str) -> ItemId:
    """A warning that names the item and all that depends on it (Twining's reconsider)."""
    dependents = [
        link.src
        for link in read.links_to(context.db, [f"item:{item.id}"])
        if link.rel == "depends_on"
        and read.items_by_id(context.db, context.caller.actor, [link.src])
    ]
    detail = "\n".join([reason, *(f"{d} depends on it" for d in dependents)]).strip()
    entry = Entry(
        kind="warning", summary=f"Being reconsidered: {item.summary}"[:200], detail=detail,
        scope=item.scope, tags=item.tags, project=item.project, privacy=item.privacy,
        on_duplicate="add",
    )  # fmt: skip
    warning = add_item(context, entry)
    write.add_links(
        context.db,
        [Link(warning.id, "relates_to", f"item:{i}", 1.0) for i in (item.id, *dependents)],
    )
    return warning.id


def _restore(context: RequestContext, item: Item, reason: str) -> Item:
    """Back to the status before it was archived."""
    status_after(item, Action.RESTORE)
    archived = [e for e in read.item_history(context.db, item.id) if e.to_status == Status.ARCHIVED]
    before = Status(archived[-1].from_status or Status.ACTIVE) if archived else Status.ACTIVE
    now = context.caller.now
    back = structs.replace(item, status=before, status_at=now, updated_at=now)
    write.update_item(context.db, back)
    write.add_event(context.db, context.caller, str(Action.RESTORE), back, item, reason)
    return back


def _replace(context: RequestContext, item: Item, request: Revise) -> tuple[Item, list[ItemId]]:
    """Superseded, overridden or resolved; the status survives whatever replaces it."""
    if request.action == Action.OVERRIDE and not request.reason.strip():
        raise UsageError("reason is missing", "say why the decision is overridden")
    moved = change_status(context, item, request.action, request.reason)
    by = [ItemId(context.find_item(request.by).id)] if request.by else []
    added: list[ItemId] = []
    if request.replacement:
        kept = add_item(context, structs.replace(request.replacement, supersedes=""))
        by.append(kept.id)
        added.append(kept.id)
    if request.action == Action.SUPERSEDE and not by:
        raise UsageError("by is missing", "name the item that supersedes it")
    rel = _REPLACES[request.action]
    write.add_links(context.db, [Link(new, rel, f"item:{item.id}", 1.0) for new in by])
    return moved, added


def _edit(context: RequestContext, item: Item, request: Revise) -> RevisedItem | None:
    new = _with_fields(context, item, request.fields)
    about = () if request.fields.scope is None else scope_links(new)
    links = resolve_links(context, item, (*request.fields.links, *about))
    changes = _field_changes(item, new)
    changes += [
        Change(_LINK, "", f"{link.rel} {link.dst}")
        for link in links
        if write.add_links(context.db, [link])
    ]
    changes += _renew_anchors(context, new, request)
    if not changes:
        return None
    new = structs.replace(new, updated_at=context.caller.now)
    write.update_item(context.db, new)
    write.add_event(
        context.db, context.caller, str(request.action), new, item, request.reason, tuple(changes)
    )
    return RevisedItem(new, tuple(changes))


def _renew_anchors(context: RequestContext, item: Item, request: Revise) -> list[Change]:
    """Somebody who verifies an item, or words it anew, does so about the code as it is now."""
    fields = request.fields
    verified = fields.verification == "verified"
    worded = fields.summary is not None or fields.detail is not None
    if context.snapshot is None or not (verified or worded):
        return []
    changes: list[Change] = []
    for link in read.links_from(context.db, [item.id]):
        now = with_anchor(link, context.snapshot)
        if now.anchor != link.anchor:
            write.update_anchor(context.db, now)
            changes.append(Change("anchor", link.anchor, f"{now.anchor} {link.dst}"))
    return changes


def _with_fields(context: RequestContext, item: Item, fields: Fields) -> Item:
    """The item with the fields that are given.

    Raises:
        UsageError: the caller may not, or a decision would lose its rationale.
    """
    said = {
        name: value
        for name in ("summary", "detail", "rationale", "tags", "importance", "privacy", "project",
                     "verification")
        if (value := getattr(fields, name)) is not None
    }  # fmt: skip
    if said.get("privacy") == Privacy.PRIVATE and item.privacy != Privacy.PRIVATE:
        context.require_author(item)
    if item.kind == Kind.DECISION and said.get("rationale", "x").strip() == "":
        raise UsageError("rationale is empty", "a decision says why it was taken")
    if fields.scope is not None:
        said["scope"] = context.normalize_scope(fields.scope)
    if fields.confidence is not None:
        said["confidence"] = kinds.parse_confidence(fields.confidence, item.kind)
    if fields.domain is not None:
        said["body"] = structs.replace(item.body, domain=fields.domain)
    return structs.replace(item, **said)


def _field_changes(old: Item, new: Item) -> list[Change]:
    return [
        Change(name, _as_text(getattr(old, name)), _as_text(getattr(new, name)))
        for name in old.__struct_fields__
        if getattr(old, name) != getattr(new, name)
    ]


def _as_text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
