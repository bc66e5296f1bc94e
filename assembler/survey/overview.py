"""A summary of a code base: size, languages, entry points and most used symbols. Pure."""

from functools import partial

from msgspec import Struct, structs

from satchel.assembler.graph.centrality import pagerank
from satchel.assembler.graph.modules import module_graph
from satchel.assembler.graph.neighbourhoods import Neighbourhood, neighbourhoods
from satchel.assembler.kinds import PROJECT
from satchel.assembler.ranking.vendored import Vendored, vendored
from satchel.assembler.survey.entry_points import EntryPoint, entry_points
from satchel.assembler.survey.packages import Package, packages
from satchel.assembler.survey.sizes import FolderSize, LanguageSize, folder_sizes, language_sizes
from satchel.store import path_filter
from satchel.store.counted import first_of
from satchel.store.errors import UsageError
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import SymbolRecord

_LISTED = 15
"""Folders, entry points and symbols that are listed at most."""
_NEIGHBOURHOODS = 8
_CANDIDATES_EACH = 10
"""Symbols that are read for each that is listed: those of equal rank are ordered by their paths."""
_LOOKED_AT, _HINTED = 1_000, 4
"""Paths that are looked at for folders that may have been meant, and how many are named."""


class Central(Struct, frozen=True):
    """A symbol and its users: `n_users` symbols in `n_files` other files, guesses not counted.

    `rank` is its PageRank, 0..1, see `assembler.graph.centrality`.
    """

    symbol: SymbolRecord
    n_users: int
    n_files: int
    rank: float


class Overview(Struct, frozen=True, kw_only=True):
    """The answer to `overview`; lists have the largest, the surest or the most central first."""

    scope: str
    generation: int
    complete: bool
    languages: tuple[LanguageSize, ...]
    folders: tuple[FolderSize, ...]
    entry_points: tuple[EntryPoint, ...]
    central: tuple[Central, ...]
    neighbourhoods: tuple[Neighbourhood, ...]
    n_references: int
    n_edges: int
    n_skipped: int
    n_problems: int
    packages: tuple[Package, ...] = ()
    """Packages whose manifest lies in the scope, by folder."""
    vendored: tuple[Vendored, ...] = ()
    """Copies of other projects in the scope, by folder."""

    @property
    def n_files(self) -> int:
        """Files in the scope."""
        return sum(language.files for language in self.languages)

    @property
    def n_lines(self) -> int:
        """Lines in the scope."""
        return sum(language.lines for language in self.languages)


def overview(snapshot: Snapshot, scope: str = PROJECT) -> Overview:
    """The whole project, or what lies below the path `scope`.

    Uses, edges, skipped paths and problems are counted for the whole project.

    Raises:
        UsageError: `scope` is no folder and no file, or it means several places.
    """
    prefix = scope.removeprefix("./")
    folder = prefix.rstrip("/")
    # A folder is meant whole, and not what begins with its name: `web` is not `web-next`.
    is_folder = path_filter.is_folder(snapshot.files, folder)
    if not (is_folder or path_filter.is_prefix(scope)):
        listed = path_filter.words(scope)
        raise UsageError(f"overview takes one folder, not {listed}", "ask for one folder at a time")
    if scope not in (PROJECT, ".", ""):
        if not (is_folder or snapshot.files.identity(RepoPath(prefix))):
            raise UsageError(f"no indexed file lies below {scope!r}", _hint(snapshot, prefix))
        return _overview_of(snapshot, scope.rstrip("/"), f"{folder}/" if is_folder else prefix)
    # Every agent of a server asks for the whole project when it begins, and gets the same answer
    # until the index changes.
    make = partial(_overview_of, snapshot, PROJECT, "")
    whole = snapshot.cached(f"overview of generation {snapshot.generation}", make)
    return structs.replace(whole, scope=scope or PROJECT)


def _hint(snapshot: Snapshot, prefix: str) -> str:
    """What may have been meant: the folders that begin so."""
    below = snapshot.files.starting_with(RepoPath(prefix), _LOOKED_AT)
    names = sorted({path[: path.find("/", len(prefix))] for path in below})
    names = [name for name in names if name.startswith(prefix)]
    return f"did you mean {first_of(names, _HINTED)}?" if names else "give a folder, or 'project'"


def _overview_of(snapshot: Snapshot, scope: str, prefix: str) -> Overview:
    """What lies below `prefix`: a folder with its "/", or the beginning of a path."""
    counts = snapshot.files.counts()
    files = [file for file in snapshot.files.all() if file.path.startswith(prefix)]
    return Overview(
        scope=scope,
        generation=snapshot.generation,
        complete=snapshot.complete,
        languages=tuple(language_sizes(files)),
        folders=tuple(folder_sizes(files, prefix)[:_LISTED]),
        entry_points=tuple(entry_points(snapshot, files))[:_LISTED],
        central=central_symbols(snapshot, prefix, _LISTED),
        neighbourhoods=neighbourhoods(module_graph(snapshot, prefix))[:_NEIGHBOURHOODS],
        n_references=counts.references,
        n_edges=counts.edges,
        n_skipped=counts.skipped,
        n_problems=counts.problems,
        packages=packages(snapshot, prefix),
        vendored=vendored(snapshot, prefix),
    )


def central_symbols(snapshot: Snapshot, prefix: str, limit: int) -> tuple[Central, ...]:
    """The symbols with the highest ranks below a path, best first, then by path and line.

    They are ranked over the whole graph: a rank below a path alone would mean little.
    """
    uses = snapshot.graph.uses_between_files()
    ranks = pagerank(uses)
    floor = sorted(ranks.values(), reverse=True)[: limit * _CANDIDATES_EACH][-1:] or [0.0]
    candidates = ranks if prefix else {i: rank for i, rank in ranks.items() if rank >= floor[0]}
    records = [r for r in snapshot.symbols.by_id(candidates) if r.path.startswith(prefix)]
    records.sort(key=lambda r: (-round(ranks[r.id], 9), r.path, r.line, r.qualified_name))
    users: dict[int, list[int]] = {record.id: [] for record in records[:limit]}
    for _, used, _, file in uses:
        if used in users:
            users[used].append(file)
    return tuple(
        Central(r, len(users[r.id]), len(set(users[r.id])), round(ranks[r.id], 6))
        for r in records[:limit]
    )
