"""What a name that is not called where it stands runs or hands on.

A property runs its getter; in Ruby and Scala a word alone calls a function. Elsewhere the name of a
function hands it on, to whoever will call it. A name that is bound nearby is a variable.
"""

import posixpath
import re
from collections.abc import Iterator

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.by_name import resolution, resolve_by_name
from satchel.indexer.callgraph.callbacks import scope_of
from satchel.indexer.callgraph.expressions.nodes import (
    Attribute,
    Call,
    Expression,
    GivenBy,
    Name,
    Selector,
    is_only_narrowed,
    last_part,
)
from satchel.indexer.callgraph.expressions.parser import parse_expression
from satchel.indexer.callgraph.extensions import extensions
from satchel.indexer.callgraph.tables.bindings import CALLBACKS, Definition, Resolution, Use
from satchel.indexer.callgraph.tables.signatures import has_parameter
from satchel.indexer.callgraph.values.evaluate import Evaluator
from satchel.indexer.callgraph.values.model import (
    HOLDERS_OF_VALUES,
    BoundMethod,
    Def,
    Instance,
    SuperOf,
    Value,
    Values,
    in_order,
    is_partial_literal,
)
from satchel.indexer.callgraph.values.names import implied_receivers
from satchel.store.model import CLASS_LIKE, SymbolKind

_PROPERTY = SymbolKind.PROPERTY
_TYPES = re.compile(r"\b\w+\b(?!::)").findall
"""Words of a signature without those that only say where a type lies."""


def reads(use: Use, evaluator: Evaluator) -> list[Resolution]:
    """What reading a name runs or hands on, surest first, then by file and position."""
    best: dict[int, Resolution] = {}
    for each in _found(use, evaluator):
        known = best.get(each.target.id)
        if known is None or known.confidence < each.confidence:
            best[each.target.id] = each
    return sorted(best.values(), key=lambda r: (-r.confidence, r.target.id))


def _found(use: Use, evaluator: Evaluator) -> Iterator[Resolution]:
    table = evaluator.tables.table(use.file_id)
    scope = scope_of(use, table)
    if use.receiver:
        receivers = evaluator.evaluate(use.file_id, scope, _receiver(use))
        names = table.imports.file.rules
        operators = names.operators
        members = [
            found
            for value in (in_order(receivers) if use.name not in operators.streaming else ())
            for found in _of_value(use, value, evaluator)
        ]
        is_operator = use.name in operators.names
        if is_operator and not names.reads_call and _makes_several(use.name, receivers, evaluator):
            return
        if not members and is_operator:
            yield from _free_operators(use, receivers, evaluator)
            return
        extending = [] if members else extensions(use, evaluator.tables)
        yield from members or [each for each in extending if each.target.kind == _PROPERTY]
        if all(is_partial_literal(value) for value in receivers):
            yield from _by_name(use, evaluator)
        return
    if not _is_bound_nearby(use, scope, evaluator):
        yield from _bare(use, scope, evaluator)


def _makes_several(name: str, receivers: Values, evaluator: Evaluator) -> bool:
    """Whether classes have several functions of a name, which make instances of what they take."""
    tables = evaluator.tables
    classes = [tables.definition(v.what.symbol_id) for v in receivers if type(v.what) is Def]
    made = (evaluator.classes.members(each, name) for each in classes)
    return len({each.id for several in made for each in several}) > 1


def _free_operators(use: Use, values: Values, evaluator: Evaluator) -> Iterator[Resolution]:
    """The operators beside classes that take an instance of one: `ostream& operator<<(…, A)`."""
    tables = evaluator.tables
    family = tables.file(use.file_id).family
    classes = [tables.definition(v.what.class_id) for v in values if type(v.what) is Instance]
    for each in tables.candidates(use.name, use.kind, family).product if classes else ():
        held, taken = {one.name for one in classes}, each.signature.rpartition(")")[0]
        if each.file.rules.header_extensions:
            # The result stands before the name, and an operator in the header of its class or in
            # the source of that.
            taken = each.signature.partition(each.name)[2]
            held = {one.name for one in classes if _stem(one) == _stem(each)}
        is_free = each.top_level or each.scope in held  # of an extension
        if is_free and not held.isdisjoint(_TYPES(taken)):
            yield resolution(rules.VALUE_RULES[rules.DECLARED], each)


def _stem(definition: Definition) -> str:
    return posixpath.splitext(posixpath.basename(definition.file.path))[0]


def _receiver(use: Use) -> Expression:
    """What a name is a member of: in `list.map(&:name)` what `map` hands over."""
    receiver = parse_expression(use.receiver)
    if type(receiver) is not Call or type(receiver.callee) is not Attribute:
        return receiver
    given = GivenBy(receiver.callee.of, receiver.callee.name, 0)
    holders = [_before(use.name, each.value, given) for each in receiver.arguments]
    return next((each for each in holders if each is not None), receiver)


def _before(name: str, path: Expression, given: Expression) -> Expression | None:
    """What stands before a name in a path of members of what is handed over: `\\.owner.name`."""
    if type(path) is Selector:
        return given if path.name == name else None
    if type(path) is not Attribute:
        return None
    if path.name != name:
        return _before(name, path.of, given)
    inner = _before(last_part(path.of), path.of, given)
    if type(path.of) is Selector:
        return Attribute(given, path.of.name)
    return Attribute(inner, last_part(path.of)) if inner is not None else None


