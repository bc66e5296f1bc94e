"""Fixtures of pytest: a test, or another fixture, is given what the function of a parameter's name
returns or yields."""

from __future__ import annotations

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.expressions.nodes import Call, Text, last_part, without_call
from satchel.indexer.callgraph.tables.bindings import CALLBACKS, Definition
from satchel.indexer.callgraph.tables.signatures import has_parameter
from satchel.indexer.callgraph.values.model import (
    EMPTY,
    Def,
    Interpreter,
    Value,
    Values,
    union,
    weakened,
)
from satchel.indexer.languages.name_rules import Library

_FIXTURE = "fixture"
_ASKING = "usefixtures"
_SHARED = "conftest.py"


def fixture_of(interpreter: Interpreter, function: Definition, name: str) -> Definition | None:
    """The fixture that a test, or another fixture, means by a name.

    That of its file, else of the nearest `conftest.py` above it, else the only one that a module of
    test code has: it may be imported, or lie in a plug-in.
    """
    is_python = function.file.rules.library is Library.PYTHON and function.kind in CALLBACKS
    if not is_python or not interpreter.tables.is_called(_FIXTURE):
        return None
    if not function.name.startswith("test") and not _is_fixture(interpreter, function):
        return None
    named = [
        (_nearness(each, function), each)
        for each in interpreter.tables.definitions_named(name)
        if each.is_test and each.kind in CALLBACKS and each.id != function.id
    ]
    # The nearest decides, and of several the last that a file defines.
    found = [pair for pair in named if _is_fixture(interpreter, pair[1])]
    nearest = max((near for near, _ in found), default=-1)
    meant = [each for near, each in found if near == nearest]
    return meant[-1] if nearest > 0 or (nearest == 0 and len(meant) == 1) else None


def asks_for(interpreter: Interpreter, function: Definition, name: str) -> bool:
    """Whether a test is given something by a name: as a parameter, or by `usefixtures`."""
    if has_parameter(function, name):
        return True
    table = interpreter.tables.table(function.file_id)
    return any(
        type(argument.value) is Text and argument.value.text == name
        for each in table.decorators.get(function.id, ())
        if type(each) is Call and last_part(each.callee) == _ASKING
        for argument in each.arguments
    )


def value_of_fixture(interpreter: Interpreter, function: Definition, name: str) -> Values:
    """What the fixture of a name gives."""
    fixture = fixture_of(interpreter, function, name)
    if fixture is None:
        return EMPTY
    table = interpreter.tables.table_of(fixture.file_id, fixture.id)
    yielded = table.yields.get(fixture.id, ())
    given = union(interpreter.evaluate(fixture.file_id, fixture.id, each) for each in yielded)
    found = given if yielded else interpreter.call(Value(Def(fixture.id), rules.LOCAL))
    return weakened(found, rules.DECORATED)


def _is_fixture(interpreter: Interpreter, function: Definition) -> bool:
    table = interpreter.tables.table_of(function.file_id, function.id)
    return any(
        last_part(without_call(each)) == _FIXTURE for each in table.decorators.get(function.id, ())
    )


def _nearness(fixture: Definition, function: Definition) -> int:
    """How near a fixture is to a function: -1 where it is not seen, 0 where it may be imported."""
    path, folder = function.file.path, fixture.file.path.removesuffix(_SHARED)
    if fixture.file.path == path:
        return len(path) + 1
    if folder == fixture.file.path:
        return 0
    return len(folder) + 1 if path.startswith(folder) else -1
