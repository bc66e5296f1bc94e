"""What is plainly outside of the tree, so that the only definition of a name is not meant.

By what stands before the name: a literal, a type that the tree lacks or that a variable is declared
or made with, a name that an import brings from elsewhere.
"""

import re
from collections.abc import Sequence

from satchel.indexer.callgraph.by_name import is_of_another_package
from satchel.indexer.callgraph.callbacks import scope_of
from satchel.indexer.callgraph.expressions.nodes import (
    NEW,
    Attribute,
    Call,
    CollectionOf,
    Either,
    Expression,
    Found,
    InstanceOf,
    Name,
    Narrowed,
    declared_or_all,
    is_followed,
    last_part,
    root_of,
)
from satchel.indexer.callgraph.expressions.parser import parse_expression
from satchel.indexer.callgraph.expressions.type_parser import parse_type
from satchel.indexer.callgraph.tables.bindings import Definition, Use
from satchel.indexer.callgraph.tables.file_table import FileTable
from satchel.indexer.callgraph.tables.namespace_imports import is_of_standard_library
from satchel.indexer.callgraph.values.evaluate import Evaluator
from satchel.indexer.callgraph.values.model import HOLDERS_OF_VALUES, External, ModulePath
from satchel.indexer.languages.name_rules import ImportStyle
from satchel.store.model import CLASS_LIKE

_MOST_STEPS = 4
"""Names that are given to each other, which are followed."""
_LITERAL = re.compile(r"""[a-zA-Z@$]{0,2}["'`]|[\[{\d]|:\w""")
_TYPE_ARGUMENTS = re.compile(r"::<[^()]*>")
_CAST = re.compile(r"\(\(([A-Z][\w.]*(?:<[^()]*>)?(?:\[\])?)\)\s*[\w(\"$]")
_CLASS_OBJECT = re.compile(
    r"^\(\(Class<|\.(?:get(?:Class|Superclass|DeclaringClass|ComponentType)\(\)|javaClass)$"
)
"""What the JVM itself tells of a class: `it.getClass().getName()`."""
_NAMES = re.compile(r"\w+").findall
_OF_IMPORTS = frozenset({External, ModulePath})
_TELL_NOTHING = frozenset(
    "Any AnyObject AnyRef Callable Class Closure Dynamic Function NSObject Object Self Type".split()
)
"""Types whose values may be instances of any class."""
_EXTENDED = frozenset(
    "Array Comparable Dictionary Double Enumerable Float Hash Int Integer Kernel List Map Numeric"
    " Number Object Range Regexp Sequence Set String Symbol str".split()
)
"""Types of languages to which a tree may give members."""


def is_outside(use: Use, only: Definition, evaluator: Evaluator) -> bool:
    """Whether what a use is called on has no member of the tree."""
    table = evaluator.tables.table(use.file_id)
    if _LITERAL.match(use.receiver):
        return not _extends_language(only)
    if table.imports.file.rules.has_reflection and _CLASS_OBJECT.search(use.receiver):
        return True
    cast = _CAST.match(use.receiver)
    if cast:
        scope = scope_of(use, table)
        return _is_of_outside(parse_type(cast[1]), only, scope, table, evaluator)
    text = _TYPE_ARGUMENTS.sub("", use.receiver).replace("\\", ".").lstrip(".")
    receiver, scope = parse_expression(text), scope_of(use, table)
    # What an instance of a type outside gives without being given anything is outside too.
    held = receiver
    while type(held) is Call and not held.arguments and type(held.callee) is Attribute:
        held = held.callee.of
    # What a guard finds something to be tells nothing where the guard is of a package.
    told = declared_or_all(_held(held, scope, table))
    values = [v for v in told if type(v) is not Narrowed or type(v.of) is not Found]
    if values:
        return all(_is_of_outside(each, only, scope, table, evaluator) for each in values)
    if table.imports.file.rules.imports_complete and root_of(receiver) in table.imports.dotted:
        found = evaluator.evaluate(use.file_id, scope, Name(root_of(receiver)))
        return bool(found) and all(type(value.what) in _OF_IMPORTS for value in found)
    return _names_outside(receiver, only, scope, table, evaluator)


def _names_outside(
    receiver: Expression, only: Definition, scope: int, table: FileTable, evaluator: Evaluator
) -> bool:
    """Whether a receiver names a type, or a module, that the tree lacks."""
    written = _written_type(receiver, table)
    # Elsewhere an import may bind a module, or what a call gives, to a name with a capital.
    is_told = table.imports.file.rules.imports is ImportStyle.NAMESPACE or type(receiver) is Call
    if not is_told and written in table.imports.by_local_name:
        return False
    if written.isupper() and written not in table.imports.by_local_name:
        return False  # a constant, whose value may be anything
    # A file may be what a name means: a module of OCaml has no other.
    way = (*only.file.module, *only.scope.split("."))
    is_on_way = written.lower() in {part.lower() for part in way}
    return not is_on_way and _is_unknown(written, scope, table, evaluator)


