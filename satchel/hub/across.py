"""Who uses a symbol in other repositories: those that need a package of its own repository.

A use there is by name, and tied to nothing in its own repository. How sure it is, is said: the file
imports the package (and the name from it), or its repository merely needs it.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from satchel.assembler.lookup.symbols import matching
from satchel.assembler.quoting import clean, path
from satchel.hub.database import Hub, rows
from satchel.hub.reading.pg_snapshot import PgSnapshot, builds
from satchel.store.model import Import, RepoPath

_MOST_REPOSITORIES = 30
_MOST_USES = 1_000
"""Uses that are looked at in one repository."""
IMPORTED, IN_FILE, NEEDED = 0.9, 0.6, 0.3
"""How sure a use is where its file imports the name, the package, or neither. By hand."""


class Use(Struct, frozen=True):
    """A use of a symbol in another repository, by a package of that ecosystem."""

    path: RepoPath
    line: int
    user: str
    package: str
    ecosystem: str
    confidence: float


class Uses(Struct, frozen=True):
    """Uses by confidence, path and line.

    `asked` are the first of the `n_needing` repositories that need a package, by name.
    """

    uses: tuple[Use, ...]
    n_found: int
    asked: tuple[str, ...]
    n_needing: int = 0


def uses(hub: Hub, snapshot: PgSnapshot, symbol: str, limit: int) -> Uses:
    """The uses of a symbol in repositories that need a package of those that define it.

    Runs in the transaction of the snapshot, in whose role all is read.
    """
    found = matching(snapshot, symbol)
    defining = {snapshot.part_of(record.path).build.id for record in found}
    names = sorted({record.name for record in found})
    if not defining:
        return Uses((), 0, ())
    needing = _needing(hub, sorted(defining))
    others = [build for build in builds(hub) if build.id in needing]
    asked = others[:_MOST_REPOSITORIES]
    made: list[Use] = []
    for build in asked:
        # One by one: a name may be tied in one repository and free in the next.
        made += _uses_in(PgSnapshot(hub, [build], named=True), names, needing[build.id])
    # Sorted before it is cut, so that the surest uses are shown whoever has them.
    made.sort(key=lambda use: (-use.confidence, use.path, use.line))
    shown = tuple(build.repository for build in asked)
    return Uses(tuple(made[:limit]), len(made), shown, len(others))


def lines(found: Uses) -> Iterator[str]:
    """Uses as an agent reads them, after the repositories that were asked."""
    asked = ", ".join(map(clean, found.asked)) or "none"
    # What was left out is said: nobody must take an answer of some for one of all.
    left = found.n_needing - len(found.asked)
    more = f", and {left} more, which were not asked" if left > 0 else ""
    yield f"repositories that need a package of it: {asked}{more}"
    for use in found.uses:
        yield (
            f"{path(use.path)}:{use.line} {clean(use.user)} uses it by {use.ecosystem} package"
            f" {clean(use.package)}, confidence {use.confidence:g}"
        )


def _needing(hub: Hub, defining: Sequence[int]) -> dict[int, list[tuple[str, str]]]:
    """For each build that needs packages of some others, which: (ecosystem, name)."""
    sql = (
        "SELECT DISTINCT n.build_id, n.ecosystem, n.name FROM packages p JOIN packages n"
        " ON n.ecosystem = p.ecosystem AND n.name = p.name AND n.is_needed"
        " WHERE p.build_id = ANY (%s::bigint[]) AND NOT p.is_needed"
        " AND n.build_id <> ALL (%s::bigint[])"
        " AND n.build_id IN (SELECT build_id FROM repositories) ORDER BY 1, 2, 3"
    )
    needing: dict[int, list[tuple[str, str]]] = {}
    for build, ecosystem, name in rows(hub, sql, (list(defining), list(defining))):
        needing.setdefault(build, []).append((ecosystem, name))
    return needing


def _uses_in(
    there: PgSnapshot, names: Sequence[str], packages: Sequence[tuple[str, str]]
) -> Iterator[Use]:
    languages = sorted({file.language for file in there.files.all()})
    for name in names:
        # A use that its own repository defines is not a use of ours.
        found = [use for use, _ in there.symbols.unresolved_uses(name, languages)[:_MOST_USES]]
        scopes = there.symbols.by_id({use.scope for use in found})
        users = {scope.id: scope.qualified_name for scope in scopes}
        imports = there.files.imports(use.path for use in found)
        for use in found:
            sure = [(_sureness(imports[use.path], each, name), each) for each in packages]
            confidence, (ecosystem, package) = max(sure)
            user = users.get(use.scope, "")
            yield Use(use.path, use.line, user, package, ecosystem, confidence)


def _sureness(imports: Sequence[Import], package: tuple[str, str], name: str) -> float:
    found = [each for each in imports if _is_import_of(each.module, *package)]
    if any(name in (each.name, each.alias) for each in found):
        return IMPORTED
    return IN_FILE if found else NEEDED


def _is_import_of(module: str, ecosystem: str, package: str) -> bool:
    """Whether an import is of a package, by how its ecosystem writes one in code."""
    if ecosystem in ("npm", "go"):
        return module == package or module.startswith(f"{package}/")
    # Elsewhere the name of a package is what its modules are below, in one spelling or another.
    first = re.split(r"[.:/]", module.lower())
    plain = re.sub(r"[-_.]+", "_", package.lower())
    return first[0] == plain or (ecosystem in ("maven", "dotnet") and plain in first)
