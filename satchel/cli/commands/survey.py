"""`changes`, `overview` and `graph` as commands: their arguments, their text and their JSON."""

from __future__ import annotations

import re
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING

from satchel.cli import asking, options, terminal
from satchel.questions.dependencies import DEPENDENCIES, DependenciesOf, Direction
from satchel.store.errors import UnknownName, UsageError

if TYPE_CHECKING:
    from satchel.cli.options import Commands

_SINCE = "an age (24h, 7d), an ISO date or time, or a git revision (default: HEAD)"
_LISTED = 200
"""Edges that are listed of what depends on a symbol."""
_MOST = 2_000
_REVISION = re.compile(r"HEAD|[\w./-]+(?:[~^]\d*)+|[0-9a-f]{7,40}")
"""Changes and users that `impact` looks at; a comment lists fewer."""
_OF_GRAPH = {
    "path": "How one symbol reaches another: the surest ways through the call graph.",
    "cycles": "Modules that need each other, and the uses to give up so that they no longer do.",
    "rules": "Uses that break the rules of [architecture] in .satchel/config.toml.",
    "dead": "Code that no entry point, test or export reaches, and why it might be alive.",
    "central": "The symbols that most of the other code depends on, by PageRank.",
    "neighbourhoods": "Files that use each other more than others, wherever they lie.",
    "export": "The graph as GraphML, GEXF, node-link JSON, Graphviz DOT or Mermaid.",
}
"""What the call graph is asked, and what each question is about."""


def add(commands: Commands) -> None:
    """Add the commands."""
    command = options.command(commands, "changes", _changes)
    command.add_argument("since", nargs="?", default="HEAD", help=_SINCE)
    # Agents name it, and so does git; argparse would let the positional overwrite one of its name.
    command.add_argument("--since", "--diff", dest="named_since", default="", help=SUPPRESS)
    options.add_path(command)
    options.add_limit(command, 100)
    options.add_scope(command)
    options.add_root(command)
    options.add_workspace(command)

    command = options.command(commands, "overview", _overview)
    command.add_argument("scope", nargs="?", default="project", help="a path (default: project)")
    options.add_root(command)
    options.add_workspace(command)

    command = options.command(commands, "impact", _impact)
    command.add_argument(
        "symbol", nargs="?", help="instead, what depends on this symbol: callers, overriders, tests"
    )
    command.add_argument(
        "--diff", "--since", metavar="BASE",
        help="the revision that the change will be merged into (default: HEAD)",
    )  # fmt: skip
    options.add_limit(command, _LISTED, "with a symbol, list at most this many")
    command.add_argument(
        "--scope", choices=["impl", "test", "all"],
        help="with a symbol, callers in product code, in tests or in both (default: impl)",
    )  # fmt: skip
    options.add_root(command)
    _add_graph(commands)


def _add_graph(commands: Commands) -> None:
    top = options.plain_command(commands, "graph")
    asked = top.add_subparsers(required=True, metavar="QUESTION", dest="question")
    # Each question is a command of its own, so that `--help` of one shows its own options alone.
    of = {name: options.command(asked, name, _graph, about) for name, about in _OF_GRAPH.items()}

    of["path"].add_argument("name", metavar="source", help="a symbol, or a file")
    of["path"].add_argument("until", metavar="target", help="a symbol, or a file")
    asking.add_fields(of["path"], DependenciesOf, only=("ways",))

    _add_modules(of["cycles"])
    options.add_limit(of["cycles"], 20)

    of["rules"].add_argument(
        "--rule", action="append", metavar="RULE",
        help="this rule instead, as `a -> b`, `a -> nothing`, `a !> b` or `a > b > c`; repeatable",
    )  # fmt: skip

    _add_path(of["dead"])
    of["dead"].add_argument(
        "--exports", action="store_true", help="count everything public as used from outside"
    )
    options.add_limit(of["dead"], 50)

    _add_path(of["central"])
    options.add_limit(of["central"], 20)

    _add_modules(of["neighbourhoods"])

    formats = ["graphml", "gexf", "json", "dot", "mermaid"]
    of["export"].add_argument(
        "--format", choices=formats, default="graphml", help="default: graphml"
    )
    of["export"].add_argument(
        "--of", choices=["symbols", "modules"], default="symbols",
        help="what the nodes are (default: symbols)",
    )  # fmt: skip
    _add_modules(of["export"])
    for command in of.values():
        options.add_root(command)


def _add_path(command: ArgumentParser) -> None:
    command.add_argument("--path", default="", help="only files whose path starts with this")


