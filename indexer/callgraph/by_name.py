"""Which definition a use means, by its name alone, for uses that no value leads to. Pure.

Rules are tried in order; the first that answers wins.
"""

import posixpath
import re
from collections.abc import Callable, Sequence

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.tables import namespace_imports
from satchel.indexer.callgraph.tables.bindings import (
    SEPARATORS,
    Candidates,
    Definition,
    FileImports,
    FindCandidates,
    Resolution,
    SourceFile,
    Use,
)
from satchel.indexer.callgraph.tables.visibility import is_visible
from satchel.indexer.languages import builtin_names
from satchel.indexer.languages.name_rules import BareNames, FolderScope, ImportStyle
from satchel.store.model import CLASS_LIKE, FUNCTIONS, Import, ReferenceKind, SymbolKind
from satchel.store.reading.prototypes import is_prototype

_MEMBERS = (SymbolKind.METHOD, SymbolKind.PROPERTY)
_FIRST_NAME = re.compile(r"^[&*(]*([\w$]+)")
_PRIMITIVES = frozenset(
    "bool byte char decimal double float int long nint nuint object sbyte short string uint ulong"
    " ushort void str".split()
)
"""Types of languages themselves, whose members are not the tree's: `int.Parse`."""
_WORDS = re.compile(r"[^\W_]+").findall
_FILE_EXTENSION = re.compile(r"\.\w{1,4}$")
_PATH = re.compile(r"[\w.:\\]+")
_PATH_WORDS = frozenset({"", "crate", "self", "super"})
"""Parts of a path that name no module."""


def resolve_by_name(use: Use, imports: FileImports, find: FindCandidates) -> Resolution | None:
    """The one definition that a use most likely means, if any."""
    candidates = find(use.name, use.kind, imports.file.family)
    if imports.file.rules.files_are_components and not (candidates.all or use.scope):
        # Markup writes what is computed as it writes what is called.
        candidates = find(use.name, ReferenceKind.READ, imports.file.family)
    # An import may rename: then the name in the file is that of no definition.
    if not candidates.all and use.name not in imports.by_local_name:
        return None
    if imports.file.rules.names_are_addresses:
        return _address(use, imports, candidates)
    for rule in _RECEIVER_RULES if use.receiver else _BARE_RULES:
        found = rule(use, imports, candidates, find)
        if found is not None:
            return found
    return None


def _address(use: Use, imports: FileImports, candidates: Candidates) -> Resolution | None:
    """What has a whole name: in this folder, or in that of the module which the name begins with.

    Other folders are other modules, whose names are the same by habit: `var.name`.
    """
    scope, folders = use.receiver, {imports.file.package}
    kind, _, module = scope.partition(".")
    if kind == "module" and module:
        # A name in quotes is that of the block which gives it to a variable of the module.
        scope, alias = ("var" if module[0] == '"' else "output"), module.strip('"')
        folders = {
            posixpath.normpath(posixpath.join(imports.file.package, binding.module))
            for binding in imports.by_local_name.get(alias, ())
        }
    meant = [d for d in candidates.all if d.scope == scope and d.file.package in folders]
    return resolution(rules.PACKAGE, meant[0]) if len(meant) == 1 else None


def resolution(rule: rules.Rule, target: Definition) -> Resolution:
    """A definition found by a rule."""
    return Resolution(target, rule.name, rule.confidence)


def _local(
    use: Use, imports: FileImports, candidates: Candidates, _: FindCandidates
) -> Resolution | None:
    """A definition of the same file that the scope of the use can see."""
    # Where a receiver must be written, a bare name means no method, however near it is.
    # The markup of a component does without.
    is_markup = imports.file.rules.files_are_components and not use.scope
    implicit = imports.file.language.implicit_receiver or is_markup
    own = [
        d
        for d in candidates.by_path.get(imports.file.path, ())
        if (d.kind == SymbolKind.METHOD and d.top_level)
        or (_encloses(d.scope, use.scope) and (implicit or d.kind != SymbolKind.METHOD))
    ]
    return _innermost(own, rules.VALUE_RULES[rules.LOCAL])


