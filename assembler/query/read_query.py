"""What a question says: its words, the identifiers and paths in it, and what it is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from satchel.assembler.query import change_requests
from satchel.assembler.query.change_requests import (
    RequestedChange,
    change_kind,
    without_request,
    without_tag,
)
from satchel.assembler.query.qualified import last_part, qualifier
from satchel.assembler.query.spellings import spellings
from satchel.assembler.weights import Weights
from satchel.store import terms

if TYPE_CHECKING:
    from satchel.assembler.query.report import BugReport

STOP_WORDS = frozenset(
    "a about all also an and any are as at be been being but by can could did do does doing each"
    " for from get had has have having how i if in into is it its itself just let like made make"
    " many may me might more most must my need no nor not of off on once only or other our out own"
    " please same shall she should show so some such tell than that the their them then there these"
    " they this those through to too under until up us use used uses using very was we were what"
    " when where which while who whom whose why will with within without would you your"
    " code file files find implemented implementation work works".split()
)

# A name without a folder counts as a path by its short suffix. `Mail.send` looks like one as well,
# which `packing.required` allows for.
_PATH = re.compile(r"(?:[\w.@+-]+/)+[\w.@+-]+|\b[\w-]+\.(?:[a-z]{1,4}|[ch]pp|json|yaml|toml)\b")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#|->|/)[A-Za-z_$][\w$]*)*")
# Only empty brackets make a call of a plain word: "parser(s)" and "fix(parser): …" are prose.
_CALLED = re.compile(r"(?:(?<![\w$.>:#/])|(?<=\)\.))([A-Za-z_$][\w$]*)\(\)")
_COMPOUND = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]|_|::|->|\w\.\w|#\w")
_QUOTED = re.compile(r"`([^`\n]{2,120})`|\"([^\"\n]{2,120})\"|'([^'\n]{2,120})'")


class Topic(StrEnum):
    """Kinds of places a question may ask for by name."""

    TESTS = "tests"
    EXAMPLES = "examples"
    DOCUMENTATION = "documentation"
    CONFIGURATION = "configuration"


_TOPIC_TERMS = {
    Topic.TESTS: frozenset({"test", "spec", "fixtur", "mock", "benchmark", "pytest", "unittest"}),
    Topic.EXAMPLES: frozenset({"exampl", "demo", "sampl", "tutori", "tutorial"}),
    Topic.DOCUMENTATION: frozenset({"doc", "document", "documentat", "readm", "changelog", "guid"}),
    Topic.CONFIGURATION: frozenset(
        {"config", "configurat", "configur", "setting", "yaml", "toml", "json", "workflow", "ci",
         "docker", "dockerfil", "packag", "dependency", "makefil", "build"}
    ),
}  # fmt: skip


class Term(Struct, frozen=True):
    """A term of the question, its weight in 0..1, and other spellings of it, none asked for too."""

    text: str
    weight: float
    spellings: tuple[str, ...] = ()


class Query(Struct, frozen=True):
    """A question, read.

    `terms` come once each, in order of first appearance.
    `identifiers` are names that the question writes as code; `names` is every word that could be
    the name of a definition. `symbol` is set when the whole question is one name. `change` says
    whether it asks for a change of the code ("Fix …", "parser: handle …"), not about it.
    """

    text: str
    terms: tuple[Term, ...]
    words: tuple[str, ...]
    identifiers: tuple[str, ...]
    names: tuple[str, ...]
    paths: tuple[str, ...]
    symbol: str
    topics: frozenset[Topic]
    change: RequestedChange
    adds: bool = False
    """Whether it asks for something that is not there yet."""
    adds_option: bool = False
    """Whether that is an option or a setting."""
    gist: str = ""
    """The first words of a report, by which its likeness is judged; "" for the whole text."""
    title: Query | None = None
    """The title of a report as a question of its own."""

    @property
    def is_change(self) -> bool:
        """Whether it asks for a change of the code."""
        return self.change != RequestedChange.NONE


def paths_in(text: str) -> tuple[str, ...]:
    """What a text writes as paths, each once, in its order."""
    return tuple(dict.fromkeys(_PATH.findall(text)))


def read_text(text: str, weights: Weights) -> Query:
    """Read a question or, where it has the lines of one, a bug report."""
    told = report_of(text)
    return read_report(told, weights) if told else read(text, weights.term.part)


def report_of(text: str) -> BugReport | None:
    """A text read as a bug report; None for any other text."""
    # A report has several lines, so that its reader is not loaded for most questions.
    if "\n" not in text:
        return None
    from satchel.assembler.query import report

    return report.read(text)


def read_report(told: BugReport, all_weights: Weights) -> Query:
    """Read a bug report: as a question of its title and prose, where words count by their place."""
    part_weight, weights = all_weights.term.part, all_weights.report
    parts = ((told.title, 1.0), (told.prose, weights.prose), (told.code, weights.code))
    prose = read("\n".join(filter(None, (told.title, told.prose))), part_weight)
    titled = read(told.title or told.prose, part_weight)
    return replace(
        prose,
        text=told.text,
        gist=prose.text[: weights.gist],
        terms=_of_parts([part for part in parts if part[0]], part_weight),
        topics=titled.topics,
        change=titled.change,
        adds=titled.adds,
        adds_option=titled.adds_option,
        symbol="",
        title=titled if told.title else None,
    )


def _of_parts(parts: Sequence[tuple[str, float]], part_weight: float) -> tuple[Term, ...]:
    """The terms of all parts, each with the most that any of its places makes of it."""
    found: dict[str, Term] = {}
    for text, worth in parts:
        for term in read(text, part_weight).terms:
            weight = max(term.weight * worth, found[term.text].weight if term.text in found else 0)
            found[term.text] = replace(term, weight=weight)
    return tuple(
        replace(term, spellings=tuple(other for other in term.spellings if other not in found))
        for term in found.values()
        if term.weight > 0
    )


def read(text: str, part_weight: float) -> Query:
    """Read a question. `part_weight` is what a part of a compound word counts against the whole."""
    text = text.strip()
    paths = paths_in(text)
    written = [match.group() for match in _IDENTIFIER.finditer(text)]
    quoted = [next(filter(None, match.groups())) for match in _QUOTED.finditer(text)]
    # One word alone is asked as a name, even where it is no compound.
    symbol = written[0] if len(written) == 1 and written[0] == text else ""
    identifiers = [w for w in written if _COMPOUND.search(w) and w not in paths]
    identifiers += [q for q in quoted if _IDENTIFIER.fullmatch(q)]
    identifiers += _CALLED.findall(text)
    if symbol:
        identifiers.append(symbol)
    found: dict[str, float] = {}
    stopped: dict[str, float] = {}
    said = terms.words(without_request(without_tag(text)))
    for word in said:
        # Common words are kept aside: a question of nothing else ("what is this for") is still
        # searched for them.
        target = stopped if word.lower() in STOP_WORDS else found
        split = terms.split(word)
        for position, term in enumerate(split):
            # The first term of a compound word is the whole of it, and its parts follow.
            weight = 1.0 if position == 0 or len(split) == 1 else part_weight
            target[term] = max(weight, target.get(term, 0.0))
    # A spelling that the question has as a word of its own already counts by itself.
    asked_terms = found or stopped
    weighted = tuple(
        Term(term, weight, tuple(other for other in spellings(term) if other not in asked_terms))
        for term, weight in asked_terms.items()
    )
    asked = {term.text for term in weighted}
    adds = change_requests.adds(text)
    words = tuple(dict.fromkeys(w for w in said if w.lower() not in STOP_WORDS))
    return Query(
        text=text,
        terms=weighted,
        words=words,
        identifiers=tuple(dict.fromkeys(identifiers)),
        names=tuple(dict.fromkeys([last_part(i) for i in identifiers] + list(words))),
        paths=paths,
        symbol=symbol,
        topics=frozenset(topic for topic, marks in _TOPIC_TERMS.items() if marks & asked),
        change=change_kind(text),
        adds=adds,
        adds_option=adds and change_requests.names_option(text),
    )


def means(identifier: str, name: str, qualified: str) -> bool:
    """Whether a name written as code can be that of a definition, its qualified name too."""
    owner = qualifier(identifier)
    return last_part(identifier) == name and (not owner or owner in qualified.split("."))
