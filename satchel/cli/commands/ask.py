"""`context` and `search` as commands: their arguments, and what is updated before."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from satchel.assembler.budget import MAX_BUDGET, MIN_BUDGET
from satchel.cli import asking, options
from satchel.questions.search import SEARCH, Search

if TYPE_CHECKING:
    from satchel.cli.options import Commands


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
    options.add_scope(command)
    _add_question(command)
    command.set_defaults(scope=None)
    _add_search(commands)


def _add_search(commands: Commands) -> None:
    command = options.command(commands, "search", _search)
    command.add_argument("query", nargs="*", help=_QUERY)
    command.add_argument("--exact", metavar="TEXT", help="every line that holds TEXT, as grep -F")
    command.add_argument(
        "--regex", metavar="RE", help="every line that matches RE, in the syntax of RE2"
    )
    asking.add_fields(
        command, Search,
        {"max_results": ("--max-results", "--limit"), "ignore_case": ("-i", "--ignore-case")},
        without=("query", "path"),
    )  # fmt: skip
    _add_question(command)


def _search(args: Namespace, environment: Mapping[str, str]) -> None:
    asking.ask(SEARCH, args, environment)


def _add_question(command: ArgumentParser) -> None:
    options.add_path(command)
    command.add_argument(
        "--batch", metavar="FILE",
        help='answer JSON lines {"id", "query", …} from FILE (- for stdin), one JSON line each',
    )  # fmt: skip
    options.add_root(command)
    options.add_hub(command)
    options.add_line_numbers(command)
    options.add_dependencies(command)


def _answer(args: Namespace, environment: Mapping[str, str]) -> None:
    if args.hub:
        from satchel.cli.output import hub_answers

        hub_answers.ranked(args)
        return
    from satchel.cli.output import answers, questions
    from satchel.workspace import checkout_view

    project = options.project_of(args, environment)
    # A replayed pack is made from the present index, so nothing is updated before.
    if args.replay:
        answers.replay(project, args)
        return
    # Nothing is indexed for a question that cannot be asked. The lines of a batch come one by one,
    # so each is looked at in its turn.
    lines = questions.asked(args)
    asked = lines if args.batch else answers.checked(project, args, lines)
    notices = options.catch_up(project, args)
    project = options.with_dependencies(project, args, environment)
    late = asking.encode_if_few(project, args)
    as_it_is = partial(checkout_view.view, project, notices)
    is_found = answers.context(project, args, as_it_is, partial(asking.newer, project), asked)
    # The mirror is filled after the answer has been printed. A server that owns the index fills its
    # own.
    if late and project.settings.vectors.engine == "chroma":
        asking.encode(project, args)
    options.finish(project, args)
    if not is_found:
        raise options.Reported
