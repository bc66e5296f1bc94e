"""Whether a scope is left as it should be: Twining's `verify`, as counts with a verdict each.

Its limits are kept: code with tests for half of the decisions is a warning and less a failure; up
to two ignored warnings are a warning, more a failure; decisions taken without asking what is known
are a warning while they are no more than half. It ran constraints as commands; nothing here does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from satchel.knowledge.code_links.anchors import PATH, SYMBOL, definitions
from satchel.knowledge.model import OPEN, Link
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.scopes import ResolvedScope
from satchel.knowledge.storage import read
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import SymbolRecord

_MAX_DECISIONS = 500
_MAX_SYMBOLS = 2_000
_FEW_WARNINGS = 2
_OPEN = f"i.status IN ({', '.join(repr(str(status)) for status in OPEN)})"
_DECIDED = "i.kind = 'decision' AND i.status = 'active'"


class Verdict(StrEnum):
    """What a check comes to; skipped when there is nothing to look at."""

    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class VerifyResult:
    """`bad` of `of` are not as they should be; `meaning` says what that is."""

    name: str
    verdict: Verdict
    bad: int
    of: int
    meaning: str


def verify(
    context: RequestContext, place: ResolvedScope, n_drifted: int
) -> tuple[VerifyResult, ...]:
    """Coverage, warnings, assembly and drift of a place, in this order."""
    where, values = read.scope_condition(place)

    def count(clause: str) -> int:
        return read.count_visible(context.db, f"{clause} AND {where}", values, context.caller.actor)

    warnings = count(f"i.kind = 'warning' AND {_OPEN}")
    # An item that is no warning and links to one, or a word on whether it holds, is an answer.
    ignored = count(
        f"i.kind = 'warning' AND {_OPEN} AND i.verification = 'unverified' AND NOT EXISTS"
        " (SELECT 1 FROM link l JOIN item o ON o.id = l.src"
        " WHERE l.dst = 'item:' || i.id AND o.kind != 'warning')"
    )
    decided = count(_DECIDED)
    blind = count(f"{_DECIDED} AND json_extract(i.body, '$.informed') IS NULL")
    untested, about_code = _untested(context, where, values)
    anchored = count(f"{_OPEN} AND i.id IN (SELECT src FROM link WHERE anchor != '')")
    few = Verdict.WARN if ignored <= _FEW_WARNINGS else Verdict.FAIL
    return (
        _result("coverage", untested, about_code, "decisions about code that no test calls"),
        VerifyResult("warnings", few if ignored else Verdict.PASS, ignored, warnings, "ignored"),
        _result("assembly", blind, decided, "decisions taken without asking what is known"),
        VerifyResult(
            "drift",
            _drift_verdict(context, n_drifted),
            n_drifted,
            anchored,
            "about code that changed",
        ),
    )


def _result(name: str, bad: int, of: int, meaning: str) -> VerifyResult:
    if not of:
        return VerifyResult(name, Verdict.SKIP, 0, 0, meaning)
    some = Verdict.WARN if 2 * bad <= of else Verdict.FAIL
    return VerifyResult(name, some if bad else Verdict.PASS, bad, of, meaning)


def _drift_verdict(context: RequestContext, n_drifted: int) -> Verdict:
    if context.snapshot is None:
        return Verdict.SKIP
    return Verdict.WARN if n_drifted else Verdict.PASS


def _untested(context: RequestContext, where: str, values: Sequence[object]) -> tuple[int, int]:
    """Active decisions whose code no test calls, and those that are about code at all."""
    if context.snapshot is None:
        return 0, 0
    clause = f"{_DECIDED} AND {where}"
    order = "i.created_at DESC, i.id"
    held = read.visible_items(
        context.db, clause, values, context.caller.actor, order, _MAX_DECISIONS
    )
    affected: dict[str, list[Link]] = {}
    for link in read.links_from(context.db, [item.id for item in held]):
        if link.rel == "affects":
            affected.setdefault(link.src, []).append(link)
    codes = [_linked_symbols(links, context.snapshot) for links in affected.values()]
    about = [symbols for symbols in codes if symbols]
    return sum(not _is_tested(symbols, context.snapshot) for symbols in about), len(about)


def _linked_symbols(links: Sequence[Link], snapshot: Snapshot) -> list[SymbolRecord]:
    """What the links lead to and is no test itself."""
    found: list[SymbolRecord] = []
    for link in links:
        if link.dst.startswith(PATH):
            found += snapshot.symbols.of_file(RepoPath(link.dst.removeprefix(PATH)))
        elif link.dst.startswith(SYMBOL):
            found += definitions(link.dst.removeprefix(SYMBOL), snapshot)
    return [symbol for symbol in found if not symbol.is_test][:_MAX_SYMBOLS]


def _is_tested(symbols: Sequence[SymbolRecord], snapshot: Snapshot) -> bool:
    edges = snapshot.symbols.edges_to(sorted({symbol.id for symbol in symbols}))
    users = sorted({edge.source for edge in edges})
    return any(user.is_test for user in snapshot.symbols.by_id(users))
