"""A code base of any size for the measurements of `bench.indexing.latency` and its neighbours.

Its files are the Python sources of the interpreter that runs this, each once; when those run out,
they come again with a line that tells them apart.
"""

from __future__ import annotations

import site
import sysconfig
from collections.abc import Iterator
from itertools import count
from pathlib import Path

MAX_BYTES = 60_000


def grow(folder: Path, n_files: int) -> list[Path]:
    """Make `folder` hold `n_files` Python files, unless it does; returns them in order."""
    have = sorted(folder.rglob("*.py"))
    if len(have) == n_files:
        return have
    for number, source in zip(range(n_files), sources(), strict=False):
        path = folder / f"part{number // 400:02}" / f"p{number % 400 // 20:02}" / f"m{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(source)
    return sorted(folder.rglob("*.py"))


def sources() -> Iterator[bytes]:
    """Python files without end, no two of the same bytes."""
    folders = [sysconfig.get_path("stdlib"), *site.getsitepackages()]
    found = {
        path for folder in folders for path in Path(folder).rglob("*.py")
        if "site-packages" not in path.relative_to(folder).parts
    }  # fmt: skip
    paths = sorted(path for path in found if 0 < path.stat().st_size <= MAX_BYTES)
    for again in count():
        for path in paths:
            yield path.read_bytes() + (b"# again: %d\n" % again if again else b"")
