"""What imported names stand for, and names of a package or namespace that need no import."""

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.tables import namespace_imports
from satchel.indexer.callgraph.tables.bindings import SEPARATORS, FileImports
from satchel.indexer.callgraph.tables.file_table import DEFAULT_EXPORT
from satchel.indexer.callgraph.tables.import_paths import TEST_OF_PACKAGE
from satchel.indexer.callgraph.values.model import (
    EMPTY,
    OUTSIDE,
    Def,
    Interpreter,
    Module,
    ModuleMember,
    ModulePath,
    Package,
    Value,
    Values,
    union,
    weakened,
)
from satchel.indexer.languages.name_rules import FolderScope, ImportStyle
from satchel.store.model import Import, ReferenceKind

_MODULE, _DOTTED, _SCRIPT = ImportStyle.MODULE, ImportStyle.DOTTED, ImportStyle.SCRIPT
_NAMESPACE, _PACKAGE = ImportStyle.NAMESPACE, FolderScope.PACKAGE


def imported_name(interpreter: Interpreter, file_id: int, name: str) -> Values:
    """What a name that the file does not bind itself stands for; `OUTSIDE` where that is certain.

    In this order: what is imported under the name, what modules have of which everything is
    imported, the package of the file, imported namespaces, the nearest type.
    """
    imports = interpreter.tables.imports_of(file_id, name)
    language = imports.file.rules
    bindings = imports.by_local_name.get(name, ())
    found: Values = EMPTY
    for binding in bindings:
        found |= _bound_by(interpreter, imports, binding)
    if not found and language.imports is _DOTTED:
        found = module_path(interpreter, file_id, name)
    # A name that is imported by itself comes from nowhere else.
    if not bindings:
        found |= _from_starred_modules(interpreter, imports, name)
    if language.folder_scope is _PACKAGE and not bindings:
        near = _of_same_package(interpreter, file_id, imports, name)
        if near or language.imports_complete:
            return weakened(near, rules.PACKAGE_NAME)
        found |= _from_starred_namespace(interpreter, imports, name)
    # A path of C++ is noted by its last two names, of which the first may lie in a type.
    found = found or nearest_type(
        interpreter, file_id, name, is_bare=not language.header_extensions
    )
    # That a name is known to be outside keeps it from being guessed by its name alone.
    if not found and (bindings or _is_foreign_type(interpreter, imports, name)):
        is_outside = language.imports_complete or _is_always_found(interpreter, imports, name)
        return OUTSIDE if is_outside else EMPTY
    return weakened(found, rules.IMPORTED)


def nearest_type(
    interpreter: Interpreter, file_id: int, name: str, *, is_bare: bool = False
) -> Values:
    """A type that is found without its import, where imports are namespaces: `ast::Parser`."""
    style = interpreter.tables.file(file_id).rules.imports
    if not name[:1].isupper() or style is not _NAMESPACE:
        return EMPTY
    module = interpreter.tables.table(file_id).module
    found = interpreter.classes.nearest(file_id, module if is_bare else 0, name)
    return frozenset(Value(Def(d.id), rules.IMPORTED) for d in found)


def module_path(interpreter: Interpreter, file_id: int, path: str) -> Values:
    """`a.b` of `import a.b.c`: a module, and the way to others."""
    tables, first = interpreter.tables, path.partition(".")[0]
    imports = tables.imports_of(file_id, first)
    found: set[Value] = set()
    for binding in imports.dotted.get(first, ()):
        if binding.module == path or binding.module.startswith(path + "."):
            found.add(Value(ModulePath(file_id, path), rules.IMPORTED))
            found |= _modules(tables.imported_files(imports.file, path))
    return frozenset(found)


