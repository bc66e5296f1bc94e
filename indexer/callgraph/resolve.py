"""Which definitions does a use mean? By following values where they can be followed, else by name.

What `indexer.callgraph.values.evaluate` finds comes first. A use that it knows nothing about falls
to the rules below, tried in order; the first that answers wins. A use that is known to mean
something outside of the tree, and one that no rule answers, stay unresolved.
"""

from __future__ import annotations

from collections.abc import Iterable

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph import overloads
from satchel.indexer.callgraph.by_name import by, by_name
from satchel.indexer.callgraph.expressions import expressions
from satchel.indexer.callgraph.tables.bindings import (
    Definition,
    Resolution,
    Use,
    can_mean,
)
from satchel.indexer.callgraph.tables.file_table import CLASS_LIKE
from satchel.indexer.callgraph.tables.flow_places import handed_names, last_name
from satchel.indexer.callgraph.values.evaluate import Evaluator
from satchel.indexer.callgraph.values.solver import EMPTY, Value, Values
from satchel.indexer.extract.references import ITERATION, RESULT
from satchel.indexer.languages import detect
from satchel.store.model import FUNCTIONS, ReferenceKind, SymbolKind

_PRELUDE = frozenset({"Ok", "Err", "Some"})
"""Of Rust: what the types that stand under these names in traits are not."""
_DELEGATING = frozenset({("super", "super"), ("this", "inst")})
MAX_TARGETS = 8
"""A use that may mean more than so many definitions is not resolved."""
_RUN = frozenset({"def", "bound"})
_HANDED = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})


def resolve(use: Use, evaluator: Evaluator) -> list[Resolution]:
    """What a use means, surest first, then by file and position; [] when that is not known."""
    values, is_known = _followed(use, evaluator)
    found = _resolutions(use, values, evaluator)
    if found:
        return found if len(found) <= MAX_TARGETS else []
    if use.kind == ReferenceKind.CALL and (handed := _handed(use, evaluator)):
        return handed if len(handed) <= MAX_TARGETS else []
    if is_known or use.name in (RESULT, ITERATION):
        return []
    scope = evaluator.tables.imports(use.file_id)
    guess = by_name(use, scope, evaluator.tables.named)
    if guess is None:
        return []
    meant = _overloads(use, guess.target, evaluator)
    found = [Resolution(each, guess.rule, guess.confidence) for each in meant]
    return [*found, *_constructors(guess, use, evaluator)]


def _followed(use: Use, evaluator: Evaluator) -> tuple[Values, bool]:
    """The values of what is used, and whether a lack of them is knowledge too."""
    scope = _scope(use, evaluator)
    if use.kind != ReferenceKind.CALL:
        path = f"{use.receiver}.{use.name}" if use.receiver else use.name
        types = evaluator.classes.named(use.file_id, scope, expressions.read(path))
        rule = rules.PLAIN if any(d.file_id == use.file_id for d in types) else rules.IMPORTED
        return frozenset(("def", d.id, 0, rule) for d in types[:1]), False
    if use.name == RESULT:
        return evaluator.of(use.file_id, scope, expressions.read(use.receiver)), True
    if not use.receiver:
        if use.name in _PRELUDE and evaluator.tables.place(use.file_id).language == "rust":
            return EMPTY, True
        found = evaluator.of(use.file_id, scope, ("name", use.name))
        return found, any(value[0] in ("out", "any") for value in found)
    held = evaluator.of(use.file_id, scope, expressions.read(use.receiver))
    values = EMPTY
    for value in held:
        values |= evaluator.members.of(value, use.name)
    if use.name == ITERATION:
        values |= _steps(values, evaluator)
    return values, bool(held)


def _steps(iterations: Values, evaluator: Evaluator) -> Values:
    """What a loop calls again and again: `__next__` of what `__iter__` returned."""
    found = EMPTY
    for value in iterations:
        for iterator in evaluator.result(value) if value[0] == "bound" else EMPTY:
            if iterator[0] == "inst":
                found |= evaluator.members.of(iterator, "__next__")
    return found


def _scope(use: Use, evaluator: Evaluator) -> int:
    """The scope of a use; what a variable is given is no scope of its own."""
    definitions = evaluator.tables.file(use.file_id).definitions
    scope = use.scope_id
    while definitions[scope].kind in (
        SymbolKind.VARIABLE,
        SymbolKind.CONSTANT,
        SymbolKind.FIELD,
    ):
        scope = definitions[scope].parent
    return scope


