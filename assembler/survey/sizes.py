"""How much there is of each language, and in each folder. Pure."""

from collections.abc import Iterable

from msgspec import Struct

from satchel.store.model import RepoPath
from satchel.store.records import KnownFile


class LanguageSize(Struct, frozen=True):
    """How much there is of a language."""

    language: str
    files: int
    lines: int
    test_files: int


class FolderSize(Struct, frozen=True):
    """How much lies in a folder, at any depth; `path` ends with "/", or is a single file."""

    path: RepoPath
    files: int
    lines: int


def language_sizes(files: Iterable[KnownFile]) -> list[LanguageSize]:
    """How much there is of each language among some files, most lines first, then by name."""
    by_language: dict[str, list[KnownFile]] = {}
    for file in files:
        by_language.setdefault(file.language, []).append(file)
    found = [
        LanguageSize(
            name,
            len(among),
            sum(file.n_lines for file in among),
            sum(file.is_test for file in among),
        )
        for name, among in by_language.items()
    ]
    return sorted(found, key=lambda size: (-size.lines, size.language))


def folder_sizes(files: Iterable[KnownFile], prefix: str) -> list[FolderSize]:
    """How much lies in each folder and file next below a path, most lines first, then by path.

    All files begin with the path. A folder's own name means what is in it, with a "/" or without.
    """
    by_folder: dict[RepoPath, list[KnownFile]] = {}
    for file in files:
        slash = file.path.find("/", len(prefix) + (prefix != "" and prefix[-1] != "/"))
        below = RepoPath(file.path[: slash + 1] if slash >= 0 else file.path)
        by_folder.setdefault(below, []).append(file)
    found = [
        FolderSize(path, len(among), sum(file.n_lines for file in among))
        for path, among in by_folder.items()
    ]
    return sorted(found, key=lambda folder: (-folder.lines, folder.path))
