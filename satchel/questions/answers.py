"""The questions as methods, for callers in Python and for the page: of a code base, or of a hub.

Whoever opens views implements `_answer`. Names, bounds and defaults are those of the requests.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import ClassVar, Literal, overload

from satchel.assembler.exact.search import LinesReply
from satchel.assembler.graph.cycles import Cycle
from satchel.assembler.graph.layers import read_rules
from satchel.assembler.graph.levels import Levels, levels
from satchel.assembler.graph.modules import module_graph
from satchel.assembler.graph.neighbourhoods import neighbourhoods
from satchel.assembler.graph.paths import Paths
from satchel.assembler.kinds import PROJECT
from satchel.assembler.lookup import dependencies as graph
from satchel.assembler.lookup import symbols as definitions
from satchel.assembler.lookup.definition_source import file_lines
from satchel.assembler.output.segments import PackLayout
from satchel.assembler.survey import changes as surveys
from satchel.assembler.survey.dead_code import DeadCode
from satchel.assembler.survey.impact import SymbolImpact
from satchel.assembler.survey.overview import Overview
from satchel.assembler.survey.terrain import Area, groups, terrain
from satchel.assembler.values import ContextPack, SearchReply
from satchel.questions.changes import CHANGES
from satchel.questions.context import CONTEXT, ByHand
from satchel.questions.dependencies import DEPENDENCIES
from satchel.questions.graph import CYCLES, DEAD, with_files
from satchel.questions.overview import OVERVIEW
from satchel.questions.request import A, Question, R
from satchel.questions.search import SEARCH
from satchel.questions.symbols import SYMBOLS
from satchel.store.errors import StaleError, UsageError
from satchel.store.model import Digest, RepoPath
from satchel.store.reading.snapshot import Snapshot

_NOTHING = ByHand()


class Answers(ABC):
    """What can be asked of code, each with the bounds of its request."""

    _unindexed_hint: ClassVar[str] = "`satchel status --skipped` says why"

    @abstractmethod
    def _answer(self, question: Question[R, A], given: Mapping[str, object], **own: object) -> A:
        """The reply to what was given, as `request.read` takes it."""

    @abstractmethod
    def _tree(self, path: str) -> AbstractContextManager[tuple[Snapshot, str]]:
        """The index, and a path from its root on."""

    @abstractmethod
    def layout(self, pack: ContextPack) -> PackLayout:
        """A pack taken apart: what each part of its text is and costs, what excerpts displaced."""

    def context(
        self, question: str | None = None, *, by_hand: ByHand = _NOTHING, **fields: object
    ) -> ContextPack:
        """What a model should see for a task, in at most `budget` tokens; `.text` is the pack.

        The pack is kept for `replay`.

        Args:
            question: the task in words or names, or a pasted trace, failing test or diff; may be
                left out with `diff`.
            by_hand: places to show first, and places of which nothing is shown.
            **fields: `budget`, `scope`, `path` and `diff`, as the tool `context` takes them.

        Raises:
            UsageError: a field is unknown or out of bounds, or nothing changed since `diff`.
        """
        return self._answer(CONTEXT, {"question": question, **fields}, by_hand=by_hand).pack

    # Of two signatures that fit, the first counts: it says more of what is asked.
    @overload
    def search(  # type: ignore[overload-overlap]
        self, question: str, *, mode: Literal["exact", "regex"], **fields: object
    ) -> LinesReply: ...

    @overload
    def search(self, question: str, **fields: object) -> SearchReply: ...

    def search(self, question: str, **fields: object) -> SearchReply | LinesReply:
        """The best places for a question, best first and spread over files; with `mode` "exact" or
        "regex" the lines that hold a text.

        Args:
            question: words or names, a text, or an expression.
            **fields: `max_results`, `min_score`, `scope`, `path` and the other fields of the tool
                `search`.

        Raises:
            UsageError: a field is unknown or out of bounds.
        """
        return self._answer(SEARCH, {"question": question, **fields}).found

    def symbols(self, name: str, **fields: object) -> definitions.Lookup:
        """Definitions of a name: exact, `Class.method` or `prefix*`; its uses where it has none.

        Several names stand between commas or spaces.

        Args:
            name: as the tool `symbols` takes it.
            **fields: `kind`, `scope`, `limit` and the other fields of the tool.

        Raises:
            UsageError: a field is unknown or out of bounds.
        """
        return self._answer(SYMBOLS, {"name": name, **fields}).found

    @overload
    def dependencies(  # type: ignore[overload-overlap]
        self, symbol: str, *, until: str, **fields: object
    ) -> Paths: ...

    @overload
    def dependencies(  # type: ignore[overload-overlap]
        self, symbol: str, *, direction: Literal["impact"], **fields: object
    ) -> SymbolImpact: ...

    @overload
    def dependencies(self, symbol: str, **fields: object) -> graph.Dependencies: ...

    def dependencies(
        self, symbol: str, **fields: object
    ) -> graph.Dependencies | SymbolImpact | Paths:
        """The call graph around a symbol, breadth first, each edge with its rule and confidence.

        With `direction` "impact" what its change may break; with `until` how it reaches another
        symbol, the surest ways first.

        Args:
            symbol: a name as `symbols` takes it, or a file.
            **fields: `direction`, `depth`, `scope`, `limit`, `kind`, `ways` and the other fields
                of the tool `dependencies`.

        Raises:
            UsageError: nothing has this name, or a field is unknown or out of bounds.
        """
        return self._answer(DEPENDENCIES, {"symbol": symbol, **fields}).found

    def changes(self, since: str = "HEAD", **fields: object) -> surveys.Changes:
        """Symbols that were added, changed, moved or removed since a time or revision.

        Args:
            since: an ISO date or time, an age such as "24h" or "7d", or a git revision; "HEAD" is
                what is not committed.
            **fields: `scope`, `path`, `limit` and the other fields of the tool `changes`.

        Raises:
            UsageError: `since` means nothing here, or is a revision and there is no git history.
        """
        return self._answer(CHANGES, {"since": since, **fields}).found

    def overview(self, scope: str = PROJECT) -> Overview:
        """Size, languages, entry points and central symbols of a path, or of the whole project."""
        return self._answer(OVERVIEW, {"path": scope}).found

    def lines(self, path: str, first: int = 1, last: int | None = None) -> str:
        """Lines of an indexed file, 1-based and inclusive, hidden characters as code points.

        Raises:
            UsageError: the file is not indexed, or has no such lines.
            StaleError: it has changed since it was.
        """
        with self._tree(path) as (snapshot, below):
            known = snapshot.files.identity(RepoPath(below))
            if known is None:
                raise UsageError(f"{path} is not indexed", self._unindexed_hint)
            if not self._is_current(RepoPath(below), known[0]):
                raise StaleError(f"{path} has changed since it was indexed", "ask again")
            return file_lines(snapshot, RepoPath(below), first, last)

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
            found = neighbourhoods(module_graph(snapshot, with_files(snapshot, below)))
            return groups(snapshot, ((each.name, each.files) for each in found))

    def levels(self, path: str = "") -> Levels:
        """Folders below a path, from those that nothing uses down to those that use nothing.

        With the uses against the rules of the architecture, where there are any.
        """
        with self._tree(path) as (snapshot, below):
            return levels(snapshot, with_files(snapshot, below), read_rules(self._rules()))

    def cycles(self, path: str = "", **fields: object) -> tuple[Cycle, ...]:
        """Files below a path that need each other, and what to cut; with `depth` folders so deep.

        Args:
            path: only files whose path starts with this.
            **fields: `depth` and `tests`, as `satchel graph cycles` takes them.
        """
        return self._answer(CYCLES, {"path": path, **fields}).found

    def dead_code(self, path: str = "", **fields: object) -> DeadCode:
        """What no entry point, test or export reaches, with why each might be alive.

        Args:
            path: only files whose path starts with this.
            **fields: `exports`, `limit` and `offset`, as `satchel graph dead` takes them.
        """
        return self._answer(DEAD, {"path": path, **fields}).found

    def _is_current(self, _path: RepoPath, _digest: Digest) -> bool:
        """Whether a file is still what was indexed, where there is a disk to ask."""
        return True

    def _last_commits(self) -> Mapping[RepoPath, int] | None:
        """When each file last changed, by git; None where there is none to ask."""
        return None

    def _rules(self) -> Sequence[str]:
        """The rules of the architecture."""
        return ()
