"""Checks that searching finds what is there: every term, every vector, every edge."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from satchel.indexer.callgraph import linker
from satchel.indexer.encode import chunk_texts
from satchel.store import postings
from satchel.store.sqlite import vectors
from satchel.store.sqlite.rows import decode_path
from satchel.validation.check_context import CheckContext
from satchel.validation.model import Finding, Severity

# Contents that are encoded again by `standard`; every seal is compared.
_SAMPLE = 40
# float16 keeps 0.1 %, and sums of float32 differ between processors.
_TOLERANCE = 4e-3


def terms(context: CheckContext) -> Iterator[Finding]:
    """Asking for a term finds exactly the chunks that hold it; all entries are held in memory."""
    files = []
    for row in context.audit.files():
        path, first_chunk = decode_path(row[1]), row[9]
        files.append((first_chunk, context.audit.postings_of(row[2], row[3])))
        files.append((first_chunk, postings.index_path(path, row[10])))
    wanted: list[str] = []
    for term, blocks in groupby(postings.rows(files), key=itemgetter(0)):
        wanted.append(term)
        if context.audit.blocks(term) != [row[1:] for row in blocks]:
            yield _error("V023", f"the term {term!r} does not find what holds it")
    held = context.audit.terms()
    if held != wanted:
        odd = sorted(set(held) ^ set(wanted))[:5]
        yield _error("V023", f"terms that nothing holds, or that are not listed: {odd}")
    totals = [sum(column) for column in zip(*(p.lengths for _, p in files), strict=True)]
    if {f: n for f, n in enumerate(totals) if n} != context.audit.field_lengths():
        yield _error("V023", "lengths of fields do not add up")


def vector_checksums(context: CheckContext) -> Iterator[Finding]:
    """Every vector is the one that was made of its text: sealed to it, and of length 1 or 0."""
    shapes = {(row[2], row[3]): row[10] for row in context.audit.files()}
    for digest, language, encoder, packed, sealed in context.audit.vectors():
        if not sealed:
            yield _error("V024", f"vectors of {digest[:10]} are not those that were made of it")
            continue
        if encoder != context.encoder.name:
            continue
        matrix = vectors.unpack(packed, context.encoder.dimensions)
        lengths = np.linalg.norm(matrix, axis=1)
        n_chunks = shapes.get((digest, language), len(matrix))
        if len(matrix) != n_chunks or not _are_units(lengths):
            yield _error("V024", f"vectors of {digest[:10]} have the wrong number or length")


def _are_units(lengths: npt.NDArray[np.float32]) -> bool:
    return bool(np.all((np.abs(lengths - 1) < 0.01) | (lengths == 0)))


def covered(context: CheckContext) -> Iterator[Finding]:
    """Every chunk has a vector, where vectors are in use."""
    if context.settings.vectors.engine == "off":
        return
    absent = vectors.unencoded(context.audit.connection, context.encoder)
    n_chunks = sum(n for _, _, n in absent)
    if n_chunks:
        yield _error("V015", f"{n_chunks} chunks of {len(absent)} files have no vector yet")


def sampled_vectors(context: CheckContext) -> Iterator[Finding]:
    """Encoding a spread of files again gives their vectors again."""
    yield from _compare_encoded(context, _SAMPLE, "V025")


def all_vectors(context: CheckContext) -> Iterator[Finding]:
    """Encoding everything again gives every vector again."""
    yield from _compare_encoded(context, 0, "V081")


def _compare_encoded(context: CheckContext, sample: int, code: str) -> Iterator[Finding]:
    held = [row for row in context.audit.vectors() if row[2] == context.encoder.name]
    held.sort(key=lambda row: (row[0], row[1]))
    step = max(1, len(held) // sample) if sample else 1
    for digest, language, _, packed, _ in held[::step]:
        facts, source, _ = context.audit.content(digest, language)
        made = context.encoder.encode(chunk_texts(facts, source))
        matrix = vectors.unpack(packed, context.encoder.dimensions)
        if made.shape != matrix.shape or float(np.abs(made - matrix).max(initial=0)) > _TOLERANCE:
            yield _error(code, f"vectors of {digest[:10]} are not what encoding its text gives")


def edges(context: CheckContext) -> Iterator[Finding]:
    """Deriving the call graph again gives the same edges, once all are derived; see `finished`."""
    if not context.snapshot.linked:
        return
    derived, asked = linker.compute_edges(context.audit.connection)
    watching = context.audit.files_with_dependencies()
    # What exactly a file watches depends on the order of refreshes; that it watches does not.
    if watching != asked.keys():
        lost = len(watching ^ asked.keys())
        yield _error("V032", f"the edges of {lost} files would not follow a change elsewhere")
    made = [(e.source, e.target, e.kind, e.line, e.rule, e.confidence) for e in derived]
    held = context.audit.edges()
    if made != held:
        odd = sorted(set(made) ^ set(held))
        names = {s.id: s for s in context.snapshot.symbols.by_id(sorted({e[0] for e in odd}))}
        for edge in odd[:20]:
            source = names.get(edge[0])
            path, line = (source.path, edge[3]) if source else ("", 0)
            message = f"the edge {edge[0]} -> {edge[1]} ({edge[2]}) is not what its use resolves to"
            yield Finding("V032", Severity.ERROR, path, line, message)


def _error(code: str, message: str) -> Finding:
    return Finding(code, Severity.ERROR, "", 0, message)
