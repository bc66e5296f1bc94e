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
from satchel.knowledge.context import Desk
from satchel.knowledge.model import OPEN, Link
from satchel.knowledge.scopes import Place
from satchel.knowledge.storage import read
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import SymbolRecord

_MOST_DECISIONS = 500
_MOST_SYMBOLS = 2_000
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
class Checked:
    """`bad` of `of` are not as they should be; `meaning` says what that is."""

    name: str
    verdict: Verdict
    bad: int
    of: int
    meaning: str


def verify(desk: Desk, place: Place, n_drifted: int) -> tuple[Checked, ...]:
    """Coverage, warnings, assembly and drift of a place, in this order."""
    where, values = read.in_scope(place)

    def count(clause: str) -> int:
        return read.count(desk.db, f"{clause} AND {where}", values, desk.caller.actor)

    warnings = count(f"i.kind = 'warning' AND {_OPEN}")
    # An item that is no warning and links to one, or a word on whether it holds, is an answer.
    ignored = count(
        f"i.kind = 'warning' AND {_OPEN} AND i.verification = 'unverified' AND NOT EXISTS"
        " (SELECT 1 FROM link l JOIN item o ON o.id = l.src"
        " WHERE l.dst = 'item:' || i.id AND o.kind != 'warning')"
    )
    decided = count(_DECIDED)
    blind = count(f"{_DECIDED} AND json_extract(i.body, '$.informed') IS NULL")
    untested, about_code = _untested(desk, where, values)
    anchored = count(f"{_OPEN} AND i.id IN (SELECT src FROM link WHERE anchor != '')")
    few = Verdict.WARN if ignored <= _FEW_WARNINGS else Verdict.FAIL
    return (
        _checked("coverage", untested, about_code, "decisions about code that no test calls"),
        Checked("warnings", few if ignored else Verdict.PASS, ignored, warnings, "ignored"),
        _checked("assembly", blind, decided, "decisions taken without asking what is known"),
        Checked("drift", _drift(desk, n_drifted), n_drifted, anchored, "about code that changed"),
    )


def _checked(name: str, bad: int, of: int, meaning: str) -> Checked:
    if not of:
        return Checked(name, Verdict.SKIP, 0, 0, meaning)
    some = Verdict.WARN if 2 * bad <= of else Verdict.FAIL
    return Checked(name, some if bad else Verdict.PASS, bad, of, meaning)


def _drift(desk: Desk, n_drifted: int) -> Verdict:
    if desk.snapshot is None:
        return Verdict.SKIP
    return Verdict.WARN if n_drifted else Verdict.PASS


def _untested(desk: Desk, where: str, values: Sequence[object]) -> tuple[int, int]:
    """Active decisions whose code no test calls, and those that are about code at all."""
    if desk.snapshot is None:
        return 0, 0
    clause = f"{_DECIDED} AND {where}"
    order = "i.created_at DESC, i.id"
    held = read.admitted(desk.db, clause, values, desk.caller.actor, order, _MOST_DECISIONS)
    affected: dict[str, list[Link]] = {}
    for link in read.links_from(desk.db, [item.id for item in held]):
        if link.rel == "affects":
            affected.setdefault(link.src, []).append(link)
    codes = [_symbols(links, desk.snapshot) for links in affected.values()]
    about = [symbols for symbols in codes if symbols]
    return sum(not _is_tested(symbols, desk.snapshot) for symbols in about), len(about)


def _symbols(links: Sequence[Link], snapshot: Snapshot) -> list[SymbolRecord]:
    """What the links lead to and is no test itself."""
    found: list[SymbolRecord] = []
    for link in links:
        if link.dst.startswith(PATH):
            found += snapshot.symbols.of_file(RepoPath(link.dst.removeprefix(PATH)))
        elif link.dst.startswith(SYMBOL):
            found += definitions(link.dst.removeprefix(SYMBOL), snapshot)
    return [symbol for symbol in found if not symbol.is_test][:_MOST_SYMBOLS]


def _is_tested(symbols: Sequence[SymbolRecord], snapshot: Snapshot) -> bool:
    edges = snapshot.symbols.edges_to(sorted({symbol.id for symbol in symbols}))
    users = sorted({edge.source for edge in edges})
    return any(user.is_test for user in snapshot.symbols.by_id(users))
