"""A few numbers of packing, tuned to a repository's own fixes.

Fixes are in the order of time. On the earlier ones each number is tried by itself, then those that
gained together; on the later ones the best choice has to show more, with an interval above 0.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean

from msgspec import Struct

from satchel.evaluation import history
from satchel.evaluation.fixes import Fix
from satchel.evaluation.history import IndexedCommit, OnStep, Options
from satchel.evaluation.intervals import Interval, interval
from satchel.indexer.refresh_values import OnProgress
from satchel.store.counted import counted
from satchel.store.errors import UsageError
from satchel.workspace.configuration import tuned
from satchel.workspace.configuration.tuned import Tuned
from satchel.workspace.project import Project

LEAST = 30
"""Fixes below which nothing is tuned: a third of them would say nothing."""
_EARLIER = 0.6
"""Share of the fixes that numbers are chosen on (0..1)."""
TRIED: Mapping[str, tuple[float, ...]] = {
    "order_turn": (300.0, 4_000.0),
    "room": (400.0, 1_200.0),
}
"""Other values of numbers of `Packing`, around those that ship. Repositories differ in how long
functions are."""
Numbers = Mapping[str, float]
AskedFix = tuple[IndexedCommit, Fix]
"""A fix, and the code that it is asked of."""
_LEAST_GAIN = 0.002
"""In the share of changed lines, on the earlier fixes, for a number to be changed at all."""


class Outcome(Struct, frozen=True):
    """What tuning found: numbers ({} for none better), their gain on later fixes, and if kept."""

    numbers: Numbers
    earlier: Interval
    later: Interval
    n_earlier: int
    n_later: int
    commit: str
    budget: int
    is_kept: bool


def tune(
    project: Project, environment: Mapping[str, str], options: Options, on_step: OnStep,
    on_progress: OnProgress,
) -> Outcome:  # fmt: skip
    """Tune a checkout's numbers and keep them beside its index if later fixes gain by them.

    Raises:
        UsageError: there is no git history, or too little of it.
    """
    with history.opened(project, environment, options, on_step, on_progress) as moments:
        asked = [(then, fix) for then in moments for fix in then.fixes]
        if len(asked) < LEAST:
            raise UsageError(
                f"only {counted(len(asked), 'fix', 'fixes')} can be asked for,"
                f" and {LEAST} are needed",
                "try another --since; the shipped numbers stay in force",
            )
        # Split by time and not at random: numbers are for fixes that are yet to come.
        n_earlier = round(_EARLIER * len(asked))
        earlier, later = asked[:n_earlier], asked[n_earlier:]
        numbers, gain = _chosen(earlier, options.budget, on_step)
        proved = interval([0.0])
        if numbers:
            before, after = values(later, ({}, numbers), options.budget, on_step)
            proved = interval([b - a for a, b in zip(before, after, strict=True)])
        outcome = Outcome(
            numbers, gain, proved, n_earlier, len(later), moments[0].commit, options.budget,
            proved.low > 0.0,
        )  # fmt: skip
    if outcome.is_kept:
        _keep(project, outcome)
    return outcome


def _chosen(asked: Sequence[AskedFix], budget: int, on_step: OnStep) -> tuple[Numbers, Interval]:
    """The best of `TRIED` on some fixes, and what they gain there."""
    alone: list[Numbers] = [{name: n} for name, others in TRIED.items() for n in others]
    shipped, *found = values(asked, [{}, *alone], budget, on_step)
    gains = [fmean(each) - fmean(shipped) for each in found]
    together: list[Numbers] = [{}]
    for place in sorted(range(len(alone)), key=lambda place: (-gains[place], place)):
        # Of two values of a number the better one comes first.
        if gains[place] > _LEAST_GAIN and not alone[place].keys() & together[-1].keys():
            together.append({**together[-1], **alone[place]})
    # The same fixes once more only where something gained by itself.
    if len(together) == 1:
        return {}, interval([0.0])
    tried = values(asked, together, budget, on_step)
    # Equal ones are decided for the fewest changes.
    best = max(range(len(tried)), key=lambda place: (fmean(tried[place]), -place))
    return together[best], interval([b - a for a, b in zip(shipped, tried[best], strict=True)])


def values(
    asked: Sequence[AskedFix], tried: Sequence[Numbers], budget: int, on_step: OnStep
) -> list[list[float]]:
    """For each choice of numbers, the share of changed lines that packs show, fix by fix."""
    weights = [tuned.weights_of(numbers) for numbers in tried]
    rows: list[list[float]] = []
    for number, (then, fix) in enumerate(asked):
        on_step(f"trying {len(tried)} choices", number, len(asked))
        rows.append([shown.changed for shown in then.shows_with(fix, budget, weights)])
    return [list(column) for column in zip(*rows, strict=True)]


def _keep(project: Project, outcome: Outcome) -> None:
    project.prepare()
    tuned.write(
        project.directory,
        Tuned(
            dict(outcome.numbers), round(outcome.later.mean, 4), round(outcome.later.low, 4),
            round(outcome.later.high, 4), outcome.n_earlier, outcome.n_later, outcome.budget,
            outcome.commit, tuned.ranking_version(),
        ),
    )  # fmt: skip
