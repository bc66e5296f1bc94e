"""What every measurement says that has nothing to measure: an error, and no table of zeros."""

from __future__ import annotations


def require(n_found: int, what: str) -> None:
    """End the program with exit code 1 where there is nothing of what is measured."""
    if not n_found:
        raise SystemExit(f"nothing to score: no {what}")
