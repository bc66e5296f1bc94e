"""Twining's `verify`: four checks of the knowledge about a scope, each with counts and a verdict.

Twining's limits are kept. Decisions whose code no test calls, or that were taken without asking for
context, are a warning up to half of all and a failure beyond; up to two ignored warnings are a
warning, more are a failure. Twining runs constraints of decisions as commands; nothing here does.
"""

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from satchel.knowledge.code_links.anchors import definitions
from satchel.knowledge.model import Link, Relation
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.scopes import PATH, SYMBOL, ResolvedScope
from satchel.knowledge.storage import read
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import SymbolRecord

_MAX_DECISIONS = 500
_MAX_SYMBOLS = 2_000
_FEW_WARNINGS = 2
_UNANSWERED = "warnings that nothing answers"
_DECIDED = "i.kind = 'decision' AND i.status = 'active'"


class Verdict(StrEnum):
    """The result of a check; SKIP when there is nothing to look at."""

    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"
    SKIP = "skip"


class VerifyResult(Struct, frozen=True):
    """`bad` of `of` items are not as they should be; `meaning` says in what."""

    name: str
    verdict: Verdict
    bad: int
    of: int
    meaning: str


def verify(
    context: RequestContext, scope: ResolvedScope, n_drifted: int
) -> tuple[VerifyResult, ...]:
    """Coverage, warnings, assembly and drift of a scope, in this order."""
    where, values = read.scope_condition(scope)

    def count(clause: str) -> int:
        return read.count_visible(context.db, f"{clause} AND {where}", values, context.caller.actor)

    warnings = count(f"i.kind = 'warning' AND {read.IS_OPEN}")
    # A warning is answered by a link from an item that is no warning itself, or by anybody's
    # verdict on whether it holds.
    ignored = count(
        f"i.kind = 'warning' AND {read.IS_OPEN} AND i.verification = 'unverified' AND NOT EXISTS"
        " (SELECT 1 FROM link l JOIN item o ON o.id = l.src"
        " WHERE l.dst = 'item:' || i.id AND o.kind != 'warning')"
    )
    decided = count(_DECIDED)
    # Fields that are false are not stored, so an uninformed decision has no such key.
    uninformed = count(f"{_DECIDED} AND json_extract(i.body, '$.informed') IS NULL")
    untested, about_code = _count_untested(context, where, values)
    anchored = count(f"{read.IS_OPEN} AND i.id IN (SELECT src FROM link WHERE anchor != '')")
    few = Verdict.WARN if ignored <= _FEW_WARNINGS else Verdict.FAIL
    drift = Verdict.SKIP
    if context.snapshot is not None:
        drift = Verdict.WARN if n_drifted else Verdict.PASS
    return (
        _by_half("coverage", untested, about_code, "decisions about code that no test calls"),
        VerifyResult("warnings", few if ignored else Verdict.PASS, ignored, warnings, _UNANSWERED),
        _by_half("assembly", uninformed, decided, "decisions taken without asking what is known"),
        VerifyResult("drift", drift, n_drifted, anchored, "items about code that changed"),
    )


def _by_half(name: str, bad: int, of: int, meaning: str) -> VerifyResult:
    """A result that is a warning up to half of all and a failure beyond."""
    if not of:
        return VerifyResult(name, Verdict.SKIP, 0, 0, meaning)
    some = Verdict.WARN if 2 * bad <= of else Verdict.FAIL
    return VerifyResult(name, some if bad else Verdict.PASS, bad, of, meaning)


def _count_untested(
    context: RequestContext, where: str, values: Sequence[object]
) -> tuple[int, int]:
    """(active decisions whose code no test calls, active decisions that are about code)."""
    snapshot = context.snapshot
    if snapshot is None:
        return 0, 0
    clause = f"{_DECIDED} AND {where}"
    order = "i.created_at DESC, i.id"
    decisions = read.visible_items(
        context.db, clause, values, context.caller.actor, order, _MAX_DECISIONS
    )
    affected: dict[str, list[Link]] = {}
    for link in read.links_from(context.db, [item.id for item in decisions]):
        if link.rel == Relation.AFFECTS:
            affected.setdefault(link.src, []).append(link)
    n_untested = n_about_code = 0
    for links in affected.values():
        symbols = _linked_symbols(links, snapshot)
        if symbols:
            n_about_code += 1
            # One step of the call graph: a test that reaches the code through other code would
            # make nearly everything tested.
            edges = snapshot.symbols.edges_to(sorted({symbol.id for symbol in symbols}))
            users = snapshot.symbols.by_id(sorted({edge.source for edge in edges}))
            n_untested += not any(user.is_test for user in users)
    return n_untested, n_about_code


def _linked_symbols(links: Sequence[Link], snapshot: Snapshot) -> list[SymbolRecord]:
    """The symbols that some links lead to, those of tests left out."""
    found: list[SymbolRecord] = []
    for link in links:
        if link.dst.startswith(PATH):
            found += snapshot.symbols.of_file(RepoPath(link.dst.removeprefix(PATH)))
        elif link.dst.startswith(SYMBOL):
            found += definitions(link.dst.removeprefix(SYMBOL), snapshot)
    return [symbol for symbol in found if not symbol.is_test][:_MAX_SYMBOLS]
