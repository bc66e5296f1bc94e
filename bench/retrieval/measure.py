"""Measure local code search on public repositories: `python -m bench.retrieval.measure --help`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.peers.aider_peer import Aider
from bench.peers.bm25 import Bm25
from bench.peers.ripgrep import Ripgrep
from bench.peers.satchel import Satchel
from bench.peers.satchel_sum import SatchelSum
from bench.peers.semble_peer import Semble
from bench.peers.systems import System
from bench.retrieval import cases, report
from bench.retrieval.scoring import Run, measure
from satchel.store.tokens import count

SYSTEMS = ("satchel", "satchel-sum", "bm25", "ripgrep", "semble", "semble-bm25", "aider")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the systems over the cases, print the tables; 1 if something could not be measured."""
    options = _parser().parse_args(arguments)
    systems = [_system(name, options) for name in options.systems]
    repositories = _chosen(cases.load(options.cases), options.repos)
    absent = [r.name for r in repositories if not r.indexed(options.corpora).is_dir()]
    present = [r for r in repositories if r.name not in absent]
    runs: list[Run] = []
    for repository in present:
        for system in systems:
            run = measure(system, repository, options.corpora, count)
            _progress(run)
            runs.append(run)
    if runs:
        print(report.table(runs))
    if absent:
        print(f"no corpus, left out: {', '.join(absent)}", file=sys.stderr)
    if options.json:
        options.json.write_text(report.golden(runs, options.cases.name), encoding="utf-8")
    return 1 if absent or not runs or any(run.failure for run in runs) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval.measure", description=__doc__)
    parser.add_argument("--cases", type=Path, required=True, help="case file (JSON)")
    parser.add_argument("--corpora", type=Path, required=True, help="folder of checkouts, by name")
    parser.add_argument("--repos", type=_names, default=[], help="only these, comma-separated")
    parser.add_argument(
        "--systems",
        type=_system_names,
        default=["satchel", "satchel-sum", "bm25"],
        help=", ".join(SYSTEMS),
    )
    parser.add_argument("--json", type=Path, help="write the golden summary here")
    parser.add_argument("--max-results", type=int, default=100, help="rows asked for per query")
    beside = Path(sys.executable).with_name("satchel")
    parser.add_argument("--satchel", default=str(beside), help="the executable to measure")
    parser.add_argument("--keep", action="store_true", help="keep and refresh Satchel's index")
    parser.add_argument(
        "--semble-python", default=sys.executable, help="interpreter that has semble installed"
    )
    parser.add_argument(
        "--semble-chunk", type=int, default=0, help="bytes per chunk (its own; 1500 before 0.7)"
    )
    parser.add_argument(
        "--aider-python", default=sys.executable, help="interpreter that has aider-chat installed"
    )
    parser.add_argument("--rg", default="rg", help="ripgrep's executable")
    return parser


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _system_names(text: str) -> list[str]:
    names = _names(text)
    unknown = [name for name in names if name not in SYSTEMS]
    if unknown or not names:
        raise argparse.ArgumentTypeError(f"choose from {', '.join(SYSTEMS)}")
    return names


def _system(name: str, options: argparse.Namespace) -> System:
    n_rows = options.max_results
    match name:
        case "satchel":
            return Satchel(options.satchel, n_rows, options.keep)
        case "satchel-sum":
            return SatchelSum(n_rows)
        case "bm25":
            return Bm25(n_rows)
        case "ripgrep":
            return Ripgrep(n_rows, options.rg)
        case "aider":
            return Aider(options.aider_python, n_rows)
        case _:
            ranked = name == "semble"
            return Semble(options.semble_python, n_rows, ranked, options.semble_chunk)


def _chosen(repositories: list[cases.Repository], names: list[str]) -> list[cases.Repository]:
    unknown = set(names) - {repository.name for repository in repositories}
    if unknown:
        raise SystemExit(f"not in the case file: {', '.join(sorted(unknown))}")
    return [r for r in repositories if not names or r.name in names]


def _progress(run: Run) -> None:
    scores = [sheet.scores["target.ndcg@10"] for sheet in run.sheets]
    mean = sum(scores) / max(1, len(scores))
    note = f"FAILED {run.failure}" if run.failure else f"NDCG@10 {mean:.3f}"
    seconds = f"index {run.index_seconds:.1f} s, {run.search_ms:.0f} ms/query"
    print(f"{run.repository:20} {run.system:12} {note} ({seconds})", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
