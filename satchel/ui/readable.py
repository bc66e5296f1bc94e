"""What Ask, Map and Graph read: the code base of this folder, or those of a hub."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from starlette.requests import Request

from satchel.assembler.graph.cycles import Cycle
from satchel.assembler.graph.levels import Levels
from satchel.assembler.graph.paths import Paths
from satchel.assembler.lookup.dependencies import Dependencies
from satchel.assembler.output.segments import PackLayout
from satchel.assembler.survey.overview import Overview
from satchel.assembler.survey.terrain import Area
from satchel.assembler.values import ContextPack, SearchReply
from satchel.store.model import RepoPath

_T = TypeVar("_T")


class Readable(Protocol):
    """The questions of `satchel.api.CodeBase` that change nothing; see there."""

    # The docstrings stand at the methods of `CodeBase`, and would be told twice here.
    # ruff: noqa: D102
    def context(
        self,
        question: str = ...,
        *,
        budget: int | None = ...,
        scope: str = ...,
        path: str = ...,
        diff: str = ...,
        put_in: Sequence[str] = ...,
        take_out: Sequence[str] = ...,
    ) -> ContextPack: ...

    def layout(self, pack: ContextPack) -> PackLayout: ...

    def search(self, question: str, *, max_results: int = ..., scope: str = ...) -> SearchReply: ...

    def terrain(
        self, path: str = ..., scores: Mapping[RepoPath, float] | None = ..., *, aged: bool = ...
    ) -> Area: ...

    def neighbourhoods(self, path: str = ...) -> Area: ...

    def levels(self, path: str = ...) -> Levels: ...

    def cycles(self, path: str = ..., *, depth: int = ...) -> tuple[Cycle, ...]: ...

    def dependencies(
        self, symbol: str, *, direction: str = ..., depth: int = ..., limit: int = ...
    ) -> Dependencies: ...

    def paths(self, source: str, target: str, *, ways: int = ...) -> Paths: ...

    def lines(self, path: str, first: int, last: int) -> str: ...

    def overview(self, scope: str = ...) -> Overview: ...


class Reader(Protocol):
    """Answers the questions of a request from what its sender may read."""

    def read(self, request: Request, question: Callable[[Readable], _T]) -> Awaitable[_T]: ...