def _self(
    use: Use, imports: FileImports, candidates: Candidates, _: FindCandidates
) -> Resolution | None:
    """A member of the class around, through the receiver."""
    if use.receiver not in imports.file.language.self_names:
        return None
    # A member of an object without a name, such as the options of a component, has no scope.
    own = [
        d
        for d in candidates.by_path.get(imports.file.path, ())
        if (_encloses(d.scope, use.scope) if d.scope else d.kind in _MEMBERS)
    ]
    return _innermost(own, rules.SELF)


def _qualified(
    use: Use, imports: FileImports, candidates: Candidates, _: FindCandidates
) -> Resolution | None:
    """A member of a type of the same file, which the receiver names."""
    own = candidates.by_path.get(imports.file.path, ())
    owner = SEPARATORS.split(use.receiver)[-1] if own else ""
    for d in own:
        outer, _dot, holder = d.scope.rpartition(".")
        if holder == owner and _encloses(outer, use.scope):
            return resolution(rules.QUALIFIED, d)
    return None


def _imported(
    use: Use, imports: FileImports, candidates: Candidates, find: FindCandidates
) -> Resolution | None:
    """What an import brings under the name, or a module of which everything is imported."""
    for binding in imports.by_local_name.get(use.name, ()):
        original = SEPARATORS.split(binding.name)[-1] if binding.name else use.name
        # Under an alias the definition has another name than its use.
        renamed = original != use.name
        targets = find(original, use.kind, imports.file.family) if renamed else candidates
        found = namespace_imports.in_module(targets, binding, imports.file)
        if found is not None:
            return resolution(rules.NAMESPACE, found)
    for binding in imports.stars:
        found = namespace_imports.in_module(candidates, binding, imports.file)
        if found is not None:
            return resolution(rules.NAMESPACE, found)
    return None


def _whole_name(
    use: Use, imports: FileImports, candidates: Candidates, _: FindCandidates
) -> Resolution | None:
    """A function of the module that the receiver names in full, or from what an import brings on:
    `Type.Interface.name()` after `alias Schema.Type`."""
    if not _PATH.fullmatch(use.receiver):
        return None
    first, *rest = SEPARATORS.split(use.receiver)
    # An import says what the first part stands for; else it may be whole as it is.
    bindings = imports.by_local_name.get(first, ())
    heads = [(*SEPARATORS.split(b.module), *SEPARATORS.split(b.name)) for b in bindings]
    if not heads and imports.file.rules.modules_have_whole_names:
        heads = [(first,)]
    for head in heads:
        whole = tuple(part for part in (*head, *rest) if part)
        if (found := namespace_imports.inside(candidates, whole)) is not None:
            return resolution(rules.NAMESPACE, found)
    return None


def _imported_receiver(
    use: Use, imports: FileImports, candidates: Candidates, _: FindCandidates
) -> Resolution | None:
    """A member of the module or the type that the receiver begins with, which is imported."""
    # `pkg.util.f()` is bound by what imports `pkg`: only the first name of a receiver is local.
    first = _FIRST_NAME.match(use.receiver)
    for binding in imports.by_local_name.get(first[1], ()) if first else ():
        found = namespace_imports.in_member_module(candidates, binding, imports.file)
        found = found or namespace_imports.in_module(candidates, binding, imports.file)
        found = found or namespace_imports.member_of_imported_type(
            candidates, binding, imports.file
        )
        if found is not None:
            return resolution(rules.NAMESPACE, found)
    return None


def _path(
    use: Use, imports: FileImports, candidates: Candidates, _: FindCandidates
) -> Resolution | None:
    """A function or a type of the one file whose path ends in what the receiver names in full:
    `crate::error::report`."""
    has_modules = imports.file.rules.files_are_modules
    if not candidates.top_level or not (has_modules or imports.file.language.separator == "::"):
        return None
    if not _PATH.fullmatch(use.receiver):
        return None
    wanted = tuple(part for part in SEPARATORS.split(use.receiver) if part not in _PATH_WORDS)
    while wanted:
        found = [d for d in candidates.top_level if _module(d)[-len(wanted) :] == wanted]
        found = list(_without_declarations(found)) if has_modules and found else found
        if len(found) == 1:
            return resolution(rules.NAMESPACE, found[0])
        # A library has a module of its name around those of its files.
        wanted = wanted[1:] if has_modules and not found else ()
    return None


