"""The questions as methods, for callers in Python and for the page: of a code base, or of a hub.

Whoever opens views implements `_answer`; bounds are those of the requests.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

from satchel.assembler.graph.cycles import Cycle
from satchel.assembler.graph.layers import read_rules
from satchel.assembler.graph.levels import Levels, levels
from satchel.assembler.graph.modules import module_graph
from satchel.assembler.graph.neighbourhoods import neighbourhoods
from satchel.assembler.graph.paths import Paths
from satchel.assembler.lookup import dependencies as graph
from satchel.assembler.lookup import symbols as definitions
from satchel.assembler.output.segments import PackLayout
from satchel.assembler.survey import changes as surveys
from satchel.assembler.survey.dead_code import DeadCode
from satchel.assembler.survey.overview import Overview
from satchel.assembler.survey.terrain import Area, groups, terrain
from satchel.assembler.values import ContextPack, SearchReply
from satchel.questions.changes import CHANGES
from satchel.questions.context import CONTEXT, ByHand
from satchel.questions.dependencies import DEPENDENCIES, Edges, Ways
from satchel.questions.graph import CYCLES, DEAD
from satchel.questions.overview import OVERVIEW
from satchel.questions.request import A, Question, R
from satchel.questions.search import SEARCH, Mode, Places
from satchel.questions.symbols import SYMBOLS
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot

_NOTHING = ByHand()
_MOST = 2_000
"""Changes and users that `changes` looks at."""


class Answers(ABC):
    """What can be asked of code, each with the bounds of its request."""

    @abstractmethod
    def _answer(self, question: Question[R, A], given: Mapping[str, object], **own: object) -> A:
        """The reply to what was given, as `request.read` takes it."""

    @abstractmethod
    def _tree(self, path: str) -> AbstractContextManager[tuple[Snapshot, str]]:
        """The index, and a path from its root on."""

    @abstractmethod
    def layout(self, pack: ContextPack) -> PackLayout:
        """A pack taken apart: what each part of its text is and costs, what excerpts displaced."""

    @abstractmethod
    def lines(self, path: str, first: int, last: int) -> str:
        """Lines of an indexed file, 1-based and inclusive, hidden characters as code points.

        Raises:
            UsageError: the file is not indexed.
            StaleError: it has changed since it was.
        """

    def context(
        self,
        question: str = "",
        *,
        budget: int | None = None,
        scope: str = "",
        path: str = "",
        diff: str = "",
        by_hand: ByHand = _NOTHING,
    ) -> ContextPack:
        """What a model should see for a task, in at most `budget` tokens; `.text` is the pack.

        The pack is kept for `replay`.

        Args:
            question: the task in words or names, or a pasted trace, failing test or diff.
            budget: tokens, 256 to 32,768; None takes the setting (4,096).
            scope: "impl" (product code), "test" or "all"; "" is "impl", or "all" with `diff`.
            path: only files whose path starts with this.
            diff: review what changed since this revision; the question may then be empty.
            by_hand: places to show first, and places of which nothing is shown.

        Raises:
            UsageError: a value is out of bounds, or nothing changed since `diff`.
        """
        asked = {
            "query": question or None, "budget_tokens": budget, "scope": scope or None,
            "path": path, "diff": diff or None,
        }  # fmt: skip
        return self._answer(CONTEXT, asked, by_hand=by_hand).pack

    def search(
        self,
        question: str,
        *,
        max_results: int = 10,
        min_score: float = 0.0,
        scope: str = "impl",
        path: str = "",
    ) -> SearchReply:
        """The best places for a question, best first and spread over files.

        Args:
            question: words or names.
            max_results: 1 to 200.
            min_score: 0.0 to 1.0; rows below it are left out.
            scope: "impl", "test" or "all".
            path: only files whose path starts with this.

        Raises:
            UsageError: a value is out of bounds.
        """
        asked = {
            "query": question, "max_results": max_results, "min_score": min_score, "scope": scope,
            "path": path, "mode": Mode.LOCATE,
        }  # fmt: skip
        reply = self._answer(SEARCH, asked)
        assert isinstance(reply, Places)  # no line is asked for
        return reply.found

    def symbols(
        self, name: str, *, kind: str = "", scope: str = "all", limit: int = 50, offset: int = 0
    ) -> definitions.Lookup:
        """Definitions of a name: exact, `Class.method` or `prefix*`; its uses where it has none.

        Several names stand between commas or spaces.

        Raises:
            UsageError: a value is out of bounds.
        """
        asked = {"name": name, "kind": kind, "scope": scope, "limit": limit, "offset": offset}
        return self._answer(SYMBOLS, asked).found

    def dependencies(
        self,
        symbol: str,
        *,
        direction: str = "both",
        depth: int = 2,
        scope: str = "all",
        limit: int = 100,
    ) -> graph.Dependencies:
        """The call graph around a symbol, breadth first, each edge with its rule and confidence.

        Args:
            symbol: a name as `symbols` takes it.
            direction: "callers", "callees" or "both".
            depth: 1 to 5 steps.
            scope: "impl", "test" or "all".
            limit: the most edges to return; `n_found` counts all of them.

        Raises:
            UsageError: nothing has this name, or a value is out of bounds.
        """
        asked = {"name": symbol, "direction": direction, "depth": depth, "scope": scope}
        reply = self._answer(DEPENDENCIES, {**asked, "limit": limit})
        assert isinstance(reply, Edges)  # neither a way nor an impact is asked for
        return reply.found

    def paths(self, source: str, target: str, *, ways: int = 3) -> Paths:
        """How one symbol reaches another over the call graph, the surest ways first.

        Args:
            source: a name as `symbols` takes it, or a file.
            target: likewise.
            ways: the most to return.

        Raises:
            UsageError: nothing has one of these names.
        """
        reply = self._answer(DEPENDENCIES, {"name": source, "until": target, "ways": ways})
        assert isinstance(reply, Ways)  # a way is asked for
        return reply.found

    def changes(
        self, since: str = "HEAD", *, scope: str = "all", path: str = "", limit: int = _MOST
    ) -> surveys.Changes:
        """Symbols that were added, changed, moved or removed since a time or revision.

        Args:
            since: an ISO date or time, an age such as "24h" or "7d", or a git revision; "HEAD" is
                what is not committed.
            scope: "impl", "test" or "all".
            path: only files whose path starts with this.
            limit: the most changes to return.

        Raises:
            UsageError: `since` means nothing here, or is a revision and there is no git history.
        """
        asked = {"since": since, "scope": scope, "path": path, "limit": limit}
        return self._answer(CHANGES, asked).found

    def overview(self, scope: str = "project") -> Overview:
        """Size, languages, entry points and central symbols of a path, or of the whole project."""
        return self._answer(OVERVIEW, {"path": scope}).found

    def terrain(
        self,
        path: str = "",
        scores: Mapping[RepoPath, float] | None = None,
        *,
        aged: bool = False,
    ) -> Area:
        """A folder, or a file, as areas by lines.

        Args:
            path: "" is the whole.
            scores: 0..1, what to light up of the files.
            aged: ask git when each file last changed, where there is a checkout.

        Raises:
            UsageError: nothing that is indexed lies at `path`.
        """
        changed_at = self._last_commits() if aged else None
        with self._tree(path) as (snapshot, below):
            return terrain(snapshot, below, scores, changed_at)

    def neighbourhoods(self, path: str = "") -> Area:
        """Files below a path as areas by lines, grouped by what they use of each other."""
        with self._tree(path) as (snapshot, below):
            found = neighbourhoods(module_graph(snapshot, below))
            return groups(snapshot, ((each.name, each.files) for each in found))

    def levels(self, path: str = "") -> Levels:
        """Folders below a path, from those that nothing uses down to those that use nothing.

        With the uses against the rules of the architecture, where there are any.
        """
        with self._tree(path) as (snapshot, below):
            return levels(snapshot, below, read_rules(self._rules()))

    def cycles(self, path: str = "", *, depth: int = 0) -> tuple[Cycle, ...]:
        """Files that need each other, and what to cut; with `depth` folders so deep.

        Args:
            path: only files whose path starts with this.
            depth: 0 for files, -1 for the folder of each file, else the first folders.
        """
        return self._answer(CYCLES, {"path": path, "depth": depth}).found

    def dead_code(self, path: str = "", *, exports: bool = False, limit: int = 50) -> DeadCode:
        """What no entry point, test or export reaches, with why each might be alive.

        Args:
            path: only files whose path starts with this.
            exports: count everything public as used from outside.
            limit: the most rows to return; `n_found` counts all.
        """
        return self._answer(DEAD, {"path": path, "exports": exports, "limit": limit}).found

    def _last_commits(self) -> Mapping[RepoPath, int] | None:
        """When each file last changed, by git; None where there is none to ask."""
        return None

    def _rules(self) -> Sequence[str]:
        """The rules of the architecture."""
        return ()
