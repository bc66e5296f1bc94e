"""Which definitions does a use mean? By following values where they can be followed, else by name.

What `indexer.evaluate` finds comes first. A use that it knows nothing about falls to the rules
below, tried in order; the first that answers wins. A use that is known to mean something outside of
the tree, and one that no rule answers, stay unresolved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from indexer import agreement, expressions, languages
from indexer import edge_rules as rules
from indexer.bindings import (
    SEPARATORS,
    Definition,
    FileScope,
    Named,
    Namesakes,
    Resolution,
    Use,
    can_mean,
)
from indexer.evaluate import Evaluator
from indexer.flow_places import handed_names, last_name
from indexer.solver import EMPTY, Value, Values
from indexer.tables import CLASS_LIKE
from indexer.uses import ITERATION, RESULT
from store.model import ReferenceKind, SymbolKind

MAX_TARGETS = 8
"""A use that may mean more than so many definitions is not resolved."""
_PACKAGE_DIRECTORIES = frozenset({"go", "java", "kotlin", "scala", "csharp", "swift"})
_RUN = frozenset({"def", "bound"})
_FUNCTIONS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})
_SCOPED = frozenset({"python", "go"})
"""Where a bare name is in a scope, imported or built in, and nothing else."""
_HEAD = re.compile(r"^[&*(]*([\w$]+)")


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
    guess = _by_name(use, scope, evaluator.tables.named)
    return [] if guess is None else [guess, *_constructors(guess, use, evaluator)]


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
        for target, rule in _targets(use, value, evaluator):
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


def _handed(use: Use, evaluator: Evaluator) -> list[Resolution]:
    """Functions that are handed to something outside of the tree, which will call them."""
    sites = evaluator.tables.file(use.file_id).sites.get(use.name, ())
    scope = _scope(use, evaluator) if sites else 0
    found: dict[int, Resolution] = {}
    for site in sites:
        if site.scope != scope or site.decorates:
            continue
        for name in handed_names(site.arguments):
            if not any(d.kind in _FUNCTIONS for d in evaluator.tables.defined(last_name(name))):
                continue
            for kind, target, _, _ in evaluator.of(use.file_id, scope, expressions.read(name)):
                definition = evaluator.tables.definition(target) if kind in _RUN else None
                if definition and definition.kind in _FUNCTIONS:
                    found[target] = _by(rules.HANDED, definition)
    return sorted(found.values(), key=lambda r: r.target.id)


def _resolution(use: Use, target: Definition, rule: int, evaluator: Evaluator) -> Resolution:
    followed = rules.FOLLOWED[rule]
    if rule == rules.PLAIN and use.receiver and use.name != RESULT:
        place = evaluator.tables.place(use.file_id)
        names = languages.by_name(place.language).self_names
        followed = rules.SELF if use.receiver in names else rules.QUALIFIED
    return Resolution(target, followed.name, followed.confidence)


def _constructors(made: Resolution, use: Use, evaluator: Evaluator) -> list[Resolution]:
    """The constructor that a call of a class runs, its own or the nearest inherited one."""
    holder = made.target
    if use.kind != ReferenceKind.CALL or holder.kind not in CLASS_LIKE:
        return []
    names = languages.by_name(holder.place.language).constructors
    order, _ = evaluator.classes.order(holder)
    for name in (*names, holder.name) if names else ():
        for place in order:
            found = [
                member
                for member in evaluator.classes.members(place, name)
                if member.kind == SymbolKind.CONSTRUCTOR
            ]
            if found:
                return [Resolution(found[0], rules.CONSTRUCTOR.name, made.confidence)]
    return []


def _by_name(use: Use, scope: FileScope, named: Named) -> Resolution | None:
    known = named(use.name, use.kind, scope.place.family)
    if not known.all and use.name not in scope.by_local_name:
        return None
    chosen = _RECEIVER_RULES if use.receiver else _BARE_RULES
    for rule in chosen:
        found = rule(use, scope, known, named)
        if found is not None:
            return found
    return None


def _local(use: Use, scope: FileScope, known: Namesakes, _n: Named) -> Resolution | None:
    implicit = _implicit_receiver(scope)
    own = [
        d
        for d in known.by_path.get(scope.place.path, ())
        if _encloses(d.scope, use.scope) and (implicit or d.kind != SymbolKind.METHOD)
    ]
    return _innermost(own, rules.FOLLOWED[rules.PLAIN])


def _self(use: Use, scope: FileScope, known: Namesakes, _n: Named) -> Resolution | None:
    if use.receiver not in languages.by_name(scope.place.language).self_names:
        return None
    own = [
        d
        for d in known.by_path.get(scope.place.path, ())
        if d.scope and _encloses(d.scope, use.scope)
    ]
    return _innermost(own, rules.SELF)


def _qualified(use: Use, scope: FileScope, known: Namesakes, _n: Named) -> Resolution | None:
    own = known.by_path.get(scope.place.path)
    if not own:
        return None
    owner = SEPARATORS.split(use.receiver)[-1]
    members = [d for d in own if d.scope and d.scope.rsplit(".", 1)[-1] == owner]
    return _by(rules.QUALIFIED, members[0]) if members else None


def _imported(use: Use, scope: FileScope, known: Namesakes, named: Named) -> Resolution | None:
    for binding in scope.by_local_name.get(use.name, ()):
        original = SEPARATORS.split(binding.name)[-1] if binding.name else use.name
        renamed = original != use.name
        targets = named(original, use.kind, scope.place.family) if renamed else known
        found = agreement.in_module(targets, binding, scope.place)
        if found is not None:
            return _by(rules.NAMESPACE, found)
    for binding in scope.stars:
        found = agreement.in_module(known, binding, scope.place)
        if found is not None:
            return _by(rules.NAMESPACE, found)
    return None


def _imported_receiver(
    use: Use, scope: FileScope, known: Namesakes, _n: Named
) -> Resolution | None:
    head = _HEAD.match(use.receiver)
    if head is None:
        return None
    for binding in scope.by_local_name.get(head[1], ()):
        found = agreement.in_member_module(known, binding, scope.place)
        found = found or agreement.in_module(known, binding, scope.place)
        found = found or agreement.member_of(known, binding, scope.place)
        if found is not None:
            return _by(rules.NAMESPACE, found)
    return None


def _package(_u: Use, scope: FileScope, known: Namesakes, _n: Named) -> Resolution | None:
    if scope.place.language not in _PACKAGE_DIRECTORIES:
        return None
    near = [d for d in known.all if d.place.directory == scope.place.directory and d.top_level]
    return _by(rules.PACKAGE, near[0]) if len(near) == 1 else None


def _unique(use: Use, scope: FileScope, known: Namesakes, _n: Named) -> Resolution | None:
    if len(known.product) != 1:
        return None
    only = known.product[0]
    if use.receiver:
        return _by(rules.UNIQUE_MEMBER, only)
    if scope.place.language in _SCOPED or (not only.top_level and not _implicit_receiver(scope)):
        return None  # a member needs a receiver here, and this use has none
    return _by(rules.UNIQUE, only)


def _implicit_receiver(scope: FileScope) -> bool:
    return languages.by_name(scope.place.language).implicit_receiver


_BARE_RULES = (_local, _imported, _package, _unique)
_RECEIVER_RULES = (_self, _qualified, _imported_receiver, _unique)


def _encloses(outer: str, inner: str) -> bool:
    return not outer or inner == outer or inner.startswith(outer + ".")


def _innermost(found: Sequence[Definition], rule: rules.Rule) -> Resolution | None:
    """The definition of the innermost scope, the first one there."""
    if not found:
        return None
    return _by(rule, max(found, key=lambda d: (len(d.scope), -d.id)))


def _by(rule: rules.Rule, target: Definition) -> Resolution:
    return Resolution(target, rule.name, rule.confidence)
