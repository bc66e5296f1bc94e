"""The floor: ripgrep counts the lines that hold a keyword; whole files, most such lines first."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from bench.peers.systems import SystemFailed
from bench.retrieval.cases import Query
from bench.retrieval.metrics import Row

_WORD = re.compile(r"\w{3,}")
_STOP_WORD = re.compile(
    r"the|and|for|are|how|what|does|where|which|with|from|this|that|into|"
    r"when|who|why|can|has|have|not|but|its|all|was|were|been|being|will|"
    r"would|should"
)


def keywords(text: str) -> list[str]:
    """Words of three letters and more that carry meaning, in order, once each."""
    words = dict.fromkeys(_WORD.findall(text.lower()))
    return [word for word in words if not _STOP_WORD.fullmatch(word)] or list(words) or [text]


class Ripgrep:
    """`rg --count` over the keywords of a query."""

    name = "ripgrep"

    def __init__(self, max_results: int, executable: str = "rg") -> None:
        self._max_results = max_results
        self._executable = executable
        self._root = Path()

    def prepare(self, root: Path) -> float:
        """Nothing to index."""
        if shutil.which(self._executable) is None:
            raise SystemFailed(f"{self._executable} is not on PATH")
        self._root = root
        return 0.0

    def search(self, queries: Sequence[Query]) -> list[list[Row]]:
        """Whole files for each query."""
        return [self._files(query.text) for query in queries]

    def close(self) -> None:
        """Nothing to let go of."""

    def _files(self, text: str) -> list[Row]:
        patterns = [part for word in keywords(text) for part in ("-e", word)]
        command = [self._executable, "--no-messages", "--count", "-i", "-F", *patterns, "."]
        done = subprocess.run(command, cwd=self._root, capture_output=True, check=False)
        if done.returncode > 1 and not done.stdout:
            raise SystemFailed(done.stderr.decode(errors="replace"))
        counts: list[tuple[int, str]] = []
        for line in done.stdout.decode(errors="replace").splitlines():
            path, _, count = line.rpartition(":")
            counts.append((-int(count), path.removeprefix("./")))
        return [self._whole(path) for _, path in sorted(counts)[: self._max_results]]

    def _whole(self, path: str) -> Row:
        text = (self._root / path).read_text(encoding="utf-8", errors="replace")
        return Row(path, 1, text.count("\n") + 1, text)
