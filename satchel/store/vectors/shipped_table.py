"""The table of terms that ships with the package: its file and its name, read without NumPy."""

from functools import cache
from pathlib import Path

MAGIC = b"SATTERM1"
FILE = "terms-256-1.bin"
DIGEST_BYTES = 16
HEAD_BYTES = len(MAGIC) + DIGEST_BYTES


def table_file() -> Path:
    """Where it lies."""
    return Path(__file__).with_name("table") / FILE


@cache
def shipped_digest() -> str:
    """What tells the shipped table from any other, read without reading the table."""
    with table_file().open("rb") as file:
        return file.read(HEAD_BYTES)[len(MAGIC) :].hex()


def shipped_name() -> str:
    """What the encoder of this table is called: its digest tells this table from any other."""
    # With a digest of the table in the name, vectors of an older table are made again.
    return f"{FILE.removesuffix('.bin')}-{shipped_digest()[:8]}"