def _module(definition: Definition) -> tuple[str, ...]:
    """Where a definition lies: the folders and the name of its file, then modules inside of it."""
    return (*definition.file.module, *filter(None, SEPARATORS.split(definition.scope)))


def _package(
    use: Use, imports: FileImports, candidates: Candidates, _: FindCandidates
) -> Resolution | None:
    """The only definition of that name in a folder whose files share their names."""
    if imports.file.rules.folder_scope is FolderScope.NONE:
        return None
    package = imports.file.package
    # Several of one name in a folder are often variants for platforms: none of them is chosen.
    near = [d for d in candidates.all if d.file.package == package and d.top_level]
    if len(near) != 1 or _is_imported_from_outside(use.name, imports, near[0]):
        return None
    return resolution(rules.PACKAGE, near[0])


def _unique(
    use: Use, imports: FileImports, candidates: Candidates, _: FindCandidates
) -> Resolution | None:
    """The only definition of that name in the tree, where none outside of it is likelier."""
    product = _without_declarations(_visible_from(use, candidates.product))
    only = product[0] if product and _are_overloads(product) else None
    if only is None:
        return None
    if only.is_test and only.file_id != use.file_id:
        return None  # what a test makes up for itself is no library
    if use.receiver:
        return _unique_member(use, imports, only)
    if _is_imported_from_outside(use.name, imports, only):
        return None
    if _must_be_bound(use, imports, only) or _is_builtin_function(use.name, only, imports):
        return None
    language = imports.file.language
    if not only.top_level and not (language.implicit_receiver and language.grammar):
        return None  # a member needs a receiver here, or may need one, and this use has none
    if not is_visible(only, use.scope, imports):
        return None
    return resolution(rules.UNIQUE if len(product) == 1 else rules.UNIQUE_OVERLOAD, only)


def _unique_member(use: Use, imports: FileImports, only: Definition) -> Resolution | None:
    """The only definition of a name that is written behind a receiver, unless that is outside."""
    first = _FIRST_NAME.match(use.receiver)
    names = imports.file.rules
    is_function = only.kind == SymbolKind.FUNCTION and only.top_level
    built_in = (
        use.name in builtin_names.MEMBERS
        or use.name in names.builtin_members
        or only.kind in CLASS_LIKE
        or (is_function and names.receivers_have_members_only)
        or (first and first[1] in names.builtin_objects)
        or (first and first[1] in names.standard_namespaces)
        or use.receiver in _PRIMITIVES
    )
    named = first[1] if first else ""
    if (
        built_in
        or _is_imported_from_outside(named, imports, only)
        or _is_imported_from_elsewhere(named, imports, only)
    ):
        return None
    return resolution(rules.UNIQUE_MEMBER, only)


def _is_imported_from_outside(name: str, imports: FileImports, only: Definition) -> bool:
    """Whether a name is what the file imports from a package that is not in the tree."""
    imported = imports.by_local_name.get(name, ())
    return any(is_of_another_package(binding, imports.file, only) for binding in imported)


def _is_imported_from_elsewhere(name: str, imports: FileImports, only: Definition) -> bool:
    """Whether a name is imported, and no word of the import is on the way to the definition."""
    names = imports.file.rules
    # Headers bind no name.
    if names.imports is not ImportStyle.NAMESPACE or names.header_extensions:
        return False
    imported = imports.by_local_name.get(name, ())
    telling = [each for each in imported if each.name or each.alias or name[:1].isupper()]
    if not telling:
        return False
    way = {word.lower() for word in _WORDS(f"{only.file.module} {only.scope}")}
    return all(way.isdisjoint(_words_of(each)) for each in telling)


def _words_of(binding: Import) -> set[str]:
    """The words of an import, without the extension of a file that it names."""
    module = _FILE_EXTENSION.sub("", binding.module)
    return {word.lower() for word in _WORDS(f"{module} {binding.name}")}


def _visible_from(use: Use, found: Sequence[Definition]) -> Sequence[Definition]:
    """Those without what other components define for themselves: they give nothing but the file."""
    return [
        d
        for d in found
        if not (d.parent and d.file.rules.files_are_components and d.file_id != use.file_id)
    ]


