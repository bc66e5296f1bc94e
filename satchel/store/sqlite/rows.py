"""One file's facts as the rows that the store keeps of them. Pure.

`Writer` writes these rows and validation makes them again to compare: the two cannot differ. A row
has its columns in the order of `store.sqlite.schema`; ids of chunks and symbols count up from the
first.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import PurePosixPath

from satchel.store.model import RepoPath, SymbolKind
from satchel.store.records import Projection

Row = tuple[str | int | bytes | None, ...]


def encode_path(path: RepoPath) -> bytes:
    """A path as the bytes the file system knows."""
    return os.fsencode(path)


def decode_path(path: bytes) -> RepoPath:
    """The path that `encode_path` encoded."""
    return RepoPath(os.fsdecode(path))


def file_row(projection: Projection, first_chunk: int, first_symbol: int) -> Row:
    """The row of `files`, without its id."""
    facts, stat = projection.facts, projection.stat
    return (
        encode_path(projection.path), facts.digest, facts.language, stat.size, stat.mtime_ns,
        stat.inode, facts.n_lines, projection.is_test, first_chunk, len(facts.chunks),
        first_symbol, len(facts.symbols) + 1,
    )  # fmt: skip


def chunk_rows(
    projection: Projection, file_id: int, first_chunk: int, first_symbol: int
) -> Iterator[Row]:
    """The rows of `chunks`, in order."""
    for ordinal, chunk in enumerate(projection.facts.chunks):
        yield (
            first_chunk + ordinal, file_id,
            first_symbol + 1 + chunk.symbol if chunk.symbol >= 0 else None,
            chunk.kind, chunk.span.start_line, chunk.span.end_line,
            chunk.span.start_byte, chunk.span.end_byte, chunk.header, chunk.tokens,
            projection.is_test or chunk.is_test,
        )  # fmt: skip


def symbol_rows(projection: Projection, file_id: int, first_symbol: int) -> Iterator[Row]:
    """The rows of `symbols`: the file's module symbol, then its symbols in source order."""
    facts = projection.facts
    module = _storable(PurePosixPath(projection.path).stem)
    end = facts.chunks[-1].span.end_byte if facts.chunks else 0
    yield (
        first_symbol, file_id, module, module, SymbolKind.MODULE, 1, 1, facts.n_lines, 0, end,
        "", "", "public", None, projection.is_test,
    )  # fmt: skip
    for ordinal, symbol in enumerate(facts.symbols):
        yield (
            first_symbol + 1 + ordinal, file_id, symbol.name, symbol.qualified_name,
            symbol.kind, symbol.line, symbol.span.start_line, symbol.span.end_line,
            symbol.span.start_byte, symbol.span.end_byte, symbol.signature, symbol.doc,
            symbol.visibility, first_symbol + 1 + symbol.parent,
            projection.is_test or symbol.is_test,
        )  # fmt: skip


def reference_rows(projection: Projection, file_id: int, first_symbol: int) -> Iterator[Row]:
    """The rows of `refs`, in source order."""
    for use in projection.facts.references:
        yield file_id, first_symbol + 1 + use.scope, use.name, use.receiver, use.kind, use.line


def import_rows(projection: Projection, file_id: int) -> Iterator[Row]:
    """The rows of `imports`, in source order."""
    for found in projection.facts.imports:
        yield file_id, found.module, found.name, found.alias, found.line


def problem_rows(projection: Projection, file_id: int) -> Iterator[Row]:
    """The rows of `problems`."""
    for problem in projection.facts.problems:
        yield file_id, problem.kind, problem.line, problem.detail


def _storable(text: str) -> str:
    """Text that SQLite can hold: lone surrogates of undecodable names become `�`."""
    return text.encode("utf-8", "replace").decode("utf-8")
