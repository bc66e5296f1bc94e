"""Presets: the weights, decay and reply format of each way to score, and where they come from.

`pack` is Shabka's `get_context`, `hint` jido_code's `knowledge_context`, `task` Twining's
`assemble`; `balanced` is Satchel's own. Weights are for signals in 0..1 and sum to 1.
"""

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from satchel.knowledge.code_links.anchors import Freshness
from satchel.knowledge.model import Kind
from satchel.store.errors import ConfigError, UsageError


class Signals(Struct, frozen=True):
    """One number in 0..1 for each signal: the value of an item, or the weight of the signal."""

    relevance: float = 0.0
    keyword: float = 0.0
    scope: float = 0.0
    recency: float = 0.0
    confidence: float = 0.0
    importance: float = 0.0
    access: float = 0.0
    graph: float = 0.0
    trust: float = 0.0
    warning: float = 0.0


SIGNAL_NAMES = Signals.__struct_fields__


class PresetName(StrEnum):
    """Names of presets in requests."""

    BALANCED = "balanced"
    PACK = "pack"
    HINT = "hint"
    TASK = "task"


class Format(StrEnum):
    """How a reply is written."""

    MARKDOWN = "markdown"
    JSON = "json"
    SECTIONS = "sections"


class TextMatch(StrEnum):
    """How the words of a question and of an item are compared."""

    TERMS = "terms"
    """Overlap of stemmed terms, identifiers split."""
    WORDS = "words"
    """Overlap of words as written, jido_code's."""
    OCCURRENCES = "occurrences"
    """Damped counts of substrings, Twining's."""


class Preset(Struct, frozen=True):
    """One way to score items and to write the reply."""

    name: PresetName
    weights: Signals
    age_from_use: bool
    """Whether age counts from the time when an item was last shown instead of its creation."""
    half_life: bool
    """Whether recency halves every `days`; otherwise it falls to 1/e in that time."""
    days: float
    text: TextMatch
    budget_tokens: int
    format: Format
    limit: int = 50
    min_confidence: float = 0.0
    graph_from_links: bool = False
    """Whether the graph signal counts an item's links; otherwise it counts steps from the scope."""
    access_from_uses: bool = False
    """Whether the access signal compares uses; otherwise it is how lately an item was shown."""
    neutral_confidence: bool = False
    """Whether the confidence of all kinds but decisions counts as 0.5."""
    scope_relevance: float | None = None
    """The relevance of an item without a word of the question, when its scope fits; None for 0."""
    graph_weights: Signals | None = None
    """The weights where the call graph reaches what some item is about, instead of `weights`."""
    age_by_kind: bool = False
    """Whether kinds age at their own rates, see `AGEING_RATE`."""
    use_vectors: bool = True
    """Whether relevance is the better of words and vectors; jido_code has words alone."""


TASK_WITH_GRAPH = Signals(recency=0.2, relevance=0.2, confidence=0.15, warning=0.1, graph=0.35)
"""Twining 1.9's weights, used when the call graph knows an item's places."""

_PRIORITIES = {
    "recency": "recency",
    "relevance": "relevance",
    "decision_confidence": "confidence",
    "warning_boost": "warning",
    "graph_reachability": "graph",
}
"""Twining's names of its weights, and ours."""
_WEIGHTS_TOLERANCE = 0.01
"""Twining's own."""

# The numbers of `pack`, `hint` and `task` are those of the systems they come from, so that users of
# these systems get the order that they are used to. Only `balanced` may be tuned.
PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            PresetName.BALANCED,
            Signals(
                relevance=0.35, keyword=0.10, scope=0.15, recency=0.10, confidence=0.05,
                importance=0.05, trust=0.10, graph=0.10,
            ),
            age_from_use=True, half_life=True, days=14, text=TextMatch.TERMS, budget_tokens=4096,
            format=Format.MARKDOWN, age_by_kind=True,
        ),
        Preset(
            PresetName.PACK,
            Signals(
                relevance=0.25, keyword=0.15, recency=0.15, importance=0.15, access=0.10,
                graph=0.05, trust=0.15,
            ),
            age_from_use=False, half_life=True, days=7, text=TextMatch.TERMS, budget_tokens=2000,
            format=Format.MARKDOWN, graph_from_links=True,
        ),
        Preset(
            PresetName.HINT,
            Signals(relevance=0.4, recency=0.3, confidence=0.2, access=0.1),
            age_from_use=True, half_life=False, days=7, text=TextMatch.WORDS, budget_tokens=4096,
            format=Format.JSON, limit=5, min_confidence=0.5, access_from_uses=True,
            use_vectors=False,
        ),
        Preset(
            PresetName.TASK,
            Signals(recency=0.3, relevance=0.4, confidence=0.2, warning=0.1),
            age_from_use=False, half_life=False, days=7, text=TextMatch.OCCURRENCES,
            budget_tokens=4000, format=Format.SECTIONS, neutral_confidence=True,
            scope_relevance=0.5, graph_weights=TASK_WITH_GRAPH,
        ),
    )
}  # fmt: skip

