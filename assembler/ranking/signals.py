"""The signals of each candidate of a question, as the learned ranking reads them. Pure.

A row a candidate, a column a signal of `NAMES`. Shares are in 0..1; sizes and counts are natural
logarithms of one more. Everything is rounded to a 4096th, so that the last bit of a logarithm,
which is not the same on every processor, decides nothing.

Not here: how they are weighed (`learned`), and how candidates are found (`candidates`).
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from satchel.assembler.query.read_query import Query, Term, Topic
from satchel.assembler.ranking import rank
from satchel.assembler.ranking.bm25f import Matches
from satchel.assembler.ranking.path_roles import PathRole, role_of
from satchel.assembler.values import Scored
from satchel.assembler.weights import N_LINKED, Weights
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

STEPS = 4096
"""Signals are rounded to this many steps of 1, so that no machine rounds a sum differently."""
_FREQUENT = 1.7
"""Occurrences in a body that count half of being there often: `k1` of BM25F."""
_LENGTHS = length_table()
_MAX_TERMS = 400
"""Terms of a question that are measured: those that tell most."""
_LINKED_SCALE = 20
"""About 1 / `Linking.weight`, which brings the share of links back to 0..1. The learned trees know
it so scaled."""
_LONG_WORD = 14
"""A word with more characters is taken for a name."""
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class Links(Struct, frozen=True):
    """What ties candidates to the rest of the code and to each other, by candidate."""

    callers: Floats
    """How many edges reach it from the product."""
    tests: Floats
    """How many reach it from tests."""
    callees: Floats
    """How many leave it."""
    others: Floats
    """How many tie it to the best candidates."""
    best_caller: Floats
    """The best score, against the best of all, of what calls or uses it; 0 for none."""
    best_callee: Floats
    """The same of what it calls or uses."""
    functions: Floats
    """How many functions are defined in it."""


class QueryContext(Struct, frozen=True):
    """A question with what the search learned of its terms."""

    query: Query
    matches: Matches
    layout: Layout
    weights: Weights


def measure(
    asked: QueryContext,
    ranked: Sequence[Scored],
    of_sum: Floats,
    links: Links,
) -> Floats:
    """The signals of some candidates that are ranked by the sum, best first.

    `of_sum` has a column for each of `OF_SUM` but the last.
    """
    columns: dict[str, Floats] = {}
    chunks = [item.chunk for item in ranked]
    top = ranked[0].score or 1.0
    for number, name in enumerate(OF_SUM[:-1]):
        columns[name] = of_sum[:, number]
    linked = [item.shares.get("linked", 0.0) for item in ranked]
    columns["linked"] = np.array(linked) * _LINKED_SCALE
    columns["sum"] = np.array([item.score / top for item in ranked])
    columns["place in sum"] = np.log1p(np.arange(len(ranked), dtype=np.float64))
    ids = np.array([chunk.id for chunk in chunks], dtype=np.int64)
    _of_words(columns, asked, ids)
    _of_files(columns, chunks, asked.layout.file_of[ids], columns["sum"])
    _of_chunks(columns, chunks)
    _of_places(columns, asked.layout, chunks, ids)
    _of_links(columns, links)
    _of_question(columns, asked, ranked)
    table = np.array([columns[name] for name in NAMES])
    return np.ascontiguousarray((np.round(table * STEPS) / STEPS).T)


def _of_words(columns: dict[str, Floats], asked: QueryContext, ids: Integers) -> None:
    """What stands in which field of a candidate, and anywhere in its file."""
    listed, worth = _telling(asked)
    counts, name_length, files, in_file = _counts(asked, listed, ids)
    said = [asked.query.terms[number] for number in listed]
    contains = (counts > 0).astype(np.float64)
    for field, name in zip(Field, OF_FIELDS, strict=True):
        columns[name] = _share(contains[field], worth)
    body = counts[Field.BODY]
    columns["often in body"] = _share(body / (body + _FREQUENT), worth)
    anywhere, in_name = contains.max(axis=0), contains[Field.NAME]
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
    """The share of what all terms are worth together that each candidate holds."""
    # `einsum` instead of a matrix product: the order of the sums of BLAS depends on its threads.
    return np.asarray(np.einsum("t,tn->n", worth, there) / (worth.sum() or 1.0), np.float64)


def _counts(
    asked: QueryContext, listed: Sequence[int], ids: Integers
) -> tuple[Floats, Floats, Floats, Floats]:
    """(occurrences by field, term and candidate; terms of the name; 1 where the file has a term;
    how rare the term is among the chunks of the file, 0 where it has none)
    """
    layout, n_terms = asked.layout, len(listed)
    entries = [
        (term, asked.weights.term.spelling if other else 1.0, found)
        for term, place in enumerate(listed)
        for other, found in enumerate(asked.matches.entries[place])
    ]
    sizes = [len(found.chunks) for _, _, found in entries]
    term = np.repeat([term for term, _, _ in entries], sizes)
    chunks = np.concatenate([found.chunks for _, _, found in entries])
    # Looking a chunk up in an array over all ids is faster than searching a sorted list.
    row_of = np.full(len(layout.file_of), -1, dtype=np.int64)
    row_of[ids] = np.arange(len(ids))
    rows = row_of[chunks]
    kept = np.flatnonzero(rows >= 0)
    rows = rows[kept]
    fields, counts, lengths = (
        np.concatenate([getattr(found, name) for _, _, found in entries])[kept]
        for name in ("fields", "counts", "lengths")
    )
    share: Floats = np.repeat([share for _, share, _ in entries], sizes)[kept]
    shape = (len(Field), n_terms, len(ids))
    cells = np.ravel_multi_index((fields, term[kept], rows), shape)
    occurrences = np.bincount(cells, share * counts, math.prod(shape)).astype(np.float64)
    named = fields == Field.NAME
    length = np.zeros(len(ids))
    length[rows[named]] = _LENGTHS[lengths[named]]
    files, file = np.unique(layout.file_of[ids], return_inverse=True)
    n_there = _chunks_with(layout, n_terms, files, term, chunks)
    found = n_there > 0
    idf = np.log1p((layout.sizes[files] - n_there + 0.5) / (n_there + 0.5)) * found
    return occurrences.reshape(shape), length, found[:, file].astype(np.float64), idf[:, file]


def _chunks_with(
    layout: Layout, n_terms: int, files: Integers, term: Integers, chunks: Integers
) -> Integers:
    """How many chunks of some files hold each term: a row a term, a column a file.

    `term` and `chunks` say which chunk has which term, some of them more than once.
    """
    place_of = np.full(len(layout.sizes), -1, dtype=np.int64)
    place_of[files] = np.arange(len(files))
    places = place_of[layout.file_of[chunks]]
    held = np.sort((term * len(layout.file_of) + chunks)[places >= 0], kind="stable")
    # Equal pairs stand side by side.
    term, chunks = np.divmod(held[np.flatnonzero(np.diff(held, prepend=-1))], len(layout.file_of))
    cells = term * len(files) + place_of[layout.file_of[chunks]]
    shape = (n_terms, len(files))
    return np.bincount(cells, minlength=math.prod(shape)).reshape(shape)


def _is_compound(term: Term) -> float:
    """1 for a whole word of several parts, which people write only as a name."""
    return float("_" in term.text or len(terms.split(term.text)) > 1 or len(term.text) > _LONG_WORD)


def _in_title(query: Query, listed: Sequence[Term]) -> Floats:
    """1 for terms that stand in the first sentence or line."""
    return np.array([float(term.text in query.opening) for term in listed])


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
    numbers: dict[tuple[str, str], int] = {}
    scope = np.array([
        numbers.setdefault((chunk.path, chunk.symbol.rpartition(".")[0]), len(numbers))
        for chunk in chunks
    ])  # fmt: skip
    # Candidates come best first, so that the first of a scope is its best.
    order = np.argsort(scope, kind="stable")
    first = np.searchsorted(scope[order], np.arange(len(numbers)))
    best = order[first]
    n_in = np.bincount(scope)
    others = np.zeros(len(numbers))
    others[n_in > 1] = scores[order[first[n_in > 1] + 1]]
    of_best: Floats = scores[best][scope]
    of_best[best] = others
    return of_best


def _of_chunks(columns: dict[str, Floats], chunks: Sequence[ChunkRecord]) -> None:
    """Kind and size of the candidates."""
    columns["tokens"] = np.log1p([float(chunk.tokens) for chunk in chunks])
    lines = [float(chunk.span.end_line - chunk.span.start_line) for chunk in chunks]
    columns["lines"] = np.log1p(lines)
    kinds = [chunk.symbol_kind for chunk in chunks]
    columns["is function"] = np.array([float(kind in FUNCTIONS) for kind in kinds])
    columns["is type"] = np.array([float(kind in TYPES) for kind in kinds])
    columns["is nothing"] = np.array([float(kind is None) for kind in kinds])
    columns["depth"] = np.array([float(chunk.symbol.count(".")) for chunk in chunks])


def _of_places(
    columns: dict[str, Floats], layout: Layout, chunks: Sequence[ChunkRecord], ids: Integers
) -> None:
    """Where the candidates stand."""
    files = layout.file_of[ids]
    is_test = np.array([chunk.is_test for chunk in chunks])
    # What a path says is worked out once for the code of a file and once for tests in it.
    _, some, place = np.unique(2 * files + is_test, return_index=True, return_inverse=True)
    roles = [
        role_of(chunk.path, chunk.language, chunk.is_test)
        for chunk in (chunks[n] for n in some.tolist())
    ]
    for name, topic in (
        ("is documentation", Topic.DOCUMENTATION), ("is configuration", Topic.CONFIGURATION),
        ("is example", Topic.EXAMPLES),
    ):  # fmt: skip
        columns[name] = np.array([float(one.topic == topic) for one in roles])[place]
    columns["is compatibility"] = _flags(roles, "is_compatibility")[place]
    columns["is reexport"] = _flags(roles, "is_reexport")[place]
    columns["is declaration"] = _flags(roles, "is_declaration")[place]
    sizes = layout.sizes[files].astype(np.float64)
    columns["position"] = (ids - _firsts(layout)[files]) / np.maximum(1.0, sizes)
    columns["file size"] = np.log1p(sizes)


def _of_links(columns: dict[str, Floats], links: Links) -> None:
    """What the call graph says of the candidates."""
    for name, found in (
        ("callers", links.callers), ("callees", links.callees), ("tests that call", links.tests),
        ("links to others", links.others), ("functions inside", links.functions),
    ):  # fmt: skip
        columns[name] = np.log1p(found)
    columns["best caller"], columns["best callee"] = links.best_caller, links.best_callee


def _firsts(layout: Layout) -> npt.NDArray[np.int64]:
    """The first chunk id of each file."""
    # Files are numbered in the order of their chunk ids.
    known = np.flatnonzero(layout.file_of >= 0)
    firsts: npt.NDArray[np.int64] = known[np.cumsum(layout.sizes) - layout.sizes]
    return firsts


def _flags(roles: Sequence[PathRole], name: str) -> Floats:
    return np.array([float(getattr(role, name)) for role in roles])


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
