"""Changes stored items: moves of the status machine, edits and deletions, each with an event."""

from collections.abc import Sequence

from msgspec import Struct, convert, structs

from satchel.knowledge import kinds, redact
from satchel.knowledge.code_links.anchors import with_anchor
from satchel.knowledge.lifecycle import Action, status_after
from satchel.knowledge.model import (
    MAX_SUMMARY,
    Change,
    Item,
    ItemId,
    Kind,
    Link,
    Privacy,
    Relation,
    Status,
    Verification,
)
from satchel.knowledge.operations import notices
from satchel.knowledge.operations.remember import add_item, resolve_links, scope_links
from satchel.knowledge.operations.transitions import (
    change_status,
    conflict_warnings_of,
    resolve_settled,
)
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.requests import Entry, Fields, Revise
from satchel.knowledge.scopes import ITEM
from satchel.knowledge.storage import read, write
from satchel.store.errors import UsageError, WrongStatus
from satchel.store.sqlite.database import transaction

# The relation from the item named by `by`, or from a replacement, to the item that was revised.
_REPLACES = {
    Action.SUPERSEDE: Relation.SUPERSEDES,
    Action.OVERRIDE: Relation.REPLACES,
    Action.RESOLVE: Relation.ANSWERS,
}

_EDITS = (Action.EDIT, Action.VERIFY, Action.SET_CONFIDENCE, Action.ADD_EVIDENCE)


# A change is quoted in a reply when both texts together are at most so long, else only named.
_SHORT = 60


class ChangedRow(Struct, frozen=True):
    """An item after a change; a deleted one has its last summary and the status "deleted"."""

    id: ItemId
    status: str
    summary: str
    changes: tuple[str, ...] = ()


class Refused(Struct, frozen=True):
    """An item whose status did not allow the change, and why."""

    id: ItemId
    reason: str


class ReviseReply(Struct, frozen=True):
    """What became of each id."""

    changed: tuple[ChangedRow, ...]
    unchanged: tuple[ItemId, ...]
    not_found: tuple[str, ...]
    wrong_status: tuple[Refused, ...]
    added: tuple[ItemId, ...]
    """Items that the change added: a replacement, a warning."""
    notices: tuple[str, ...] = ()
    """Messages to the caller, see `notices`."""


def revise(context: RequestContext, request: Revise) -> ReviseReply:
    """Do one thing to one or more items, each in a transaction of its own.

    Raises:
        UsageError: the request lacks what its action needs, or says what does not make sense.
        NotFound: `by` names nothing that the caller can see.
    """
    _check_used(request)
    clean = redact.every_text(request, redact.secrets)
    if clean.by:
        context.find_item(clean.by)  # before anything is changed
    done = _Done(notices=notices.redaction_notices(request, clean))
    for item_id in dict.fromkeys(clean.ids):
        found = read.items_by_id(context.db, context.caller.actor, [item_id])
        if not found:
            done.not_found.append(item_id)
            continue
        try:
            with transaction(context.db):
                row = _apply(context, found[0], clean, done)
        except WrongStatus as error:
            # One item that does not allow it is reported, and the others are changed all the same.
            done.wrong_status.append(Refused(found[0].id, f"{error.message}; {error.hint}"))
            continue
        if row is None:
            done.unchanged.append(found[0].id)
        else:
            done.changed.append(row)
    done.notices = list(dict.fromkeys(done.notices))
    return convert(done, ReviseReply, from_attributes=True)


class _Done(Struct):
    """What was done so far, as `ReviseReply` has it."""

    notices: list[str]
    changed: list[ChangedRow] = []
    unchanged: list[ItemId] = []
    not_found: list[str] = []
    wrong_status: list[Refused] = []
    added: list[ItemId] = []


