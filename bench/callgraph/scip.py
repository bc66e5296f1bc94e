"""The names in a repository according to a SCIP index, for `bench.callgraph.oracle`.

SCIP indexes are made by `scip-python`, `scip-typescript` and others over a language's own compiler.
An index is a protobuf message; the few fields that are needed are read here, by the wire format.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bench.callgraph.oracle import Occurrence
from satchel.store.model import RepoPath

_DOCUMENTS, _PATH, _OCCURRENCES = 2, 1, 2
_RANGE, _SYMBOL, _ROLES = 1, 2, 3
_DEFINITION = 1


def read(file: Path) -> dict[RepoPath, list[Occurrence]]:
    """The occurrences of every document of an index."""
    documents: dict[RepoPath, list[Occurrence]] = {}
    for number, document in _fields(file.read_bytes()):
        if number != _DOCUMENTS or not isinstance(document, bytes):
            continue
        path, found = "", []
        for inner, value in _fields(document):
            if inner == _PATH and isinstance(value, bytes):
                path = value.decode("utf-8")
            elif inner == _OCCURRENCES and isinstance(value, bytes):
                found.append(_occurrence(value))
        documents[RepoPath(path)] = found
    return documents


def _occurrence(data: bytes) -> Occurrence:
    numbers: list[int] = []
    symbol, roles = "", 0
    for number, value in _fields(data):
        if number == _RANGE and isinstance(value, bytes):
            numbers = list(_varints(value))
        elif number == _SYMBOL and isinstance(value, bytes):
            # A source root is no part of a module's name, though scip-python makes it one.
            symbol = value.decode("utf-8").replace("`src.", "`")
        elif number == _ROLES and isinstance(value, int):
            roles = value
    line, start = numbers[0], numbers[1]
    return Occurrence(line, start, numbers[-1], symbol, bool(roles & _DEFINITION))


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """(field number, value) of a protobuf message: whole numbers, and bytes of all that is long."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = _varint(data, at)
            yield tag >> 3, value
        elif kind == 2:
            size, at = _varint(data, at)
            yield tag >> 3, data[at : at + size]
            at += size
        else:
            at += 8 if kind == 1 else 4


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def _varints(data: bytes) -> Iterator[int]:
    at = 0
    while at < len(data):
        value, at = _varint(data, at)
        yield value
