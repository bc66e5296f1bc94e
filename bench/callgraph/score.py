"""How right the call graph is, by oracles that nobody here wrote.

    python -m bench.callgraph.score pycg SNIPPETS            the PyCG micro-benchmark, by category
    python -m bench.callgraph.score swarm FOLDER             a suite of SWARM-CG, by category
    python -m bench.callgraph.score programs LANGUAGE…       programs of our own, by category
    python -m bench.callgraph.score names NAME=ROOT=FILE …   repositories, and what compilers say of
    them

Precision is the share of found edges that the oracle has, recall the share of the oracle's edges
that were found; what counts as an edge is said in `bench/CALL_GRAPH.md`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.callgraph import oracle, programs, pycg, rustdoc, scip, swarm
from bench.callgraph.oracle import Comparison, Judged
from bench.callgraph.pycg import Program
from bench.nothing import require


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
    if options.oracle == "names":
        return _compare(options)
    if options.oracle == "programs":
        wanted = [p for p in programs.read(options.folder) if p.language in options.languages]
        measured = [program for _, program in programs.run(wanted)]
    else:
        suite = swarm if options.oracle == "swarm" else pycg
        measured = list(suite.programs(options.folder))
    what = "call in any program" if measured else "program"
    require(any(program.found for program in measured), f"{what} below {options.folder}")
    print(table(measured))
    print()
    print(reliability([each for program in measured for each in _judged(program)]))
    if options.wrong:
        for program in measured:
            _print_wrong(program)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.callgraph.score", description=__doc__)
    oracles = parser.add_subparsers(required=True, dest="oracle")
    micro = oracles.add_parser("pycg")
    micro.add_argument("folder", type=Path, help="micro-benchmark/snippets of vitsalis/PyCG")
    suite = oracles.add_parser("swarm")
    suite.add_argument("folder", type=Path, help="benchmarks/javascript/swarm_js, or java/cats")
    own = oracles.add_parser("programs")
    own.add_argument("languages", nargs="+", metavar="LANGUAGE")
    own.add_argument("--folder", type=Path, default=programs.PROGRAMS)
    for each in (micro, suite, own):
        each.add_argument("--wrong", action="store_true", help="also list every wrong edge")
    real = oracles.add_parser("names")
    real.add_argument(
        "repositories",
        nargs="+",
        metavar="NAME=ROOT=FILE",
        help="*.scip, *.tsv, rustdoc's folder of sources",
    )
    real.add_argument("--wrong", action="store_true", help="also list wrong and missing edges")
    return parser


def _judged(program: Program) -> Iterable[Judged]:
    for ends, (rule, confidence) in program.rules.items():
        yield Judged(rule, confidence, ends in program.expected, " -> ".join(ends))


def _compare(options: argparse.Namespace) -> int:
    compared = []
    for each in options.repositories:
        name, root, file = each.split("=")
        compared.append(oracle.compare(name, Path(root), _names(Path(file))))
    for one in compared:
        require(min(one.expected, len(one.judged)), f"edge of {one.name} to compare")
    print(comparison_table(compared))
    print()
    print(reliability([judged for one in compared for judged in one.judged]))
    for one in compared if options.wrong else ():
        for judged in one.judged:
            if not judged.is_right:
                print(f"wrong    {one.name} {judged.rule}: {judged.shown}")
        for shown in one.missing:
            print(f"missing  {one.name} {shown}")
    return 0


def _names(file: Path) -> oracle.Names:
    if file.is_dir():
        return rustdoc.read(file)
    return scip.read(file) if file.suffix == ".scip" else oracle.read(file)


def comparison_table(compared: Sequence[Comparison]) -> str:
    """Precision and recall by repository."""
    lines = [
        "| repository | oracle | found | recall | ours, judged | right | precision | unjudged |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for one in compared:
        right = sum(judged.is_right for judged in one.judged)
        lines.append(
            f"| {one.name} | {one.expected:,} | {one.found:,} | {one.found / one.expected:.3f}"
            f" | {len(one.judged):,} | {right:,} | {right / max(1, len(one.judged)):.3f}"
            f" | {one.unjudged:,} |"
        )
    return "\n".join(lines)


def reliability(judged: Sequence[Judged]) -> str:
    """How often edges of each rule and confidence are right."""
    lines = ["| rule | confidence | judged | right |", "|---|--:|--:|--:|"]
    groups: dict[tuple[float, str], list[Judged]] = {}
    for one in judged:
        groups.setdefault((-one.confidence, one.rule), []).append(one)
        groups.setdefault((-one.confidence, "all"), []).append(one)
    for (confidence, rule), group in sorted(groups.items()):
        share = sum(one.is_right for one in group) / len(group)
        lines.append(f"| {rule} | {-confidence:.2f} | {len(group):,} | {share:.3f} |")
    return "\n".join(lines)


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
