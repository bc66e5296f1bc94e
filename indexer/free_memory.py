"""Returns unused memory to the system between the phases of a long refresh.

Each phase leaves holes in the heap of C, and SQLite keeps pages that the next phase does not read.
Without this the peak of a first index is what the phases need plus what the earlier ones left.
"""

import sys
from functools import cache
from typing import Protocol

import apsw


class _Trim(Protocol):
    def __call__(self, kept_bytes: int, /) -> int: ...


def give_back(connection: apsw.Connection) -> None:
    """Give back the pages that a connection keeps and does not need, and the holes of the heap.

    A few ms. Where the library of C has no `malloc_trim` (musl, macOS, Windows), only the pages.
    """
    connection.pragma("shrink_memory")
    trim = _malloc_trim()
    if trim is not None:
        trim(0)


@cache
def _malloc_trim() -> _Trim | None:
    if sys.platform != "linux":
        return None
    import ctypes

    return getattr(ctypes.CDLL(None), "malloc_trim", None)
