"""Which files of the code base a path can mean that was printed elsewhere. Pure.

A path is matched by its end, since it was printed on another machine, in another folder or of an
installed package (`assembler.lookup.installed_packages`); of several files those with the longest
common end count. What lies in a library that is not developed here matches nothing.
"""

import re
from collections.abc import Callable, Sequence

from satchel.assembler.lookup import installed_packages
from satchel.assembler.lookup.installed_packages import Packages, ReadPath
from satchel.store.model import RepoPath

Defines = Callable[[RepoPath, str], bool]
"""Whether a file defines a function of this simple name."""

_MAX_SAME = 4
"""A name that more files than this have in common points at none of them."""
_LEAST_PARTS = 2
"""Folder and file: paths that have no more than the file's name in common are others' files."""
_FLAT = re.compile(r"\.(?:kts?|scala|clj[cs]?|groovy)$")
"""Languages whose files need not lie in the folders that their packages are named after."""


class WrittenPaths:
    """The files of a code base by the end of their paths."""

    def __init__(self, paths: Sequence[RepoPath], source: ReadPath, defines: Defines) -> None:
        self._by_name: dict[str, list[RepoPath]] = {}
        for path in paths:
            self._by_name.setdefault(path.rpartition("/")[2], []).append(path)
        self._packages = Packages(paths, source)
        self._defines = defines

    def matching(self, written: str, name: str = "") -> list[RepoPath]:
        """Files that a path can mean, by path; `name` is a function that it is said to define."""
        path = normal(written)
        parts = _parts(path)
        if not parts:
            return []
        same = self._by_name.get(parts[-1], [])
        if place := installed_packages.read(path):
            # A checkout may hold what others install: its own vendor folder, or the whole package.
            matching = [
                p for p in same if installed_packages.read(p) and f"/{path}".endswith(f"/{p}")
            ]
            found = matching or self._packages.matching(place, same)
        else:
            found = self._by_tail(parts, same, name) or self._packages.built(path)
        if name and len(found) > 1:
            # The function may have been renamed since, so its absence alone rules no file out.
            found = [p for p in found if self._defines(p, name)] or found
        return sorted(found) if len(found) <= _MAX_SAME else []

    def _by_tail(
        self, written: Sequence[str], same: Sequence[RepoPath], name: str
    ) -> list[RepoPath]:
        """The files with the longest common end, or the end of which is all of the path."""
        ranked: list[tuple[int, bool, RepoPath]] = []
        for path in same:
            parts = path.split("/")
            # How many parts the two end with alike.
            n = 0
            for one, other in zip(reversed(written), reversed(parts), strict=False):
                if one != other:
                    break
                n += 1
            is_end = n == min(len(written), len(parts))
            # Swift prints the module, which is a folder somewhere above the file.
            is_end |= len(written) == 2 and path.endswith(".swift") and written[0] in parts[:-1]
            flat = name and _FLAT.search(path) and self._defines(path, name)
            if is_end or n >= _LEAST_PARTS or flat:
                ranked.append((n, is_end, path))
        best = max(((n, is_end) for n, is_end, _ in ranked), default=None)
        return [path for n, is_end, path in ranked if (n, is_end) == best]


def is_end_of(path: RepoPath, written: str) -> bool:
    """Whether all of a path is the end of a written one, or the other way round."""
    parts, others = path.split("/"), _parts(normal(written))
    n = min(len(parts), len(others))
    return n > 0 and parts[-n:] == others[-n:]


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".", "..")]


def normal(written: str) -> str:
    """A path with "/" between its parts, without a scheme or a query."""
    path = written.replace("\\", "/")
    path = re.sub(r"^(?:file|webpack(?:-internal)?|https?|vite)://(?:/(?=[A-Za-z]:))?", "", path)
    return re.sub(r"[?#].*$", "", path)
