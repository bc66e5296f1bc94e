"""Which keys an expression may stand for: texts and numbers from names and arguments.

Followed through names alone, without the solver: what a key may be never depends on what lies under
it. A key that is computed, or that may be more than a few, is not known.
"""

from satchel.indexer.callgraph.expressions.nodes import (
    Attribute,
    Beginning,
    Expression,
    InScope,
    Name,
    Number,
    Text,
    argument_for,
)
from satchel.indexer.callgraph.expressions.parser import parse_arguments
from satchel.indexer.callgraph.tables.file_table import DEFAULT_EXPORT, FileTable
from satchel.indexer.callgraph.tables.imported_names import imported_from
from satchel.indexer.callgraph.tables.signatures import parameter_names
from satchel.indexer.callgraph.values.model import Interpreter

_MAX_KEYS = 8
_MAX_SITES = 8
_MAX_STEPS = 4
"""Names that stand for names, and parameters that are handed on."""
_UNKNOWN: tuple[None, ...] = (None,)
Key = Text | Number | Beginning
Keys = tuple[Text | Number | None, ...]
"""None for any key."""


def keys(interpreter: Interpreter, file_id: int, scope: int, key: Expression | None) -> Keys:
    """What a key may be, in the order of the source; (None,) where that is not known."""
    if type(key) is Text or type(key) is Number:
        return (key,)
    is_path = type(key) is Name or type(key) is Attribute
    found = _constants(interpreter, file_id, scope, key, 0) if is_path else None
    known = [each for each in found or () if not isinstance(each, Beginning)]
    is_known = known and len(known) == len(found or ()) <= _MAX_KEYS
    return tuple(dict.fromkeys(known)) if is_known else _UNKNOWN


def known_texts(
    interpreter: Interpreter, file_id: int, scope: int, key: Expression
) -> tuple[Text | Beginning, ...]:
    """The texts that a key may be, or begin with, in the order of the source; () for any."""
    found = _constants(interpreter, file_id, scope, key, 0) or ()
    return tuple(dict.fromkeys(each for each in found[:_MAX_KEYS] if not isinstance(each, Number)))


def _constants(
    interpreter: Interpreter, file_id: int, scope: int, key: Expression | None, steps: int
) -> list[Key] | None:
    """All that a key may be; None where some of it is not known."""
    if isinstance(key, Text | Number | Beginning):
        return [key]
    if steps > _MAX_STEPS:
        return None
    if type(key) is Attribute:
        return _constants_of_class(interpreter, file_id, scope, key, steps)
    return (
        _constants_of_name(interpreter, file_id, scope, key, steps) if type(key) is Name else None
    )


def _constants_of_name(
    interpreter: Interpreter, file_id: int, scope: int, key: Name, steps: int
) -> list[Key] | None:
    """What a name holds, and what calls hand over where it is a parameter."""
    table = interpreter.tables.table(file_id)
    while True:
        interpreter.tables.table_at(file_id, scope)
        values = table.values.get((scope, key.name), ())
        is_parameter = key.name in parameter_names(table.definitions[scope])
        if values or is_parameter or scope == table.module:
            break
        scope = table.definitions[scope].parent
    # One value that is not known makes the key any key: all parts of the collection count then.
    found: list[Key] = []
    for value in values:
        home, inner = (value.scope, value.of) if type(value) is InScope else (scope, value)
        known = _constants(interpreter, file_id, home, inner, steps + 1)
        if known is None:
            return None
        found += known
    if not is_parameter:
        return found or _imported_constants(interpreter, file_id, key.name, steps)
    given = _argument_constants(interpreter, table, scope, key.name, steps)
    return None if given is None else found + given


def _imported_constants(
    interpreter: Interpreter, file_id: int, name: str, steps: int
) -> list[Key] | None:
    """What a constant of another module holds that is imported under a name."""
    found: list[Key] = []
    for other, original in imported_from(interpreter.tables, file_id, name, with_stars=False):
        module = interpreter.tables.table(other).module
        known = _constants(interpreter, other, module, Name(original), steps + 1)
        if known is None:
            return None
        found += known
    return found or None


def _constants_of_class(
    interpreter: Interpreter, file_id: int, scope: int, key: Attribute, steps: int
) -> list[Key] | None:
    """What a constant of a class holds: `Names.PLUGIN`."""
    for holder in interpreter.classes.named(file_id, scope, key.of)[:1]:
        table = interpreter.tables.table_at(holder.file_id, holder.id)
        found: list[Key] = []
        for value in table.values.get((holder.id, key.name), ()):
            found += _constants(interpreter, holder.file_id, holder.id, value, steps + 1) or ()
        return found or None
    if type(key.of) is Name:  # `settings.KEY` of a module
        for other, original in imported_from(interpreter.tables, file_id, key.of.name):
            if original in (key.of.name, DEFAULT_EXPORT):
                module = interpreter.tables.table(other).module
                return _constants(interpreter, other, module, Name(key.name), steps + 1)
    return None


def _argument_constants(
    interpreter: Interpreter, table: FileTable, scope: int, name: str, steps: int
) -> list[Key] | None:
    """The constants that all calls by the name of a function give to a parameter.

    None where one of them is not known, or where there are too many calls.
    """
    function = table.definitions[scope]
    names = parameter_names(function)
    if names[:1] and names[0] in function.file.language.self_names:
        names = names[1:]
    if name not in names:
        return None
    # The callee is not evaluated, which would need the solver: another function of the same name
    # gives a key too many.
    sites = interpreter.tables.call_sites(function.name, function.file.family, _MAX_SITES)
    if not sites or len(sites) > _MAX_SITES:
        return None
    found: list[Key] = []
    for site in sites:
        given = argument_for(name, names, parse_arguments(site.arguments))
        if given is None:
            return None
        known = _constants(interpreter, site.file_id, site.scope, given, steps + 1)
        if known is None:
            return None
        found += known
    return found
