"""Signals and labels of mined questions: `python -m training.ranking.measure DATA`.

Each repository of DATA gives `signals.npz`: the candidates of its questions, a row each, with the
columns of `assembler.ranking.signals.NAMES`; for each question where its rows begin, its kind, and
which share of its targets is in the candidate pool at several depths (printed is the mean of all).
A label is 2 where a candidate holds a line that was changed, 1 where it holds another line of a
target, else 0.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from bench.peers import inprocess
from satchel.assembler.budget import MAX_QUERY
from satchel.assembler.kinds import Scope
from satchel.assembler.query import read_query
from satchel.assembler.query.question import Question
from satchel.assembler.ranking import candidates, graph_signals, rank, rerank, signals
from satchel.assembler.values import Scored
from satchel.assembler.weights import DEFAULT, Weights
from satchel.workspace.project import Project

DEPTH = 300
DEPTHS = (10, 30, 100, 300, 1000)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure every repository that is mined and not measured yet."""
    parser = argparse.ArgumentParser(prog="python -m training.ranking.measure", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--again", action="store_true", help="those that are measured as well")
    parser.add_argument("--kinds", default="", help="only these kinds of question, and fixes")
    parser.add_argument("--cases", type=Path, help="a case file of the bench instead of DATA's own")
    parser.add_argument("--corpora", type=Path, help="its checkouts")
    options = parser.parse_args(arguments)
    pools: list[Any] = []
    for name, root, entry, out in _work(options):
        if not entry["queries"] or (out.exists() and not options.again):
            continue
        started = time.monotonic()
        kinds = set(options.kinds.split(","))
        entry["queries"] = [
            q
            for q in entry["queries"]
            if not options.kinds or q.get("commit") or q["kind"] in kinds
        ]
        if not entry["queries"]:
            continue
        made = measured(root, entry["queries"], options.data / "state")
        out.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(out, **made)
        pools.append(made["pool"])
        print(
            f"{name}: {len(entry['queries'])} questions, {time.monotonic() - started:.0f} s",
            flush=True,
        )
    if pools:
        recall = np.concatenate(pools).mean(axis=0).round(3).tolist()
        print("share of the targets in the pool:", dict(zip(DEPTHS, recall, strict=True)))
    return 0


def _work(options: argparse.Namespace) -> list[tuple[str, Path, Any, Path]]:
    if options.cases:
        entries = json.loads(options.cases.read_text(encoding="utf-8"))
        return [
            (
                e["name"],
                options.corpora / e["name"] / (e.get("root") or ""),
                e,
                options.data / f"{options.cases.stem}+{e['name']}" / "signals.npz",
            )
            for e in entries
        ]
    return [
        (
            f.parent.name,
            f.parent / "tree",
            json.loads(f.read_text(encoding="utf-8"))[0],
            f.parent / "signals.npz",
        )
        for f in sorted(options.data.glob("*/cases.json"))
    ]


def measured(root: Path, queries: Sequence[Any], state: Path) -> dict[str, Any]:
    """The arrays of one repository."""
    project = Project.at(
        root, {"SATCHEL_VECTORS_ENGINE": "exact", "SATCHEL_STATE_FOLDER": str(state)}
    )
    project.refresh(lambda _: None)
    project.build_vectors()
    tables, labels, starts, pools, ids, sums = [], [], [0], [], [], []
    with project.snapshot() as snapshot:
        vectors, _ = project.vector_search(snapshot)
        index = inprocess.Index(snapshot, vectors)
        for query in queries:
            table, ranked, pool = measured_question(index, query["query"], DEFAULT)
            tables.append(table)
            labels.append(_labels(ranked, query["targets"]))
            starts.append(starts[-1] + len(ranked))
            pools.append([_recall(pool[:n], query["targets"]) for n in DEPTHS])
            ids.append(
                np.array([_target_masks(i, query["targets"]) for i in ranked], dtype=np.uint32)
            )
            sums.append(
                np.array([[i.chunk.tokens, _file_number(i)] for i in ranked]).reshape(-1, 2)
            )
    return {
        "names": np.array(signals.NAMES),
        "signals": np.concatenate(tables).astype(np.float32),
        "labels": np.concatenate(labels),
        "covers": np.concatenate(ids),
        "costs": np.concatenate(sums),
        "starts": np.array(starts),
        "pool": np.array(pools),
        "n_targets": np.array([len(q["targets"]) for q in queries]),
        "kinds": np.array([q.get("kind") or q.get("category") or "" for q in queries]),
        "forms": np.array([q.get("form") or "" for q in queries]),
        "texts": np.array([q["query"] for q in queries]),
        "commits": np.array([q.get("commit") or "" for q in queries]),
    }


def _file_number(item: Scored) -> int:
    return crc32(item.chunk.path.encode("utf-8", "surrogateescape"))


def measured_question(
    index: inprocess.Index, text: str, weights: Weights
) -> tuple[signals.Floats, list[Scored], list[Scored]]:
    """(signals, the candidates measured, the pool best first)"""
    snapshot = index.snapshot
    asked = read_query.read(Question(text[:MAX_QUERY]), weights)
    found = candidates.find(snapshot, asked, Scope.IMPL, "", weights, index.vectors)
    items = rank.rank(asked, found.candidates, found.idf, weights, has_vectors=found.has_vectors)
    items = graph_signals.boost_linked(snapshot, items, weights.link)
    best = items[:DEPTH]
    if not best or not found.matches.entries:
        return np.zeros((0, len(signals.NAMES))), [], items
    return rerank.measure(snapshot, asked, found, best, weights), best, items


def overlap(item: Scored, target: Any, lines: Sequence[Sequence[int]]) -> bool:
    """Whether a result is of the target's file and holds one of some runs of lines; none is all."""
    path, wanted = item.chunk.path, target["path"]
    if path != wanted and not wanted.endswith("/" + path) and not path.endswith("/" + wanted):
        return False
    span = item.chunk.span
    return not lines or any(a <= span.end_line and b >= span.start_line for a, b in lines)


def spans(target: Any) -> list[tuple[int, int]]:
    """The lines of a target, none for a whole file."""
    start = target.get("start_line")
    return [] if start is None else [(start, target.get("end_line") or start)]


def _labels(ranked: Sequence[Scored], targets: Sequence[Any]) -> Any:
    made = np.zeros(len(ranked), dtype=np.int8)
    for place, item in enumerate(ranked):
        for target in targets:
            if overlap(item, target, spans(target)):
                hunks = target.get("hunks") or spans(target)
                made[place] = max(made[place], 2 if overlap(item, target, hunks) else 1)
    return made


def _target_masks(item: Scored, targets: Sequence[Any]) -> int:
    return sum(1 << n for n, t in enumerate(targets[:31]) if overlap(item, t, spans(t)))


def _recall(pool: Sequence[Scored], targets: Sequence[Any]) -> float:
    found = sum(any(overlap(i, t, spans(t)) for i in pool) for t in targets)
    return found / len(targets)


if __name__ == "__main__":
    sys.exit(main())
