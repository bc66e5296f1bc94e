"""Source files of a folder, which the plain baselines search."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

SOURCE_NAME = re.compile(
    r".+\.(?:"
    r"bash|bats|c|cc|cjs|clj|cpp|cs|cts|cxx|dart|erl|ex|exs|fs|go|groovy|"
    r"h|hh|hpp|hs|hxx|inl|java|jl|js|jsx|kt|kts|lua|m|mjs|ml|mli|mm|mts|"
    r"php|pl|pm|ps1|py|pyi|r|rb|rs|scala|sh|sql|swift|ts|tsx|vue|zig|zsh"
    r")",
    re.IGNORECASE,
)
SKIPPED_FOLDERS = frozenset(
    ["node_modules", "__pycache__", "venv", "dist", "build"]  # folders that start with "." go too
)
MAX_BYTES = 1_000_000


def source_files(root: Path) -> Iterator[tuple[str, str]]:
    """Path relative to `root` and text of every source file below it, in path order."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS and f[0] != ".")
        for name in sorted(names):
            file = Path(folder, name)
            if not SOURCE_NAME.fullmatch(name) or file.is_symlink():
                continue
            if file.stat().st_size <= MAX_BYTES:
                text = file.read_text(encoding="utf-8", errors="replace")
                yield file.relative_to(root).as_posix(), text