def _add_modules(command: ArgumentParser) -> None:
    _add_path(command)
    command.add_argument(
        "--depth", type=int, default=0, metavar="N",
        help="modules are folders so deep; -1: the folder of each file (default: 0, files)",
    )  # fmt: skip
    command.add_argument("--tests", action="store_true", help="test code as well")


def _graph(args: Namespace, environment: Mapping[str, str]) -> None:
    if args.question == "path":
        asking.ask(DEPENDENCIES, args, environment)
        return
    from satchel.cli.output import graphs

    project = options.project_of(args, environment)
    graphs.check(project, args)
    with options.linked(project, args) as snapshot:
        answer = graphs.QUESTIONS[args.question](project, snapshot, args)
    if answer.result is not None and args.json:
        terminal.out_json(answer.result)
    else:
        for line in answer.lines:
            terminal.row(line)
    if answer.n_findings:
        raise options.Reported


def _changes(args: Namespace, environment: Mapping[str, str]) -> None:
    from satchel.assembler.kinds import Scope
    from satchel.assembler.output.reports import changes_lines
    from satchel.assembler.survey.changes import changes
    from satchel.assembler.survey.packages import resolved
    from satchel.cli.output.survey_schema import changes_result
    from satchel.workspace.multi_root.known import surveyed

    project = options.project_of(args, environment)
    asked = args.named_since or args.since
    project.check_since(asked)
    with options.linked(project, args) as snapshot:
        since = project.history(snapshot, asked)
        path = resolved(snapshot, asking.path_of(project.root, args))
        found = changes(snapshot, since, Scope(args.scope), path, args.limit)
        known = surveyed(project, snapshot, path or "project", asked)
    if args.json:
        terminal.out_json(changes_result(found, known.value))
        return
    for line in (*changes_lines(found), *known.lines):
        terminal.row(line)


def _overview(args: Namespace, environment: Mapping[str, str]) -> None:
    from satchel.assembler.output.reports import overview_lines
    from satchel.assembler.survey.overview import overview
    from satchel.cli.output.survey_schema import overview_result
    from satchel.workspace.index_paths import path_in
    from satchel.workspace.multi_root.known import surveyed

    project = options.project_of(args, environment)
    with options.linked(project, args) as snapshot:
        scope = path_in(snapshot, project.root, args.scope) or "project"
        found = overview(snapshot, scope)
        known = surveyed(project, snapshot, scope)
    if args.json:
        terminal.out_json(overview_result(found, known.value))
        return
    for line in (*overview_lines(found), *known.lines):
        terminal.row(line)


def _impact(args: Namespace, environment: Mapping[str, str]) -> None:
    if args.symbol and args.diff:
        raise UsageError("a symbol and --diff cannot be combined", "give one of them")
    if args.scope and not args.symbol:
        raise UsageError("--scope goes with a symbol", "name one, or leave it out")
    if args.symbol:
        _impact_of_symbol(args, environment)
    else:
        _impact_of_diff(args, environment)


def _impact_of_symbol(args: Namespace, environment: Mapping[str, str]) -> None:
    args.name, args.direction, args.limit = args.symbol, Direction.IMPACT, args.limit or _LISTED
    try:
        asking.ask(DEPENDENCIES, args, environment)
    except UnknownName as error:
        if not _REVISION.fullmatch(args.symbol):
            raise
        hint = f"satchel impact --diff {args.symbol}"
        raise UsageError(f"{args.symbol} is a revision, not a symbol", hint) from error


def _impact_of_diff(args: Namespace, environment: Mapping[str, str]) -> None:
    from satchel.assembler.kinds import Scope
    from satchel.assembler.output.reports import impact_markdown
    from satchel.assembler.survey.changes import changes
    from satchel.assembler.survey.impact import tests_to_run
    from satchel.cli.output.survey_schema import impact_result
    from satchel.workspace.knowledge import touched_by

    project = options.project_of(args, environment)
    base = args.diff or "HEAD"
    project.check_since(f"{base}...")
    with options.linked(project, args) as snapshot:
        # Three dots compare with the merge base, so what others merged meanwhile does not count as
        # this change.
        since = project.history(snapshot, f"{base}...")
        found = changes(snapshot, since, Scope.ALL, "", _MOST)
        tests = tests_to_run(snapshot, found)
        known = touched_by(project, snapshot, found)
    if args.json:
        terminal.out_json(impact_result(found, tests, known))
        return
    terminal.out(impact_markdown(found, tests, known), end="")
