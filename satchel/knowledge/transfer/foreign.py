"""Reads exports of Twining and Shabka, as items with the ids, statuses and links they had there.

Their files are read leniently: a field of another type or an unknown status counts as missing, so
that one odd row does not keep the rest from being imported.
"""

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import structs

from satchel.knowledge import kinds, timestamps
from satchel.knowledge.model import (
    Alternative,
    Body,
    Caller,
    Item,
    Link,
    Origin,
    Privacy,
    Relation,
    Status,
    Timestamp,
    Verification,
)
from satchel.knowledge.scopes import ITEM, PATH, SYMBOL, normalize_scope
from satchel.knowledge.transfer.import_drafts import Draft, import_id, make_draft_item
from satchel.store.errors import UsageError

TWINING, SHABKA = "twining", "shabka"
_SHABKA_STATUS = {"pending": Status.PROVISIONAL, "archived": Status.ARCHIVED,
                  "superseded": Status.SUPERSEDED}  # fmt: skip
# Shabka's relations are ours, but for this one.
_RELATIONS = {"related": Relation.RELATES_TO}
Row = Mapping[str, Any]


def is_twining(row: Row) -> bool:
    """Whether a row is an entry of Twining's blackboard or one of its decisions."""
    return "entry_type" in row or ("rationale" in row and "domain" in row and "timestamp" in row)


def is_shabka(row: Row) -> bool:
    """Whether a row is one of Shabka's memories."""
    return {"title", "content", "kind"} <= set(row)


def read_twining(rows: Iterable[Row], caller: Caller) -> list[Draft]:
    """Decisions and entries; the blackboard's copies of decisions are left out."""
    return [
        _decision(row, caller) if "rationale" in row else _entry(row, caller)
        for row in rows
        if row.get("entry_type") != "decision"
    ]


def _decision(row: Row, caller: Caller) -> Draft:
    at = _timestamp(row.get("timestamp"), caller)
    origin = Origin(TWINING, _key(row))
    item = make_draft_item(
        caller, origin, "decision", _text(row, "summary"), at, rationale=_text(row, "rationale"),
        scope=_scope(row), actor=_text(row, "agent_id") or caller.actor,
        confidence=kinds.CONFIDENCE_WORDS.get(_text(row, "confidence"), 0.6),
        status=_known_or(Status, _text(row, "status"), Status.ACTIVE),
        body=Body(
            domain=_text(row, "domain"), context=_text(row, "context"), origin=origin,
            constraints=_texts(row, "constraints"), reversible=row.get("reversible") is not False,
            alternatives=tuple(
                Alternative(_text(a, "option"), _texts(a, "pros"), _texts(a, "cons"),
                            _text(a, "reason_rejected"))
                for a in row.get("alternatives") or () if isinstance(a, Mapping)
            ),
        ),
    )  # fmt: skip
    links = [
        Link(item.id, Relation.AFFECTS, f"{PATH}{_path(p)}") for p in _texts(row, "affected_files")
    ]
    links += [
        Link(item.id, Relation.AFFECTS, f"{SYMBOL}{s}") for s in _texts(row, "affected_symbols")
    ]
    links += [Link(item.id, Relation.COMMIT, f"commit:{c}") for c in _texts(row, "commit_hashes")]
    depends = [(Relation.DEPENDS_ON, other) for other in _texts(row, "depends_on")]
    depends += [(Relation.SUPERSEDES, _text(row, "supersedes"))] if row.get("supersedes") else []
    links += [Link(item.id, rel, _item(other)) for rel, other in depends]
    return Draft(item, tuple(links))


def _entry(row: Row, caller: Caller) -> Draft:
    at = _timestamp(row.get("timestamp"), caller)
    item = make_draft_item(
        caller, Origin(TWINING, _key(row)), _text(row, "entry_type") or "note",
        _text(row, "summary"), at, detail=_text(row, "detail"), scope=_scope(row),
        tags=_texts(row, "tags"), actor=_text(row, "agent_id") or caller.actor,
    )  # fmt: skip
    # On the blackboard an answer relates to its question; here it has to answer it to close it.
    rel = Relation.ANSWERS if row.get("entry_type") == "answer" else Relation.RELATES_TO
    links = [Link(item.id, rel, _item(o)) for o in _texts(row, "relates_to")]
    return Draft(item, tuple(links))


def read_shabka(memories: Iterable[Row], relations: Iterable[Row], caller: Caller) -> list[Draft]:
    """Memories, with those relations whose both ends are among them."""
    read = [(_key(row), _memory(row, caller)) for row in memories]
    items = dict(read)
    links_of: dict[str, list[Link]] = {key: [] for key in items}
    for row in relations:
        source, target = _end(row, "source"), _end(row, "target")
        if source in items and target in items:
            name = (_text(row, "relation_type") or _text(row, "type") or "related").casefold()
            rel = _RELATIONS.get(name, name)
            strength = min(max(float(row.get("strength") or 0.5), 0.0), 1.0)
            link = Link(items[source].id, rel, f"{ITEM}{items[target].id}", strength)
            links_of[source].append(link)
    return [Draft(item, tuple(links_of[key])) for key, item in read]


def _end(row: Row, name: str) -> str:
    return _text(row, f"{name}_id") or _text(row, name)


def _memory(row: Row, caller: Caller) -> Item:
    at = _timestamp(row.get("created_at"), caller)
    item = make_draft_item(
        caller, Origin(SHABKA, _key(row)), _text(row, "kind").casefold(),
        _text(row, "title"), at, detail=_text(row, "content"), tags=_texts(row, "tags"),
        project=_text(row, "project_id"), actor=_text(row, "created_by") or caller.actor,
        importance=min(max(float(row.get("importance") or 0.5), 0.0), 1.0),
        privacy=_known_or(Privacy, _text(row, "privacy").casefold(), Privacy.PRIVATE),
        status=_SHABKA_STATUS.get(_text(row, "status").casefold(), Status.ACTIVE),
        verification=_known_or(
            Verification, _text(row, "verification").casefold(), Verification.UNVERIFIED
        ),
    )  # fmt: skip
    # Shabka knows no rationale, and a decision needs one: its text gives the reason if any does.
    return item if item.rationale or item.kind != "decision" else structs.replace(
        item, rationale=item.detail[:16_000]
    )  # fmt: skip


def _item(key: str) -> str:
    """The link target of another of Twining's items: its id follows from its own key there."""
    return f"{ITEM}{import_id(Origin(TWINING, key))}"


def _timestamp(value: object, caller: Caller) -> Timestamp:
    try:
        return timestamps.parse(str(value), caller.now)
    except UsageError:
        return Timestamp(0)  # and not now: reading the file again must change nothing


def _scope(row: Row) -> str:
    try:
        return normalize_scope(_text(row, "scope"))
    except UsageError:
        return "project"


def _path(text: str) -> str:
    try:
        return normalize_scope(text)
    except UsageError:
        return text  # a link to a place outside is kept as it is written; it never gets an anchor


def _key(row: Row) -> str:
    """The id of a row; of one that has none a digest, so that no other is taken for it."""
    return _text(row, "id") or blake2b(msgspec.json.encode(row), digest_size=8).hexdigest()


def _text(row: Row, name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""


def _texts(row: Row, name: str) -> tuple[str, ...]:
    value = row.get(name)
    return tuple(v for v in value if isinstance(v, str)) if isinstance(value, list) else ()


def _known_or(kind: Any, text: str, default: Any) -> Any:  # noqa: ANN401
    """The member of an enumeration with a value, else the default."""
    return kind(text) if text in tuple(kind) else default
