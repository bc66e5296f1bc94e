"""One file's facts as the rows of each table. Pure.

`Writer` writes these rows, and validation makes them again to compare with what is stored. A row
has its columns in the order of `store.sqlite.schema`; ids of chunks and symbols count up from the
first.
"""

import os
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from typing import TypeVar

from satchel.store.errors import CorruptIndex
from satchel.store.model import FileFacts, RepoPath, SymbolKind
from satchel.store.platform.blake2 import blake2b
from satchel.store.records import IndexedFile

Row = tuple[str | int | bytes | None, ...]
_Kind = TypeVar("_Kind", bound=StrEnum)

EDGE_COLUMNS = "source_id, target_id, kind, line, rule, confidence"
"""Those of `edges`, in the order of the fields of `records.Edge`."""


class ByValue(dict[str, _Kind]):
    """The members of an enumeration by their values, as rows hold them.

    Raises: CorruptIndex on look-up, for a value that is not one.
    """

    def __init__(self, kinds: type[_Kind]) -> None:
        super().__init__((kind.value, kind) for kind in kinds)

    def __missing__(self, value: str) -> _Kind:
        raise CorruptIndex(
            f"the index has an unknown kind: {value!r}", "run `satchel reindex --full`"
        )


def encode_path(path: RepoPath) -> bytes:
    """A path as the bytes the file system knows."""
    return os.fsencode(path)


# A question reads the same few hundred paths in thousands of rows.
@lru_cache(maxsize=1 << 14)
def decode_path(path: bytes) -> RepoPath:
    """The path that `encode_path` encoded."""
    return RepoPath(os.fsdecode(path))


def file_row(file: IndexedFile, first_chunk: int, first_symbol: int) -> Row:
    """The row of `files`, without its id."""
    # Each file has one symbol more than its facts list: the module, which has the first id.
    facts, stat = file.facts, file.stat
    return (
        encode_path(file.path), facts.digest, facts.language, stat.size, stat.times_ns,
        stat.inode, facts.n_lines, file.is_test, first_chunk, len(facts.chunks),
        first_symbol, len(facts.symbols) + 1, shape(facts),
    )  # fmt: skip


def shape(facts: FileFacts) -> bytes:
    """A digest of which symbols a file has, in order: equal where the n-th one is the same."""
    # Names may hold lone surrogates, which stand for undecodable bytes.
    names = "\n".join(f"{each.kind} {each.qualified_name}" for each in facts.symbols)
    return blake2b(names.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def chunk_rows(
    file: IndexedFile, file_id: int, first_chunk: int, first_symbol: int
) -> Iterator[Row]:
    """The rows of `chunks`, in order."""
    for ordinal, chunk in enumerate(file.facts.chunks):
        yield (
            first_chunk + ordinal, file_id,
            first_symbol + 1 + chunk.symbol if chunk.symbol >= 0 else None,
            chunk.kind, chunk.span.start_line, chunk.span.end_line,
            chunk.span.start_byte, chunk.span.end_byte, chunk.header, chunk.tokens,
            file.is_test or chunk.is_test,
        )  # fmt: skip


def symbol_rows(file: IndexedFile, file_id: int, first_symbol: int) -> Iterator[Row]:
    """The rows of `symbols`: the file's module symbol, then its symbols in source order."""
    facts = file.facts
    # SQLite refuses lone surrogates, which stand for the undecodable bytes of a path.
    module = _stem(file.path).encode("utf-8", "replace").decode("utf-8")
    end = facts.chunks[-1].span.end_byte if facts.chunks else 0
    yield (
        first_symbol, file_id, module, module, SymbolKind.MODULE, 1, 1, facts.n_lines, 0, end,
        "", "", "public", None, file.is_test,
    )  # fmt: skip
    for ordinal, symbol in enumerate(facts.symbols):
        yield (
            first_symbol + 1 + ordinal, file_id, symbol.name, symbol.qualified_name,
            symbol.kind, symbol.line, symbol.span.start_line, symbol.span.end_line,
            symbol.span.start_byte, symbol.span.end_byte, symbol.signature, symbol.doc,
            symbol.visibility, first_symbol + 1 + symbol.parent,
            file.is_test or symbol.is_test,
        )  # fmt: skip


def _stem(path: RepoPath) -> str:
    """The name of a file without its last extension, as `PurePath.stem` has it."""
    name = path.rpartition("/")[2]
    at = name.rfind(".")
    return name[:at] if 0 < at < len(name) - 1 else name


def reference_rows(file: IndexedFile, file_id: int, first_symbol: int) -> Iterator[Row]:
    """The rows of `refs`, in source order."""
    # The scope -1, top level, becomes the module symbol, which has the first id.
    for use in file.facts.references:
        yield file_id, first_symbol + 1 + use.scope, use.name, use.receiver, use.kind, use.line


def import_rows(file: IndexedFile, file_id: int) -> Iterator[Row]:
    """The rows of `imports`, in source order."""
    for found in file.facts.imports:
        yield file_id, found.module, found.name, found.alias, found.line


def problem_rows(file: IndexedFile, file_id: int) -> Iterator[Row]:
    """The rows of `problems`."""
    for problem in file.facts.problems:
        yield file_id, problem.kind, problem.line, problem.detail
