"""Functions that are called on a receiver whose type they extend from outside: Kotlin, C#.

The type is often none of the tree, so that nothing is known of what the receiver holds. What a file
can see, by its imports or its package, says which function is meant.
"""

import re

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.by_name import resolution
from satchel.indexer.callgraph.tables.bindings import (
    SEPARATORS,
    Definition,
    FileImports,
    Resolution,
    Use,
)
from satchel.indexer.callgraph.tables.index_tables import IndexTables
from satchel.indexer.languages import builtin_names
from satchel.indexer.languages.name_rules import NameRules
from satchel.store.reading.prototypes import is_static

_MAX_TYPES = 3
"""Types that have extensions of one name; where they are more, none of them is meant more likely
than not."""


def extensions(use: Use, tables: IndexTables) -> list[Resolution]:
    """The extension that a call on a receiver means, of those that the file sees, in one package.

    Where several types are extended under that name, that of each type is a guess.
    """
    imports = tables.imports(use.file_id)
    if not imports.file.rules.extension:
        return []
    names = {use.name}
    # An import may rename what it brings.
    names |= {b.name for b in imports.by_local_name.get(use.name, ()) if b.alias == use.name}
    found = [
        d
        for name in sorted(names)
        for d in _extending(name, use, imports, tables)
        if _is_seen(d, use, imports)
    ]
    if len({d.file.package for d in found}) != 1:
        return []
    # The first stands for its overloads.
    by_type: dict[str, Definition] = {}
    for each in sorted(found, key=lambda d: d.id):
        by_type.setdefault(each.qualified, each)
    if len(by_type) > _MAX_TYPES:
        return []
    rule = rules.EXTENSION if len(by_type) == 1 else rules.EXTENSION_OF_SOME_TYPE
    return [resolution(rule, each) for each in by_type.values()]


def _extending(name: str, use: Use, imports: FileImports, tables: IndexTables) -> list[Definition]:
    """What extends a type under a name, for all files of a language."""
    file = imports.file

    def find() -> list[Definition]:
        known = tables.candidates(name, use.kind, file.family).product
        return [d for d in known if _extends(d, file.rules, tables)]

    return tables.remembered(tables.extending, (name, use.kind, file.language.name), find)


def _extends(member: Definition, rules: NameRules, tables: IndexTables) -> bool:
    """Whether a function, or a property, extends a type from outside."""
    if re.search(rules.extension, member.signature):
        return True
    if not rules.extension_holder or not member.parent or is_static(member.signature):
        return False
    tables.table_at(member.file_id, member.parent)
    holder = tables.definition(member.parent)
    return re.search(rules.extension_holder, holder.signature) is not None


def _is_seen(extending: Definition, use: Use, imports: FileImports) -> bool:
    """Whether a file sees an extension without naming what holds it."""
    file = extending.file
    bindings = imports.by_local_name.get(use.name, ())
    if bindings:  # the file says which one it means
        return any(
            b.name == extending.name and _is_folder_of_package(file.package, b.module)
            for b in bindings
        )
    # What every type has is rather meant where nothing says that the extension is.
    if use.name in builtin_names.MEMBERS:
        return False
    if extending.file_id == use.file_id:
        return True
    if imports.file.rules.star_imports_namespaces:
        is_near = file.package == imports.file.package and bool(file.package)
        return is_near or any(
            _is_folder_of_package(file.package, each.module) for each in imports.stars
        )
    around = extending.scope.rpartition(".")[0]
    opened = {each.module for several in imports.by_local_name.values() for each in several}
    opened |= {each.module for each in imports.stars}
    return bool(around) and (around in opened or f"{use.scope}.".startswith(f"{around}."))


def _is_folder_of_package(package: str, module: str) -> bool:
    """Whether a folder is that of a package; the parts that all packages share may be no folder."""
    folders = package.strip("/").split("/")
    parts = [part for part in SEPARATORS.split(module) if part]
    n = min(len(folders), len(parts))
    return n > 0 and folders[-1] == parts[-1] and folders[-n:] == parts[-n:]
