"""Folders that have a second path through a symbolic link. Pure.

Files are indexed where they really lie, and imports may name them by the path of the link. Paths
are relative to the root, "" is the root itself.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

_MAX_STEPS = 8
"""Links that one path may go through; a link that leads into itself would never end."""


@dataclass(frozen=True, slots=True)
class FolderLinks:
    """The links of a tree, by the path of each: where it leads."""

    targets: dict[str, str] = field(default_factory=dict)
    by_last_part: dict[str, list[str]] = field(default_factory=dict)
    """The paths of links by their last part, each list in path order."""

    @classmethod
    def of(cls, links: Iterable[tuple[str, str]]) -> FolderLinks:
        """From (path of the link, path that it leads to), in path order."""
        made = cls()
        for path, target in links:
            made.targets[path] = target
            made.by_last_part.setdefault(posixpath.basename(path), []).append(path)
        return made

    def real(self, path: str) -> str:
        """Where `path` really lies, when one of the folders above it is a link."""
        for _ in range(_MAX_STEPS) if self.targets else ():
            above = next((each for each in _ways_down(path) if each in self.targets), None)
            if above is None:
                break
            path = posixpath.join(self.targets[above], path[len(above) + 1 :])
        return path

    def ending_in(self, path: str) -> Iterator[str]:
        """Paths through links that end in `path`, part for part; nothing need be there."""
        if not self.targets:
            return
        # The link itself may be any part of `path` but what comes before it must agree.
        for above in (*_ways_down(path), path):
            for link in self.by_last_part.get(posixpath.basename(above), ()):
                if link == above or link.endswith("/" + above):
                    yield link + path[len(above) :]

    def other_paths(self, path: str) -> Iterator[str]:
        """`path` as it reads through each link that leads to a folder above it."""
        for link, target in self.targets.items():
            if not target or path.startswith(target + "/"):
                yield posixpath.join(link, path[len(target) :].lstrip("/"))


def _ways_down(path: str) -> Iterator[str]:
    """The folders above a path, the outermost first, without the root."""
    end = path.find("/")
    while end >= 0:
        yield path[:end]
        end = path.find("/", end + 1)
