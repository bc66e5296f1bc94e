"""Case files: repositories at a revision, questions about them, and where the answers are.

Lines are 1-based and inclusive. Target paths are relative to the repository, or a tail of such a
path; result paths are relative to the indexed root, which may be a sub-folder of the repository.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Target:
    """A place to show: any line of any of `spans`, or of the file if there are none."""

    path: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """One question and the places that answer it, by level of detail.

    `levels` maps "target" (places as labelled), "file" (their distinct files) and, where the case
    knows which lines a fix changed, "lines" (those lines) to the targets at that level.
    """

    id: str
    text: str
    kind: str
    levels: dict[str, tuple[Target, ...]]


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository at a revision, the folder of it to index, and its questions."""

    name: str
    slug: str
    language: str
    revision: str
    root: str
    queries: tuple[Query, ...]

    def indexed(self, corpora: Path) -> Path:
        """The folder to index, below the folder that holds all corpora."""
        return corpora / self.name / self.root


def load(file: Path) -> list[Repository]:
    """The repositories of a case file, in its order."""
    return [_repository(entry) for entry in json.loads(file.read_text(encoding="utf-8"))]


def _repository(entry: dict[str, Any]) -> Repository:
    name = entry["name"]
    return Repository(
        name=name,
        slug=entry["repository"],
        language=entry["language"],
        revision=entry.get("snapshot_revision") or entry["revision"],
        root=entry.get("root") or "",
        queries=tuple(_query(f"{name}-{n:03d}", q) for n, q in enumerate(entry["queries"])),
    )


def _query(query_id: str, entry: dict[str, Any]) -> Query:
    targets = entry["targets"]
    levels = {
        "target": tuple(Target(t["path"], _spans(t)) for t in targets),
        "file": tuple(Target(path) for path in dict.fromkeys(t["path"] for t in targets)),
    }
    if all(t.get("hunks") for t in targets):
        levels["lines"] = tuple(
            Target(t["path"], tuple((first, last) for first, last in t["hunks"])) for t in targets
        )
    kind = entry.get("category") or entry.get("kind") or "other"
    return Query(query_id, entry["query"], kind, levels)


def _spans(target: dict[str, Any]) -> tuple[Span, ...]:
    start = target.get("start_line")
    return () if start is None else ((start, target.get("end_line") or start),)
