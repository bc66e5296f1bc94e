"""Budgets: how much may be asked, how much a reply may take, and how much of a text fits into it.

A module of its own, so that code that needs only the bounds imports nothing else.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct

from satchel.store.errors import UsageError

CountTokens = Callable[[str], int]
"""Tokens of a text."""
MIN_BUDGET, MAX_BUDGET = 256, 32_768
"""Tokens of a pack."""
MAX_QUERY = 10_000
"""Characters of a question that are looked for."""
MAX_INPUT = 1_000_000
"""Characters of a question; what is longer than `MAX_QUERY` is cut to what tells most."""
MAX_RESULTS = 200
"""Results of a search that may be asked for."""
MAX_COUNTED = 10_000
"""Lines of an exact search that are counted, and that pages can reach."""


class Spending(Struct, frozen=True):
    """What a pack may cost: at most `ceiling` tokens.

    With a price of a `turn`, in tokens, the pack ends before its ceiling where the next piece costs
    more than it is likely to save: needed and not shown, it costs a turn and its tokens later. 0
    stands for a budget that somebody wrote, which is filled while anything relevant is left.
    """

    ceiling: int
    turn: int = 0


USUAL = Spending(4_096, 3_500)
"""Where no budget is written, and no setting: see docs/decisions/packs.md for the price."""


def checked(spending: Spending | int) -> Spending:
    """What may be spent; a number is a written budget.

    Raises:
        UsageError: a pack cannot be asked for so many tokens.
    """
    spending = Spending(spending) if isinstance(spending, int) else spending
    check_budget(spending.ceiling)
    return spending


def check_query(text: str) -> None:
    """Raises: UsageError, if a question says nothing."""
    if not text.strip():
        raise UsageError("query is empty", "say what you are looking for in words or names")


def check_budget(budget: int) -> None:
    """Raises: UsageError, if a pack cannot be asked for so many tokens."""
    if not MIN_BUDGET <= budget <= MAX_BUDGET:
        raise UsageError(
            f"budget_tokens is {budget}, must be {MIN_BUDGET} to {MAX_BUDGET}",
            "4096 suits most questions",
        )


def check_max_results(max_results: int, *, usual: int) -> None:
    """Raises: UsageError, if nothing may ask for so many results; it names a usual number."""
    if not 1 <= max_results <= MAX_RESULTS:
        hint = f"try {usual}"
        raise UsageError(f"max_results is {max_results}, must be 1 to {MAX_RESULTS}", hint)


def check_search(max_results: int, min_score: float) -> None:
    """Raises: UsageError, if no search may ask for so many results, or for so good ones."""
    check_max_results(max_results, usual=10)
    if not 0.0 <= min_score <= 1.0:
        raise UsageError(f"min_score is {min_score}, must be 0.0 to 1.0", "0.0 keeps everything")


def n_fitting(lines: Sequence[str], count: CountTokens, limit: int) -> int:
    """How many of the first lines take at most `limit` tokens together, at least one."""
    low, high = 1, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        if count("\n".join(lines[:middle])) <= limit:
            low = middle
        else:
            high = middle - 1
    return low
