"""Values as compressed bytes for the disk and for pipes between processes."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec
import zstandard

from satchel.store.model import FileFacts, Flow, Value
from satchel.store.postings import FilePostings

Damaged = zstandard.ZstdError
"""What unpacking raises when the bytes are not what was packed."""

_V = TypeVar("_V", bound=Value)
_FILE_LEVEL = 3
_PIECE = 1 << 20
_LEVEL = 1  # a third of zlib's time at its quickest, and smaller


def _compressed(data: bytes) -> bytes:
    # The checksum is verified whenever the bytes are read: damage cannot pass for content.
    return zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress(data)


def encode(value: Value) -> bytes:
    """A value as compressed msgpack."""
    return _compressed(msgspec.msgpack.encode(value))


def _decode(data: bytes, kind: type[_V]) -> _V:
    return msgspec.msgpack.decode(zstandard.decompress(data), type=kind)


def decode_facts(data: bytes) -> FileFacts:
    """The facts that `encode` packed."""
    return _decode(data, FileFacts)


def encode_flows(flows: tuple[Flow, ...]) -> bytes:
    """Flows as compressed msgpack."""
    return _compressed(msgspec.msgpack.encode(flows)) if flows else b""


def decode_flows(data: bytes) -> tuple[Flow, ...]:
    """The flows that `encode_flows` packed."""
    if not data:
        return ()
    return msgspec.msgpack.decode(zstandard.decompress(data), type=tuple[Flow, ...])


def decode_postings(data: bytes) -> FilePostings:
    """The postings that `encode` packed."""
    return _decode(data, FilePostings)


def pack_source(data: bytes) -> bytes:
    """A file's bytes, compressed."""
    return _compressed(data)


def pack_file(source: Path, target: Path) -> None:
    """Compress a whole file into another."""
    with source.open("rb") as reader, target.open("wb") as writer:
        packer = zstandard.ZstdCompressor(level=_FILE_LEVEL, write_checksum=True)
        packer.copy_stream(reader, writer)


def unpack_file(source: Path, target: Path, n_bytes: int) -> None:
    """Decompress what `pack_file` compressed, which is `n_bytes` long.

    Raises:
        ValueError: it is longer or shorter; no more than that is ever written.
        Damaged: the bytes are not what was packed.
    """
    left = n_bytes
    with source.open("rb") as reader, target.open("wb") as writer:
        unpacked = zstandard.ZstdDecompressor().stream_reader(reader)
        while piece := unpacked.read(min(_PIECE, left + 1)):
            left -= len(piece)
            if left < 0:
                raise ValueError(f"it is longer than {n_bytes} bytes")
            writer.write(piece)
    if left:
        raise ValueError(f"it is {left} bytes short")


def unpack_source(data: bytes) -> bytes:
    """The bytes that `pack_source` compressed."""
    return zstandard.decompress(data)
