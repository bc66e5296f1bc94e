"""The requests as frozen values with their bounds, and reading them from plain data.

The bounds are part of the types: `read` is the one place that checks arguments about knowledge, for
the tools, the commands and imports alike. Whether a label, scope, time or id exists is a question
to other modules, which raise the same `UsageError` with a hint.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from satchel.assembler.budget import MAX_BUDGET, MIN_BUDGET
from satchel.knowledge.lifecycle import Action
from satchel.knowledge.model import (
    MAX_DETAIL,
    MAX_LINKS,
    MAX_RATIONALE,
    MAX_SCOPE,
    MAX_SUMMARY,
    MAX_TAG,
    MAX_TAGS,
    Alternative,
    Origin,
    Privacy,
    Source,
    Verification,
)
from satchel.knowledge.ranking.presets import Format, PresetName
from satchel.knowledge.request_errors import request_error
from satchel.store.errors import UsageError


def said(about: str, *, listed: bool = True) -> Meta:
    """What is said of a field to whoever fills it in, as `satchel.questions.params.said`."""
    return Meta(description=about, extra={"listed": listed})


Summary = Annotated[str, Meta(min_length=1, max_length=MAX_SUMMARY)]
Fraction = Annotated[float, Meta(ge=0, le=1)]
Query = Annotated[str, Meta(max_length=10_000)]
Tags = Annotated[
    tuple[Annotated[str, Meta(min_length=1, max_length=MAX_TAG)], ...], Meta(max_length=MAX_TAGS)
]
Texts = Annotated[tuple[Annotated[str, Meta(max_length=MAX_RATIONALE)], ...], Meta(max_length=100)]
Label = Annotated[str, Meta(min_length=1, max_length=40)]
# Ids may be shortened to six characters; one that two items share is refused later.
Id = Annotated[str, Meta(min_length=6, max_length=40)]
Ids = Annotated[tuple[Id, ...], Meta(max_length=50)]
# Text here, since "7d" depends on the clock: `timestamps.parse` reads it where the time is known.
Time = Annotated[str, Meta(max_length=40)]
# Room for a path; where a scope lies is a question to `resolve_scope`.
Scope = Annotated[str, Meta(max_length=MAX_SCOPE)]
ScopeOf = Annotated[Scope, said("path, symbol:Name or project")]


class LinkTo(Struct, frozen=True, forbid_unknown_fields=True):
    """A link of the item that is being written: `to` is an id, a path, symbol:Name, a commit or a
    url."""

    # Any word is a relation; `model.Relation` has the usual ones.
    rel: Annotated[str, Meta(pattern=r"^[a-z][a-z_]{0,39}$")]
    to: Annotated[str, Meta(min_length=1, max_length=1_000)]
    strength: Fraction = 0.5
    note: Annotated[str, Meta(max_length=1_000)] = ""


class Entry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An item to write. A field that is left out gets the default of its kind or of the caller."""

    kind: Annotated[Label, said("decision, warning, convention, need, question, finding, fact")]
    summary: Annotated[Summary, said("one sentence")]
    detail: Annotated[
        str, Meta(max_length=MAX_DETAIL), said("more than a sentence", listed=False)
    ] = ""
    rationale: Annotated[str, Meta(max_length=MAX_RATIONALE), said("why")] = ""
    scope: ScopeOf = "project"
    tags: Annotated[Tags, said("labels", listed=False)] = ()
    confidence: Annotated[
        float | str | None, said("0 to 1, or high, medium, low", listed=False)
    ] = None
    importance: Fraction | None = None
    links: Annotated[
        tuple[LinkTo, ...], Meta(max_length=MAX_LINKS),
        said("{rel, to}: affects, depends_on, answers, commit, … and what", listed=False),
    ] = ()  # fmt: skip
    supersedes: Annotated[
        str, Meta(max_length=40), said("id of the item that this one replaces", listed=False)
    ] = ""
    domain: Annotated[str, Meta(max_length=200), said("of a decision", listed=False)] = ""
    context: Annotated[str, Meta(max_length=MAX_RATIONALE)] = ""
    constraints: Texts = ()
    alternatives: Annotated[tuple[Alternative, ...], Meta(max_length=50)] = ()
    reversible: bool = True
    capabilities: Tags = ()
    results: Texts = ()
    expires_at: Time | None = None
    project: Annotated[str, Meta(max_length=200), said("name of a project", listed=False)] = ""
    privacy: Annotated[
        Privacy | None, said("who may see it; the default is knowledge.privacy", listed=False)
    ] = None
    provisional: bool = False
    verification: Verification = Verification.UNVERIFIED
    source: Source | None = None
    on_duplicate: Annotated[
        Literal["skip", "add"], said("what becomes of an item that is there already", listed=False)
    ] = "skip"
    origin: Origin | None = None


