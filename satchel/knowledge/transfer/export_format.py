"""The format of exports: JSON lines whose diffs are small when little changed. Pure.

One JSON object a line, sorted by id, keys in the order of the fields, empty fields left out, links
with the item they start from. Private items, secrets, addresses and home folders are left out,
unless somebody makes a copy for themselves. How often an item was shown is not exported: it changes
daily and matters to nobody else.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct, structs

from satchel.knowledge import redact, timestamps
from satchel.knowledge.model import (
    Body,
    DerivedKind,
    Item,
    ItemId,
    Kind,
    Link,
    Privacy,
    Source,
    Status,
    Timestamp,
    Verification,
)
from satchel.knowledge.scopes import ITEM
from satchel.knowledge.transfer.import_drafts import Draft
from satchel.store.errors import UsageError


class ExportLink(Struct, frozen=True, omit_defaults=True):
    """A link in an export."""

    rel: str
    dst: str
    strength: float = 0.5
    note: str = ""
    anchor: str = ""


class ExportLine(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """An item in an export."""

    id: str
    kind: Kind
    label: str = ""
    status: Status = Status.ACTIVE
    summary: str
    detail: str = ""
    rationale: str = ""
    body: Body = Body()
    scope: str = "project"
    project: str = ""
    tags: tuple[str, ...] = ()
    privacy: Privacy = Privacy.TEAM
    confidence: float
    importance: float = 0.5
    verification: Verification = Verification.UNVERIFIED
    source: Source = Source.USER
    actor: str = ""
    created_at: str
    updated_at: str
    links: tuple[ExportLink, ...] = ()


_decoder = msgspec.json.Decoder(ExportLine)


def export_text(
    items: Iterable[Item],
    links: Sequence[Link],
    *,
    private: bool = False,
    also: Iterable[str] = (),
) -> str:
    """Items that are not private as lines, by id; links to items that are left out are left out.

    With `private`, all of them, for their writer's own use: addresses and home folders stay in.
    `also` are the ids of items that whoever reads the lines has already.
    """
    shared = [item for item in items if private or item.privacy != Privacy.PRIVATE]
    shared.sort(key=lambda item: item.id)
    known = {f"{ITEM}{number}" for number in (*also, *(item.id for item in shared))}
    by_item: dict[ItemId, list[ExportLink]] = {}
    for link in sorted(links, key=lambda link: (link.src, link.rel, link.dst)):
        if not link.dst.startswith(ITEM) or link.dst in known:
            line = ExportLink(link.rel, link.dst, link.strength, link.note, link.anchor)
            by_item.setdefault(link.src, []).append(line)
    # Secrets are taken out once more on the way out: patterns that were added since an item was
    # written find what they did not find then.
    change = redact.secrets if private else redact.personal
    return "".join(_encode_line(item, tuple(by_item.get(item.id, ())), change) for item in shared)


def _encode_line(item: Item, links: tuple[ExportLink, ...], change: Callable[[str], str]) -> str:
    line = ExportLine(
        **_same_fields(structs.replace(item, tags=tuple(sorted(item.tags)))), id=item.id,
        label=item.subkind, created_at=timestamps.format_iso(item.created_at),
        updated_at=timestamps.format_iso(item.updated_at), links=links,
    )  # fmt: skip
    return msgspec.json.encode(redact.every_text(line, change)).decode() + "\n"


def read_export(text: str, name: str, now: Timestamp) -> list[Draft]:
    """The items of an export with their links, in its order.

    Raises:
        UsageError: a line is not one of an export.
    """
    found: list[Draft] = []
    # A text may hold other characters that end a line, which JSON leaves as they are.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            # Redacted on the way in as well: an export may come from anybody.
            clean = redact.every_text(_decoder.decode(line), redact.secrets)
            created = timestamps.parse(clean.created_at, now, "created_at")
            updated = timestamps.parse(clean.updated_at, now, "updated_at")
            # What is not in the line (uses, session) begins anew on this machine.
            item = Item(
                **_same_fields(clean), id=ItemId(clean.id), subkind=clean.label,
                created_at=created, updated_at=updated, status_at=updated,
            )  # fmt: skip
            # Whether an export from before `derived_kind` has a warning of a conflict here.
            if (
                (item.kind, item.source) == (Kind.WARNING, Source.DERIVED)
                and item.body.derived_kind is None
                and item.summary.startswith("Conflicting decisions: ")
            ):
                item = structs.replace(
                    item, body=structs.replace(item.body, derived_kind=DerivedKind.CONFLICT)
                )
            found.append(
                Draft(item, tuple(Link(item.id, *structs.astuple(link)) for link in clean.links))
            )
        except (msgspec.MsgspecError, UsageError) as error:
            hint = "each line is an item as `satchel knowledge export` writes it"
            raise UsageError(f"{name}, line {number}: {error}", hint) from error
    return found


def _same_fields(of: Item | ExportLine) -> dict[str, Any]:
    """What an item and its line have alike: times are text in a line, `label` is `subkind`."""
    names = {*Item.__struct_fields__} & {*ExportLine.__struct_fields__}
    return {name: getattr(of, name) for name in names - {"id", "created_at", "updated_at"}}


def is_same_item(item: Item, other: Item) -> bool:
    """Whether two items are equal in all that an export has of them."""

    def exported(one: Item) -> Mapping[str, object]:
        fields = structs.asdict(one)
        for name in ("session", "status_at", "touched_at", "uses"):
            del fields[name]
        return {**fields, "tags": tuple(sorted(one.tags))}

    return exported(item) == exported(other)
