"""Which repositories a question is about: resource selection, before anything in them is ranked.

Each repository is a document whose terms are known by how many of its chunks hold them (CORI,
Callan, Lu and Croft, SIGIR 1995). A repository that the question names comes first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from satchel.assembler.query import read_query, report
from satchel.assembler.weights import DEFAULT, Weights
from satchel.hub.database import Hub, rows
from satchel.hub.reading.file_table import Build
from satchel.hub.repositories import Repository
from satchel.store import terms
from satchel.store.errors import UsageError

# The values of the paper; on 437 questions the right one of 22 repositories is first for .66.
_B, _BASE, _PER_SIZE = 0.4, 50.0, 150.0
"""CORI's constants: the belief without any evidence, and how document frequencies saturate."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A repository and how much it is likely to hold what is asked for, 0 to 1."""

    build: Build
    score: float


def matching(found: Sequence[Build], pattern: str) -> list[Build]:
    """The repositories that a pattern means.

    Raises:
        UsageError: there is none.
    """
    chosen = [build for build in found if fnmatchcase(build.repository, pattern)]
    if not chosen:
        raise UsageError(
            f"no repository is called {pattern!r}",
            "`satchel hub status` lists those that are built",
        )
    return chosen


def of_names(listed: Sequence[Repository], pattern: str) -> list[Repository]:
    """The repositories, built or not, that a pattern means.

    Raises:
        UsageError: there is none.
    """
    chosen = [each for each in listed if fnmatchcase(each.name, pattern)]
    if not chosen:
        raise UsageError(f"no repository is called {pattern!r}", "add some with `satchel hub add`")
    return chosen


def choose(
    hub: Hub, found: Sequence[Build], question: str, limit: int, weights: Weights = DEFAULT
) -> list[Ranked]:
    """The `limit` repositories that most likely hold the answer, best first, ties by name."""
    told = report.read(question)
    # What the template of a report says is said of every repository. A pasted trace stays whole:
    # its paths and names tell which repository it comes from.
    if told:
        asked = read_query.read_report(told, weights.term.part, weights.report)
    else:
        asked = read_query.read(question, weights.term.part)
    weight = {term.text: term.weight for term in asked.terms}
    beliefs = _beliefs(hub, found, weight)
    said = told.text if told else question
    named = {build.id: _is_named(build.repository, said) for build in found}
    ranked = [
        # Being named outweighs whatever the terms say.
        Ranked(build, (1.0 + beliefs[build.id]) / 2 if named[build.id] else beliefs[build.id] / 2)
        for build in found
    ]
    return sorted(ranked, key=lambda each: (-each.score, each.build.repository))[:limit]


def _beliefs(hub: Hub, found: Sequence[Build], weight: Mapping[str, float]) -> dict[int, float]:
    """For each build, how much its terms speak for it, 0 to 1."""
    sql = (
        "SELECT build_id, term, sum(n_chunks)::bigint FROM postings"
        " WHERE term = ANY (%s::text[]) AND build_id = ANY (%s::bigint[]) GROUP BY 1, 2"
    )
    frequency: dict[str, dict[int, int]] = {}
    for build, term, n_chunks in rows(hub, sql, (list(weight), [each.id for each in found])):
        frequency.setdefault(term, {})[build] = n_chunks
    total = sum(weight.values()) or 1.0
    # A large repository holds most words by its size alone, so frequencies are held against it.
    mean = max(1.0, sum(each.n_chunks for each in found) / max(1, len(found)))
    beliefs: dict[int, float] = {}
    for each in found:
        size = _BASE + _PER_SIZE * each.n_chunks / mean
        belief = 0.0
        for term, by_build in frequency.items():
            n_chunks = by_build.get(each.id, 0)
            # A word that every repository has says nothing about which one is meant.
            rarity = math.log((len(found) + 0.5) / len(by_build)) / math.log(len(found) + 1.0)
            evidence = n_chunks / (n_chunks + size) * rarity
            belief += weight[term] * (_B + (1 - _B) * evidence)
        # A term that no repository holds is the same for all of them; it is counted so that beliefs
        # stay comparable between questions.
        belief += _B * sum(weight[term] for term in weight.keys() - frequency.keys())
        beliefs[each.id] = belief / total
    return beliefs


def _is_named(repository: str, question: str) -> bool:
    """Whether every word of a repository's own name stands in the question."""
    # Its last part alone: nobody writes the name of the organisation in a question.
    words = {word.lower() for word in terms.words(question)}
    own = {word.lower() for word in terms.words(repository.rpartition("/")[2])}
    return bool(own) and own <= words
