"""Imports that name a namespace: the definition whose file's path agrees with it best. Pure.

Java, Rust, C# and others let a file lie where it wants; in practice the trailing parts of its path
are those of the namespace.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from satchel.indexer.callgraph.tables.bindings import SEPARATORS, Candidates, Definition, SourceFile
from satchel.indexer.languages.detect import by_name, languages_of
from satchel.store.model import FUNCTIONS, Import


def in_module(candidates: Candidates, binding: Import, user: SourceFile) -> Definition | None:
    """The top-level definition that lies in the imported module."""
    module = _imported_parts(binding.module, user.family)
    # What a file writes around a function says where it lies better than the file's path does. A
    # type may have a companion of its name, which this would not find.
    return inside(candidates, module) or _best(candidates.top_level, module, user)


def is_of_standard_library(binding: Import, user: SourceFile) -> bool:
    """Whether an import leads to the library of the language: `java.time.Duration`, `std::fs`."""
    first = _module_parts(binding.module)[:1]
    return bool(first) and first[0] in user.rules.standard_namespaces


def inside(candidates: Candidates, module: tuple[str, ...]) -> Definition | None:
    """The function that is written inside of a module, by the whole name of that, in one file."""
    functions = [d for d in candidates.all if d.scope and d.kind in FUNCTIONS]
    found = [d for d in functions if _module_parts(d.scope) == module]
    if len({d.file_id for d in found}) != 1:
        return None
    return min(found, key=lambda d: d.id)


def in_member_module(
    candidates: Candidates, binding: Import, user: SourceFile
) -> Definition | None:
    """The top-level definition in an imported member that is a module: `from pkg import util`."""
    member = _module_parts(binding.name)
    if not member or binding.name == "*":
        return None
    # The member's own name must be that of the file: what lies below it would agree as well.
    inside = [d for d in candidates.top_level if d.file.module[-1:] == member[-1:]]
    return _best(inside, _module_parts(binding.module) + member, user)


def member_of_imported_type(
    candidates: Candidates, binding: Import, user: SourceFile
) -> Definition | None:
    """The member of an imported type."""
    owner = SEPARATORS.split(binding.name)[-1] if binding.name else ""
    inner = f".{owner}"
    members = [d for d in candidates.all if owner and (d.scope == owner or d.scope.endswith(inner))]
    return _best(members, _imported_parts(binding.module, user.family), user)


@lru_cache(maxsize=1 << 16)
def _imported_parts(module: str, family: str) -> tuple[str, ...]:
    """The parts of an imported module, which may be the path of a file: `./lib/Item.sol`."""
    extensions = (e for language in languages_of(family) for e in by_name(language).extensions)
    written = next((e for e in extensions if module.endswith(e)), "")
    return _module_parts(module.removesuffix(written))


@lru_cache(maxsize=1 << 16)
def _module_parts(module: str) -> tuple[str, ...]:
    return tuple(part for part in SEPARATORS.split(module) if part)


def _best(
    found: Iterable[Definition], module: tuple[str, ...], user: SourceFile
) -> Definition | None:
    """The one candidate whose file agrees with `module` in the most trailing parts, one at least.

    Of several the nearest to the user; of equally near ones in different files, none.
    """
    best: list[Definition] = []
    top = 1
    for definition in found:
        file = definition.file
        # A package directory counts as well as the file (`import pkg` means `pkg/anything.go`), and
        # an imported member may itself be a module (`from pkg import util`).
        backwards = module[::-1]
        n_equal = max(
            _n_equal_first(own[::-1], backwards)
            for own in (file.module, file.module[:-1], _module_parts(file.path)[:-1])
        )
        whole = min(len(module), len(file.module) - 1)
        if file.rules.folders_are_packages and n_equal < whole:
            continue
        if n_equal > top:
            best, top = [definition], n_equal
        elif n_equal == top:
            best.append(definition)
    if len(best) > 1:
        distances = [_n_equal_first(d.file.path.split("/"), user.path.split("/")) for d in best]
        nearest = max(distances)
        best = [d for d, n in zip(best, distances, strict=True) if n == nearest]
    # Several in one file are overloads, or a class and its companion: the first stands for them.
    if len({d.file.path for d in best}) != 1:
        return None
    return min(best, key=lambda d: d.id)


def _n_equal_first(one: Sequence[str], other: Sequence[str]) -> int:
    n = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        n += 1
    return n
