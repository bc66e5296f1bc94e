"""`context` and `search` as commands: their arguments, and what is updated before."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from functools import partial
from typing import TYPE_CHECKING

from satchel.assembler.budget import MAX_BUDGET, MAX_COUNTED, MIN_BUDGET
from satchel.cli import options, terminal
from satchel.cli.argument_parser import whole
from satchel.store.errors import Locked, Unwritable

if TYPE_CHECKING:
    from satchel.cli.options import Commands
    from satchel.workspace.project import Project
    from satchel.workspace.vectors.index_view import IndexView


_QUERY = "the question, in words or names; - or a pipe: standard input, as the output of a test run"


def add(commands: Commands) -> None:
    """Add the commands."""
    command = options.command(commands, "context", _answer)
    command.add_argument("query", nargs="*", help=_QUERY)
    bounds = f"tokens, {MIN_BUDGET} to {MAX_BUDGET} (default: 4096)"
    command.add_argument("--budget", type=int, help=bounds)
    command.add_argument(
        "--diff", "--since", nargs="?", const="HEAD", metavar="REV",
        help="review the working tree: what changed since REV (default: HEAD), its users and tests",
    )  # fmt: skip
    command.add_argument(
        "--explain", action="store_true",
        help="say on stderr why each excerpt is there, what it displaced, where the budget went",
    )  # fmt: skip
    command.add_argument(
        "--replay", metavar="ID", help="print a pack again, byte for byte, by the id in its receipt"
    )
    _add_question(command)
    command.set_defaults(scope=None)
    _add_search(commands)


def _add_search(commands: Commands) -> None:
    command = options.command(commands, "search", _answer)
    command.add_argument("query", nargs="*", help=_QUERY)
    command.add_argument(
        "--mode", choices=["locate", "full", "exact", "regex"],
        help="pointers, full source, or every line that holds the query as text or expression",
    )  # fmt: skip
    command.add_argument("--exact", metavar="TEXT", help="every line that holds TEXT, as grep -F")
    command.add_argument(
        "--regex", metavar="RE", help="every line that matches RE, in the syntax of RE2"
    )
    command.add_argument("-i", "--ignore-case", action="store_true", help="with --exact or --regex")
    command.add_argument(
        "--offset", type=whole(0, MAX_COUNTED - 1), metavar="N",
        help="with --exact or --regex, skip so many matches",
    )  # fmt: skip
    command.add_argument("--max-results", "--limit", type=int, help="1 to 200 (default: 10)")
    command.add_argument("--min-score", type=float, help="0.0 to 1.0 (default: 0.0)")
    command.add_argument("--explain", action="store_true", help="show each signal's share")
    _add_question(command)
    command.set_defaults(scope=None)  # "impl", or "all" for exact text


def _add_question(command: ArgumentParser) -> None:
    options.add_path(command)
    command.add_argument(
        "--batch", metavar="FILE",
        help='answer JSON lines {"id", "query", …} from FILE (- for stdin), one JSON line each',
    )  # fmt: skip
    options.add_scope(command)
    options.add_root(command)
    options.add_hub(command)
    options.add_line_numbers(command)
    options.add_dependencies(command)


def _answer(args: Namespace, environment: Mapping[str, str]) -> None:
    if args.hub:
        from satchel.cli.output import hub_answers

        hub_answers.ranked(args)
        return
    from satchel.cli import questions
    from satchel.cli.output import answers
    from satchel.workspace.serving.catch_up import CHUNKS_AT_ONCE
    from satchel.workspace.vectors import index_view

    project = options.project_of(args, environment)
    # A replayed pack is made from the present index, so nothing is updated before.
    if getattr(args, "replay", None):
        answers.replay(project, args)
        return
    # Nothing is indexed for a question that cannot be asked. The lines of a batch come one by one,
    # so each is looked at in its turn.
    lines = questions.asked(args)
    asked = lines if args.batch else answers.checked(project, args, lines)
    notices = options.catch_up(project, args)
    project = options.with_dependencies(project, args, environment)
    # Exact text reads no vectors, so a person who looks for it does not wait for any to be built.
    if args.command == "search" and questions.is_exact(args):
        with project.snapshot() as snapshot:
            is_found = answers.search(project, snapshot, args, None, notices, asked)
        options.finish(project, args)
        _expect(is_found)
        return
    # Text and graph answer at once; vectors come first only where that takes a moment.
    n_missing = project.chunks_without_vectors()
    is_mirrored = project.settings.vectors.engine == "chroma" or _has_many(project)
    late = n_missing > CHUNKS_AT_ONCE
    if not late and (n_missing or is_mirrored):
        _encode(project, args)
    if args.command == "context":
        as_it_is = partial(index_view.view, project, notices)
        is_found = answers.context(project, args, as_it_is, lambda: _newer(project), asked)
    else:
        with index_view.view(project, notices) as view:
            found = (args, view.vectors, view.notices, asked)
            is_found = answers.search(project, view.snapshot, *found)
    # The mirror is filled after the answer has been printed. A server that owns the index fills its
    # own.
    if late and project.settings.vectors.engine == "chroma":
        _encode(project, args)
    options.finish(project, args)
    _expect(is_found)


def _has_many(project: Project) -> bool:
    """Whether there are so many chunks that Chroma answers for them unasked."""
    from satchel.store.vectors.chroma import is_installed

    # Counting opens the index, which every question would otherwise pay for.
    if project.settings.vectors.engine != "auto" or not is_installed():
        return False
    with project.snapshot() as snapshot:
        return project.uses_chroma(snapshot.terms.n_chunks())


def _expect(is_found: bool) -> None:
    """Raises: Reported: nothing answers the question, as was printed."""
    if not is_found:
        raise options.Reported


def _newer(project: Project) -> AbstractContextManager[IndexView]:
    """The index for a pack that found files changed: brought up to date once more."""
    from satchel.workspace.project import ignore_progress
    from satchel.workspace.serving.catch_up import catch_up
    from satchel.workspace.vectors import index_view

    return index_view.view(project, catch_up(project, ignore_progress))


def _encode(project: Project, args: Namespace) -> None:
    """Build vectors, unless another process does so or none may write."""
    with suppress(Locked, Unwritable), terminal.ProgressBar(quiet=args.quiet) as bar:
        project.build_vectors(partial(bar.count, "vectors"), partial(bar.count, "chroma"))
