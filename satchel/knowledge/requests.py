"""The requests as frozen values with their bounds, and reading them from plain data.

The bounds are part of the types: `read` is the one place that checks arguments about knowledge, for
the tools, the commands and imports alike. Whether a label, scope, time or id exists is a question
to other modules, which raise the same `UsageError` with a hint.
"""

from __future__ import annotations

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

    kind: Label
    summary: Summary
    detail: Annotated[str, Meta(max_length=MAX_DETAIL)] = ""
    rationale: Annotated[str, Meta(max_length=MAX_RATIONALE)] = ""
    scope: Scope = "project"
    tags: Tags = ()
    confidence: float | str | None = None
    importance: Fraction | None = None
    links: Annotated[tuple[LinkTo, ...], Meta(max_length=MAX_LINKS)] = ()
    supersedes: Annotated[str, Meta(max_length=40)] = ""
    domain: Annotated[str, Meta(max_length=200)] = ""
    context: Annotated[str, Meta(max_length=MAX_RATIONALE)] = ""
    constraints: Texts = ()
    alternatives: Annotated[tuple[Alternative, ...], Meta(max_length=50)] = ()
    reversible: bool = True
    capabilities: Tags = ()
    results: Texts = ()
    expires_at: Time | None = None
    privacy: Privacy | None = None
    project: Annotated[str, Meta(max_length=200)] = ""
    provisional: bool = False
    verification: Verification = Verification.UNVERIFIED
    source: Source | None = None
    on_duplicate: Literal["skip", "add"] = "skip"
    origin: Origin | None = None


class Remember(Struct, frozen=True, forbid_unknown_fields=True):
    """Items to write. Each is stored by itself: when one fails, the others are stored."""

    items: Annotated[tuple[Entry, ...], Meta(min_length=1, max_length=50)]


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

    ids: Annotated[tuple[Id, ...], Meta(min_length=1, max_length=50)]
    action: Action
    reason: Annotated[str, Meta(max_length=2_000)] = ""
    by: Annotated[str, Meta(max_length=40)] = ""
    fields: Fields = Fields()
    replacement: Entry | None = None


class Recall(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question; without a query the caller's focus counts, else the most important items come."""

    query: Query = ""
    scope: Scope = ""
    kinds: Annotated[tuple[Label, ...], Meta(max_length=50)] = ()
    tags: Tags = ()
    project: Annotated[str, Meta(max_length=200)] | None = None
    min_confidence: Fraction | None = None
    status: Annotated[tuple[Label, ...], Meta(max_length=10)] = ("open",)
    """Statuses, "open" for those that hold, "all" for every one."""
    limit: Annotated[int, Meta(ge=1, le=50)] | None = None
    budget_tokens: Annotated[int, Meta(ge=MIN_BUDGET, le=MAX_BUDGET)] | None = None
    preset: PresetName = PresetName.BALANCED
    recency_weight: Fraction | None = None
    format: Format | None = None
    ids: Ids = ()
    follow: Annotated[tuple[Label, ...], Meta(max_length=20)] = ()
    """Relations to follow from `ids`, both ways; "all" for every one."""
    depth: Annotated[int, Meta(ge=1, le=5)] = 1
    since: Time = ""
    order: Literal["score", "time", "confidence", "importance"] = "score"
    explain: bool = False


class Overview(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The state of knowledge about a scope, and with `since` what happened to it."""

    scope: Scope = "project"
    since: Time = ""


class SetContext(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The focus of the caller, until it sets another."""

    query: Annotated[str, Meta(min_length=1, max_length=10_000)]
    intent: Annotated[str, Meta(max_length=200)] = ""
    scope: Scope = "project"


class GetContext(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Shabka's `get_context`, with its parameters and defaults."""

    query: Query = "*"
    project_id: Annotated[str, Meta(max_length=200)] | None = None
    kind: Annotated[str, Meta(max_length=40)] | None = None
    tags: Annotated[str, Meta(max_length=2_000)] | None = None
    # Shabka's type is an unsigned number of 32 bits.
    token_budget: Annotated[int, Meta(ge=0, le=2**32 - 1)] = 2_000


class KnowledgeContext(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """jido_code's `knowledge_context`, with its parameters, defaults and bounds."""

    context_hint: Annotated[str, Meta(min_length=3, max_length=1_000)]
    include_types: Annotated[tuple[Label, ...], Meta(max_length=50)] = ()
    min_confidence: Fraction = 0.5
    max_results: Annotated[int, Meta(ge=1, le=50)] | None = None
    limit: Annotated[int, Meta(ge=1, le=50)] | None = None
    """Another name of `max_results`; the first of the two that is given counts."""
    recency_weight: Fraction = 0.3
    include_superseded: bool = False


class TwiningAssemble(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Twining's `twining_assemble`, with its parameters; None takes `assemble.max_tokens`."""

    task: Annotated[str, Meta(min_length=1, max_length=10_000)]
    scope: Scope
    max_tokens: Annotated[int, Meta(ge=1, le=2**32 - 1)] | None = None


class TwiningSummarize(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Twining's `twining_summarize`."""

    scope: Scope = "project"


class TwiningWhatChanged(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Twining's `twining_what_changed`."""

    since: Annotated[str, Meta(min_length=1, max_length=40)]
    scope: Scope = "project"


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
