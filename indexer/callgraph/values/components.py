"""What instances are made of: components of records, cases of enums, functions in structs of C.

`Order(item, count)` as a pattern gives what the constructor of that name was given: the parameters
that the signature of a record, of a case class or of the case of an enum lists.
"""

from collections.abc import Sequence

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.expressions.nodes import (
    Attribute,
    Component,
    Expression,
    Number,
    Text,
    last_part,
)
from satchel.indexer.callgraph.expressions.parser import parse_arguments
from satchel.indexer.callgraph.expressions.type_parser import parse_type
from satchel.indexer.callgraph.tables.bindings import Definition
from satchel.indexer.callgraph.tables.signatures import parameter_list, parameter_names
from satchel.indexer.callgraph.values.model import (
    EMPTY,
    Def,
    Instance,
    Interpreter,
    Value,
    Values,
    union,
)
from satchel.indexer.extract.references import IN_FIELD
from satchel.indexer.languages.name_rules import Library
from satchel.store.model import CLASS_LIKE, SymbolKind
from satchel.store.reading.parameters import split_at_commas

_MAX_SITES = 200
"""Places that give a field a function; with more of them it tells nothing."""


def component(interpreter: Interpreter, file_id: int, scope: int, wanted: Component) -> Values:
    """What a pattern takes out of an instance of a class, or of the case of an enum."""
    made = interpreter.classes.named(file_id, scope, wanted.of)[:1]
    for holder in made:
        return component_of(interpreter, holder, wanted.key)
    cases = _cases(interpreter, file_id, scope, wanted.of)
    return component_of(interpreter, cases[0], wanted.key) if len(cases) == 1 else EMPTY


def component_of(interpreter: Interpreter, holder: Definition, key: Expression) -> Values:
    """A component of a class or of the case of an enum, by its position or by its name."""
    if holder.file.rules.library is Library.PYTHON:
        return EMPTY  # the signature lists bases
    at = int(key.text) if type(key) is Number and key.text.isdigit() else -1
    name = key.text if type(key) is Text else ""
    parts = split_at_commas(parameter_list(holder.signature))
    if at >= 0:
        names = parameter_names(holder)
        name = names[at] if at < len(names) else ""
    if holder.kind in CLASS_LIKE and name:
        found = interpreter.member(Value(Instance(holder.id), rules.DECLARED), name)
        if found:
            return found
    if not 0 <= at < len(parts):
        table = interpreter.tables.table_at(holder.file_id, holder.parent)
        given = table.values.get((holder.parent, name), ()) if name else ()
        return union(interpreter.evaluate(holder.file_id, holder.parent, each) for each in given)
    told = parse_type(parts[at].rpartition(": ")[2])
    return interpreter.evaluate(holder.file_id, holder.id, told)


def functions_in_field(interpreter: Interpreter, struct: Definition, field: str) -> Values:
    """The functions that a field of a struct of C is given anywhere: `{ .open = f }`."""
    sites = interpreter.tables.call_sites(IN_FIELD + field, struct.file.family, _MAX_SITES)
    told = [site for site in sites if site.callee == f"{IN_FIELD}{struct.name}.{field}"]
    found = EMPTY
    for site in told or (each for each in sites if each.callee == f"{IN_FIELD}.{field}"):
        for given in parse_arguments(site.arguments):
            found |= interpreter.evaluate(site.file_id, site.scope, given.value)
    rule = rules.ASSIGNED if told else rules.ARGUMENT
    return frozenset(Value(each.what, rule) for each in found if type(each.what) is Def)


def _cases(
    interpreter: Interpreter, file_id: int, scope: int, of: Expression
) -> Sequence[Definition]:
    """The cases of enums that a path means: `Kind::A`, `Self::A`, and `.a` of any that has it."""
    name = last_part(of)
    same = [
        each
        for each in interpreter.tables.definitions_named(name)
        if each.kind == SymbolKind.CONSTANT
        and each.file.family == interpreter.tables.file(file_id).family
        and each.signature.strip() != name
    ]
    if type(of) is not Attribute:
        return same
    values = interpreter.evaluate(file_id, scope, of.of)
    enums = {value.what.symbol_id for value in values if type(value.what) is Def}
    return [each for each in same if each.parent in enums]
