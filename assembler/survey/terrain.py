"""A code base as areas to be drawn: folders, files and symbols by their lines. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.store.errors import UsageError
from satchel.store.model import RepoPath, SymbolKind
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import KnownFile, SymbolRecord

_SHOWN = 60
"""Areas within one; the smallest beyond that are one area, counted."""
_CELLS = 600
"""Areas of the second level, shared out by lines: more than this cannot be told apart on a screen,
and take a browser longer to draw than a reader waits."""
_LEAST = 3
_LEVELS = 2


class Area(Struct, frozen=True):
    """A folder (`path` ends with "/"), a file, a symbol of a file (`line` is not 0), or the
    smallest of these together (`path` is "" and `n_files` counts them).

    `language` is that of most lines. `n_users` counts files that use it, guesses not counted, the
    most of any file in a folder. `score` is how well its best place matches a question, 0..1.
    `changed_at` is when a commit last changed it, in seconds since the epoch, 0 where that is not
    known. `areas` are those within, most lines first, then by path.
    """

    path: str
    name: str
    lines: int
    n_files: int = 1
    language: str = ""
    test_lines: int = 0
    n_problems: int = 0
    n_users: int = 0
    score: float = 0.0
    changed_at: int = 0
    line: int = 0
    kind: str = ""
    areas: tuple[Area, ...] = ()


class _File(Struct, frozen=True):
    known: KnownFile
    n_problems: int
    n_users: int
    score: float
    changed_at: int


def terrain(
    snapshot: Snapshot,
    path: str = "",
    scores: Mapping[RepoPath, float] | None = None,
    changed_at: Mapping[RepoPath, int] | None = None,
) -> Area:
    """The area of a folder ("" is the root) or file with those in it, two levels deep.

    Raises:
        UsageError: nothing that is indexed lies there.
    """
    folder = path if not path or path.endswith("/") else f"{path}/"
    problems = Counter(each for each, _, _, _ in snapshot.files.problems())
    users = Counter(use.target for use in snapshot.graph.module_uses(tests=True))
    scores, changed_at = scores or {}, changed_at or {}
    files = [
        _File(
            known,
            problems[known.path],
            users[known.path],
            scores.get(known.path, 0.0),
            changed_at.get(known.path, 0),
        )
        for known in snapshot.files.all()
        if known.path.startswith(folder) or known.path == path
    ]
    if not files:
        raise UsageError(f"nothing that is indexed lies at {path!r}", "open the whole map: /map")
    if len(files) == 1 and files[0].known.path == path:
        return _file(files[0], _symbols(snapshot.symbols.of_file(RepoPath(path))))
    return _folder(folder, files, _LEVELS, _SHOWN)


def groups(snapshot: Snapshot, named: Iterable[tuple[str, Sequence[str]]]) -> Area:
    """Files in groups of another kind than folders, as areas by lines."""
    known = {file.path: file for file in snapshot.files.all()}
    found = []
    for name, paths in named:
        files = [_File(known[path], 0, 0, 0.0, 0) for path in map(RepoPath, paths) if path in known]
        if files:
            found.append((name, files))
    n_lines = sum(file.known.n_lines for _, files in found for file in files)
    areas = [
        replace(
            _total_area("", files),
            name=name,
            areas=_largest(map(_file, files), _n_areas(files, n_lines)),
        )
        for name, files in found
    ]
    every = [file for _, files in found for file in files]
    return replace(_total_area("", every), areas=_largest(areas)) if every else Area("", "", 0, 0)


def _n_areas(files: Sequence[_File], n_lines: int) -> int:
    """How many areas are shown of a part, by its share of all lines."""
    share = sum(file.known.n_lines for file in files) / max(1, n_lines)
    return min(_SHOWN, max(_LEAST, round(_CELLS * share)))


def _folder(path: str, files: Sequence[_File], levels: int, n_areas: int) -> Area:
    children: dict[str, list[_File]] = {}
    for file in files:
        slash = file.known.path.find("/", len(path))
        below = file.known.path[: slash + 1] if slash >= 0 else file.known.path
        children.setdefault(below, []).append(file)
    # A folder with nothing in it but another one says nothing, so its name joins that one's.
    if path and len(children) == 1 and next(iter(children)).endswith("/"):
        return _folder(next(iter(children)), files, levels, n_areas)
    areas: list[Area] = []
    if levels:
        n_lines = sum(file.known.n_lines for file in files)
        areas = [
            _folder(below, below_it, levels - 1, _n_areas(below_it, n_lines))
            if below.endswith("/")
            else _file(below_it[0])
            for below, below_it in children.items()
        ]
    return replace(_total_area(path, files), areas=_largest(areas, n_areas))


def _total_area(path: str, files: Sequence[_File]) -> Area:
    """Files as one area."""
    lines: Counter[str] = Counter()
    for file in files:
        lines[file.known.language] += file.known.n_lines
    return Area(
        path, path, sum(file.known.n_lines for file in files), len(files),
        min(lines, key=lambda name: (-lines[name], name)),
        sum(file.known.n_lines for file in files if file.known.is_test),
        sum(1 for file in files if file.n_problems),
        max(file.n_users for file in files), max(file.score for file in files),
        max(file.changed_at for file in files),
    )  # fmt: skip


def _file(file: _File, areas: tuple[Area, ...] = ()) -> Area:
    known = file.known
    return Area(
        known.path, known.path.rpartition("/")[2], known.n_lines, 1, known.language,
        known.n_lines if known.is_test else 0, file.n_problems, file.n_users, file.score,
        file.changed_at, areas=areas,
    )  # fmt: skip


def _symbols(records: Iterable[SymbolRecord]) -> tuple[Area, ...]:
    """The symbols of a file, those inside a class instead of the class."""
    listed = [record for record in records if record.kind != SymbolKind.MODULE]
    around = {record.parent_id for record in listed}
    return _largest(
        [
            Area(
                record.path, record.qualified_name,
                record.span.end_line - record.span.start_line + 1, 0, line=record.line,
                kind=record.kind, test_lines=int(record.is_test),
            )
            for record in listed
            if record.id not in around
        ]
    )  # fmt: skip


def _largest(areas: Iterable[Area], n_areas: int = _SHOWN) -> tuple[Area, ...]:
    listed = sorted(areas, key=lambda area: (-area.lines, area.path, area.line, area.name))
    if len(listed) <= n_areas:
        return tuple(listed)
    rest = listed[n_areas - 1 :]
    together = Area(
        "", f"{len(rest)} smaller", sum(area.lines for area in rest),
        sum(area.n_files for area in rest), score=max(area.score for area in rest),
        changed_at=max(area.changed_at for area in rest),
    )  # fmt: skip
    return (*listed[: n_areas - 1], together)