def _check_used(request: Revise) -> None:
    """Nothing that is said is left out in silence. Raises: UsageError."""
    said = {
        "fields": request.fields != Fields() and request.action not in _EDITS,
        "by": bool(request.by) and request.action not in _REPLACES,
        "replacement": request.replacement is not None and request.action not in _REPLACES,
    }
    unused = next((name for name, is_unused in said.items() if is_unused), "")
    if unused:
        takes = _EDITS if unused == "fields" else _REPLACES
        hint = f"{', '.join(takes)} take {'them' if unused == 'fields' else 'it'}"
        raise UsageError(f"{request.action} does nothing with {unused}", hint)


def _apply(context: RequestContext, item: Item, request: Revise, done: _Done) -> ChangedRow | None:
    """The item as it became, None if nothing changed; `done` is told of items that were added."""
    action = request.action
    if action == Action.DELETE:
        _delete(context, item, request.reason)
        return ChangedRow(item.id, "deleted", item.summary)
    if action == Action.RECONSIDER:
        moved = change_status(context, item, action, request.reason)
        done.added.append(_warn_dependents(context, moved, request.reason))
        return _row(moved)
    if action == Action.RESTORE:
        # Move an archived item back to the status that it had before, as its events tell.
        status_after(item, Action.RESTORE)  # raises where the status does not allow it
        archived = [
            event
            for event in read.item_history(context.db, item.id)
            if event.to_status == Status.ARCHIVED
        ]
        before = Status(archived[-1].from_status or Status.ACTIVE) if archived else Status.ACTIVE
        now = context.caller.now
        restored = structs.replace(item, status=before, status_at=now, updated_at=now)
        write.update_item(context.db, restored)
        context.record(str(Action.RESTORE), restored, item, request.reason)
        return _row(restored)
    if action in (Action.PROMOTE, Action.ARCHIVE):
        return _row(change_status(context, item, action, request.reason))
    if action in _REPLACES:
        return _row(_replace(context, item, request, done))
    return _edit(context, item, request, done)


def _row(item: Item, changes: Sequence[Change] = ()) -> ChangedRow:
    # Several anchors that are renewed read the same, and are shown once.
    return ChangedRow(
        item.id, item.status, item.summary, tuple(dict.fromkeys(map(_change_text, changes)))
    )


def _change_text(change: Change) -> str:
    """`confidence 0.5 → 0.9`; long texts are only named."""
    if change.field == "anchor":
        return "anchored to the code as it is now"
    if change.field == "link":
        return f"linked: {change.new}"
    if len(change.old) + len(change.new) > _SHORT:
        return change.field
    return f"{change.field} {change.old or '(none)'} → {change.new or '(none)'}"


def _delete(context: RequestContext, item: Item, reason: str) -> None:
    # Looked up first: with the item its links go, by which the warnings are found.
    warnings = conflict_warnings_of(context, item)
    write.delete_item(context.db, item.id)
    without_texts = structs.replace(item, summary="", detail="", rationale="", tags=())
    context.record("delete", without_texts, item, reason)
    resolve_settled(context, warnings)


def _warn_dependents(context: RequestContext, item: Item, reason: str) -> ItemId:
    """Add a warning that names the item and all that depends on it (Twining's reconsider)."""
    dependents = [
        link.src
        for link in read.links_to(context.db, [f"{ITEM}{item.id}"])
        if link.rel == Relation.DEPENDS_ON
        and read.items_by_id(context.db, context.caller.actor, [link.src])
    ]
    detail = "\n".join([reason, *(f"{d} depends on it" for d in dependents)]).strip()
    entry = Entry(
        kind="warning", summary=f"Being reconsidered: {item.summary}"[:MAX_SUMMARY], detail=detail,
        scope=item.scope, tags=item.tags, project=item.project, privacy=item.privacy,
        on_duplicate="add",
    )  # fmt: skip
    warning = add_item(context, entry)
    write.add_links(
        context.db,
        [Link(warning.id, Relation.RELATES_TO, f"{ITEM}{i}", 1.0) for i in (item.id, *dependents)],
    )
    return warning.id


