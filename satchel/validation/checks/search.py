"""Checks that search finds what the index holds: terms, vectors and call graph edges."""

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

import numpy as np

from satchel.indexer.callgraph import linker
from satchel.indexer.encode import chunk_texts
from satchel.store import postings
from satchel.store.counted import counted
from satchel.store.reading import vector_blocks
from satchel.store.sqlite import vectors
from satchel.store.sqlite.rows import decode_path
from satchel.store.sqlite.unencoded import unencoded
from satchel.store.vectors.block_files import BlockFiles
from satchel.validation.check_context import CheckContext
from satchel.validation.model import Finding, error
from satchel.workspace.vectors.mirror_answers import shares_of

# float16 keeps 0.1 %, and sums of float32 differ between processors.
_TOLERANCE = 4e-3


def terms(context: CheckContext) -> Iterator[Finding]:
    """Searching for a term finds exactly the chunks that contain it, and field lengths add up.

    The postings of all files are held in memory at once.
    """
    files, paths = [], []
    for row in context.file_rows():
        files.append((row.first_chunk, context.audit.postings_of(row.digest, row.language)))
        paths.append((decode_path(row.path), row.first_chunk, row.n_chunks))
    files.append((0, postings.index_paths(paths)))
    # The blocks are made again by the function that the writer uses, and compared one by one.
    wanted: list[str] = []
    for term, blocks in groupby(postings.rows(files), key=itemgetter(0)):
        wanted.append(term)
        if context.audit.blocks(term) != [row[1:] for row in blocks]:
            yield error(f"the term {term!r} does not find every chunk that contains it")
    stored = context.audit.terms()
    if stored != wanted:
        odd = sorted(set(stored) ^ set(wanted))[:5]
        yield error(f"terms that no chunk contains, or that are missing: {odd}")
    totals = [sum(column) for column in zip(*(p.lengths for _, p in files), strict=True)]
    if {f: n for f, n in enumerate(totals) if n} != context.audit.field_lengths():
        yield error("lengths of fields do not add up")


def vector_checksums(context: CheckContext) -> Iterator[Finding]:
    """Every vector has the checksum that it was written with, and a length of 1 or 0.

    The checksum is over the digest of the text as well, so that a swap of two rows is found.
    """
    chunks_of = {(row.digest, row.language): row.n_chunks for row in context.file_rows()}
    for digest, language, encoder, packed, sealed in context.audit.vectors():
        if not sealed:
            yield error(f"vectors of {digest[:10]} are not those that were made of it")
            continue
        if encoder != context.project.encoder.name:
            continue
        matrix = vectors.unpack(packed, context.project.encoder.dimensions)
        lengths = np.linalg.norm(matrix, axis=1)
        n_chunks = chunks_of.get((digest, language), len(matrix))
        # Length 0 is a chunk without a word that the encoder knows.
        are_units = bool(np.all((np.abs(lengths - 1) < 0.01) | (lengths == 0)))
        if len(matrix) != n_chunks or not are_units:
            yield error(f"vectors of {digest[:10]} have the wrong number or length")


def stored_blocks(context: CheckContext) -> Iterator[Finding]:
    """Blocks of vectors that are stored beside the index are what its vectors give."""
    connection, encoder = context.audit.connection, context.project.encoder
    shares, files = shares_of(encoder), BlockFiles(context.project.directory)
    for name in vector_blocks.damaged(connection, encoder, shares, files, _TOLERANCE):
        yield error(f"the stored block {name[:10]} is not what its vectors give")


def covered(context: CheckContext) -> Iterator[Finding]:
    """Every chunk has a vector, where vectors are in use."""
    if context.project.settings.vectors.engine == "off":
        return
    absent = unencoded(context.audit.connection, context.project.encoder.name)
    n_chunks = sum(n for _, _, n in absent)
    if n_chunks:
        chunks, files = counted(n_chunks, "chunk"), counted(len(absent), "file")
        yield error(f"{chunks} of {files} without a vector yet")


def encoded(context: CheckContext, sample: int = 0) -> Iterator[Finding]:
    """Encoding files again gives their vectors again: some, spread evenly by digest, or all (0)."""
    stored = [row for row in context.audit.vectors() if row[2] == context.project.encoder.name]
    stored.sort(key=lambda row: (row[0], row[1]))
    step = max(1, len(stored) // sample) if sample else 1
    for digest, language, _, packed, _ in stored[::step]:
        facts, source, _ = context.audit.content(digest, language)
        made = context.project.encoder.encode(chunk_texts(facts, source))
        matrix = vectors.unpack(packed, context.project.encoder.dimensions)
        if made.shape != matrix.shape or float(np.abs(made - matrix).max(initial=0)) > _TOLERANCE:
            yield error(f"vectors of {digest[:10]} are not what encoding its text gives")


def edges(context: CheckContext) -> Iterator[Finding]:
    """Deriving the call graph again gives the same edges."""
    if not context.snapshot.linked:
        return  # reported by `finished`
    # Both are computed from the facts of all files, which takes as long as a full derivation.
    derived, asked = linker.compute_edges(context.audit.connection)
    watching = context.audit.files_with_dependencies()
    # What exactly a file watches depends on the order of refreshes; that it watches does not.
    if watching != asked.keys():
        lost = len(watching ^ asked.keys())
        yield error(
            f"the edges of {counted(lost, 'file')} would not be updated when another file changes",
        )
    made = [(e.source, e.target, e.kind, e.line, e.rule, e.confidence) for e in derived]
    stored = context.audit.edges()
    if made != stored:
        odd = sorted(set(made) ^ set(stored))
        names = {s.id: s for s in context.snapshot.symbols.by_id(sorted({e[0] for e in odd}))}
        for edge in odd[:20]:
            source = names.get(edge[0])
            path, line = (source.path, edge[3]) if source else ("", 0)
            message = f"the edge {edge[0]} -> {edge[1]} ({edge[2]}) is not what its use resolves to"
            yield error(message, path, line)
