"""Values as compressed bytes for the disk and for pipes between processes."""

from __future__ import annotations

import zlib
from typing import TypeVar

import msgspec

from store.model import FileFacts, Value
from store.postings import FilePostings

_V = TypeVar("_V", bound=Value)
_LEVEL = 1  # a third slower to write than none, a quarter of the size


def encode(value: Value) -> bytes:
    """A value as compressed msgpack."""
    return zlib.compress(msgspec.msgpack.encode(value), _LEVEL)


def _decode(data: bytes, kind: type[_V]) -> _V:
    return msgspec.msgpack.decode(zlib.decompress(data), type=kind)


def decode_facts(data: bytes) -> FileFacts:
    """The facts that `encode` packed."""
    return _decode(data, FileFacts)


def decode_postings(data: bytes) -> FilePostings:
    """The postings that `encode` packed."""
    return _decode(data, FilePostings)


def pack_source(data: bytes) -> bytes:
    """A file's bytes, compressed."""
    return zlib.compress(data, _LEVEL)


def unpack_source(data: bytes) -> bytes:
    """The bytes that `pack_source` compressed."""
    return zlib.decompress(data)