AGEING_RATE = {Kind.CONVENTION: 0.0, Kind.FACT: 0.25, Kind.NOTE: 4.0}
"""How fast a kind ages against the others (1); a convention does not. Satchel's own choice."""

WORTH_BY_STEPS = (1.0, 1.0, 0.7, 0.4)
"""The graph signal for 0, 1, 2 or 3 steps in the call graph from the scope to what an item links
to (Satchel's own choice)."""

FRESHNESS_FACTOR = {Freshness.FRESH: 1.0, Freshness.DRIFTED: 0.6, Freshness.ORPHANED: 0.4}
"""The factor on the score of an item by the state of its code. Satchel's own choice: an item about
code that has changed may still hold, so it moves down and is not dropped."""

RELEVANCE_FLOOR = 0.05
"""Items below this in both relevance and keyword are dropped, unless the question's scope has
them: without a floor, what is merely new or important would fill the answer, and a question about
nothing that is stored got 40 of 44 items (docs/decisions/knowledge.md)."""

WARNING_SHARE = 0.10
"""The share of the tokens and of the items of a reply that warnings get before anything else
(Twining's safety margin)."""


def preset_named(name: str) -> Preset:
    """The preset with this name, for callers whose request was not read from plain data.

    Raises:
        UsageError: there is none.
    """
    if name not in PRESETS:
        raise UsageError(f"preset is {name[:40]!r}", f"use one of: {', '.join(PRESETS)}")
    return PRESETS[PresetName(name)]


def task_preset(priority_weights: Sequence[str]) -> Preset:
    """Twining's preset with weights as its configuration names them, `recency=0.3` and so on.

    Where the call graph says nothing of any item, its weight goes to the others in proportion.

    Raises:
        ConfigError: something else is named, or the weights do not sum to 1.
    """
    preset = PRESETS[PresetName.TASK]
    if not priority_weights:
        return preset
    given: dict[str, float] = {}
    for text in priority_weights:
        name, _, number = text.partition("=")
        try:
            given[_PRIORITIES[name.strip()]] = float(number)
        except (KeyError, ValueError):
            raise ConfigError(
                f"assemble.priority_weights has {text[:60]!r}",
                f'write "NAME=0.2"; names: {", ".join(_PRIORITIES)}',
            ) from None
    if min(given.values()) < 0 or abs(sum(given.values()) - 1) > _WEIGHTS_TOLERANCE:
        total = f"they sum to {sum(given.values()):.2f}"
        raise ConfigError("assemble.priority_weights must be 0 or more and sum to 1", total)
    weights = Signals(**given)
    without = frozenset(given) - {"graph"}
    return replace(preset, weights=normalize_weights(weights, without), graph_weights=weights)


def with_recency(weights: Signals, share: float) -> Signals:
    """Weights that give recency `share` of 1 and scale the others to the rest."""
    # jido_code's callers choose the weight of recency; the others keep their proportions.
    others = sum(getattr(weights, name) for name in SIGNAL_NAMES) - weights.recency
    scale = (1.0 - share) / others
    scaled = {name: getattr(weights, name) * scale for name in SIGNAL_NAMES}
    return replace(weights, **{**scaled, "recency": share})


def normalize_weights(weights: Signals, available: frozenset[str]) -> Signals:
    """The weights of the available signals scaled to sum to 1; the others become 0."""
    # In the order of the fields: the last bit of a sum over the set depends on the hash seed.
    total = sum(getattr(weights, name) for name in SIGNAL_NAMES if name in available)
    if not total:
        return Signals()
    scaled = {name: getattr(weights, name) / total for name in SIGNAL_NAMES if name in available}
    return Signals(**scaled)
