"""Reads a question, once: its words, names and paths, what is pasted in it, what it asks for. Pure.

Whoever comes after goes by the `Query`: none of them takes the text apart again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from satchel.assembler.query import (
    artefacts,
    change_requests,
    diffs,
    quotations,
    written_places,
)
from satchel.assembler.query.artefacts import Artefact
from satchel.assembler.query.change_requests import ChangeRequest, without_request, without_tag
from satchel.assembler.query.qualified import last_part
from satchel.assembler.query.question import Question
from satchel.assembler.query.quotations import Quotations
from satchel.assembler.query.spellings import spellings
from satchel.assembler.query.written_places import WrittenPlaces, paths_in
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

_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#|->|/)[A-Za-z_$][\w$]*)*")
# Only empty brackets make a call of a plain word: "parser(s)" and "fix(parser): …" are prose.
_CALLED = re.compile(r"(?:(?<![\w$.>:#/])|(?<=\)\.))([A-Za-z_$][\w$]*)\(\)")
_COMPOUND = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]|_|::|->|\w\.\w|#\w")
_WORD = re.compile(r"\w+")
_ABOUT_A_FILE = STOP_WORDS | frozenset(
    "describe explain open overview read review see summarise summarize summary understand".split()
)
"""What says no more than that something is asked about a file."""
_ASKS_FOR_DOCUMENTS = re.compile(
    r"\bdocumented\b|(?:^|\b(?:where|show|which|what)\b[^.?!\n]{0,40}\s)"
    r"(?:docs?|documentation|guides?|readme)\b(?!\s*(?:\(|:|string))",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"`([^`\n]{2,120})`|\"([^\"\n]{2,120})\"|'([^'\n]{2,120})'")


class Topic(StrEnum):
    """Kinds of places a question may ask for by name."""

    TESTS = "tests"
    EXAMPLES = "examples"
    DOCUMENTATION = "documentation"
    CONFIGURATION = "configuration"
    TRANSLATIONS = "translations"
    """Catalogues of messages in other languages."""


_TOPIC_TERMS = {
    Topic.TESTS: frozenset({"test", "spec", "fixtur", "mock", "benchmark", "pytest", "unittest"}),
    Topic.EXAMPLES: frozenset({"exampl", "demo", "sampl", "tutori", "tutorial"}),
    Topic.DOCUMENTATION: frozenset({"doc", "document", "documentat", "readm", "changelog", "guid"}),
    Topic.CONFIGURATION: frozenset(
        {"config", "configurat", "configur", "setting", "yaml", "toml", "json", "workflow", "ci",
         "docker", "dockerfil", "packag", "dependency", "makefil", "build"}
    ),
    Topic.TRANSLATIONS: frozenset({"translat", "localizat", "i18n", "l10n", "gettext"}),
}  # fmt: skip


class Term(Struct, frozen=True):
    """A term of the question, its weight in 0..1, and other spellings of it, none asked for too."""

    text: str
    weight: float
    spellings: tuple[str, ...] = ()


class Query(Struct, frozen=True):
    """A question, read.

    `terms` come once each, in order of first appearance.
    `identifiers` are names that the question writes as code, `members` those that may be a file or
    the member of a variable, as `res.send`; `names` is every word that could be the name of a
    definition. `symbol` is set when the whole question is one name.
    """

    text: str
    """What is said, as it stands: for an encoder, and for what is compared to the letter."""
    terms: tuple[Term, ...]
    words: tuple[str, ...]
    identifiers: tuple[str, ...]
    members: tuple[str, ...]
    names: tuple[str, ...]
    paths: tuple[str, ...]
    symbol: str
    topics: frozenset[Topic]
    change: ChangeRequest
    gist: str = ""
    """Title and prose of a report, by which its likeness is judged; "" for the whole text."""
    opening: frozenset[str] = frozenset()
    """The terms of its first sentence or line."""
    quotations: Quotations | None = None
    """What it may quote; None where it is a name."""
    title: Query | None = None
    """The title of a report as a question of its own."""
    artefact: Artefact | None = None
    """The trace, test run or diff in it; then the words are those of the prose around that."""
    is_written: bool = True
    """Whether somebody wrote its names: those in the lines of a diff stand there in passing."""
    places: WrittenPlaces = WrittenPlaces((), (), False)
    """Lines that it writes."""
    file: str = ""
    """The path that it names where it asks for nothing else."""
    files: tuple[str, ...] = ()
    """Files that it names as such, in words."""
    tests: tuple[str, ...] = ()
    """Names, sorted, that may be those of tests."""
    asks_for_documents: bool = False
    """Whether it asks where or how something is documented."""

    @property
    def is_change(self) -> bool:
        """Whether it asks for a change of the code ("Fix …", "parser: handle …"), not about it."""
        return self.change.sureness > 0


def read(question: Question, weights: Weights) -> Query:
    """All that a question says. The weights say what a word counts by its place in a report."""
    text = question.text
    plain = written_places.plain(text)
    if plain != text and not diffs.read(text).hunks:  # lines of a diff stand as they are
        text = plain
    told = _report_of(text)
    # The lines of an issue template name files that nobody reports about: none is looked up.
    reported = told.text if told and told.is_form else text
    artefact = artefacts.read(question.changes or reported)
    # The words of pasted output outnumber those of the question, so only the prose around it is
    # searched for. A text beside a diff under review is prose already.
    if artefact and not (question.changes and text):
        query = read_text(artefact.prose, weights)
        # Lines of a diff begin in any way; what is asked is what goes with a change.
        if question.changes:
            query = replace(query, change=ChangeRequest(1.0))
    else:
        query = _read_report(told, weights) if told else read_words(reported)
    paths = paths_in(text)
    return replace(
        query,
        artefact=artefact,
        is_written=bool(text) and (not artefact or bool(question.changes) or artefact.is_said),
        places=written_places.read(text),
        file=paths[0] if len(paths) == 1 and _asks_about(text, paths[0]) else "",
        files=() if artefact else written_places.files_in(text),
        tests=written_places.names_of_tests(text),
        asks_for_documents=_ASKS_FOR_DOCUMENTS.search(text) is not None,
    )


def _asks_about(text: str, path: str) -> bool:
    """Whether a text says no more than that something is asked about a path."""
    return set(_WORD.findall(text.replace(path, " ").lower())) <= _ABOUT_A_FILE


def read_text(text: str, weights: Weights) -> Query:
    """The words of a question or, where a text has the lines of one, of a bug report."""
    told = _report_of(text)
    return _read_report(told, weights) if told else read_words(text)


def _report_of(text: str) -> BugReport | None:
    """A text read as a bug report; None for any other text."""
    # A report has several lines, so that its reader is not loaded for most questions.
    if "\n" not in text:
        return None
    from satchel.assembler.query import report

    return report.read(text)


def _read_report(told: BugReport, weights: Weights) -> Query:
    """The words of a bug report: of its title and prose, where they count by their place."""
    parts = ((told.title, 1.0), (told.prose, 1.0), (told.code, weights.quoting.half))
    prose = read_words("\n".join(filter(None, (told.title, told.prose))))
    # That there are more lines than a title tells as much as the title does.
    titled = read_words(told.title or told.prose, prose.change)
    return replace(
        prose,
        text=told.text,
        gist=prose.text,
        opening=_opening(told.text),
        # Who reports a fault quotes what the program printed, whatever the title begins with.
        quotations=quotations.read(told.text, is_task=prose.change.adds),
        terms=_of_parts([part for part in parts if part[0]]),
        topics=titled.topics,
        symbol="",
        title=titled if told.title else None,
    )


def _of_parts(parts: Sequence[tuple[str, float]]) -> tuple[Term, ...]:
    """The terms of all parts, each with the most that any of its places makes of it."""
    found: dict[str, Term] = {}
    for text, worth in parts:
        for term in _terms_of(_said(text.strip())):
            weight = max(term.weight * worth, found[term.text].weight if term.text in found else 0)
            found[term.text] = replace(term, weight=weight)
    return tuple(
        replace(term, spellings=tuple(other for other in term.spellings if other not in found))
        for term in found.values()
        if term.weight > 0
    )


def read_words(text: str, change: ChangeRequest | None = None) -> Query:
    """The words of a text.

    `change` is what the text asks to be changed, where that is known from more than the text.
    """
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
    said = _said(text)
    asked_for = _terms_of(said)
    asked = {term.text for term in asked_for}
    words = tuple(dict.fromkeys(w for w in said if w.lower() not in STOP_WORDS))
    change = change or change_requests.read(text)
    # A name is found by its definition; aligned with text, it would boost every use of it.
    return Query(
        text=text,
        terms=asked_for,
        words=words,
        identifiers=tuple(dict.fromkeys(identifiers)),
        # The beginning of `c.req.parseBody` is none, and names nothing by itself.
        members=tuple(
            path
            for path in paths
            if "/" not in path and not any(i.startswith(f"{path}.") for i in identifiers)
        ),
        names=tuple(dict.fromkeys([last_part(i) for i in identifiers] + list(words))),
        paths=paths,
        symbol=symbol,
        topics=frozenset(topic for topic, marks in _TOPIC_TERMS.items() if marks & asked),
        change=change,
        opening=_opening(text),
        quotations=None if symbol else quotations.read(text, is_task=change.is_task),
    )


def _said(text: str) -> list[str]:
    """The words of a text, without those that only ask."""
    return terms.words(without_request(without_tag(text)))


def _terms_of(said: Sequence[str]) -> tuple[Term, ...]:
    found: dict[str, None] = {}
    stopped: dict[str, None] = {}
    for word in said:
        # Common words are kept aside: a question of nothing else ("what is this for") is still
        # searched for them.
        target = stopped if word.lower() in STOP_WORDS else found
        target |= dict.fromkeys(terms.split(word))
    # A spelling that the question has as a word of its own already counts by itself.
    asked = found or stopped
    return tuple(
        Term(term, 1.0, tuple(other for other in spellings(term) if other not in asked))
        for term in asked
    )


def _opening(text: str) -> frozenset[str]:
    head = text.split("\n", 1)[0].split(". ", 1)[0]
    return frozenset(part for word in terms.words(head) for part in terms.split(word))
