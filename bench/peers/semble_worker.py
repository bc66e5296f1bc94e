"""Runs in semble's own environment: one JSON line in, one out; first the root, then batches.

Needs only `semble`. There is no vector leg: its model has to be downloaded, so the model is a
stand-in of one dimension and the semantic search returns nothing. Chunking, BM25, fusion, boosts
and penalties are semble's own.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from semble import search as search_module  # type: ignore[import-not-found]
from semble.chunking import chunking  # type: ignore[import-not-found]
from semble.index.create import create_index_from_path  # type: ignore[import-not-found]


class NoModel:
    """Stands in for the embedding model."""

    dim = 1

    def encode(self, texts: list[str], **_: object) -> np.ndarray:
        """One constant number a text."""
        return np.ones((len(texts), 1), dtype=np.float32)


def rank(index: tuple[Any, ...], query: str, top_k: int, ranked: bool) -> list[list[Any]]:
    """Rows of one query as [path, start, end, text]."""
    bm25, vectors, chunks = index
    if ranked:
        found = search_module.search(query, NoModel(), vectors, bm25, chunks, top_k)
    else:
        found = search_module._search_bm25(query, bm25, chunks, top_k, None)
    hits = [result.chunk for result in found]
    return [[hit.file_path, hit.start_line, hit.end_line, hit.content] for hit in hits]


def main() -> None:
    """Serve one root until standard input ends."""
    search_module._search_semantic = lambda *_: []
    start = json.loads(sys.stdin.readline())
    root = Path(start["root"])
    if start["chunk"]:
        chunking._DESIRED_CHUNK_LENGTH_CHARS = start["chunk"]
    began = time.perf_counter()
    index = create_index_from_path(root, NoModel(), display_root=root)[:3]
    print(json.dumps({"seconds": time.perf_counter() - began}), flush=True)
    for line in sys.stdin:
        ask = json.loads(line)
        rows = [rank(index, query, ask["top_k"], ask["ranked"]) for query in ask["queries"]]
        print(json.dumps(rows), flush=True)


if __name__ == "__main__":
    main()