class Remember(Struct, frozen=True, forbid_unknown_fields=True):
    """Items to write. Each is stored by itself: when one fails, the others are stored."""

    items: Annotated[
        tuple[Entry, ...], Meta(min_length=1, max_length=50),
        said("several such objects", listed=False),
    ]  # fmt: skip


class Fields(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields that `edit`, `verify`, `set_confidence` and `add_evidence` change, unless None."""

    summary: Summary | None = None
    detail: Annotated[str, Meta(max_length=MAX_DETAIL)] | None = None
    rationale: Annotated[str, Meta(max_length=MAX_RATIONALE)] | None = None
    scope: Scope | None = None
    tags: Tags | None = None
    importance: Fraction | None = None
    confidence: float | str | None = None
    privacy: Privacy | None = None
    project: Annotated[str, Meta(max_length=200)] | None = None
    domain: Annotated[str, Meta(max_length=200)] | None = None
    verification: Verification | None = None
    links: Annotated[tuple[LinkTo, ...], Meta(max_length=MAX_LINKS)] = ()


class Revise(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One action on some items. `by` is the id of the item that replaces or answers them."""

    ids: Annotated[tuple[Id, ...], Meta(min_length=1, max_length=50), said("from recall")]
    action: Annotated[Action, said("what to do")]
    reason: Annotated[str, Meta(max_length=2_000), said("why", listed=False)] = ""
    by: Annotated[str, Meta(max_length=40), said("id that replaces or answers it")] = ""
    fields: Annotated[Fields, said("new values, for edit and verify", listed=False)] = Fields()
    replacement: Entry | None = None


class Recall(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question; without a query the caller's focus counts, else the most important items come."""

    query: Annotated[Query, said("terms")] = ""
    scope: ScopeOf = ""
    kinds: Annotated[
        tuple[Label, ...], Meta(max_length=50), said("as in remember", listed=False)
    ] = ()
    tags: Annotated[Tags, said("labels that an item has all of", listed=False)] = ()
    project: Annotated[
        Annotated[str, Meta(max_length=200)] | None, said("name of a project", listed=False)
    ] = None
    min_confidence: Annotated[Fraction | None, said("least confidence", listed=False)] = None
    status: Annotated[
        tuple[Label, ...], Meta(max_length=10), said("open, all or statuses", listed=False)
    ] = ("open",)
    """Statuses, "open" for those that hold, "all" for every one."""
    limit: Annotated[Annotated[int, Meta(ge=1, le=50)] | None, said("items", listed=False)] = None
    budget_tokens: Annotated[
        Annotated[int, Meta(ge=MIN_BUDGET, le=MAX_BUDGET)] | None,
        said("size of the reply; the preset has a default", listed=False),
    ] = None
    preset: Annotated[PresetName, said("how items are scored", listed=False)] = PresetName.BALANCED
    recency_weight: Annotated[
        Fraction | None, said("share of recency in the score", listed=False)
    ] = None
    format: Annotated[Format | None, said("how the reply is written", listed=False)] = None
    ids: Annotated[Ids, said("these in full, with history")] = ()
    follow: Annotated[
        tuple[Label, ...], Meta(max_length=20),
        said("relations to follow from ids, or all", listed=False),
    ] = ()  # fmt: skip
    """Relations to follow from `ids`, both ways; "all" for every one."""
    depth: Annotated[int, Meta(ge=1, le=5), said("steps to follow", listed=False)] = 1
    since: Annotated[Time, said("changed since: 24h, 7d or ISO time", listed=False)] = ""
    order: Annotated[
        Literal["score", "time", "confidence", "importance"],
        said("what comes first", listed=False),
    ] = "score"  # fmt: skip
    explain: Annotated[bool, said("what each signal adds to a score", listed=False)] = False


class Overview(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The state of knowledge about a scope, and with `since` what happened to it."""

    scope: Scope = "project"
    since: Time = ""


class SetContext(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The focus of the caller, until it sets another."""

    query: Annotated[str, Meta(min_length=1, max_length=10_000), said("what you are about to do")]
    intent: Annotated[str, Meta(max_length=200), said("why", listed=False)] = ""
    scope: Annotated[Scope, said("path, symbol:Name or project", listed=False)] = "project"


class GetContext(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Shabka's `get_context`, with its parameters and defaults."""

    query: Annotated[Query, said("words, or * for what weighs most")] = "*"
    project_id: Annotated[
        Annotated[str, Meta(max_length=200)] | None, said("name of a project")
    ] = None
    kind: Annotated[Annotated[str, Meta(max_length=40)] | None, said("one kind of memory")] = None
    tags: Annotated[Annotated[str, Meta(max_length=2_000)] | None, said("separated by commas")] = (
        None
    )
    # Shabka's type is an unsigned number of 32 bits.
    token_budget: Annotated[int, Meta(ge=0, le=2**32 - 1), said("size of the reply")] = 2_000


class KnowledgeContext(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """jido_code's `knowledge_context`, with its parameters, defaults and bounds."""

    context_hint: Annotated[
        str, Meta(min_length=3, max_length=1_000), said("what is needed, in words")
    ]
    include_types: Annotated[tuple[Label, ...], Meta(max_length=50), said("kinds of memories")] = ()
    min_confidence: Annotated[Fraction, said("least confidence")] = 0.5
    max_results: Annotated[
        Annotated[int, Meta(ge=1, le=50)] | None, said("how many; 5 without it")
    ] = None
    limit: Annotated[
        Annotated[int, Meta(ge=1, le=50)] | None, said("another name of max_results")
    ] = None
    """Another name of `max_results`; the first of the two that is given counts."""
    recency_weight: Annotated[Fraction, said("share of recency in the score")] = 0.3
    include_superseded: Annotated[bool, said("what was replaced, too")] = False


class TwiningAssemble(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Twining's `twining_assemble`, with its parameters; None takes `assemble.max_tokens`."""

    task: Annotated[str, Meta(min_length=1, max_length=10_000), said("what is to be done")]
    scope: ScopeOf
    max_tokens: Annotated[
        Annotated[int, Meta(ge=1, le=2**32 - 1)] | None,
        said("size of the reply (default: `assemble.max_tokens`, 4000)"),
    ] = None


class TwiningSummarize(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Twining's `twining_summarize`."""

    scope: ScopeOf = "project"


class TwiningWhatChanged(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Twining's `twining_what_changed`."""

    since: Annotated[str, Meta(min_length=1, max_length=40), said("ISO 8601")]
    scope: ScopeOf = "project"


Request = (
    Remember
    | Revise
    | Recall
    | Overview
    | SetContext
    | GetContext
    | KnowledgeContext
    | TwiningAssemble
    | TwiningSummarize
    | TwiningWhatChanged
)
_R = TypeVar("_R", bound=Struct)


def read(kind: type[_R], values: Mapping[str, Any]) -> _R:
    """A request made of plain data; None counts as left out.

    Raises:
        UsageError: a field is unknown, missing, of another type or out of bounds.
    """
    try:
        return msgspec.convert({k: v for k, v in values.items() if v is not None}, kind)
    except msgspec.ValidationError as error:
        raise request_error(kind, str(error)) from error


def remember_of(values: Mapping[str, Any]) -> Remember:
    """The items of a call of `remember`: those of `items`, or one that has the call's own fields.

    Raises: UsageError as `read`, and where both are given.
    """
    given = dict(values)
    items = given.pop("items", None)
    if items is None:  # what is wrong with it is then said of it, not of items[0]
        return Remember((read(Entry, given),))
    # Fields beside `items` could mean each item or none of them, so this is refused and not
    # guessed.
    if given:
        raise UsageError(
            "items cannot be combined with other fields",
            "give items alone, or the fields of one item",
        )
    return read(Remember, {"items": items})
