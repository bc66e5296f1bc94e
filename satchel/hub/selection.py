"""Which repositories a question is about: resource selection, before anything in them is ranked.

Each repository is a document whose terms are known by how many of its chunks hold them, and a
question is about those whose language model makes its words likely (Si, Jin, Callan and Ogilvie,
CIKM 2002). A repository that the question names, itself or a package that it publishes, comes
first.
"""

import math
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from msgspec import Struct

from satchel.assembler.query import read_query
from satchel.assembler.weights import DEFAULT, Weights
from satchel.hub.database import Hub, rows, written
from satchel.hub.reading.file_table import Build
from satchel.hub.repositories import Repository
from satchel.indexer.languages.code import CODE
from satchel.store import terms
from satchel.store.errors import UsageError

_MOST_WORDS = 40
"""Words of a question that are looked up as names of definitions."""
# At the beginning or at the end alone: "requests in click handlers" is about neither repository.
_ADDRESSED = re.compile(
    r"^in (?:the )?([\w.+/-]*\w)(?: (?:repo|repository|project))?\s*[,:]"
    r"|\bin (?:the )?([\w.+/-]*\w)(?: (?:repo|repository|project))?\s*[?.!]?\s*$",
    re.IGNORECASE,
)


# As a table, which is hashed once: a list would be searched anew for each term or row.
_AMONG = "IN (SELECT unnest(%s::bigint[]))"


class Ranked(Struct, frozen=True):
    """A repository and how likely it is meant, against the likeliest: 0 to 1."""

    build: Build
    likely: float


def matching(found: Sequence[Build], pattern: str) -> list[Build]:
    """The repositories that a pattern means.

    Raises:
        UsageError: there is none.
    """
    chosen = [build for build in found if fnmatchcase(build.repository, pattern)]
    if not chosen:
        raise UsageError(
            f"no repository is called {pattern!r}",
            # An agent has no commands, and whoever runs the hub has no tools.
            "the tool `overview` shows those you may read, `satchel hub status` all",
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
    # What the template of a report says is said of every repository. A pasted trace stays whole:
    # its paths and names tell which repository it comes from.
    asked = read_query.read_text(question, weights)
    said = asked.text
    beliefs = _beliefs(hub, found, {term.text: term.weight for term in asked.terms}, weights)
    for added in (
        _defining(hub, found, said, weights),
        _written_in(found, said, weights.repositories.language),
    ):
        for build, value in added.items():
            beliefs[build] += value
    # Looked up last: most questions name nobody, and the terms have been counted by then.
    named = _named_builds(hub, found, said)
    top = max((beliefs[each.id] for each in found), default=0.0)
    span = weights.repositories.span

    def likely(build: Build) -> float:
        # Being named outweighs whatever the terms say.
        if named:
            return float(build.id in named)
        # Against the best and not absolutely: beliefs of two questions cannot be compared.
        return max(0.0, 1.0 - (top - beliefs[build.id]) / span)

    def order(build: Build) -> tuple[bool, float, str]:
        return build.id not in named, -beliefs[build.id], build.repository

    return [Ranked(build, likely(build)) for build in sorted(found, key=order)[:limit]]


def _beliefs(
    hub: Hub, found: Sequence[Build], weight: Mapping[str, float], weights: Weights
) -> dict[int, float]:
    """For each build, how well its chunks predict the terms of a question."""
    sql = (
        "SELECT build_id, term, sum(n_chunks)::bigint FROM postings"
        f" WHERE term = ANY (%s::text[]) AND build_id {_AMONG} GROUP BY 1, 2"
    )
    number = weights.repositories
    sizes = {each.id: max(1, each.n_chunks) for each in found}
    beliefs = dict.fromkeys(sizes, 0.0)
    total = sum(weight.values()) or 1.0
    values = ([written(term) for term in weight], list(sizes))
    # In one order, since sums of floats depend on it.
    for build, term, n_chunks in sorted(rows(hub, sql, values)):
        share = n_chunks / sizes[build]
        beliefs[build] += weight.get(term, 0.0) / total * math.log1p(number.density * share)
    return beliefs


def _defining(
    hub: Hub, found: Sequence[Build], question: str, weights: Weights
) -> dict[int, float]:
    """What is added to builds that define something called like a word of the question."""
    words = list(dict.fromkeys(terms.words(question)))[:_MOST_WORDS]
    sql = (
        "SELECT f.build_id, count(DISTINCT s.name) FROM content_symbols s"
        " JOIN files f USING (content_id) WHERE s.name = ANY (%s::text[])"
        f" AND f.build_id {_AMONG} GROUP BY 1"
    )
    number = weights.repositories
    values = ([written(word) for word in words], [each.id for each in found])
    return {
        build: number.definition * min(n_names, number.definitions)
        for build, n_names in rows(hub, sql, values)
    }


def _written_in(found: Sequence[Build], question: str, worth: float) -> dict[int, float]:
    """What is added to builds in a language that the question names."""
    words = {word.lower() for word in terms.words(question)}
    # Names of languages that are plain words, such as "c" and "go", are part of most questions.
    asked = words & {each.name for each in CODE if len(each.name) > 2}
    return {each.id: worth for each in found if not asked.isdisjoint(each.languages)}


def _named_builds(hub: Hub, found: Sequence[Build], question: str) -> set[int]:
    """The builds whose repository, or a package of it, a question names."""
    words = {word.lower() for word in terms.words(question)}
    named = {each.id for each in found if _is_named(each.repository, words)}
    if named:
        return named
    # A package is named by its whole name alone: parts of one are plain words.
    whole = re.findall(r"[@\w][\w.@/-]*[\w]", question)
    sql = (
        "SELECT DISTINCT build_id FROM packages WHERE NOT is_needed AND name = ANY (%s::text[])"
        " AND build_id = ANY (%s::bigint[]) AND name ~ '[^[:alpha:]]'"
    )
    values = ([written(word) for word in whole], [each.id for each in found])
    return {row[0] for row in rows(hub, sql, values)}


def addressed(found: Sequence[Build], question: str) -> tuple[list[Build], str]:
    """The repositories that a question is put to in words ("… in flask"), and what it asks there.

    None, and the question as it is, where it says no such thing: names of repositories are plain
    words in most questions.
    """
    by_name: dict[str, list[Build]] = {}
    for build in found:
        by_name.setdefault(build.repository.lower(), []).append(build)
        by_name.setdefault(build.repository.rpartition("/")[2].lower(), []).append(build)
    for match in _ADDRESSED.finditer(question):
        chosen = by_name.get((match[1] or match[2]).lower())
        rest = f"{question[: match.start()]} {question[match.end() :]}".strip(" ,:;")
        if chosen and rest:
            return list(dict.fromkeys(chosen)), rest
    return [], question


def _is_named(repository: str, words: set[str]) -> bool:
    """Whether every word of a repository's own name is among those of a question."""
    # Its last part alone: nobody writes the name of the organisation in a question.
    own = {word.lower() for word in terms.words(repository.rpartition("/")[2])}
    return bool(own) and own <= words