def _resolutions(use: Use, values: Values, evaluator: Evaluator) -> list[Resolution]:
    best: dict[int, Resolution] = {}
    for value in sorted(values, key=lambda value: value[3]):
        for meant, rule in _targets(use, value, evaluator):
            for target in _overloads(use, meant, evaluator):
                resolution = _resolution(use, target, rule, evaluator)
                known = best.get(target.id)
                if can_mean(use.kind, target.kind) and (
                    known is None or known.confidence < resolution.confidence
                ):
                    best[target.id] = resolution
    made = [c for r in list(best.values()) for c in _constructors(r, use, evaluator)]
    for constructor in made:
        best.setdefault(constructor.target.id, constructor)
    return sorted(best.values(), key=lambda r: (-r.confidence, r.target.id))


def _targets(use: Use, value: Value, evaluator: Evaluator) -> Iterable[tuple[Definition, int]]:
    kind, target, _, rule = value
    if kind in ("def", "bound"):
        yield evaluator.tables.definition(target), rule
    elif kind == "inst" and use.kind == ReferenceKind.CALL:
        for called in evaluator.members.of(value, "__call__"):
            if called[0] == "bound":
                yield evaluator.tables.definition(called[1]), called[3]
    yield from _delegates(use, value, evaluator)


def _delegates(use: Use, value: Value, evaluator: Evaluator) -> Iterable[tuple[Definition, int]]:
    """The constructors that `super(…)` and `this(…)` run, where they are written so."""
    if use.kind != ReferenceKind.CALL or (use.name, value[0]) not in _DELEGATING:
        return
    holder = evaluator.tables.definition(value[1])
    order, _ = evaluator.classes.order(holder)
    for place in order[1:2] if value[0] == "super" else order[:1]:
        for constructor in evaluator.classes.members(place, place.name)[:1]:
            if constructor.kind == SymbolKind.CONSTRUCTOR:
                yield constructor, value[3]


def _overloads(use: Use, target: Definition, evaluator: Evaluator) -> list[Definition]:
    """The functions that a call means, of one and those that differ from it by parameters."""
    if use.kind != ReferenceKind.CALL or target.kind not in FUNCTIONS:
        return [target]
    table = evaluator.tables.file(use.file_id)
    if not table.given:
        return [target]
    home = evaluator.tables.read(target.file_id, target.parent or target.id)
    return overloads.fitting(target, home, table, (_scope(use, evaluator), use.name))


def _handed(use: Use, evaluator: Evaluator) -> list[Resolution]:
    """Functions that are handed to something outside of the tree, which will call them."""
    sites = evaluator.tables.file(use.file_id).sites.get(use.name, ())
    scope = _scope(use, evaluator) if sites else 0
    found: dict[int, Resolution] = {}
    for site in sites:
        if site.scope != scope or site.decorates:
            continue
        for name in handed_names(site.arguments):
            if not any(d.kind in _HANDED for d in evaluator.tables.defined(last_name(name))):
                continue
            for kind, target, _, _ in evaluator.of(use.file_id, scope, expressions.read(name)):
                definition = evaluator.tables.definition(target) if kind in _RUN else None
                if definition and definition.kind in _HANDED:
                    found[target] = by(rules.HANDED, definition)
    return sorted(found.values(), key=lambda r: r.target.id)


def _resolution(use: Use, target: Definition, rule: int, evaluator: Evaluator) -> Resolution:
    followed = rules.FOLLOWED[rule]
    if rule == rules.PLAIN and use.receiver and use.name != RESULT:
        place = evaluator.tables.place(use.file_id)
        names = detect.by_name(place.language).self_names
        followed = rules.SELF if use.receiver in names else rules.QUALIFIED
    return Resolution(target, followed.name, followed.confidence)


def _constructors(made: Resolution, use: Use, evaluator: Evaluator) -> list[Resolution]:
    """The constructor that a call of a class runs, its own or the nearest inherited one."""
    holder = made.target
    if use.kind != ReferenceKind.CALL or holder.kind not in CLASS_LIKE:
        return []
    names = detect.by_name(holder.place.language).constructors
    order, _ = evaluator.classes.order(holder)
    for name in (*names, holder.name):
        for place in order:
            found = [
                member
                for member in evaluator.classes.members(place, name)
                if member.kind == SymbolKind.CONSTRUCTOR
            ]
            if found:
                meant = _overloads(use, found[0], evaluator)
                return [Resolution(d, rules.CONSTRUCTOR.name, made.confidence) for d in meant]
    return []
