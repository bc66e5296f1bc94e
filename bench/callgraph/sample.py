"""Edges drawn at random, to be read by a person: `python -m bench.callgraph.sample TREE …`.

Of each tree `--each` edges by one `--rule`, the same ones each time: the confidence, who uses what,
and the line of the use as it is written.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.nothing import require
from satchel.workspace.project import Project, ignore_progress

_SEED = 52


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the edges."""
    parser = argparse.ArgumentParser(prog="bench.callgraph.sample", description=__doc__)
    parser.add_argument("trees", nargs="+", type=Path)
    parser.add_argument("--rule", default="unique", help="how an edge was found (default: unique)")
    parser.add_argument("--each", type=int, default=10, help="edges of a tree (default: 10)")
    options = parser.parse_args(arguments)
    n_printed = 0
    for tree in options.trees:
        drawn = _drawn(tree, options.rule, options.each)
        n_printed += len(drawn)
        print(f"{tree.name}: {len(drawn)} by {options.rule}")
        for line in drawn:
            print(f"    {line}")
    require(n_printed, "edge by this rule in any tree")
    return 0


def _drawn(tree: Path, rule: str, n: int) -> list[str]:
    project = Project.at(tree, {"SATCHEL_VECTORS_ENGINE": "off"})
    project.refresh(ignore_progress)
    with project.snapshot() as snapshot:
        edges = [each for each in snapshot.graph.edges() if each.rule == rule]
        chosen = random.Random(_SEED).sample(edges, min(n, len(edges)))
        ends = sorted({each.source for each in chosen} | {each.target for each in chosen})
        symbols = {symbol.id: symbol for symbol in snapshot.symbols.by_id(ends)}
    result = []
    for edge in chosen:
        user, used = symbols[edge.source], symbols[edge.target]
        written = (tree / user.path).read_text(encoding="utf-8", errors="replace").split("\n")
        place = f"{user.path}:{edge.line} {user.qualified_name}"
        target = f"{used.path}:{used.line} {used.qualified_name}"
        line = written[edge.line - 1].strip() if edge.line <= len(written) else ""
        result.append(f"{edge.confidence:.2f} {place} -> {target}\n        {line}")
    return result


if __name__ == "__main__":
    sys.exit(main())