def _replace(context: RequestContext, item: Item, request: Revise, done: _Done) -> Item:
    """Supersede, override or resolve an item, and link to it from what replaces or answers it."""
    if request.action == Action.OVERRIDE and not request.reason.strip():
        raise UsageError("reason is missing", "say why the decision is overridden")
    by = [ItemId(context.find_item(request.by).id)] if request.by else []
    if item.id in by:
        raise UsageError(f"{item.id} cannot stand for itself", "name another item with by")
    moved = change_status(context, item, request.action, request.reason)
    if request.replacement:
        # `supersedes` is dropped: superseding would move the item a second time, away from the
        # status that the caller asked for.
        replacement = add_item(context, structs.replace(request.replacement, supersedes=""))
        by.append(replacement.id)
        # Of several items, the second and all after it find the replacement of the first.
        if replacement.action == "added":
            done.added.append(replacement.id)
    if request.action == Action.SUPERSEDE and not by:
        raise UsageError("by is missing", "name the item that supersedes it")
    rel = _REPLACES[request.action]
    write.add_links(context.db, [Link(new, rel, f"{ITEM}{item.id}", 1.0) for new in by])
    return moved


def _edit(context: RequestContext, item: Item, request: Revise, done: _Done) -> ChangedRow | None:
    """Change fields, add links and renew anchors; None when all is as it was."""
    # The item with the fields that are given.
    fields = request.fields
    if request.action == Action.VERIFY and fields.verification is None:
        fields = structs.replace(fields, verification=Verification.VERIFIED)
    given = {
        name: value
        for name in ("summary", "detail", "rationale", "tags", "importance", "privacy", "project",
                     "verification")
        if (value := getattr(fields, name)) is not None
    }  # fmt: skip
    if given.get("privacy") == Privacy.PRIVATE and item.privacy != Privacy.PRIVATE:
        context.require_author(item)  # else anybody could hide what the team knows
    if item.kind == Kind.DECISION and given.get("rationale", "x").strip() == "":
        raise UsageError("rationale is empty", "a decision says why it was taken")
    if fields.scope is not None:
        given["scope"] = context.normalize_scope(fields.scope)
    if fields.confidence is not None:
        given["confidence"] = kinds.parse_confidence(fields.confidence, item.kind)
    if fields.domain is not None:
        given["body"] = structs.replace(item.body, domain=fields.domain)
    new = structs.replace(item, **given)
    implied = () if fields.scope is None else scope_links(new)
    links = resolve_links(context, item, (*fields.links, *implied))
    new_links = tuple(link for link in links if write.add_links(context.db, [link]))
    changes = [
        Change(name, _as_text(getattr(item, name)), _as_text(getattr(new, name)))
        for name in item.__struct_fields__
        if getattr(item, name) != getattr(new, name)
    ]
    changes += [Change("link", "", f"{link.rel} {link.dst}") for link in new_links]
    changes += _renew_anchors(context, new, fields)
    if not changes:
        return None
    new = structs.replace(new, updated_at=context.caller.now)
    write.update_item(context.db, new)
    context.record(str(request.action), new, item, request.reason, tuple(changes))
    done.notices.extend(notices.link_notices(new_links, context.snapshot))
    return _row(new, changes)


def _renew_anchors(context: RequestContext, item: Item, fields: Fields) -> list[Change]:
    """Anchor the item's links to the code as it is now, and return what changed.

    Somebody who verifies an item, or rewrites it, does so with the code of today before them.
    """
    verified = fields.verification == "verified"
    rewritten = fields.summary is not None or fields.detail is not None
    if context.snapshot is None or not (verified or rewritten):
        return []
    changes: list[Change] = []
    for link in read.links_from(context.db, [item.id]):
        now = with_anchor(link, context.snapshot)
        if now.anchor != link.anchor:
            write.update_anchor(context.db, now)
            changes.append(Change("anchor", link.anchor, f"{now.anchor} {link.dst}"))
    return changes


def _as_text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