def is_of_another_package(binding: Import, user: SourceFile, only: Definition) -> bool:
    """Whether a file imports a package that is installed, as `supertest` in the tests of a server
    whose `set` is no method of it: no part of its name is a folder on the way to the definition.

    Of a script paths begin with a dot, and aliases of bundlers with a sign. Of Go a definition at
    the root may be in any package but those of the standard library, which have no host.
    """
    module, style = binding.module, user.rules.imports
    if style is ImportStyle.SCRIPT and module[:1] not in "./~#$" and module[:2] != "@/":
        return set(only.file.path.split("/")).isdisjoint(module.removeprefix("@").split("/"))
    if style is ImportStyle.MODULE:
        host, *rest = module.split("/")
        folders = only.file.directory.split("/")
        return not {host, *rest} & {*folders} and (folders != ["."] or "." not in host)
    return namespace_imports.is_of_standard_library(binding, user)


def _without_declarations(found: Sequence[Definition]) -> Sequence[Definition]:
    """C and C++ declare in headers what they define elsewhere: the definition stands for both."""
    headers = found[0].file.rules.header_extensions if len(found) > 1 else ()
    if not headers:
        return found
    bodies = {d.qualified for d in found if not is_prototype(d.kind, d.signature)}
    defined = [
        d for d in found if not is_prototype(d.kind, d.signature) or d.qualified not in bodies
    ]
    return [d for d in defined if not d.file.path.endswith(headers)] or defined


def _are_overloads(found: Sequence[Definition]) -> bool:
    """Whether definitions are one, or functions of C++ of one name in one file."""
    first = found[0]
    return len(found) == 1 or (
        bool(first.file.rules.header_extensions)
        and all(d.kind in FUNCTIONS and d.file_id == first.file_id for d in found)
        and len({d.qualified for d in found}) == 1
    )


def _must_be_bound(use: Use, imports: FileImports, only: Definition) -> bool:
    """Whether a bare name must be bound in the file, so that a definition elsewhere is not meant.

    Names that the file binds itself were found before.
    """
    if _is_auto_imported(imports.file, only):
        return False
    where = imports.file.rules.bare_names
    if where is BareNames.IN_FILE_OF_MODULES:
        is_module = bool(imports.by_local_name) or only.signature.startswith("export ")
        return is_module and use.name not in imports.by_local_name
    return where is BareNames.IN_FILE


def _is_auto_imported(user: SourceFile, only: Definition) -> bool:
    """Whether a framework imports a definition into a file that names it: another component, or
    what the files of some folders export."""
    if not only.parent:
        return user.rules.files_are_components
    folders = only.file.path.split("/")[:-1]
    auto = user.rules.auto_import_folders
    at = next((n for n, folder in enumerate(folders) if folder in auto), None)
    is_near = at is not None and user.path.split("/")[:at] == folders[:at]
    return is_near and only.signature.startswith("export ")


def _is_builtin_function(name: str, only: Definition, imports: FileImports) -> bool:
    """Whether a bare name means a built-in function, and not the definition elsewhere."""
    language = imports.file.rules
    # In the sources of the language itself the only definition is the one that is meant.
    is_its_source = only.scope == (language.module_of_functions or None)
    return name in language.builtin_functions and not is_its_source


_Rule = Callable[[Use, FileImports, Candidates, FindCandidates], Resolution | None]
_BARE_RULES: tuple[_Rule, ...] = (_local, _imported, _package, _unique)
_RECEIVER_RULES: tuple[_Rule, ...] = (
    _self, _qualified, _whole_name, _imported_receiver, _path, _unique,
)  # fmt: skip


def _encloses(outer: str, inner: str) -> bool:
    """Whether a scope is another one, or holds it; both are qualified names."""
    return not outer or inner == outer or inner.startswith(outer + ".")


def _innermost(found: Sequence[Definition], rule: rules.Rule) -> Resolution | None:
    """The definition of the innermost scope, the first one there."""
    if not found:
        return None
    return resolution(rule, max(found, key=lambda d: (len(d.scope), -d.id)))
