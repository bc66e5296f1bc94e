"""Budgets: how many tokens a reply may be asked to take, and how much of a text fits into some."""

from __future__ import annotations

from collections.abc import Callable, Sequence

MIN_BUDGET, MAX_BUDGET = 256, 32_768


def n_fitting(lines: Sequence[str], count: Callable[[str], int], limit: int) -> int:
    """How many of the first lines take at most `limit` tokens together, at least one."""
    low, high = 1, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        if count("\n".join(lines[:middle])) <= limit:
            low = middle
        else:
            high = middle - 1
    return low