def _bare(use: Use, scope: int, evaluator: Evaluator) -> Iterator[Resolution]:
    """What a name runs or hands on that no variable has: a member of the class around, then what
    the module knows."""
    language = evaluator.tables.file(use.file_id).language
    around = evaluator.classes.enclosing(use.file_id, scope)
    if around is not None and language.implicit_receiver:
        own = list(_members(use, around, 0, rules.LOCAL, evaluator))
        if own:
            yield from own
            return
    table = evaluator.tables.table(use.file_id)
    for receiver in implied_receivers(evaluator, table, scope) if table.implied else ():
        yield from _of_value(use, receiver, evaluator)
    handed = evaluator.evaluate(use.file_id, scope, Name(use.name))
    for value in in_order(handed):
        yield from _handed(use, value, evaluator)
    if not handed:
        yield from _by_name(use, evaluator)


def _by_name(use: Use, evaluator: Evaluator) -> Iterator[Resolution]:
    """A function that is handed on, of which only the name is known."""
    imports = evaluator.tables.imports(use.file_id)
    names = imports.file.rules
    is_component, is_script = names.files_are_components, names.calls_through_local_names
    is_own = use.receiver in imports.file.language.self_names
    if names.reads_call or (is_script and not (is_component or is_own)):
        return
    guess = resolve_by_name(use, imports, evaluator.tables.candidates)
    if is_component or is_script:
        # Members of an object that the framework makes an instance of.
        is_here = guess is not None and guess.target.file_id == use.file_id
        if guess and is_here and (is_component or guess.target.kind == _PROPERTY):
            yield guess
        return
    is_sure = guess is not None and guess.confidence >= rules.QUALIFIED.confidence
    if guess is not None and is_sure and guess.target.kind in CALLBACKS:
        yield resolution(rules.CALLBACK, guess.target)


def _of_value(use: Use, value: Value, evaluator: Evaluator) -> Iterator[Resolution]:
    """What reading a member of a value runs or hands on."""
    what = value.what
    if type(what) is Instance or type(what) is SuperOf:
        holder = evaluator.tables.definition(what.class_id)
        yield from _members(use, holder, int(type(what) is SuperOf), value.rule, evaluator)
    elif type(what) is Def and evaluator.tables.definition(what.symbol_id).kind in CLASS_LIKE:
        holder = evaluator.tables.definition(what.symbol_id)
        yield from _members(use, holder, 0, value.rule, evaluator)
    else:
        for member in in_order(evaluator.member(value, use.name)):
            yield from _handed(use, member, evaluator)
        # A getter of an object of JavaScript is run.
        holders = [evaluator.tables.definition(what.symbol_id)] if type(what) is Def else ()
        for holder in holders:
            for each in evaluator.classes.members(holder, use.name):
                if holder.kind in HOLDERS_OF_VALUES and each.kind == _PROPERTY:
                    yield resolution(rules.VALUE_RULES[value.rule], each)


def _members(
    use: Use, holder: Definition, n_above: int, rule: int, evaluator: Evaluator
) -> Iterator[Resolution]:
    """The property, or the function, that the first class in an order has under a name; behind a
    property those of subclasses."""
    order, _ = evaluator.classes.mro(holder)
    for base in order[n_above:]:
        own = evaluator.classes.members(base, use.name)
        for each in own[:1]:
            reached = max(rule, rules.LOCAL if base.id == holder.id else rules.INHERITED)
            names = evaluator.tables.file(use.file_id).rules
            is_run = names.reads_call or use.name in names.operators.names
            if each.kind == _PROPERTY or (each.kind in CALLBACKS and is_run):
                found = rules.SELF if not use.receiver else rules.VALUE_RULES[reached]
                yield resolution(found, each)
                for other in evaluator.overriders.of(each, holder):
                    yield resolution(rules.OVERRIDE, other)
            elif each.kind in CALLBACKS and not names.calls_through_local_names:
                yield resolution(rules.CALLBACK, each)
            elif each.is_test and each.kind in HOLDERS_OF_VALUES and _is_in_head(use, evaluator):
                yield resolution(rules.SELF, each)
        if own:
            return


def _is_in_head(use: Use, evaluator: Evaluator) -> bool:
    """Whether a use stands before the body of a test: in what says where its data come from."""
    test = evaluator.tables.table(use.file_id).definitions[use.scope_id]
    return test.kind in CALLBACKS and use.line <= evaluator.tables.line(test.id)


def _handed(use: Use, value: Value, evaluator: Evaluator) -> Iterator[Resolution]:
    """A function that is handed on by its name, or called by it."""
    what = value.what
    if type(what) is not Def and type(what) is not BoundMethod:
        return
    target = evaluator.tables.definition(what.symbol_id)
    names = evaluator.tables.file(use.file_id).rules
    if target.kind not in CALLBACKS:
        return
    if names.reads_call or use.name in names.operators.names:
        yield resolution(rules.VALUE_RULES[value.rule], target)
    elif not (names.calls_through_local_names and use.receiver):
        yield resolution(rules.CALLBACK, target)


def _is_bound_nearby(use: Use, scope: int, evaluator: Evaluator) -> bool:
    """Whether a function around a use binds its name: as a parameter or a variable."""
    table = evaluator.tables.table(use.file_id)
    while scope != table.module and table.definitions[scope].kind not in CLASS_LIKE:
        evaluator.tables.table_at(use.file_id, scope)
        bound = (scope, use.name)
        values = table.values.get(bound, ())
        is_given = bool(values) and not is_only_narrowed(values)
        if is_given or has_parameter(table.definitions[scope], use.name):
            return True
        scope = table.definitions[scope].parent
    return False
