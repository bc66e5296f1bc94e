"""What one more signal would add to a ranking, without building it in.

The signal is added to the best 200 as links of the call graph are, with a few weights, and the
difference to the ranking without it is taken over the same questions, bootstrapped.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache

from bench.peers.inprocess import Index
from bench.retrieval import report
from bench.retrieval.ablation import SEARCHED
from bench.retrieval.cases import Query
from bench.retrieval.metrics import Row, bootstrap
from bench.retrieval.scoring import search_scores
from satchel.assembler.assemble import Question, search, text_of
from satchel.assembler.query import read_query
from satchel.assembler.ranking import rank
from satchel.assembler.values import Scored
from satchel.assembler.weights import DEFAULT
from satchel.store.tokens import count

_UNSPREAD = replace(
    DEFAULT, penalty=replace(DEFAULT.penalty, next_of_file=1.0, next_of_file_detailed=1.0)
)
Signal = Callable[[Scored], float]
"""A ranked chunk → what the signal says of it, 0..1."""
Differences = dict[tuple[str, float], dict[tuple[str, str], list[float]]]
"""(signal, weight) → (cases, measure) → after less before, a number a question."""


def none_yet() -> Differences:
    """Where differences are gathered."""
    return defaultdict(lambda: defaultdict(list))


def compare(
    index: Index,
    asked: Query,
    kind: str,
    signals: Callable[[Sequence[Scored]], Mapping[str, Signal]],
    weights: Sequence[float],
    differences: Differences,
) -> None:
    """Ask one question, with and without each of the `signals` made for its ranking."""
    reply = search(index.snapshot, Question(asked.text), 200, vectors=index.vectors,
                   weights=_UNSPREAD)  # fmt: skip
    rows = {
        item.chunk.id: Row(item.chunk.path, item.chunk.span.start_line, item.chunk.span.end_line,
                           text_of(index.snapshot, item.chunk))
        for item in reply.results
    }  # fmt: skip
    tokens = cache(count)
    repetition = rank.repetition(read_query.read(asked.text, DEFAULT.term.part), DEFAULT.penalty)

    def scores(ranked: Sequence[Scored]) -> dict[str, float]:
        listed = rank.spread(list(ranked), repetition, 100)
        return search_scores([rows[item.chunk.id] for item in listed], asked, tokens)

    before = scores(reply.results)
    for name, signal in signals(reply.results).items():
        for weight in weights:
            for key, value in scores(_lifted(reply.results, signal, weight)).items():
                differences[name, weight][kind, key].append(value - before[key])
                if asked.kind == "architecture":
                    differences[name, weight]["architecture", key].append(value - before[key])


def table(differences: Differences) -> str:
    """A row a signal and weight, as a table for RESULTS.md."""
    rows = [["signal", "weight", *SEARCHED]]
    for (signal, weight), found in sorted(differences.items()):
        cells = (bootstrap(found[key]) for key in SEARCHED.values())
        said = (f"{c.mean:+.3f} ({c.low:+.3f} to {c.high:+.3f})" for c in cells)
        rows.append([signal, f"{weight}", *said])
    return report.markdown(rows)


def _lifted(ranked: Sequence[Scored], signal: Signal, weight: float) -> list[Scored]:
    """The ranking with one more signal, in the place of one that questions in words do not have."""
    lifted = (rank.with_signal(item, "pointed at", signal(item), weight) for item in ranked)
    return sorted(lifted, key=rank.order)
