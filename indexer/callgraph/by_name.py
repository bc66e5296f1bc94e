"""Which definition a use means, by its name alone, for uses that no value leads to. Pure.

Rules are tried in order; the first that answers wins.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.tables import namespace_imports
from satchel.indexer.callgraph.tables.bindings import (
    SEPARATORS,
    Definition,
    FileScope,
    Named,
    Namesakes,
    Resolution,
    Use,
)
from satchel.indexer.callgraph.tables.file_table import CLASS_LIKE
from satchel.indexer.languages import detect
from satchel.store.model import SymbolKind

_PACKAGE_DIRECTORIES = frozenset({"go", "java", "kotlin", "scala", "csharp", "swift"})
_SCOPED = frozenset({"python", "go"})
"""Where a bare name is in a scope, imported or built in, and nothing else."""
_HEADERS = (".h", ".hpp", ".hh", ".hxx", ".h++")
_HEAD = re.compile(r"^[&*(]*([\w$]+)")
_BUILT_IN = frozenset(
    name
    for kind in (str, bytes, list, dict, set, int, float, re.Match, re.Pattern, BaseException)
    for name in dir(kind)
) | frozenset(
    "read write close flush open seek readline readlines writelines getvalue exists mkdir unlink"
    " start run cancel acquire release wait notify send recv connect commit execute cursor fetch"
    " push shift unshift map filter forEach reduce then catch finally toString test exec apply call"
    " bind has size length charAt slice splice concat includes indexOf assign freeze entries"
    " equals hashCode iter unwrap clone into expect ok err len cap each put contains".split()
)
"""Methods of what languages bring along; an unknown receiver is more likely one of those."""


def by_name(use: Use, scope: FileScope, named: Named) -> Resolution | None:
    """The one definition that a use most likely means, if any."""
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
    if use.receiver not in detect.by_name(scope.place.language).self_names:
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
    members = [
        d
        for d in own
        if d.scope.rpartition(".")[2] == owner and _encloses(d.scope.rpartition(".")[0], use.scope)
    ]
    return by(rules.QUALIFIED, members[0]) if members else None


def _imported(use: Use, scope: FileScope, known: Namesakes, named: Named) -> Resolution | None:
    for binding in scope.by_local_name.get(use.name, ()):
        original = SEPARATORS.split(binding.name)[-1] if binding.name else use.name
        renamed = original != use.name
        targets = named(original, use.kind, scope.place.family) if renamed else known
        found = namespace_imports.in_module(targets, binding, scope.place)
        if found is not None:
            return by(rules.NAMESPACE, found)
    for binding in scope.stars:
        found = namespace_imports.in_module(known, binding, scope.place)
        if found is not None:
            return by(rules.NAMESPACE, found)
    return None


def _imported_receiver(
    use: Use, scope: FileScope, known: Namesakes, _n: Named
) -> Resolution | None:
    head = _HEAD.match(use.receiver)
    if head is None:
        return None
    for binding in scope.by_local_name.get(head[1], ()):
        found = namespace_imports.in_member_module(known, binding, scope.place)
        found = found or namespace_imports.in_module(known, binding, scope.place)
        found = found or namespace_imports.member_of(known, binding, scope.place)
        if found is not None:
            return by(rules.NAMESPACE, found)
    return None


def _package(_u: Use, scope: FileScope, known: Namesakes, _n: Named) -> Resolution | None:
    if scope.place.language not in _PACKAGE_DIRECTORIES:
        return None
    near = [d for d in known.all if d.place.package == scope.place.package and d.top_level]
    return by(rules.PACKAGE, near[0]) if len(near) == 1 else None


def _unique(use: Use, scope: FileScope, known: Namesakes, _n: Named) -> Resolution | None:
    product = _bodies(known.product)
    if len(product) != 1:
        return None
    only = product[0]
    if only.is_test and only.file_id != use.file_id:
        return None  # what a test makes up for itself is no library
    if use.receiver:
        built_in = use.name in _BUILT_IN or only.kind in CLASS_LIKE
        return None if built_in else by(rules.UNIQUE_MEMBER, only)
    if _is_scoped(use, scope) or (not only.top_level and not _implicit_receiver(scope)):
        return None  # a member needs a receiver here, and this use has none
    return by(rules.UNIQUE, only)


def _bodies(found: Sequence[Definition]) -> Sequence[Definition]:
    """C and C++ declare in headers what they define elsewhere: the definition stands for both."""
    if len(found) < 2 or found[0].place.family != "c":
        return found
    return [d for d in found if not d.place.path.endswith(_HEADERS)] or found


def _is_scoped(use: Use, scope: FileScope) -> bool:
    """Whether a bare name must be bound in the file, so that a definition elsewhere is not meant.

    A script of JavaScript shares its names with others; a module, which imports, does not.
    """
    if scope.place.family == "javascript":
        return bool(scope.by_local_name) and use.name not in scope.by_local_name
    return scope.place.language in _SCOPED


def _implicit_receiver(scope: FileScope) -> bool:
    return detect.by_name(scope.place.language).implicit_receiver


_BARE_RULES = (_local, _imported, _package, _unique)
_RECEIVER_RULES = (_self, _qualified, _imported_receiver, _unique)


def _encloses(outer: str, inner: str) -> bool:
    return not outer or inner == outer or inner.startswith(outer + ".")


def _innermost(found: Sequence[Definition], rule: rules.Rule) -> Resolution | None:
    """The definition of the innermost scope, the first one there."""
    if not found:
        return None
    return by(rule, max(found, key=lambda d: (len(d.scope), -d.id)))


def by(rule: rules.Rule, target: Definition) -> Resolution:
    """A definition found by a rule."""
    return Resolution(target, rule.name, rule.confidence)
