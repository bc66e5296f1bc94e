"""The signals of each candidate of a question, as the learned ranking reads them. Pure.

A row a candidate, a column a signal of `NAMES`. Shares are in 0..1; sizes and counts are natural
logarithms of one more. Everything is rounded to a 4096th, so that the last bit of a logarithm,
which is not the same on every processor, decides nothing.

Not here: how they are weighed (`learned`), and how candidates are found (`candidates`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from satchel.assembler.query.read_query import Query, Term, Topic
from satchel.assembler.ranking import rank
from satchel.assembler.ranking.bm25f import Matches
from satchel.assembler.ranking.path_roles import Place, place_of
from satchel.assembler.values import Scored
from satchel.assembler.weights import Weights
from satchel.store import terms
from satchel.store.model import FUNCTIONS, TYPES
from satchel.store.postings import Field, length_table
from satchel.store.reading.chunk_layout import Layout
from satchel.store.records import ChunkRecord

OF_SUM = ("terms", "vectors", "definition", "path", "file", "folder", "linked")
OF_FIELDS = ("name", "scope", "path words", "signature", "doc", "body")
NAMES = (
    # What the weighted sum is made of, and the sum itself against the best one.
    *OF_SUM, "sum", "place in sum",
    # Shares of the question's words, by rarity, that stand in each field, often, and anywhere.
    *OF_FIELDS, "often in body", "anywhere", "words anywhere", "rarest", "three rarest",
    "rarest in name", "part of name", "compounds", "title anywhere", "title in name",
    # The same for the whole file, and what else of it is in the running.
    "file words", "file rarest", "file best", "file title", "file candidates", "place in file",
    # The candidate itself.
    "tokens", "lines", "is function", "is type", "is nothing", "depth", "position", "file size",
    "is documentation", "is configuration", "is example", "is compatibility", "is reexport",
    "is declaration", "callers", "callees", "tests that call", "links to others",
    # What tells it from the rest of its file, and what it is tied to.
    "rare in file", "rare in name in file", "best caller", "best callee", "best of scope",
    "functions inside",
    # The question.
    "question detail", "question words", "question names", "question compounds", "question rarity",
    "question change", "best sum", "index size",
)  # fmt: skip
"""Every signal, in the order of the columns."""

_STEP = 4096.0
_FREQUENT = 1.7
_LENGTHS = length_table()
_MAX_TERMS = 400
N_LINKED = 60
"""Best candidates that the others can have links to."""
Floats = npt.NDArray[np.float64]


class Links(Struct, frozen=True):
    """How many edges reach candidates from the product, leave them, reach them from tests, tie
    them to the best candidates; by chunk id, 0 where there is no entry."""

    callers: Mapping[int, int]
    callees: Mapping[int, int]
    tests: Mapping[int, int]
    others: Mapping[int, int]
    best_caller: Mapping[int, float]
    """The best score, against the best of all, of what calls or uses it, by chunk id."""
    best_callee: Mapping[int, float]
    """The same of what it calls or uses."""
    functions: Mapping[int, int]
    """How many functions are defined in a chunk."""


class QueryContext(Struct, frozen=True):
    """A question with what the search learned of its terms."""

    query: Query
    matches: Matches
    layout: Layout
    weights: Weights


def measure(
    asked: QueryContext,
    ranked: Sequence[Scored],
    measured: Mapping[int, Sequence[float]],
    links: Links,
) -> Floats:
    """The signals of some candidates that are ranked by the sum, best first.

    `measured` gives by chunk id those of `OF_SUM` but the last; `links` maps chunk ids too.
    """
    columns: dict[str, Floats] = {}
    chunks = [item.chunk for item in ranked]
    top = ranked[0].score or 1.0
    rows = np.array([measured[item.chunk.id] for item in ranked], dtype=np.float64)
    for number, name in enumerate(OF_SUM[:-1]):
        columns[name] = rows[:, number]
    linked = [item.shares.get("linked", 0.0) for item in ranked]
    columns["linked"] = np.array(linked) * 20
    columns["sum"] = np.array([item.score / top for item in ranked])
    columns["place in sum"] = np.log1p(np.arange(len(ranked), dtype=np.float64))
    _of_words(columns, asked, chunks)
    files = asked.layout.file_of[np.array([chunk.id for chunk in chunks], dtype=np.int64)]
    _of_files(columns, chunks, files, columns["sum"])
    _of_chunks(columns, asked, chunks, links)
    _of_question(columns, asked, ranked)
    table = np.array([columns[name] for name in NAMES])
    return np.ascontiguousarray((np.round(table * _STEP) / _STEP).T)


def _of_words(
    columns: dict[str, Floats], asked: QueryContext, chunks: Sequence[ChunkRecord]
) -> None:
    """What stands in which field of a candidate, and anywhere in its file."""
    listed, worth = _telling(asked)
    counts, name_length, files, in_file = _counts(asked, listed, chunks)
    said = [asked.query.terms[number] for number in listed]
    contains = (counts > 0).astype(np.float64)
    for field, name in zip(Field, OF_FIELDS, strict=True):
        columns[name] = _share(contains[:, :, field], worth)
    body = counts[:, :, Field.BODY]
    columns["often in body"] = _share(body / (body + _FREQUENT), worth)
    anywhere, in_name = contains.max(axis=2), contains[:, :, Field.NAME]
    columns["words anywhere"] = anywhere.mean(axis=0)
    best = worth.max(initial=0.0) or 1.0
    columns["rarest"] = (worth[:, None] * anywhere).max(axis=0) / best
    columns["rarest in name"] = (worth[:, None] * in_name).max(axis=0) / best
    columns["part of name"] = np.minimum(1.0, in_name.sum(axis=0) / np.maximum(1.0, name_length))
    # Of the words that its file has, those that few chunks of the file have tell which is meant.
    told = np.maximum(1e-9, np.einsum("t,tn->n", worth, in_file))
    columns["rare in file"] = np.einsum("t,tn->n", worth, in_file * anywhere) / told
    columns["rare in name in file"] = np.einsum("t,tn->n", worth, in_file * in_name) / told
    rarest = worth * (worth >= np.sort(worth)[-min(3, len(worth))])
    compound = worth * np.array([_is_compound(term) for term in said])
    title = worth * _in_title(asked.query, said)
    for name, there, of in (
        ("anywhere", anywhere, worth), ("three rarest", anywhere, rarest),
        ("compounds", anywhere, compound), ("title anywhere", anywhere, title),
        ("title in name", in_name, title), ("file words", files, worth),
        ("file rarest", files, rarest), ("file title", files, title),
    ):  # fmt: skip
        columns[name] = _share(there, of)


def _telling(asked: QueryContext) -> tuple[list[int], Floats]:
    """The places of the terms that tell most, in their order, and what each is worth."""
    terms_of = asked.query.terms
    worth = np.array([term.weight * asked.matches.idf.get(term.text, 0.0) for term in terms_of])
    # Somebody may paste thousands of words; the rarest ones decide, and the rest costs time.
    kept = np.sort(np.argsort(-worth, kind="stable")[:_MAX_TERMS])
    return kept.tolist(), worth[kept]


def _share(there: Floats, worth: Floats) -> Floats:
    """Of what terms are worth together, the share that is there, by candidate."""
    # `einsum` instead of a matrix product: the order of the sums of BLAS depends on its threads.
    return np.asarray(np.einsum("t,tn->n", worth, there) / (worth.sum() or 1.0), np.float64)


def _counts(
    asked: QueryContext, listed: Sequence[int], chunks: Sequence[ChunkRecord]
) -> tuple[Floats, Floats, Floats, Floats]:
    """(occurrences by term, candidate and field; terms of the name; 1 where the file has a term;
    how rare the term is among the chunks of the file, 0 where it has none)
    """
    layout, n_terms = asked.layout, len(listed)
    ids = np.array([chunk.id for chunk in chunks], dtype=np.int64)
    # Looking a chunk up in an array over all ids is faster than searching a sorted list.
    row_of = np.full(len(layout.file_of), -1, dtype=np.int64)
    row_of[ids] = np.arange(len(ids))
    counts = np.zeros((n_terms, len(ids), len(Field)))
    length = np.zeros(len(ids))
    files = np.zeros((n_terms, len(ids)))
    rarity = np.zeros((n_terms, len(ids)))
    file_of = layout.file_of[ids]
    sizes = layout.sizes[file_of].astype(np.float64)
    for number, entries in enumerate(asked.matches.entries[place] for place in listed):
        for place, found in enumerate(entries):
            rows = row_of[found.chunks]
            keep = rows >= 0
            rows, fields = rows[keep], found.fields[keep]
            share = asked.weights.term.spelling if place else 1.0
            # An entry a chunk and field: no pair comes twice within one term.
            counts[number, rows, fields] += share * found.counts[keep]
            named = fields == Field.NAME
            length[rows[named]] = _LENGTHS[found.lengths[keep][named]]
        held = entries[0].chunks
        if len(entries) > 1:
            held = np.sort(np.concatenate([found.chunks for found in entries]), kind="stable")
        # Entries are in the order of chunks, so equal ids stand side by side.
        holding = held[np.flatnonzero(np.diff(held, prepend=-1))]
        n_there = np.bincount(layout.file_of[holding], minlength=len(layout.sizes))[file_of]
        files[number] = n_there > 0
        rarity[number] = files[number] * np.log1p((sizes - n_there + 0.5) / (n_there + 0.5))
    return counts, length, files, rarity


def _is_compound(term: Term) -> float:
    """1 for a whole word of several parts, which people write only as a name."""
    return float("_" in term.text or len(terms.split(term.text)) > 1 or len(term.text) > 14)


def _in_title(query: Query, listed: Sequence[Term]) -> Floats:
    """1 for terms that stand in the first sentence or line."""
    head = query.text.split("\n", 1)[0].split(". ", 1)[0]
    said = {part for word in terms.words(head) for part in terms.split(word)}
    return np.array([float(term.text in said) for term in listed])


def _of_files(
    columns: dict[str, Floats],
    chunks: Sequence[ChunkRecord],
    files: npt.NDArray[np.int64],
    scores: Floats,
) -> None:
    """What else of a candidate's file, by the files' numbers, is in the running."""
    # Candidates come best first.
    _, best, file = np.unique(files, return_index=True, return_inverse=True)
    columns["file best"] = scores[best][file]
    columns["best of scope"] = _best_of_scope(chunks, scores)
    columns["file candidates"] = np.log1p(np.bincount(file[:N_LINKED], minlength=len(best))[file])
    order = np.argsort(file, kind="stable")
    places = np.empty(len(file))
    places[order] = np.arange(len(file)) - np.searchsorted(file[order], file[order])
    columns["place in file"] = np.log1p(places)


def _best_of_scope(chunks: Sequence[ChunkRecord], scores: Floats) -> Floats:
    """The best score of another candidate in the same class or module, 0 for none."""
    scopes = [(chunk.path, chunk.symbol.rpartition(".")[0]) for chunk in chunks]
    first: dict[tuple[str, str], tuple[int, float]] = {}
    second: dict[tuple[str, str], float] = {}
    # Candidates come best first.
    for place, (scope, score) in enumerate(zip(scopes, scores.tolist(), strict=True)):
        if scope in first:
            second.setdefault(scope, score)
        first.setdefault(scope, (place, score))
    return np.array([
        second.get(scope, 0.0) if first[scope][0] == place else first[scope][1]
        for place, scope in enumerate(scopes)
    ])  # fmt: skip


def _of_chunks(
    columns: dict[str, Floats], asked: QueryContext, chunks: Sequence[ChunkRecord], links: Links
) -> None:
    """Kind, size and place of the candidates, and what the call graph says of them."""
    layout = asked.layout
    ids = np.array([chunk.id for chunk in chunks], dtype=np.int64)
    files = layout.file_of[ids]
    is_test = np.array([chunk.is_test for chunk in chunks])
    # What a path says is worked out once for the code of a file and once for tests in it.
    _, some, place = np.unique(2 * files + is_test, return_index=True, return_inverse=True)
    places = [
        place_of(chunk.path, chunk.language, chunk.is_test)
        for chunk in (chunks[n] for n in some.tolist())
    ]
    for name, topic in (
        ("is documentation", Topic.DOCUMENTATION), ("is configuration", Topic.CONFIGURATION),
        ("is example", Topic.EXAMPLES),
    ):  # fmt: skip
        columns[name] = np.array([float(one.topic == topic) for one in places])[place]
    columns["is compatibility"] = _flags(places, "is_compatibility")[place]
    columns["is reexport"] = _flags(places, "is_reexport")[place]
    columns["is declaration"] = _flags(places, "is_declaration")[place]
    columns["tokens"] = np.log1p([float(chunk.tokens) for chunk in chunks])
    lines = [float(chunk.span.end_line - chunk.span.start_line) for chunk in chunks]
    columns["lines"] = np.log1p(lines)
    columns["is function"] = np.array([float(c.symbol_kind in FUNCTIONS) for c in chunks])
    columns["is type"] = np.array([float(c.symbol_kind in TYPES) for c in chunks])
    columns["is nothing"] = np.array([float(c.symbol_kind is None) for c in chunks])
    columns["depth"] = np.array([min(5.0, c.symbol.count(".")) for c in chunks])
    sizes = layout.sizes[files].astype(np.float64)
    columns["position"] = (ids - _firsts(layout)[files]) / np.maximum(1.0, sizes)
    columns["file size"] = np.log1p(sizes)
    for name, found in (
        ("callers", links.callers), ("callees", links.callees), ("tests that call", links.tests),
        ("links to others", links.others), ("functions inside", links.functions),
    ):  # fmt: skip
        columns[name] = np.log1p([found.get(chunk.id, 0.0) for chunk in chunks])
    for name, best in (("best caller", links.best_caller), ("best callee", links.best_callee)):
        columns[name] = np.array([best.get(chunk.id, 0.0) for chunk in chunks])


def _firsts(layout: Layout) -> npt.NDArray[np.int64]:
    """The first chunk id of each file."""
    # Files are numbered in the order of their chunk ids.
    known = np.flatnonzero(layout.file_of >= 0)
    firsts: npt.NDArray[np.int64] = known[np.cumsum(layout.sizes) - layout.sizes]
    return firsts


def _flags(places: Sequence[Place], name: str) -> Floats:
    return np.array([float(getattr(place, name)) for place in places])


def _of_question(columns: dict[str, Floats], asked: QueryContext, ranked: Sequence[Scored]) -> None:
    """What is the same for all candidates of a question."""
    query, idf = asked.query, asked.matches.idf
    values = {
        "question detail": rank.detail(query, asked.weights.penalty),
        "question words": math.log1p(len(query.words)),
        "question names": math.log1p(len(query.identifiers)),
        "question compounds": math.log1p(sum(_is_compound(term) for term in query.terms)),
        "question rarity": math.fsum(idf.values()) / max(1, len(idf)),
        "question change": float(query.is_change),
        "best sum": ranked[0].score,
        "index size": math.log1p(len(asked.layout.sizes)),
    }
    for name, value in values.items():
        columns[name] = np.full(len(ranked), value)
