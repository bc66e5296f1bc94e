"""Values as compressed bytes for the disk and for pipes between processes."""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec.structs import replace

from satchel.store.model import Digest, FileFacts, Flow, Value
from satchel.store.platform.blake2 import blake2b

if TYPE_CHECKING:
    from satchel.store.postings import FilePostings

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_V = TypeVar("_V", bound=Value)
Damaged = zstd.ZstdError
"""What unpacking raises when the bytes are not what was packed."""

_FILE_LEVEL = 3
_PIECE_BYTES = 1 << 20
_MAX_BYTES = 256 << 20
_ALWAYS_BYTES = 16 << 20
_MAX_GROWTH = 1_000
"""What may be unpacked: 16 MB of anything, a thousand times its size, 256 MB at most. The largest
file that can be indexed has 100 MB; a row of 48 kB was seen to unpack to 21.7 GB."""
_LEVEL = 1  # a third of zlib's time at its quickest, and smaller
# The checksum is verified whenever the bytes are read: damage cannot pass for content.
_CHECKED = {int(zstd.CompressionParameter.checksum_flag): 1}
_OPTIONS = {**_CHECKED, int(zstd.CompressionParameter.compression_level): _LEVEL}
# Setting one up takes longer than compressing a small file. A call makes a whole frame under its
# lock, and an error takes it back to the beginning, so that threads may share it.
_COMPRESSOR = zstd.ZstdCompressor(options=_OPTIONS)
_FILE_OPTIONS = {**_CHECKED, int(zstd.CompressionParameter.compression_level): _FILE_LEVEL}


def compress(data: bytes) -> bytes:
    """Some bytes, compressed by zstandard."""
    return _COMPRESSOR.compress(data, zstd.ZstdCompressor.FLUSH_FRAME)


def decompress(data: bytes) -> bytes:
    """The bytes that `compress` packed, within the bounds above.

    Raises:
        Damaged: it would grow beyond the bounds, does not say how large it is, or is no frame.
    """
    size = zstd.get_frame_info(data).decompressed_size
    if size is None or size > min(_MAX_BYTES, max(_ALWAYS_BYTES, _MAX_GROWTH * len(data))):
        raise Damaged(f"{len(data)} bytes would unpack to {size}")
    frame = zstd.ZstdDecompressor()
    # The limit is one byte more than the frame states: a frame that states its size right ends.
    unpacked = frame.decompress(data, size + 1)
    if not frame.eof or len(unpacked) != size:
        raise Damaged(f"{len(data)} bytes do not unpack to {size}")
    return unpacked


def digest_of(data: bytes) -> Digest:
    """The digest of some content, by which everything about it is kept."""
    return Digest(blake2b(data, digest_size=16).hexdigest())


def encode(value: Value) -> bytes:
    """A value as compressed msgpack."""
    return compress(msgspec.msgpack.encode(value))


def decode(data: bytes, kind: type[_V]) -> _V:
    """The value of some kind that `encode` packed."""
    return msgspec.msgpack.decode(decompress(data), type=kind)


def decode_facts(data: bytes) -> FileFacts:
    """The facts that `encode` packed."""
    return decode(data, FileFacts)


def decode_postings(data: bytes) -> FilePostings:
    """The postings that `encode` packed."""
    from satchel.store.postings import FilePostings  # with NumPy, which a look-up does without

    return decode(data, FilePostings)


def encode_flows(flows: tuple[Flow, ...]) -> bytes:
    """Flows as compressed msgpack; none take no bytes."""
    return compress(msgspec.msgpack.encode(flows)) if flows else b""


def decode_flows(data: bytes) -> tuple[Flow, ...]:
    """The flows that `encode_flows` packed."""
    if not data:  # most documents
        return ()
    return msgspec.msgpack.decode(decompress(data), type=tuple[Flow, ...])


def decode_all_facts(facts: bytes, flows: bytes) -> FileFacts:
    """The facts that `encode` packed, with the flows, which are packed apart."""
    return replace(decode_facts(facts), flows=decode_flows(flows))


def encode_keys(keys: Iterable[int]) -> bytes:
    """Keys of 32 bits, ascending, so that equal sets are equal bytes."""
    ascending = sorted(keys)
    return struct.pack(f"<{len(ascending)}I", *ascending)


def decode_keys(data: bytes) -> set[int]:
    """The keys that `encode_keys` packed."""
    return set(struct.unpack(f"<{len(data) // 4}I", data))


def compress_file(source: Path, target: Path) -> None:
    """Compress a whole file into another."""
    import shutil

    with source.open("rb") as reader, zstd.ZstdFile(target, "wb", options=_FILE_OPTIONS) as writer:
        shutil.copyfileobj(reader, writer, _PIECE_BYTES)


def decompress_file(source: Path, target: Path, n_bytes: int) -> None:
    """Decompress what `compress_file` compressed, which is `n_bytes` long.

    Raises:
        ValueError: it is longer or shorter; no more than that is ever written.
        Damaged: the bytes are not what was packed.
    """
    try:
        _decompress_stream(source, target, n_bytes)
    except EOFError as error:
        raise Damaged(f"{source.name} ends in the middle") from error


def _decompress_stream(source: Path, target: Path, n_bytes: int) -> None:
    if n_bytes > max(_ALWAYS_BYTES, _MAX_GROWTH * source.stat().st_size):
        raise ValueError(f"it would unpack to {n_bytes} bytes")
    left = n_bytes
    with zstd.ZstdFile(source) as unpacked, target.open("wb") as writer:
        # The file may come from elsewhere: a small one may unpack to more than the disk holds.
        while piece := unpacked.read(min(_PIECE_BYTES, left + 1)):
            left -= len(piece)
            if left < 0:
                raise ValueError(f"it is longer than {n_bytes} bytes")
            writer.write(piece)
    if left:
        raise ValueError(f"it is {left} bytes short")
