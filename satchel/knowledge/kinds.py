"""Nine kinds of items with their defaults, and the labels of other systems that stand for them.

The labels are those of Twining, Shabka and jido_code. An item keeps the label that it was given as
its `subkind`, so that what was written there keeps its name.
"""

from satchel.knowledge.model import Kind
from satchel.store.errors import UsageError

# The labels of each kind, separated by blanks; every label stands for exactly one kind.
_LABELS = {
    Kind.DECISION: "architectural_decision implementation_decision alternative trade_off",
    Kind.CONVENTION: (
        "constraint procedure preference pattern rule coding_standard architectural_convention"
        " agent_rule process_convention"
    ),
    Kind.WARNING: "risk known_issue",
    Kind.NEED: "todo delegation",
    Kind.QUESTION: "unknown open_question",
    Kind.FINDING: (
        "answer observation error fix lesson discovery bug failure incident root_cause"
        " lesson_learned workaround"
    ),
    Kind.FACT: "",
    Kind.ASSUMPTION: "hypothesis",
    Kind.NOTE: "status offer artifact handoff session_summary plan",
}
ALIASES: dict[str, Kind] = {
    label: kind for kind, labels in _LABELS.items() for label in labels.split()
}
"""The kind that each foreign label means."""

CONFIDENCE = {
    Kind.DECISION: 0.8,
    Kind.CONVENTION: 0.8,
    Kind.WARNING: 0.6,
    Kind.NEED: 0.6,
    Kind.QUESTION: 0.4,
    Kind.FINDING: 0.7,
    Kind.FACT: 0.8,
    Kind.ASSUMPTION: 0.5,
    Kind.NOTE: 0.5,
}
"""The confidence of an item whose writer gives none: jido_code's defaults by type."""

CONFIDENCE_WORDS = {"high": 1.0, "medium": 0.6, "low": 0.3}
"""Confidence in words: Twining's values."""

SALIENCE = {
    Kind.DECISION: 1.0,
    Kind.CONVENTION: 1.0,
    Kind.WARNING: 1.0,
    Kind.FINDING: 0.8,
    Kind.FACT: 0.7,
    Kind.ASSUMPTION: 0.5,
    Kind.NEED: 0.5,
    Kind.QUESTION: 0.3,
    Kind.NOTE: 0.3,
}
"""The share of a kind in the promotion score of a provisional item (jido_code's)."""

# Shabka's `remember`, which saves rules, gives them 0.9.
CONVENTION_IMPORTANCE = 0.9
DEFAULT_IMPORTANCE = 0.5

RESOLVABLE = (Kind.NEED, Kind.QUESTION, Kind.WARNING)
"""The kinds that can be done with: an answer or `resolve` closes them."""


def parse_kind(label: str) -> tuple[Kind, str]:
    """The kind that a label means, and the label if it is not the kind's own.

    >>> parse_kind("risk")
    (<Kind.WARNING: 'warning'>, 'risk')

    Raises:
        UsageError: no vocabulary has such a label.
    """
    # "Coding Standard", "coding-standard" and "coding_standard" are one label.
    word = label.strip().casefold().replace("-", "_").replace(" ", "_")
    if word in tuple(Kind):
        return Kind(word), ""
    if word in ALIASES:
        return ALIASES[word], word
    raise UsageError(
        f"kind is {label[:40]!r}",
        f"use one of: {', '.join(Kind)}; or a label for one: {', '.join(sorted(ALIASES))}",
    )


def parse_confidence(given: float | str | None, kind: Kind) -> float:
    """Confidence as a number, from a number or a word; None gives the default of the kind.

    Raises:
        UsageError: it is neither in 0..1 nor one of the words.
    """
    if given is None:
        return CONFIDENCE[kind]
    if isinstance(given, str):
        if given not in CONFIDENCE_WORDS:
            raise UsageError(f"confidence is {given[:40]!r}", "0.0 to 1.0, or high, medium, low")
        return CONFIDENCE_WORDS[given]
    if not 0.0 <= given <= 1.0:
        raise UsageError(f"confidence is {given}, must be 0.0 to 1.0", "or high, medium, low")
    return float(given)


def confidence_word(confidence: float) -> str:
    """Confidence as a word: high from 0.8, medium from 0.5 (jido_code's levels)."""
    return "high" if confidence >= 0.8 else "medium" if confidence >= 0.5 else "low"
