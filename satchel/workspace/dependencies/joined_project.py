"""A code base asked together with the code of its dependencies, which ranks behind its own.

Which packages those are: what its own files import and is installed, and what the user named once
(`deps-source NAME`), which is noted beside the index. Nothing of a repository adds any.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec
from msgspec import Struct

from satchel.assembler.survey.changes import History
from satchel.indexer.refresh_values import OnProgress
from satchel.indexer.scan.open_below import content
from satchel.store import private
from satchel.store.counted import counted
from satchel.store.errors import Incomplete, Locked, UsageError
from satchel.store.joined.joined_snapshot import JoinedSnapshot
from satchel.store.model import RepoPath
from satchel.store.reading.read_files import imported_modules
from satchel.store.reading.snapshot import Snapshot
from satchel.store.reading.snapshot_cache import SnapshotCache
from satchel.store.sqlite import database
from satchel.workspace.dependencies import installed, source, versions
from satchel.workspace.dependencies.indexes import Indexes, Shared
from satchel.workspace.dependencies.installed import Installed, Package
from satchel.workspace.project import Project

_NAME = "dependencies.json"
_MAX_BYTES = 4 << 20
_MANIFESTS = ("package.json", "go.mod")
MAX_NEW_BYTES = 1_000_000_000
"""Bytes of code that one call indexes, so that an environment which somebody ships fills no
disk."""
_MAX_PROBLEMS = 3
"""Packages that a question says it was asked without; `deps-source` names all."""
OnPackage = Callable[[str, int, int], None]
"""Called before a package is indexed: its name, how many are done, how many there are to do."""


class _Known(Struct, frozen=True):
    """A package as it was found last: the key of its index, while its stamp is this one."""

    stamp: str
    key: str
    version: str


class Noted(Struct, frozen=True):
    """What is noted of a code base: the names a user added, and packages by kind and name."""

    names: list[str] = []
    known: dict[str, _Known] = {}


class Dependency(Struct, frozen=True):
    """A package that is asked along; `key` is of its index, "" where `problem` says why not."""

    package: Package
    key: str
    is_new: bool = False
    problem: str = ""


class JoinedProject(Project):
    """A code base and its dependencies as one tree; what changed is told of the code base."""

    def __init__(self, own: Project, parts: Sequence[tuple[Package, Shared]]) -> None:
        super().__init__(own.folders, own.settings, own.encoder)
        self._own, self._parts = own, tuple(parts)
        self._cache: tuple[object, SnapshotCache] = ((), SnapshotCache())

    def uses_chroma(self, n_vectors: int) -> bool:
        """Never: a mirror holds one index, and the vectors of all are scanned together."""
        return False

    @contextmanager
    def snapshot(self, stop: Callable[[], bool] = database.never) -> Iterator[Snapshot]:
        """One generation of the code base with the packages; see `Project.snapshot`."""
        with ExitStack() as opened:
            each = [("", opened.enter_context(self._own.snapshot(stop)))]
            for package, shared in self._parts:
                snapshot = opened.enter_context(shared.snapshot(stop))
                each.append((package.shown.rstrip("/"), snapshot))
            # An index of a package never changes, so that generations tell what is joined.
            key = tuple(one.generation for _, one in each)
            if self._cache[0] != key:
                self._cache = key, SnapshotCache()
            yield JoinedSnapshot(each, self._cache[1])

    def history(self, snapshot: Snapshot, since: str) -> History:
        """What the files of the code base were; see `Project.history`."""
        assert isinstance(snapshot, JoinedSnapshot)
        # Its ids are those of the joined tree: the part without a folder comes first.
        own = next(part for part in snapshot.parts if not part.folder)
        return self._own.history(own.snapshot, since)

    def file_place(self, path: RepoPath) -> tuple[Path, RepoPath]:
        """Where the file of a path lies, which may be outside of the root."""
        for package, _ in self._parts:
            if path.startswith(package.shown):
                base = package.place if package.place.is_dir() else package.place.parent
                inside = RepoPath(path[len(package.shown) :])
                # Several modules of one file may share what their paths begin with.
                if base == package.place or inside == package.place.name:
                    return base, inside
        return self.root, path


def find(
    project: Project,
    environment: Mapping[str, str],
    names: Sequence[str] = (),
    *,
    every: bool = False,
) -> Installed:
    """The packages of a code base that is indexed: those it imports, and those asked for by name.

    `names` may be patterns; they are noted for the questions that come.

    Raises:
        UsageError: nothing that is installed has one of the names.
    """
    with project.snapshot() as snapshot:
        manifests = [
            file.path
            for file in snapshot.files.all()
            if file.path.rpartition("/")[2] in _MANIFESTS and not file.is_test
        ]
    with closing(database.connect(project.directory, writable=False)) as connection:
        modules = imported_modules(connection)
    found = installed.packages(project.root, environment, manifests)
    for name in names:
        if not any(fnmatchcase(each.name, name) for each in found.packages):
            raise UsageError(
                f"nothing called {name!r} is installed for {project.root}",
                "give the name that code imports; `satchel deps-source --all --list` lists what is"
                " installed",
            )
    noted = _read_noted(project)
    if set(names) - set(noted.names):
        noted = Noted(sorted({*noted.names, *names}), noted.known)
        _write(project, noted)
    used = set(installed.imported(found.packages, modules))
    chosen = [
        each
        for each in found.packages
        if every or each in used or any(fnmatchcase(each.name, name) for name in noted.names)
    ]
    told, is_all = versions.with_versions(chosen)
    more = () if is_all else ("some versions are left out: what tells them is too long",)
    return Installed(tuple(told), (*found.notices, *more))


def forget(project: Project, packages: Sequence[Package]) -> None:
    """Let `index` read these packages again, also where their folders look as they did."""
    noted, named = _read_noted(project), {_id(each) for each in packages}
    known = {key: value for key, value in noted.known.items() if key not in named}
    _write(project, Noted(noted.names, known))


def index(
    project: Project,
    environment: Mapping[str, str],
    packages: Sequence[Package],
    on_package: OnPackage,
    on_progress: OnProgress,
    patience: float | None = None,
) -> list[Dependency]:
    """Make the indexes that are missing; each that is done stays, whatever ends this.

    Raises:
        Incomplete: it takes longer than `patience` seconds; None waits for all.
    """
    noted, indexes = _read_noted(project), Indexes(project.folders.bases, environment)
    known = dict(noted.known)
    done: list[Dependency] = []
    began = time.monotonic()
    # What a package manager leaves alone is not read again: looking at its folder is enough.
    todo = [each for each in packages if not _is_known(known, each, indexes)]
    n_made, available_bytes = 0, MAX_NEW_BYTES
    for package in packages:
        if package not in todo:
            done.append(Dependency(package, known[_id(package)].key))
            continue
        # At least one is made whatever the patience is, so that asking again comes to an end.
        if patience is not None and n_made and time.monotonic() - began > patience:
            raise Incomplete(
                f"{n_made} of {len(todo)} dependencies are indexed so far",
                "`satchel deps-source` indexes the others; ask again then",
            )
        on_package(package.name, n_made, len(todo))
        one, n_bytes = _indexed_package(package, indexes, on_progress, available_bytes)
        available_bytes -= n_bytes if one.is_new else 0
        n_made += 1
        done.append(one)
        if one.key:
            known[_id(package)] = _Known(package.stamp, one.key, package.version)
            # Written after each: an interruption then loses the one that was being indexed.
            _write(project, Noted(noted.names, known))
    return done


def index_imported(
    project: Project, environment: Mapping[str, str], on_package: OnPackage, on_progress: OnProgress
) -> tuple[list[Dependency], tuple[str, ...]]:
    """The packages that a question is asked of as well, indexed, and what is to be said of them.

    Raises:
        Incomplete: not all of them are indexed within the patience of the settings.
    """
    found = find(project, environment)
    patience = project.settings.index.patience_seconds
    done = index(project, environment, found.packages, on_package, on_progress, patience)
    problems = [f"{each.package.name}: {each.problem}" for each in done if each.problem]
    notices = [*found.notices, *problems[:_MAX_PROBLEMS]]
    if len(problems) > _MAX_PROBLEMS:
        left = counted(len(problems), "package")
        notices.append(f"{left} left out; `satchel deps-source` says why")
    if not done:
        notices.append("no dependency that is imported here is installed where it is found")
    return done, tuple(notices)


def with_known_indexes(
    project: Project, environment: Mapping[str, str], packages: Sequence[Package]
) -> list[Dependency]:
    """The packages with the keys of the indexes there are; nothing is read of them."""
    known, indexes = _read_noted(project).known, Indexes(project.folders.bases, environment)
    return [
        Dependency(each, known[_id(each)].key if _is_known(known, each, indexes) else "")
        for each in packages
    ]


def join(
    project: Project, environment: Mapping[str, str], dependencies: Sequence[Dependency]
) -> Project:
    """The code base with what is indexed of them; itself where that is nothing."""
    indexes = Indexes(project.folders.bases, environment)
    parts = [(each.package, indexes.of(each.key)) for each in dependencies if each.key]
    return JoinedProject(project, parts) if parts else project


def _indexed_package(
    package: Package, indexes: Indexes, on_progress: OnProgress, available_bytes: int
) -> tuple[Dependency, int]:
    """The package with its index, and how many bytes its code has."""
    try:
        found = source.read(package, indexes.max_file_bytes)
    except UsageError as error:
        return Dependency(package, "", problem=error.message), 0
    # What another project has indexed already takes no room on the disk.
    is_new = not indexes.is_whole(found.key)
    problem = "" if found.files else "it has no source that is read"
    if is_new and found.n_bytes > available_bytes:
        problem = f"with it more than {MAX_NEW_BYTES:,} bytes of code would be indexed at once"
    if problem:
        return Dependency(package, "", problem=problem), 0
    try:
        indexes.build(package, found, on_progress)
    except Locked:
        return Dependency(package, "", problem="another process is indexing it"), 0
    return Dependency(package, found.key, is_new), found.n_bytes


def _is_known(known: Mapping[str, _Known], package: Package, indexes: Indexes) -> bool:
    found = known.get(_id(package))
    if found is None or not package.stamp or found.stamp != package.stamp:
        return False
    return indexes.is_whole(found.key)


def _id(package: Package) -> str:
    return f"{package.kind} {package.name}"


def _read_noted(project: Project) -> Noted:
    with suppress(OSError, msgspec.MsgspecError):
        data = content(project.directory / _NAME, _MAX_BYTES)
        return msgspec.json.decode(data, type=Noted)
    return Noted()


def _write(project: Project, noted: Noted) -> None:
    # Without the note every package is read again, and the answer is the same.
    with suppress(OSError):
        private.write(project.directory / _NAME, msgspec.json.encode(noted))
