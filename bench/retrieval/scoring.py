"""One system on one repository: a flat score sheet for each query.

Keys of a sheet: `<level>.ndcg@10`, `<level>.recall@10`, `<level>.rows@<tokens>` (search results in
order) and, for systems that pack, `<level>.pack@<tokens>` (the reply made for that budget),
`pack.fill@<tokens>` (reply size over budget) and `pack.over@<tokens>` (1 if it was too large).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from json import JSONDecodeError
from pathlib import Path

from bench.peers.systems import Pack, Packer, System, SystemFailed
from bench.retrieval.cases import Query, Repository
from bench.retrieval.metrics import (
    Row,
    coverage,
    distinct_files,
    first_ranks,
    ndcg,
    recall,
    rows_within,
)

DEPTH = 10
BUDGETS = (500, 1000, 2000, 4000, 8000)

CountTokens = Callable[[str], int]


@dataclass(slots=True)
class Sheet:
    """Scores of one query, with the groups it belongs to."""

    query: str
    kind: str
    language: str
    repository: str
    scores: dict[str, float]


@dataclass(slots=True)
class Run:
    """One system on one repository; times in seconds, latencies in milliseconds a query."""

    system: str
    repository: str
    sheets: list[Sheet] = field(default_factory=list)
    index_seconds: float = 0.0
    search_ms: float = 0.0
    context_ms: float = 0.0
    failure: str = ""


def measure(
    system: System, repository: Repository, corpora: Path, count_tokens: CountTokens
) -> Run:
    """Index, ask everything, score. A failure leaves the questions not yet answered at 0."""
    run = Run(system.name, repository.name)
    run.sheets = [_empty_sheet(query, repository) for query in repository.queries]
    try:
        run.index_seconds = system.prepare(repository.indexed(corpora))
        _score_search(system, repository.queries, run, count_tokens)
        if isinstance(system, Packer):
            _score_packs(system, repository.queries, run, count_tokens)
    except (SystemFailed, OSError, JSONDecodeError) as failure:
        run.failure = str(failure)
    finally:
        system.close()
    return run


def search_scores(rows: Sequence[Row], query: Query, count_tokens: CountTokens) -> dict[str, float]:
    """Scores of ranked rows at every level; a row costs the tokens of its text.

    At level "file" ranks count distinct files, while budgets still pay for every row.
    """
    costs = [count_tokens(row.text) for row in rows]
    fitting = {budget: rows_within(costs, budget) for budget in BUDGETS}
    scores: dict[str, float] = {}
    for level, targets in query.levels.items():
        ranks = first_ranks(rows, targets)
        places = first_ranks(distinct_files(rows), targets) if level == "file" else ranks
        scores[f"{level}.ndcg@{DEPTH}"] = ndcg(places, DEPTH)
        scores[f"{level}.recall@{DEPTH}"] = recall(places, DEPTH)
        for budget, n_rows in fitting.items():
            scores[f"{level}.rows@{budget}"] = recall(ranks, n_rows)
    return scores


def pack_scores(
    pack: Pack, query: Query, budget: int, count_tokens: CountTokens
) -> dict[str, float]:
    """Scores of one pack at every level; a pack larger than its budget covers nothing."""
    used = count_tokens(pack.text)
    fits = used <= budget
    scores = {f"pack.fill@{budget}": used / budget, f"pack.over@{budget}": float(not fits)}
    for level, targets in query.levels.items():
        covered = coverage(pack.excerpts, targets) if fits else 0.0
        scores[f"{level}.pack@{budget}"] = covered
    return scores


def _score_search(
    system: System, queries: Sequence[Query], run: Run, count_tokens: CountTokens
) -> None:
    began = time.perf_counter()
    answers = system.search(queries)
    run.search_ms = 1000 * (time.perf_counter() - began) / max(1, len(queries))
    for sheet, query, rows in zip(run.sheets, queries, answers, strict=True):
        sheet.scores.update(search_scores(rows, query, count_tokens))


def _score_packs(
    packer: Packer, queries: Sequence[Query], run: Run, count_tokens: CountTokens
) -> None:
    for sheet, query in zip(run.sheets, queries, strict=True):
        empty = Pack("", ())
        for budget in BUDGETS:
            sheet.scores.update(pack_scores(empty, query, budget, count_tokens))
    elapsed = 0.0
    for budget in BUDGETS:
        began = time.perf_counter()
        packs = packer.context(queries, budget)
        elapsed += time.perf_counter() - began
        for sheet, query, pack in zip(run.sheets, queries, packs, strict=True):
            sheet.scores.update(pack_scores(pack, query, budget, count_tokens))
    run.context_ms = 1000 * elapsed / max(1, len(queries) * len(BUDGETS))


def _empty_sheet(query: Query, repository: Repository) -> Sheet:
    return Sheet(
        query=query.id,
        kind=query.kind,
        language=repository.language,
        repository=repository.name,
        scores=search_scores((), query, len),
    )