def _bound_by(interpreter: Interpreter, imports: FileImports, binding: Import) -> Values:
    """What one import binds its name to."""
    tables, file = interpreter.tables, imports.file
    style = file.rules.imports
    modules = tables.imported_files(file, binding.module)
    if binding.name in ("", "*"):
        if style is _MODULE:
            # One value for all files of a folder: a value for each would be too many to tell apart.
            return frozenset(Value(Package(each), rules.IMPORTED) for each in modules[:1])
        if style is _DOTTED and not binding.alias:
            # `import a` binds the module, `import a.b` only the way to it: `module_path`.
            return EMPTY if "." in binding.module.strip(".") else _modules(modules)
        # `import * as x`, `x = require("./y")`: the module, or what it exports as a whole.
        is_script = style is _SCRIPT or file.rules.files_are_classes
        return (
            union(whole_module(interpreter, m) for m in modules) if is_script else _modules(modules)
        )
    found: Values = EMPTY
    for module in modules:
        found |= interpreter.ask(ModuleMember(module, binding.name))
    if not modules and style is _DOTTED:
        # `from package import module`, where the package is a folder without an entry file
        separator = "" if binding.module.endswith(".") else "."
        path = f"{binding.module}{separator}{binding.name}"
        found |= _modules(tables.imported_files(file, path))
    if found or file.rules.imports_complete:
        return found
    # No file is named by the import: the definition whose path agrees with it best.
    original = SEPARATORS.split(binding.name)[-1]
    known = tables.candidates(original, ReferenceKind.CALL, file.family)
    definition = namespace_imports.in_module(known, binding, file)
    return frozenset({Value(Def(definition.id), rules.IMPORTED)}) if definition else EMPTY


def whole_module(interpreter: Interpreter, module: int) -> Values:
    """A module, and what it exports as a whole: `module.exports = …`."""
    return _modules([module]) | interpreter.ask(ModuleMember(module, DEFAULT_EXPORT))


def _modules(file_ids: list[int]) -> Values:
    return frozenset(Value(Module(file_id), rules.IMPORTED) for file_id in file_ids)


def member_of_package(interpreter: Interpreter, file_id: int, name: str) -> Values:
    """What the files of a folder have under a name, as seen from other folders.

    Several may define it, each for a platform.
    """
    file, tables = interpreter.tables.file(file_id), interpreter.tables
    homes = {
        each.file_id: None  # in order
        for each in tables.definitions_named(name)
        if each.top_level
        and each.file.directory == file.directory
        and each.file.family == file.family
        and not each.file.path.endswith(TEST_OF_PACKAGE)
    }
    return union(interpreter.ask(ModuleMember(each, name)) for each in homes)


def _of_same_package(
    interpreter: Interpreter, file_id: int, imports: FileImports, name: str
) -> Values:
    """What another file of the same Go or Java package has under a name."""
    file = imports.file
    for definition in interpreter.tables.definitions_named(name):
        other = definition.file
        is_near = other.package == file.package and other.family == file.family
        if is_near and definition.top_level and definition.file_id != file_id:
            return interpreter.ask(ModuleMember(definition.file_id, name))
    return EMPTY


def _from_starred_modules(interpreter: Interpreter, imports: FileImports, name: str) -> Values:
    """What modules have under a name of which everything is imported."""
    found: Values = EMPTY
    for binding in imports.stars:
        modules = interpreter.tables.imported_files(imports.file, binding.module)
        if modules and imports.file.rules.imports is _MODULE:
            found |= member_of_package(interpreter, modules[0], name)
            continue
        for module in modules:
            found |= interpreter.ask(ModuleMember(module, name))
    return found


def _from_starred_namespace(interpreter: Interpreter, imports: FileImports, name: str) -> Values:
    """A type of a package, or a member of a type, of which everything is imported."""
    for binding in imports.stars:
        family = imports.file.family
        known = interpreter.tables.candidates(name, ReferenceKind.CALL, family)
        found = namespace_imports.in_module(known, binding, imports.file)
        if found is not None:
            return frozenset({Value(Def(found.id), rules.IMPORTED)})
    return EMPTY


def _is_always_found(interpreter: Interpreter, imports: FileImports, name: str) -> bool:
    """Whether an import of a Java file would have led to a definition in the tree.

    Kotlin and Scala do not keep a package in the folders of its name: where they define the name
    too, a definition may be meant that was not found.
    """
    if not imports.file.rules.folders_are_packages:
        return False
    known = interpreter.tables.candidates(name, ReferenceKind.CALL, imports.file.family)
    return all(definition.file.rules.folders_are_packages for definition in known.all)


def _is_foreign_type(interpreter: Interpreter, imports: FileImports, name: str) -> bool:
    """Whether a name is that of a type, and of none in the tree: `Math`, `String` of Java."""
    file = imports.file
    if not file.rules.types_are_capitalised or not name[:1].isupper():
        return False
    return not interpreter.tables.candidates(name, ReferenceKind.TYPE, file.family).all
