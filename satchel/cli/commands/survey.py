"""`changes`, `overview`, `impact` and `graph` as commands: their arguments."""

import re
from argparse import SUPPRESS, Namespace
from collections.abc import Mapping
from typing import Any

from satchel.cli import asking, options
from satchel.cli.argument_parser import whole
from satchel.questions import graph
from satchel.questions.changes import CHANGES, IMPACT, ChangesSince
from satchel.questions.dependencies import DEPENDENCIES, DependenciesOf, Direction
from satchel.questions.request import Question
from satchel.store.errors import UnknownName, UsageError
from satchel.workspace.configuration.load import need_all

_SINCE = "an age (24h, 7d), an ISO date or time, or a git revision (default: HEAD)"
_NOT_COMMITTED = "HEAD"
_LISTED = 200
"""Edges that are listed of what depends on a symbol."""
_REVISION = re.compile(r"HEAD|[\w./-]+(?:[~^]\d*)+|[0-9a-f]{7,40}")
_GRAPH: Mapping[str, Question[Any, Any]] = {
    "cycles": graph.CYCLES,
    "rules": graph.RULES,
    "dead": graph.DEAD,
    "central": graph.CENTRAL,
    "neighbourhoods": graph.NEIGHBOURHOODS,
    "export": graph.EXPORT,
}


def add(commands: options.Commands) -> None:
    """Add the commands."""
    command = options.command(commands, "changes", _changes)
    command.add_argument("since", nargs="?", default=_NOT_COMMITTED, help=_SINCE)
    # Agents name it, and so does git; argparse would let the positional overwrite one of its name.
    command.add_argument("--since", "--diff", dest="named_since", default="", help=SUPPRESS)
    asking.add_fields(
        command, ChangesSince, {"budget_tokens": ("--budget",)}, without=("since", "path"),
        defaults={"limit": 100},
    )  # fmt: skip
    options.add_path(command)
    options.add_root(command)
    options.add_hub(command)

    command = options.command(commands, "overview", _overview)
    command.add_argument(
        "path", nargs="?", default="project", metavar="scope", help="a path (default: project)"
    )
    options.add_root(command)
    options.add_hub(command)

    command = options.command(commands, "impact", _impact)
    command.add_argument(
        "symbol", nargs="?", help="instead, what depends on this symbol: callers, overriders, tests"
    )
    command.add_argument(
        "--diff", "--since", metavar="BASE",
        help="the revision that the change will be merged into (default: HEAD)",
    )  # fmt: skip
    command.add_argument(
        "--limit", type=whole(1, options.MOST_ROWS), default=_LISTED, metavar="N",
        help=f"with a symbol, list at most this many, 1 to {options.MOST_ROWS}"
        f" (default: {_LISTED})",
    )  # fmt: skip
    command.add_argument(
        "--scope", choices=["impl", "test", "all"],
        help="with a symbol, callers in product code, in tests or in both (default: impl)",
    )  # fmt: skip
    options.add_root(command)
    _add_graph(commands)


def _add_graph(commands: options.Commands) -> None:
    top = options.plain_command(commands, "graph")
    asked = top.add_subparsers(required=True, metavar="QUESTION", dest="question")
    # Each question is a command of its own, so that `--help` of one shows its own options alone.
    about = "How one symbol reaches another: the surest ways through the call graph."
    path = options.command(asked, "path", _graph, about)
    path.add_argument("name", metavar="source", help="a symbol, or a file")
    path.add_argument("until", metavar="target", help="a symbol, or a file")
    asking.add_fields(path, DependenciesOf, only=("ways",))
    of = [path]
    for name, question in _GRAPH.items():
        of.append(options.command(asked, name, _graph, question.request.__doc__ or ""))
        asking.add_fields(of[-1], question.request)
    for command in of:
        options.add_root(command)
        options.add_hub(command)


def _graph(args: Namespace, environment: Mapping[str, str]) -> None:
    if args.question == "path":
        asking.ask(DEPENDENCIES, args, environment)
        return
    if args.question == "export":
        args.format, args.json = args.format or graph.Format.GRAPHML, False
    # Rules that nobody may have read whole are not the rules of the repository.
    elif args.question == "rules" and not (args.rule or args.hub):
        need_all(options.project_of(args, environment).left_out)
    asking.ask(_GRAPH[args.question], args, environment)


def _changes(args: Namespace, environment: Mapping[str, str]) -> None:
    if args.named_since and args.since != _NOT_COMMITTED:
        raise UsageError("since is given twice", "give one of them")
    args.since = args.named_since or args.since
    asking.ask(CHANGES, args, environment)


def _overview(args: Namespace, environment: Mapping[str, str]) -> None:
    from satchel.questions.overview import OVERVIEW

    asking.ask(OVERVIEW, args, environment)


def _impact(args: Namespace, environment: Mapping[str, str]) -> None:
    if args.symbol and args.diff:
        raise UsageError("a symbol and --diff cannot be combined", "give one of them")
    if args.scope and not args.symbol:
        raise UsageError("--scope goes with a symbol", "name one, or leave it out")
    if args.symbol:
        _impact_of_symbol(args, environment)
    else:
        asking.ask(IMPACT, args, environment)


def _impact_of_symbol(args: Namespace, environment: Mapping[str, str]) -> None:
    args.name, args.direction, args.limit = args.symbol, Direction.IMPACT, args.limit or _LISTED
    try:
        asking.ask(DEPENDENCIES, args, environment)
    except UnknownName as error:
        if not _REVISION.fullmatch(args.symbol):
            raise
        hint = f"satchel impact --diff {args.symbol}"
        raise UsageError(f"{args.symbol} is a revision, not a symbol", hint) from error
