"""How right the call graph is, by oracles that nobody here wrote.

    python -m bench.callgraph pycg SNIPPETS     the PyCG micro-benchmark, by category

Precision is the share of found edges that the oracle has, recall the share of the oracle's edges
that were found; what counts as an edge is said in `bench/README.md`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import pycg
from bench.pycg import Program


@dataclass(frozen=True, slots=True)
class Score:
    """Edges of some programs: `right` were found and expected."""

    programs: int
    exact: int
    expected: int
    found: int
    right: int

    @classmethod
    def of(cls, programs: Iterable[Program]) -> Score:
        """Add up programs."""
        some = list(programs)
        return cls(
            len(some),
            sum(p.expected == p.found for p in some),
            sum(len(p.expected) for p in some),
            sum(len(p.found) for p in some),
            sum(len(p.expected & p.found) for p in some),
        )

    @property
    def precision(self) -> float:
        """Right among found; 1 where nothing was found."""
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        """Right among expected; 1 where nothing was expected."""
        return self.right / self.expected if self.expected else 1.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table that was asked for."""
    options = _parser().parse_args(arguments)
    measured = list(pycg.programs(options.snippets))
    if not measured:
        print(f"no program below {options.snippets}", file=sys.stderr)
        return 1
    print(table(measured))
    if options.wrong:
        for program in measured:
            _print_wrong(program)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.callgraph", description=__doc__)
    oracles = parser.add_subparsers(required=True)
    micro = oracles.add_parser("pycg")
    micro.add_argument("snippets", type=Path, help="micro-benchmark/snippets of vitsalis/PyCG")
    micro.add_argument("--wrong", action="store_true", help="also list every wrong edge")
    return parser


def table(measured: Sequence[Program]) -> str:
    """Precision and recall by category, and of all edges together."""
    categories = sorted({program.category for program in measured})
    rows = [(name, Score.of(p for p in measured if p.category == name)) for name in categories]
    lines = [
        "| category | programs | exact | edges | found | right | precision | recall |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name, score in [*rows, ("**all**", Score.of(measured))]:
        lines.append(
            f"| {name} | {score.programs} | {score.exact} | {score.expected} | {score.found}"
            f" | {score.right} | {score.precision:.3f} | {score.recall:.3f} |"
        )
    return "\n".join(lines)


def _print_wrong(program: Program) -> None:
    for sign, edges in (
        ("missing", program.expected - program.found),
        ("wrong", program.found - program.expected),
    ):
        for source, target in sorted(edges):
            print(f"{sign:8} {program.category}/{program.name}: {source} -> {target}")


if __name__ == "__main__":
    sys.exit(main())
