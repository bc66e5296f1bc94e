"""Does `recall` find what a question means, and nothing for what nobody wrote about?

    python -m bench.knowledge.recalling [--part dev|held-out]

`bench/knowledge/recall_cases.jsonl` holds 44 items as a team might keep them, each with two
questions: one in other words, one that shares some; the last line holds questions about nothing
that is there. Odd lines chose the numbers, even ones are held out. Each question goes through the
façade.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from bench.knowledge.latency import NOW
from satchel.knowledge import requests
from satchel.knowledge.answer import answer
from satchel.knowledge.model import Caller, Timestamp
from satchel.knowledge.replies import RecallReply
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.storage import database

_CASES = Path(__file__).with_name("recall_cases.jsonl")
_LIMIT = 50


class Case(Struct, frozen=True):
    """An item and the questions it answers: in other words, in some of its own."""

    kind: str
    summary: str
    detail: str
    questions: tuple[str, ...]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=["dev", "held-out"], default="dev")
    args = parser.parse_args()
    cases = [msgspec.json.decode(line, type=Case) for line in _CASES.read_bytes().splitlines()]
    with tempfile.TemporaryDirectory() as made:
        db = database.connect(Path(made))
        context = RequestContext(db, Caller(actor="ann", now=NOW))
        _keep(context, cases[:-1])
        asked = cases[:-1][args.part == "held-out" :: 2]
        print("| | other words: first | in five | mean 1/rank | own words: first | in five"
              " | mean 1/rank | shown for nothing |")  # fmt: skip
        print("|---|--:|--:|--:|--:|--:|--:|--:|")
        for name, by_meaning in (("words", False), ("words and meaning", True)):
            _row(name, replace(context, use_vectors=by_meaning), asked, cases[-1].questions)
        db.close()


def _keep(context: RequestContext, cases: Sequence[Case]) -> None:
    for place, case in enumerate(cases):  # a moment each: of equals the newest comes first
        at = replace(context, caller=Caller(actor="ann", now=Timestamp(NOW + place)))
        entry = {"kind": case.kind, "summary": case.summary, "detail": case.detail}
        entry |= {"rationale": case.detail} if case.kind == "decision" else {}
        answer(at, requests.read(requests.Remember, {"items": [entry | {"privacy": "team"}]}))


def _row(name: str, context: RequestContext, asked: Sequence[Case], nothing: Sequence[str]) -> None:
    cells: list[str] = []
    for place in (0, 1):
        ranks = [_rank(_found(context, case.questions[place]), case.summary) for case in asked]
        first = sum(rank == 1 for rank in ranks) / len(ranks)
        five = sum(0 < rank <= 5 for rank in ranks) / len(ranks)
        mean = sum(1 / rank for rank in ranks if rank) / len(ranks)
        cells += [f"{first:.2f}", f"{five:.2f}", f"{mean:.3f}"]
    shown = sum(len(_found(context, question)) for question in nothing) / len(nothing)
    print(f"| {name} | {' | '.join(cells)} | {shown:.1f} |")


def _found(context: RequestContext, question: str) -> list[str]:
    said = {"query": question, "limit": _LIMIT, "budget_tokens": 32_768}
    value = answer(context, requests.read(requests.Recall, said)).value
    assert isinstance(value, RecallReply)
    return [row.summary for row in value.items]


def _rank(found: Sequence[str], summary: str) -> int:
    return found.index(summary) + 1 if summary in found else 0


if __name__ == "__main__":
    main()
