"""The process in which `bench.robustness.fuzz` reads what it mutated."""

from __future__ import annotations

import sys

from bench.robustness.fuzz import play


def main() -> None:
    """Play the mutations that the arguments name: seed, first, last, target."""
    seed, first, last, only = (*sys.argv[1:5], "")[:4]
    play(int(seed), int(first), int(last), only)
