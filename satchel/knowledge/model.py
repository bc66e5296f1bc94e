"""What is kept: items, links, events, sessions and associations. Frozen values, no behaviour.

Times are whole milliseconds since 1970-01-01 UTC; confidence, importance and strength are 0..1.
Texts are data: nothing here is ever read as an instruction, by Satchel or in what it prints.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NewType

from msgspec import Struct

ItemId = NewType("ItemId", str)
"""26 characters of Crockford's base 32, sortable by time of creation (a ULID)."""

Timestamp = NewType("Timestamp", int)
"""Milliseconds since 1970-01-01 UTC."""

MAX_SUMMARY = 200
MAX_DETAIL = 65_536
MAX_RATIONALE = 16_384
MAX_TAGS = 20
MAX_TAG = 100
MAX_SCOPE = 1_000
MAX_LINKS = 100


class Kind(StrEnum):
    """What an item is; each kind behaves differently, `satchel.knowledge.kinds` says how."""

    DECISION = "decision"
    CONVENTION = "convention"
    WARNING = "warning"
    NEED = "need"
    QUESTION = "question"
    FINDING = "finding"
    FACT = "fact"
    ASSUMPTION = "assumption"
    NOTE = "note"


class Status(StrEnum):
    """Where an item is in its life; the first two are open."""

    PROVISIONAL = "provisional"
    ACTIVE = "active"
    RESOLVED = "resolved"
    SUPERSEDED = "superseded"
    OVERRIDDEN = "overridden"
    ARCHIVED = "archived"


OPEN = (Status.PROVISIONAL, Status.ACTIVE)


class Privacy(StrEnum):
    """Who may see an item: anybody, the team, or whoever wrote it."""

    PUBLIC = "public"
    TEAM = "team"
    PRIVATE = "private"


class Verification(StrEnum):
    """What somebody who checked an item said of it."""

    UNVERIFIED = "unverified"
    VERIFIED = "verified"
    DISPUTED = "disputed"
    OUTDATED = "outdated"


class Source(StrEnum):
    """How an item came to be."""

    USER = "user"
    AGENT = "agent"
    TOOL = "tool"
    IMPORT = "import"
    DERIVED = "derived"


class Alternative(Struct, frozen=True, omit_defaults=True):
    """An option that a decision weighed."""

    option: str
    pros: tuple[str, ...] = ()
    cons: tuple[str, ...] = ()
    reason_rejected: str = ""


class Origin(Struct, frozen=True, omit_defaults=True):
    """Where an imported item was read: the system, its own id or heading, and the file."""

    system: str
    key: str
    path: str = ""


class Body(Struct, frozen=True, omit_defaults=True):
    """What only some kinds have; empty fields are not stored."""

    domain: str = ""
    context: str = ""
    constraints: tuple[str, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    reversible: bool = True
    capabilities: tuple[str, ...] = ()
    """What whoever takes up a need should be able to do."""
    expires_at: Timestamp | None = None
    """When an open need stops being one."""
    results: tuple[str, ...] = ()
    """What a handed-over piece of work came to."""
    informed: bool = False
    """Whether the session had asked for context before it decided."""
    origin: Origin | None = None


class Link(Struct, frozen=True, omit_defaults=True):
    """`src` is in relation `rel` to `dst`: item:…, path:…, symbol:…, commit:… or url:….

    `anchor` is the digest of what a path or symbol held when the link was made, "" for none.
    """

    src: ItemId
    rel: str
    dst: str
    strength: float = 0.5
    note: str = ""
    anchor: str = ""


class Item(Struct, frozen=True, kw_only=True):
    """One piece of knowledge. `scope` is "project", a path, or "symbol:Name"."""

    id: ItemId
    kind: Kind
    summary: str
    subkind: str = ""
    """The label it was given in another vocabulary, "" when that is `kind` itself."""
    status: Status = Status.ACTIVE
    detail: str = ""
    rationale: str = ""
    body: Body = Body()
    scope: str = "project"
    project: str = ""
    tags: tuple[str, ...] = ()
    privacy: Privacy = Privacy.PRIVATE
    confidence: float = 0.5
    importance: float = 0.5
    verification: Verification = Verification.UNVERIFIED
    source: Source = Source.USER
    actor: str = ""
    session: str = ""
    created_at: Timestamp = Timestamp(0)
    updated_at: Timestamp = Timestamp(0)
    status_at: Timestamp = Timestamp(0)
    touched_at: Timestamp | None = None
    """When it was last shown, None for never."""
    uses: int = 0

    @property
    def label(self) -> str:
        """What it calls itself: the other vocabulary's word, or its kind."""
        return self.subkind or self.kind

    @property
    def is_open(self) -> bool:
        """Whether it still holds."""
        return self.status in OPEN


class Change(Struct, frozen=True):
    """One field of an item before and after, as text."""

    field: str
    old: str
    new: str


class Event(Struct, frozen=True, kw_only=True):
    """Something that happened to an item. Events are added, never changed."""

    seq: int
    at: Timestamp
    actor: str
    session: str
    action: str
    item_id: ItemId
    summary: str
    from_status: str = ""
    to_status: str = ""
    reason: str = ""
    changes: tuple[Change, ...] = ()


class Session(Struct, frozen=True, kw_only=True):
    """What one caller is about: its focus, and what it was shown and used since."""

    id: str
    query: str = ""
    intent: str = ""
    scope: str = "project"
    updated_at: Timestamp = Timestamp(0)
    assembled_at: Timestamp | None = None
    """When it last asked for context, None for never."""
    calls: tuple[str, ...] = ()
    """Tools it called, newest last, at most 200."""
    shown: tuple[str, ...] = ()
    """Tools that the last list held."""
    searched: tuple[str, ...] = ()
    """Tools that its last search for tools found."""

    @property
    def focus(self) -> str:
        """Query and intent as one text; "" when no focus is set."""
        return f"{self.query} {self.intent}".strip()


class Association(Struct, frozen=True, kw_only=True):
    """Under a focus, a target was of use. `confidence` is 0..1.5, an exponential average."""

    focus: str
    target: str
    confidence: float
    hits: int
    created_at: Timestamp
    last_used_at: Timestamp


class Caller(Struct, frozen=True, kw_only=True):
    """Who asks, when, and what holds for what they write without saying so."""

    actor: str
    now: Timestamp
    session: str = ""
    """"" when it is unknown."""
    source: Source = Source.USER
    privacy: Privacy = Privacy.PRIVATE
    review: bool = False
    """Whether what they write stays provisional until somebody promotes it."""
