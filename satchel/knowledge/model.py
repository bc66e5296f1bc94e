"""The records of knowledge: items, links, events, sessions, associations. Frozen, no behaviour.

Times are whole milliseconds since 1970-01-01 UTC; confidence, importance and strength are 0..1.
Texts are data: nothing here is ever read as an instruction, by Satchel or in what it prints.
"""

from enum import StrEnum
from typing import NewType

from msgspec import Struct

ItemId = NewType("ItemId", str)
"""26 characters of Crockford's base 32, sortable by time of creation (a ULID)."""

Timestamp = NewType("Timestamp", int)
"""Milliseconds since 1970-01-01 UTC."""

# In characters and entries. Requests check them, imports cut to them; the file itself does not.
MAX_SUMMARY = 200
MAX_DETAIL = 65_536
MAX_RATIONALE = 16_384
MAX_TAGS = 20
MAX_TAG = 100
MAX_SCOPE = 1_000
MAX_LINKS = 100


class Kind(StrEnum):
    """The kind of an item; `satchel.knowledge.kinds` says in what each behaves differently."""

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


# Open items are those that still hold: questions find them unless another status is asked for.
OPEN = (Status.PROVISIONAL, Status.ACTIVE)


class Privacy(StrEnum):
    """Who may see an item: anybody, the team, or whoever wrote it."""

    PUBLIC = "public"
    TEAM = "team"
    PRIVATE = "private"


class Verification(StrEnum):
    """The verdict of somebody who checked an item."""

    UNVERIFIED = "unverified"
    VERIFIED = "verified"
    DISPUTED = "disputed"
    OUTDATED = "outdated"


class Source(StrEnum):
    """Where an item came from."""

    USER = "user"
    AGENT = "agent"
    TOOL = "tool"
    IMPORT = "import"
    DERIVED = "derived"
    """Satchel wrote it, see `DerivedKind`."""


class DerivedKind(StrEnum):
    """What an item that Satchel wrote by itself is about."""

    CONFLICT = "conflict"
    """A warning that decisions contradict each other; it links to all of them."""


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
    """The fields that only some kinds have; empty ones are not stored."""

    domain: str = ""
    context: str = ""
    constraints: tuple[str, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    reversible: bool = True
    capabilities: tuple[str, ...] = ()
    """Skills that somebody who takes up a need should have."""
    expires_at: Timestamp | None = None
    """The time from which an open item no longer counts as open."""
    results: tuple[str, ...] = ()
    """What a piece of work that was delegated produced."""
    informed: bool = False
    """Whether the session had asked for context before it decided."""
    origin: Origin | None = None
    derived_kind: DerivedKind | None = None
    """Set on items that Satchel wrote; nobody can write or edit it through a request."""


class Relation(StrEnum):
    """The usual relations of links; any other word is stored as well."""

    AFFECTS = "affects"
    DEPENDS_ON = "depends_on"
    ANSWERS = "answers"
    FIXES = "fixes"
    CAUSED_BY = "caused_by"
    DERIVED_FROM = "derived_from"
    COMMIT = "commit"
    RELATES_TO = "relates_to"
    CONTRADICTS = "contradicts"
    SUPERSEDES = "supersedes"
    REPLACES = "replaces"
    ABOUT = "about"
    EVIDENCE = "evidence"
    REFINES = "refines"
    CONFIRMS = "confirms"
    SUPPORTS = "supports"
    EXTENDS = "extends"


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
        """The name of its kind as it was given: the other vocabulary's word, or the kind itself."""
        return self.subkind or self.kind

    @property
    def is_open(self) -> bool:
        """Whether it still holds: it is provisional or active."""
        return self.status in OPEN


class Change(Struct, frozen=True):
    """One field of an item before and after, as text."""

    field: str
    old: str
    new: str


class Event(Struct, frozen=True, kw_only=True):
    """Something that happened to an item. Events are added; only a deletion empties their texts."""

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


# A session is a caller's conversation: a connection of an MCP client, or a name that it gives.
class Session(Struct, frozen=True, kw_only=True):
    """The focus of one caller, and the tools that it was shown and called since it was set."""

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


class Association(Struct, frozen=True):
    """A target was of use under a focus. `confidence` is 0..1.5, an exponential average."""

    focus: str
    target: str
    confidence: float
    hits: int
    created_at: Timestamp
    last_used_at: Timestamp


class Caller(Struct, frozen=True, kw_only=True):
    """Who asks, when, and the defaults for what they write."""

    actor: str
    now: Timestamp
    session: str = ""
    """"" when it is unknown."""
    source: Source = Source.USER
    privacy: Privacy = Privacy.PRIVATE
    review: bool = False
    """Whether what they write stays provisional until somebody promotes it."""
