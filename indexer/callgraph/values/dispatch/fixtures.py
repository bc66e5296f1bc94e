"""Fixtures of pytest: a test, or another fixture, is given what the function of a parameter's name
returns or yields."""

from collections.abc import Iterator
from functools import partial

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.expressions.nodes import Call, Text, last_part, without_call
from satchel.indexer.callgraph.expressions.parser import parse_arguments
from satchel.indexer.callgraph.tables.bindings import CALLBACKS, Definition
from satchel.indexer.callgraph.tables.file_table import CallSite
from satchel.indexer.callgraph.tables.index_tables import IndexTables
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

FIXTURE = "fixture"
_ASKING, _GETTING = "usefixtures", "getfixturevalue"
_MAX_SITES = 4000
"""Calls of `fixture` that are read for the names they give."""
_SHARED = "conftest.py"


def fixture_of(interpreter: Interpreter, function: Definition, name: str) -> Definition | None:
    """The fixture that a test, or another fixture, means by a name.

    That of its file, else of the nearest `conftest.py` above it, else the only one that a module of
    test code has: it may be imported, or lie in a plug-in.
    """
    is_python = function.file.rules.library is Library.PYTHON and function.kind in CALLBACKS
    if not is_python or not interpreter.tables.is_called(FIXTURE):
        return None
    if not function.name.startswith("test") and not _is_fixture(interpreter, function):
        return None
    find = partial(_renamed_fixtures, interpreter.tables, function.file.family)
    remembered = interpreter.tables.remembered
    renamed = remembered(interpreter.fixtures, function.file.family, find)
    named = [
        (_nearness(each, function), each)
        for each in (*interpreter.tables.definitions_named(name), *renamed.get(name, ()))
        if each.is_test and each.kind in CALLBACKS and each.id != function.id
    ]
    # The nearest decides, and of several the last that a file defines.
    found = [pair for pair in named if _is_fixture(interpreter, pair[1])]
    nearest = max((near for near, _ in found), default=-1)
    meant = [each for near, each in found if near == nearest]
    return meant[-1] if nearest > 0 or (nearest == 0 and len(meant) == 1) else None


def _renamed_fixtures(tables: IndexTables, family: str) -> dict[str, list[Definition]]:
    """Fixtures by the names that their decorators give them: `@pytest.fixture(name="db")`."""
    found: dict[str, list[Definition]] = {}
    for site in tables.call_sites(FIXTURE, family, _MAX_SITES):
        for name in renamed_by(site):
            found.setdefault(name, []).append(tables.definition(site.scope))
    return found


def renamed_by(site: CallSite) -> Iterator[str]:
    """The name that a call gives to the fixture that it decorates."""
    for argument in parse_arguments(site.arguments):
        if argument.keyword == "name" and type(argument.value) is Text:
            yield argument.value.text


def asks_for(interpreter: Interpreter, function: Definition, name: str) -> bool:
    """Whether a test asks for something by a name: a parameter, `usefixtures`, or in a call."""
    if has_parameter(function, name):
        return True
    table = interpreter.tables.table(function.file_id)
    if any(
        argument.value == Text(name)
        for site in table.sites_in(function.id, _GETTING)
        for argument in parse_arguments(site.arguments)
    ):
        return True
    return any(
        argument.value == Text(name)
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
        last_part(without_call(each)) == FIXTURE for each in table.decorators.get(function.id, ())
    )


def _nearness(fixture: Definition, function: Definition) -> int:
    """How near a fixture is to a function: -1 where it is not seen, 0 where it may be imported."""
    path, folder = function.file.path, fixture.file.path.removesuffix(_SHARED)
    if fixture.file.path == path:
        return len(path) + 1
    if folder == fixture.file.path:
        return 0
    return len(folder) + 1 if path.startswith(folder) else -1
