"""The floor: ripgrep counts the lines that hold a keyword; whole files, most such lines first."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from bench.peers.systems import SystemFailed
from bench.retrieval.cases import Query
from bench.retrieval.metrics import Row
from satchel.evaluation.grep import keywords


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
