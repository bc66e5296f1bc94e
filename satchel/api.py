"""The public API: a code base, opened for questions.

Every question first brings the index up to date, as the command line does; `refresh` does it
alone. Results are frozen values. What goes wrong on purpose is a `SatchelError` with a hint.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Self

from satchel.assembler.search import text_of
from satchel.assembler.values import Scored
from satchel.indexer.refresh_values import OnProgress, RefreshReport
from satchel.inspection import Inspection
from satchel.knowledge import requests
from satchel.knowledge.replies import Reply
from satchel.questions.answers import Answers
from satchel.questions.arguments import checked
from satchel.questions.request import A, Question, R, answered, params, read, refuse
from satchel.store.errors import Locked, StaleError, Unwritable, UsageError
from satchel.store.model import Digest, RepoPath
from satchel.store.private import is_folder
from satchel.store.reading.snapshot import Snapshot
from satchel.validation import baseline
from satchel.validation.model import Level, Report
from satchel.validation.validate import validate
from satchel.workspace import span_check
from satchel.workspace.checkout_view import CANNOT, CheckoutView, view
from satchel.workspace.index_paths import inside
from satchel.workspace.multi_root import known
from satchel.workspace.past.history import last_commits
from satchel.workspace.project import Project, ignore_progress
from satchel.workspace.serving.catch_up import catch_up
from satchel.workspace.state.find_root import find_root


def open(
    path: str | os.PathLike[str] = ".", *, environment: Mapping[str, str] | None = None
) -> CodeBase:
    """The code base that holds `path`: the nearest folder at or above it under version control.

    Args:
        path: a folder inside the code base.
        environment: settings as environment variables; None takes those of this process.

    Raises:
        UsageError: `path` is not a folder.
        ConfigError: a setting cannot be used.
    """
    folder = Path(path)
    if not is_folder(folder):
        raise UsageError(f"{folder} is not a folder", "name the folder to work on")
    # The environment is read at this edge and handed on, so that a caller can give another one.
    variables = os.environ if environment is None else environment
    return CodeBase(Project.at(find_root(folder, variables), variables))


class CodeBase(Inspection, Answers):
    """A code base and its index, as `satchel.open` returns it. Use it in a `with` statement.

    It may be used by one thread at a time. Several processes may open the same code base.
    """

    def __init__(self, project: Project) -> None:
        self._project = project

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def root(self) -> Path:
        """The folder that is indexed."""
        return self._project.root

    def close(self) -> None:
        """Let go of what is held in memory. Files are open only while a question is answered."""
        # A new project starts with empty caches; nothing else is held between two questions.
        self._project = self._project.without_caches()

    def again(self) -> Self:
        """The same code base for another thread."""
        return type(self)(self._project.without_caches())

    def refresh(
        self, *, full: bool = False, on_progress: OnProgress | None = None
    ) -> RefreshReport:
        """Bring the index up to date with the files, vectors included; with `full`, from nothing.

        Raises:
            Locked: another process is writing the index.
        """
        report = self._project.refresh(on_progress or ignore_progress, full=full)
        # Unlike a question, which goes on without vectors, a refresh raises when another process
        # has taken the lock by now.
        self._project.build_vectors()
        return report

    def source(self, result: Scored) -> str:
        """The source of a search result, undecodable bytes replaced.

        Raises:
            StaleError: its file has changed since it was indexed.
        """
        chunk = result.chunk
        if not self._is_current(chunk.path, chunk.digest):
            raise StaleError(f"{chunk.path} has changed since it was indexed", "search again")
        with self._project.snapshot() as snapshot:
            return text_of(snapshot, result.chunk)

    def remember(self, kind: str, summary: str, **fields: object) -> Reply:
        """Write down a decision, warning, convention or other item of knowledge.

        Args:
            kind: "decision", "warning", "convention", … (docs/TOOLS.md lists them).
            summary: one sentence, at most 200 characters.
            **fields: `detail`, `rationale`, `scope`, `tags`, `confidence`, `links`, `privacy` and
                the other fields of the tool `remember`.

        Raises:
            UsageError: a field is unknown or out of bounds.
        """
        # Fields are read as those of the tool are, so that bounds and defaults are the same for
        # both.
        entry = {"kind": kind, "summary": summary, **fields}
        return self._ask(
            requests.Remember((requests.read(requests.Entry, _fields(requests.Entry, entry)),))
        )

    def revise(self, ids: Sequence[str], action: str, **fields: object) -> Reply:
        """Change items: resolve, supersede, promote, edit, … as the tool `revise` does.

        Raises:
            UsageError: a field is unknown or out of bounds.
        """
        asked = {"ids": ids, "action": action, **fields}
        return self._ask(requests.read(requests.Revise, _fields(requests.Revise, asked)))

    def recall(self, query: str = "", **fields: object) -> Reply:
        """What is known about a question or a place, best first; `.text` is what a model reads.

        Args:
            query: words; "" brings up what weighs most.
            **fields: `scope`, `kinds`, `tags`, `limit`, `budget_tokens` and the other parameters
                of the tool `recall`.

        Raises:
            UsageError: a field is unknown or out of bounds.
        """
        asked = {"query": query, **fields}
        return self._ask(requests.read(requests.Recall, _fields(requests.Recall, asked)))

    def validate(
        self, level: str = "quick", on_check: Callable[[str], None] = lambda _name: None
    ) -> Report:
        """Whether what the index says is true; nothing is brought up to date before.

        Args:
            level: "quick", "standard" or "deep".
            on_check: called with the name of each check before it runs; what it raises ends the
                run.

        Raises:
            UsageError: there is no such level.
        """
        # The names of levels are in capitals in the code and in small letters wherever people write
        # them.
        if level.upper() not in Level.__members__:
            raise UsageError(f"level is {level!r}", "use quick, standard or deep")
        accepted = baseline.read(self._project.folders.team / baseline.NAME, required=False)
        return validate(self._project, Level[level.upper()], accepted, on_check)

    def _catch_up(self, *, ranked: bool = False) -> tuple[str, ...]:
        """Bring the index up to date; for a ranked answer, vectors as well."""
        notices = catch_up(self._project, ignore_progress)
        if ranked:
            # Another process may be building them already, or the disk is read-only.
            with suppress(Locked, Unwritable):
                self._project.build_vectors()
        return notices

    def _answer(self, question: Question[R, A], given: Mapping[str, object], **own: object) -> A:
        # Read before the index is brought up to date: a slip of the pen does not wait for that.
        asked = read(question.request, given, self._project.settings, **own)
        refuse(asked, CANNOT)

        def opened() -> AbstractContextManager[CheckoutView]:
            notices = self._catch_up(ranked=asked.is_ranked)
            return view(self._project, notices, ranked=asked.is_ranked)

        return answered(question, asked, opened)

    @contextmanager
    def _tree(self, path: str) -> Iterator[tuple[Snapshot, str]]:
        with self._project.snapshot() as snapshot:
            yield snapshot, inside(self.root, path)

    def _is_current(self, path: RepoPath, digest: Digest) -> bool:
        return span_check.checker(self._project)(path, digest)

    def _last_commits(self) -> Mapping[RepoPath, int] | None:
        return last_commits(self.root)

    def _rules(self) -> Sequence[str]:
        return self._project.settings.architecture.rules

    def _ask(self, request: requests.Request) -> Reply:
        return known.ask(self._project, request)


def _fields(
    request: type[requests.Entry | requests.Revise | requests.Recall], given: Mapping[str, object]
) -> dict[str, object]:
    """Fields of a request about knowledge; what its tool takes is checked as it is there."""
    listed = params(request)
    names = {name for param in listed for name in (param.name, *param.other_names)}
    plain = {name: value for name, value in given.items() if name in names}
    others = {name: value for name, value in given.items() if name not in names}
    return {**others, **checked(listed, plain, None).given()}