def _extends_language(only: Definition) -> bool:
    return only.scope.rpartition(".")[2] in _EXTENDED


def _held(receiver: Expression, scope: int, table: FileTable) -> Sequence[Expression]:
    """What a variable, or a field of the instance itself, is declared or assigned to hold."""
    if type(receiver) is Name:
        return _assigned(receiver.name, scope, table)
    if type(receiver) is Attribute and type(receiver.of) is Name:
        around = table.class_around(scope)
        if around and receiver.of.name in table.imports.file.language.self_names:
            given = [value for _, value in table.attributes.get((around, receiver.name), ())]
            return [*table.values.get((around, receiver.name), ()), *given]
    return ()


def _assigned(name: str, scope: int, table: FileTable) -> Sequence[Expression]:
    """What the innermost scope that assigns to a name gives it."""
    while not (values := table.values.get((scope, name), ())) and scope != table.module:
        scope = table.definitions[scope].parent
    return values


def _is_of_outside(
    value: Expression, only: Definition, scope: int, table: FileTable, evaluator: Evaluator
) -> bool:
    """Whether a value is an instance of a type that the tree lacks."""
    if type(value) is Call and value.callee == NEW and value.arguments:
        value = value.arguments[0].value
        return _is_unknown(last_part(value), scope, table, evaluator)
    if type(value) is Either:
        return all(_is_of_outside(each, only, scope, table, evaluator) for each in value.choices)
    if type(value) is Narrowed:
        return _is_of_outside(value.of, only, scope, table, evaluator)
    if type(value) is CollectionOf:
        return not _extends_language(only)
    if type(value) is InstanceOf:
        is_standard = root_of(value.of) in table.imports.file.rules.standard_namespaces
        return is_standard or _is_unknown(last_part(value.of), scope, table, evaluator)
    maker = table.imports.file.rules.instance_maker
    is_made = type(value) is Call or (maker != "" and last_part(value) == maker)
    if is_made and _is_unknown(_written_type(value, table), scope, table, evaluator):
        return True
    return is_made and _is_given_by_package(value, only, scope, table)


def _is_given_by_package(value: Expression, only: Definition, scope: int, table: FileTable) -> bool:
    """Whether a value is what something gives that is imported from a package outside."""
    root = value
    for _ in range(_MOST_STEPS):
        while isinstance(root, Call | Attribute):
            if type(root) is Call and any(is_followed(each.value) for each in root.arguments):
                return False  # what is handed over may come back
            root = root.callee if isinstance(root, Call) else root.of
        if type(root) is not Name:
            return False
        bindings = table.imports.by_local_name.get(root.name, ())
        if bindings:
            user = table.imports.file
            return all(is_of_another_package(each, user, only) for each in bindings)
        held = _assigned(root.name, scope, table)
        if len(held) != 1:
            return False
        root = held[0]
    return False


def _written_type(receiver: Expression, table: FileTable) -> str:
    """The type that an expression names, makes an instance of, or takes a member of; "" for none:
    `Ext`, `v.Ext`, `new Ext(1)`, `Ext.shared`, `Ext.make()`."""
    if type(receiver) is Call:
        # What is handed over may come back.
        made = last_part(receiver.callee)
        is_made = made[:1].isupper() or (made and made == table.imports.file.rules.instance_maker)
        return _written_type(receiver.callee, table) if is_made or not receiver.arguments else ""
    name = last_part(receiver)
    if type(receiver) is Attribute and not name[:1].isupper():
        return _written_type(receiver.of, table)
    return name


def _is_unknown(name: str, scope: int, table: FileTable, evaluator: Evaluator) -> bool:
    """Whether a name is that of a type, and of nothing in the tree."""
    if name[:1].isupper() is table.imports.file.rules.variables_are_capitalised:
        return False
    if len(name) < 2 or name in _TELL_NOTHING:
        return False
    # A variable and a parameter may hold a class of the tree: `Made = type("Made", (Base,), {})`.
    # One that an import sets does not: `const Ext = require("ext")`.
    imported = table.imports.by_local_name.get(name, ())
    is_imported = bool(imported)
    if not is_imported and (name in table.parameters() or _assigned(name, scope, table)):
        return False
    if imported and all(is_of_standard_library(each, table.imports.file) for each in imported):
        return True
    file = table.imports.file
    if not file.rules.satisfies_interfaces and evaluator.tables.subclasses(name, file.family):
        return False  # what implements it is of the tree
    return not _is_type_parameter(name, scope, table) and not any(
        each.file.family == table.imports.file.family
        and not (is_imported and each.file_id == table.id and each.kind in HOLDERS_OF_VALUES)
        for each in evaluator.tables.definitions_named(name)
    )


def _is_type_parameter(name: str, scope: int, table: FileTable) -> bool:
    """Whether a definition around a scope has a type parameter of a name, which stands for any."""
    while scope != table.module:
        around = table.definitions[scope]
        head = around.signature if around.kind in CLASS_LIKE else around.signature.partition("(")[0]
        if name in _NAMES(head.partition("<")[2]):
            return True
        scope = around.parent
    return False
