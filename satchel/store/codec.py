"""Values as compressed bytes for the disk and for pipes between processes."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import zstandard

from satchel.store.model import Digest, FileFacts, Flow, Value

if TYPE_CHECKING:
    from satchel.store.postings import FilePostings

Damaged = zstandard.ZstdError
"""What unpacking raises when the bytes are not what was packed."""

_FILE_LEVEL = 3
_PIECE_BYTES = 1 << 20
_MAX_BYTES = 256 << 20
_ALWAYS_BYTES = 16 << 20
_MAX_GROWTH = 1_000
"""What may be unpacked: 16 MB of anything, a thousand times its size, 256 MB at most. The largest
file that can be indexed has 100 MB; a row of 48 kB was seen to unpack to 21.7 GB."""
_LEVEL = 1  # a third of zlib's time at its quickest, and smaller


def compress(data: bytes) -> bytes:
    """Some bytes, compressed by zstandard."""
    # The checksum is verified whenever the bytes are read: damage cannot pass for content.
    return zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress(data)


def decompress(data: bytes) -> bytes:
    """The bytes that `compress` packed, when they are no more than could have been meant.

    Raises:
        Damaged: it would grow beyond all measure, does not say how large it is, or is no frame.
    """
    # A frame that does not say how large it is gives -1.
    size = zstandard.frame_content_size(data)
    if not 0 <= size <= min(_MAX_BYTES, max(_ALWAYS_BYTES, _MAX_GROWTH * len(data))):
        raise Damaged(f"{len(data)} bytes would unpack to {size}")
    return zstandard.decompress(data, max_output_size=size)


def digest_of(data: bytes) -> Digest:
    """The digest of some content, by which everything about it is kept."""
    return Digest(blake2b(data, digest_size=16).hexdigest())


def encode(value: Value) -> bytes:
    """A value as compressed msgpack."""
    return compress(msgspec.msgpack.encode(value))


def decode_facts(data: bytes) -> FileFacts:
    """The facts that `encode` packed."""
    return msgspec.msgpack.decode(decompress(data), type=FileFacts)


def decode_postings(data: bytes) -> FilePostings:
    """The postings that `encode` packed."""
    from satchel.store.postings import FilePostings  # with NumPy, which a look-up does without

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
    if n_bytes > max(_ALWAYS_BYTES, _MAX_GROWTH * source.stat().st_size):
        raise ValueError(f"it would unpack to {n_bytes} bytes")
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
