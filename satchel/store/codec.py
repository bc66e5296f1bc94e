"""Values as compressed bytes for the disk and for pipes between processes."""

from __future__ import annotations

from pathlib import Path

import msgspec
import zstandard

from satchel.store.model import FileFacts, Flow, Value
from satchel.store.postings import FilePostings

Damaged = zstandard.ZstdError
"""What unpacking raises when the bytes are not what was packed."""

_FILE_LEVEL = 3
_PIECE_BYTES = 1 << 20
_LEVEL = 1  # a third of zlib's time at its quickest, and smaller


def compress(data: bytes) -> bytes:
    """Some bytes, compressed by zstandard."""
    # The checksum is verified whenever the bytes are read: damage cannot pass for content.
    return zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress(data)


def decompress(data: bytes) -> bytes:
    """The bytes that `compress` packed.

    Raises:
        Damaged: it did not pack these.
    """
    return zstandard.decompress(data)


def encode(value: Value) -> bytes:
    """A value as compressed msgpack."""
    return compress(msgspec.msgpack.encode(value))


def decode_facts(data: bytes) -> FileFacts:
    """The facts that `encode` packed."""
    return msgspec.msgpack.decode(decompress(data), type=FileFacts)


def decode_postings(data: bytes) -> FilePostings:
    """The postings that `encode` packed."""
    return msgspec.msgpack.decode(decompress(data), type=FilePostings)


def encode_flows(flows: tuple[Flow, ...]) -> bytes:
    """Flows as compressed msgpack; none take no bytes."""
    return compress(msgspec.msgpack.encode(flows)) if flows else b""


def decode_flows(data: bytes) -> tuple[Flow, ...]:
    """The flows that `encode_flows` packed."""
    if not data:  # most documents
        return ()
    return msgspec.msgpack.decode(decompress(data), type=tuple[Flow, ...])


def compress_file(source: Path, target: Path) -> None:
    """Compress a whole file into another."""
    with source.open("rb") as reader, target.open("wb") as writer:
        compressor = zstandard.ZstdCompressor(level=_FILE_LEVEL, write_checksum=True)
        compressor.copy_stream(reader, writer)


def decompress_file(source: Path, target: Path, n_bytes: int) -> None:
    """Decompress what `compress_file` compressed, which is `n_bytes` long.

    Raises:
        ValueError: it is longer or shorter; no more than that is ever written.
        Damaged: the bytes are not what was packed.
    """
    left = n_bytes
    with source.open("rb") as reader, target.open("wb") as writer:
        unpacked = zstandard.ZstdDecompressor().stream_reader(reader)
        # The file may come from elsewhere: a small one may unpack to more than the disk holds.
        while piece := unpacked.read(min(_PIECE_BYTES, left + 1)):
            left -= len(piece)
            if left < 0:
                raise ValueError(f"it is longer than {n_bytes} bytes")
            writer.write(piece)
    if left:
        raise ValueError(f"it is {left} bytes short")
