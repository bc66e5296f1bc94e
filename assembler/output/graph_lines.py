"""Paths, cycles, broken rules, dead code and neighbourhoods as text for people and models. Pure.

Every line is data: control characters in names and paths are escaped.
"""

from collections.abc import Iterator, Sequence

from satchel.assembler.graph.cycles import Cycle
from satchel.assembler.graph.layers import Violation
from satchel.assembler.graph.neighbourhoods import Neighbourhood
from satchel.assembler.graph.paths import Path, Paths
from satchel.assembler.output.definition_lines import definition_line
from satchel.assembler.quoting import clean
from satchel.assembler.render import location
from satchel.assembler.survey.dead_code import DeadCode
from satchel.assembler.survey.overview import Central
from satchel.store.counted import counted, first_of
from satchel.store.model import RepoPath
from satchel.store.records import SymbolRecord

_MODULES = 12
"""Modules of a cycle, files of a neighbourhood, that are named."""


def paths_lines(found: Paths) -> Iterator[str]:
    """Each way from one symbol to another: its confidence, then a line a step."""
    for number, path in enumerate(found.paths, 1):
        steps = counted(len(path.steps), "step")
        yield f"way {number}: {steps}, confidence {path.confidence:.2f}"
        yield from _steps(path)
    if not found.paths:
        yield "none found: no way of up to 12 steps leads there"
    if not found.is_whole:
        yield "symbols on the way have too many users to look at all of them; there may be others"


def _steps(path: Path) -> Iterator[str]:
    yield f"  {_symbol_line(path.steps[0].source)}"
    for step in path.steps:
        at = location(step.source.path, step.line, step.line)
        edge = f"({step.kind} at {at}, {step.rule} {step.confidence:.2f})"
        yield f"  -> {_symbol_line(step.target)}  {edge}"


def _symbol_line(symbol: SymbolRecord) -> str:
    where = location(symbol.path, symbol.line, symbol.line)
    return f"{clean(symbol.qualified_name)}  {where}"


def cycles_lines(found: Sequence[Cycle], limit: int) -> Iterator[str]:
    """Modules that need each other, a shortest way round, and what to cut."""
    if not found:
        yield "none found: no module needs one that needs it"
    for cycle in found[:limit]:
        names = first_of([*map(clean, cycle.modules)], _MODULES)
        yield f"{len(cycle.modules)} modules need each other: {names}"
        way = [clean(module) for module in (*cycle.way_round, cycle.way_round[0])]
        yield f"  a way round: {' -> '.join(way)}"
        for cut in cycle.cuts:
            uses = counted(cut.uses, "use")
            at = location(RepoPath(cut.path), cut.line, cut.line)
            yield f"  cut {clean(cut.source)} -> {clean(cut.target)}  ({uses}, the first at {at})"
        if not cycle.is_whole:
            yield "  and more cuts; these are the first"
    if len(found) > limit:
        yield f"{len(found) - limit} more; a larger limit shows them"


def violations_lines(found: Sequence[Violation], unknown: Sequence[str]) -> Iterator[str]:
    """Uses that break a rule, and paths in rules at which nothing lies."""
    for one in found:
        uses = counted(one.uses, "use")
        at = location(RepoPath(one.path), one.line, one.line)
        yield (
            f"{at}  {clean(one.source)} uses {clean(one.target)} ({uses})"
            f" against `{clean(one.rule)}`"
        )
    for path in unknown:
        yield f"no module lies at {clean(path)}, which a rule names"
    if not found and not unknown:
        yield "no rule is broken"


def dead_lines(found: DeadCode) -> Iterator[str]:
    """Definitions that nothing reaches, each with why it might be alive."""
    yield (
        f"{found.n_found:,} of {found.n_definitions:,} definitions are reached by nothing;"
        f" of {found.n_unnamed:,} the name stands nowhere else"
    )
    if found.called:
        yield f"routes are not read: what is public in {', '.join(map(clean, found.called))} counts"
        yield "  as used"
    for row in found.rows:
        inside = f", {row.n_members} inside" if row.n_members else ""
        yield f"  {definition_line(row.symbol)}{inside}"
        yield from (f"      perhaps alive: {clean(reason)}" for reason in row.reasons)
    if found.n_found > len(found.rows):
        yield f"{found.n_found - len(found.rows):,} more; a larger limit shows them"


def central_lines(found: Sequence[Central]) -> Iterator[str]:
    """Symbols with their rank and their users, a line each."""
    for each in found:
        used = f"used by {each.n_users} in {counted(each.n_files, 'file')}"
        yield f"  {definition_line(each.symbol)}  ({used})"


def neighbourhood_lines(found: Sequence[Neighbourhood]) -> Iterator[str]:
    """Files that belong together, a line for each group: its files that are used most first."""
    for each in found:
        first = ", ".join(clean(path) for path in each.files[:3])
        more = ", …" if len(each.files) > 3 else ""
        yield (
            f"  {clean(each.name)}: {counted(len(each.files), 'file')},"
            f" {counted(each.inner, 'use')} inside,"
            f" {each.outer} across ({first}{more})"
        )
