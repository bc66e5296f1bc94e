"""The lexical index: what goes in comes out, and scores equal those of the textbook formula."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.assembler.query.read_query import Term
from satchel.assembler.ranking import bm25f
from satchel.assembler.weights import TermWeights
from satchel.indexer.extract.fields import chunk_texts
from satchel.indexer.extract.source import Source
from satchel.store import postings, terms
from satchel.store.postings import BLOCK_BITS, Field, FilePostings
from tests.support.satchel import STORE, copy_of_our_source, index

WORDS = st.sampled_from("alpha beta gammaDelta delta_alpha epsilon".split())
TEXT = st.lists(WORDS, max_size=6).map(" ".join)
CHUNKS = st.lists(st.tuples(*[TEXT] * len(Field)), max_size=4)
FIRST = st.integers(0, 3 << BLOCK_BITS) | st.just((1 << BLOCK_BITS) - 1)


def expected(files: list[tuple[int, list[tuple[str, ...]]]]) -> set[tuple[str, int, int, int]]:
    """(term, chunk, field, count), the obvious way."""
    return {
        (term, first + ordinal, field, n)
        for first, chunks in files
        for ordinal, fields in enumerate(chunks)
        for field, text in enumerate(fields)
        for term, n in terms.term_counts(text).items()
    }


def found(stored: dict[tuple[str, int], bytes]) -> set[tuple[str, int, int, int]]:
    rows: set[tuple[str, int, int, int]] = set()
    for (term, block), packed in stored.items():
        columns = postings.columns(postings.unpack(block, packed))
        for chunk, field, n in zip(columns.chunks, columns.fields, columns.counts, strict=True):
            rows.add((term, int(chunk), int(field), int(n)))
    return rows


def counted(files) -> list[tuple[int, FilePostings]]:
    """The postings of (first chunk, texts of chunks), counted together, headers left out."""
    texts = [[(*fields, "header of a chunk") for fields in chunks] for _, chunks in files]
    built = postings.index_terms(postings.count_terms(texts))
    return [(first, each) for (first, _), each in zip(files, built, strict=True)]


@given(st.lists(CHUNKS, max_size=4), FIRST)
def test_files_counted_together_are_as_each_by_itself(contents, first: int):
    files = [(first, chunks) for chunks in contents]
    assert counted(files) == [each for file in files for each in counted([file])]


@given(st.lists(CHUNKS, max_size=4), FIRST)
def test_entries_come_back_as_they_went_in(contents: list[list[tuple[str, ...]]], first: int):
    files: list[tuple[int, list[tuple[str, ...]]]] = []
    for chunks in contents:
        files.append((first, chunks))
        first += len(chunks)
    built = counted(files)
    stored = {(term, block): entries for term, block, entries in postings.rows(built)}
    assert list(stored) == sorted(stored)
    assert found(stored) == expected(files)


@given(CHUNKS, CHUNKS, CHUNKS, FIRST)
def test_taking_files_out_leaves_the_others(gone, kept, gone_too, first: int):
    files, ranges = [], []
    for chunks in (gone, kept, gone_too):
        files.append((first, chunks))
        ranges.append((first, len(chunks)))
        first += len(chunks)
    built = counted(files)
    stored = {(term, block): entries for term, block, entries in postings.rows(built)}
    rows = [(block, packed) for (_, block), packed in stored.items()]
    left = postings.without_chunks(rows, [ranges[2], ranges[0]])
    rest = dict(zip(stored, left, strict=True))
    assert found(rest) == expected(files[1:2])


@given(st.permutations(range(4)), st.lists(CHUNKS, min_size=4, max_size=4), FIRST)
def test_files_may_come_in_any_order(order: list[int], contents, first: int):
    starts = [first + sum(map(len, contents[:n])) for n in range(4)]
    built = counted(list(zip(starts, contents, strict=True)))
    wanted = {(term, block): entries for term, block, entries in postings.rows(built)}
    stored: dict[tuple[str, int], bytes] = {}
    for number in order:
        for term, block, entries in postings.rows([built[number]]):
            held = stored.get((term, block))
            stored[term, block] = entries if held is None else postings.merged(held, entries)
    assert stored == wanted


@given(st.lists(st.tuples(st.text(min_size=1), st.integers(0, 9)), max_size=3), FIRST)
def test_a_path_is_in_every_chunk_of_its_file(paths: list[tuple[str, int]], first: int):
    files = [(path, first + 10 * n, n_chunks) for n, (path, n_chunks) in enumerate(paths)]
    built = postings.index_paths(files)
    stored = {(term, block): entries for term, block, entries in postings.rows([(0, built)])}
    texts = [
        (first, [tuple("" if f != Field.PATH else path for f in Field)] * n_chunks)
        for path, first, n_chunks in files
    ]
    assert found(stored) == expected(texts)
    in_all = [n_chunks * sum(terms.term_counts(path).values()) for path, _, n_chunks in files]
    assert built.lengths[Field.PATH] == sum(in_all)


@given(st.integers(0, 60_000))
def test_a_length_is_kept_to_within_its_bound(length: int):
    assert postings.length_table()[postings.length_code(length)] == pytest.approx(length, rel=0.045)


def test_counts_saturate_instead_of_spilling():
    [(_, built)] = counted([(0, [("", "", "", "", "", "word " * 1000)])])
    columns = postings.columns(np.frombuffer(built.entries, "<u8"))
    assert (columns.counts.tolist(), columns.fields.tolist()) == ([255.0], [Field.BODY])


def test_nothing_gives_nothing():
    assert postings.index_terms(postings.count_terms([])) == []
    assert counted([(0, [])]) == [(0, FilePostings((), (), b"", (0,) * len(Field)))]
    assert list(postings.rows([])) == []


def naive(
    chunks: dict[int, list[str]], query: list[Term], weights: TermWeights
) -> dict[int, float]:
    """BM25F as the textbook has it (Robertson & Zaragoza 2009, §3.6), with coded lengths.

    Other spellings of a term are the same word, each occurrence counting less.
    """
    table = postings.length_table()
    counts = {c: [terms.term_counts(text) for text in fields] for c, fields in chunks.items()}
    lengths = {c: [sum(n.values()) for n in fields] for c, fields in counts.items()}
    means = [max(1.0, sum(n[f] for n in lengths.values()) / len(chunks)) for f in Field]
    scores: dict[int, float] = {}
    for term in query:
        worth = {term.text: 1.0, **dict.fromkeys(term.spellings, weights.spelling)}
        holding = [c for c, fields in counts.items() if any(worth.keys() & n for n in fields)]
        idf = math.log(1 + (len(chunks) - len(holding) + 0.5) / (len(holding) + 0.5))
        for c in holding:
            frequency = 0.0
            for f in Field:
                length = table[postings.length_code(lengths[c][f])]
                norm = 1 - weights.b + weights.b * length / means[f]
                times = sum(w * min(255, counts[c][f].get(t, 0)) for t, w in worth.items())
                frequency += weights.boost[f] * times / norm
            scores[c] = scores.get(c, 0.0) + idf * frequency / (weights.k1 + frequency)
    return scores


def test_scores_equal_the_textbook_formula(tmp_path: Path):
    weights = TermWeights()
    query = [Term(term, 1.0) for term in ("token", "chunk", "refresh", "count_length", "nowhere")]
    query.append(Term("length", 1.0, ("siz", "nowhereeither", "n")))
    with index(copy_of_our_source(tmp_path, STORE)).snapshot() as snapshot:
        chunks: dict[int, list[str]] = {}
        for file in snapshot.files.all():
            facts = snapshot.files.facts(file.digest, file.language)
            source = Source.of(snapshot.files.source(file.digest, file.language))
            fields = chunk_texts(facts, source)
            for record, texts in zip(snapshot.chunks.of_file(file.path), fields, strict=True):
                listed = list(texts[: len(Field)])
                listed[Field.PATH] = file.path
                chunks[record.id] = listed
        matches = bm25f.search(snapshot, query, None, weights)
    scores = dict(zip(matches.chunks.tolist(), matches.scores.tolist(), strict=True))
    oracle = naive(chunks, query, weights)
    assert scores.keys() == oracle.keys()
    assert len(scores) > 100
    for chunk, score in scores.items():
        assert score == pytest.approx(oracle[chunk], rel=1e-9)
    assert matches.idf["nowhere"] == 0.0
