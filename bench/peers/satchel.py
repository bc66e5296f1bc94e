"""Satchel itself, through its command line: what a user gets, start-up included."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bench.peers.systems import Pack, SystemFailed
from bench.retrieval.cases import Query
from bench.retrieval.metrics import Row
from bench.state import state_folders


class Satchel:
    """`satchel reindex`, then `satchel search` and `satchel context` in batches."""

    name = "satchel"

    def __init__(self, executable: str, max_results: int, keep: bool = False) -> None:
        self._executable = executable
        self._max_results = max_results
        self._keep = keep
        self._root = Path()

    def prepare(self, root: Path) -> float:
        """Index `root` from nothing, or refresh what is there if the index is kept."""
        self._root = root
        if not self._keep:
            shutil.rmtree(state_folders(root, os.environ).index, ignore_errors=True)
        began = time.perf_counter()
        self._run("reindex", str(root))
        return time.perf_counter() - began

    def search(self, queries: Sequence[Query]) -> list[list[Row]]:
        """Full results for each query."""
        options = {"mode": "full", "max_results": self._max_results}
        answers = self._batch("search", queries, options)
        return [_rows(answer.get("results", ())) for answer in answers]

    def context(self, queries: Sequence[Query], budget: int) -> list[Pack]:
        """One pack for each query."""
        answers = self._batch("context", queries, {"budget": budget})
        return [
            Pack(answer.get("text", ""), tuple(_rows(answer.get("excerpts", ()))))
            for answer in answers
        ]

    def close(self) -> None:
        """Nothing to let go of."""

    def _batch(
        self, command: str, queries: Sequence[Query], options: dict[str, object]
    ) -> list[dict[str, Any]]:
        asks = [json.dumps({"id": q.id, "query": q.text, **options}) for q in queries]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "batch.jsonl")
            file.write_text("\n".join(asks) + "\n", encoding="utf-8")
            output = self._run(command, "--batch", str(file), "--json")
        answers = {answer["id"]: answer for answer in map(json.loads, output.splitlines())}
        missing = [query.id for query in queries if query.id not in answers]
        if missing:
            raise SystemFailed(f"satchel {command} did not answer {', '.join(missing[:5])}")
        return [answers[query.id] for query in queries]

    def _run(self, *arguments: str) -> str:
        done = subprocess.run(
            [self._executable, *arguments],
            cwd=self._root,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        if done.returncode > 1:  # 1 says "nothing found"
            last = done.stderr.strip().splitlines()[-3:]
            raise SystemFailed(
                f"satchel {arguments[0]}: exit {done.returncode}: {' | '.join(last)}"
            )
        return done.stdout


def _rows(results: Iterable[dict[str, Any]]) -> list[Row]:
    return [Row(r["path"], r["start_line"], r["end_line"], r.get("text") or "") for r in results]
