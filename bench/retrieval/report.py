"""Averages over queries, printed as tables or written as a golden summary.

The golden summary holds no times and no paths: the same results always give the same bytes.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from msgspec.structs import asdict

from bench.retrieval.metrics import bootstrap
from bench.retrieval.scoring import BUDGETS, DEPTH, Run, Sheet

GROUPS: dict[str, Callable[[Sheet], str]] = {
    "kind": lambda sheet: sheet.kind,
    "language": lambda sheet: sheet.language,
    "repository": lambda sheet: sheet.repository,
}
LEVELS = ("target", "file", "lines")


def golden(runs: Sequence[Run], cases: str) -> str:
    """The summary of a whole run as JSON, deterministic to the byte."""
    document = {
        "cases": cases,
        "systems": {system: _system_summary(mine) for system, mine in by_system(runs).items()},
    }
    return json.dumps(document, indent=1, sort_keys=True) + "\n"


def by_system(runs: Sequence[Run]) -> dict[str, list[Run]]:
    """Runs of each system, in order of first appearance."""
    found: defaultdict[str, list[Run]] = defaultdict(list)
    for run in runs:
        found[run.system].append(run)
    return dict(found)


def table(runs: Sequence[Run]) -> str:
    """Everything worth reading, as aligned text."""
    systems = by_system(runs)
    parts = [_level_table(level, systems) for level in LEVELS]
    parts += [_group_table(group, systems) for group in GROUPS]
    parts.append(_time_table(systems))
    failures = [f"FAILED {r.system} on {r.repository}: {r.failure}" for r in runs if r.failure]
    return "\n\n".join([*filter(None, parts), *failures])


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """A table for a document: the first row is its head, columns after the first are numbers.

    Raises:
        ValueError: it has no other row: nothing was measured.
    """
    head, *body = rows
    if not body:
        raise ValueError("nothing was measured")
    marks = ["---", *("--:" for _ in head[1:])]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, marks, *body))


def _system_summary(runs: Sequence[Run]) -> dict[str, object]:
    sheets = _sheets(runs)
    overall = {
        key: {name: round(value, 3) for name, value in asdict(bootstrap(values)).items()}
        for key, values in _columns(sheets).items()
    }
    summary: dict[str, object] = {
        "queries": len(sheets),
        "repositories": len(runs),
        "failed": sorted(run.repository for run in runs if run.failure),
        "overall": overall,
    }
    for group, key_of in GROUPS.items():
        summary[f"by_{group}"] = {
            name: {"queries": len(members), **_rounded_means(members)}
            for name, members in _grouped(sheets, key_of).items()
        }
    return summary


def _rounded_means(sheets: Iterable[Sheet]) -> dict[str, float]:
    return {key: round(fmean(values), 3) for key, values in _columns(sheets).items()}


def _sheets(runs: Iterable[Run]) -> list[Sheet]:
    return [sheet for run in runs for sheet in run.sheets]


def _columns(sheets: Iterable[Sheet]) -> dict[str, list[float]]:
    columns: defaultdict[str, list[float]] = defaultdict(list)
    for sheet in sheets:
        for key, value in sheet.scores.items():
            columns[key].append(value)
    return dict(columns)


def _grouped(sheets: Iterable[Sheet], key_of: Callable[[Sheet], str]) -> dict[str, list[Sheet]]:
    groups: defaultdict[str, list[Sheet]] = defaultdict(list)
    for sheet in sheets:
        groups[key_of(sheet)].append(sheet)
    return {name: groups[name] for name in sorted(groups)}


def _level_table(level: str, systems: dict[str, list[Run]]) -> str:
    rows: list[list[str]] = []
    for system, runs in systems.items():
        columns = _columns(_sheets(runs))
        if f"{level}.ndcg@{DEPTH}" not in columns:
            continue
        interval = bootstrap(columns[f"{level}.ndcg@{DEPTH}"])
        head = [f"{interval.mean:.3f}", f"{interval.low:.3f}-{interval.high:.3f}"]
        head.append(f"{fmean(columns[f'{level}.recall@{DEPTH}']):.3f}")
        rows.append([system, *head, *_budget_cells(columns, level, "rows")])
        if f"{level}.pack@{BUDGETS[0]}" in columns:
            rows.append([f"{system} (packs)", "", "", "", *_budget_cells(columns, level, "pack")])
            fills = [f"{fmean(columns[f'pack.fill@{b}']):.3f}" for b in BUDGETS]
            overs = [f"{sum(columns[f'pack.over@{b}']):.0f}" for b in BUDGETS]
            rows.append(["  filled, share of budget", "", "", "", *fills])
            rows.append(["  packs over budget", "", "", "", *overs])
    if not rows:
        return ""
    head = [f"by {level}", f"NDCG@{DEPTH}", "95 %", f"recall@{DEPTH}"]
    return _aligned([[*head, *(f"R@{budget}" for budget in BUDGETS)], *rows])


def _budget_cells(columns: dict[str, list[float]], level: str, what: str) -> list[str]:
    return [f"{fmean(columns[f'{level}.{what}@{budget}']):.3f}" for budget in BUDGETS]


def _group_table(group: str, systems: dict[str, list[Run]]) -> str:
    """A row for each group and system, and one more where it packs."""
    rows: dict[str, list[list[str]]] = defaultdict(list)
    for system, runs in systems.items():
        for name, members in _grouped(_sheets(runs), GROUPS[group]).items():
            columns = _columns(members)
            interval = bootstrap(columns[f"target.ndcg@{DEPTH}"])
            scores = [f"{interval.mean:.3f}", f"{interval.low:.3f}-{interval.high:.3f}"]
            scores.append(f"{fmean(columns[f'file.ndcg@{DEPTH}']):.3f}")
            cells = [*scores, *_budget_cells(columns, "target", "rows")]
            rows[name].append([name, str(len(members)), system, *cells])
            if f"target.pack@{BUDGETS[0]}" in columns:
                cells = ["", "", "", *_budget_cells(columns, "target", "pack")]
                rows[name].append(["", "", f"{system} (packs)", *cells])
    head = [group, "queries", "system", f"NDCG@{DEPTH}", "95 %", "file NDCG"]
    head += [f"R@{budget}" for budget in BUDGETS]
    return _aligned([head, *(row for name in sorted(rows) for row in rows[name])])


def _time_table(systems: dict[str, list[Run]]) -> str:
    rows = [["time", "index s (sum)", "index s (max)", "search ms/query", "pack ms/query"]]
    for system, runs in systems.items():
        seconds = [run.index_seconds for run in runs]
        search, packs = fmean(r.search_ms for r in runs), fmean(r.context_ms for r in runs)
        cells = [f"{sum(seconds):.1f}", f"{max(seconds):.1f}", f"{search:.1f}"]
        rows.append([system, *cells, f"{packs:.1f}" if packs else ""])
    return _aligned(rows)


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
