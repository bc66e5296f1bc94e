"""`satchel graph`: what the call graph as a whole says, and the graph for other programs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING

from satchel.cli import options, terminal
from satchel.store.errors import SatchelError

if TYPE_CHECKING:
    from satchel.cli.options import Commands


class Broken(SatchelError):
    """Uses that break a rule were printed; the exit code says so."""

    exit_code = 1


def add(commands: Commands) -> None:
    """Add the command and its own commands."""
    about = "The call graph: ways between symbols, cycles, rules, dead code, export."
    top: ArgumentParser = commands.add_parser("graph", help=about, description=about)
    asked = top.add_subparsers(required=True, metavar="QUESTION", dest="question")

    about = "How one symbol reaches another: the surest ways through the call graph."
    command = options.command(asked, "path", about, _run)
    command.add_argument("source", help="a symbol, or a file")
    command.add_argument("target", help="a symbol, or a file")
    command.add_argument("--ways", type=int, default=3, help="at most this many (default: 3)")
    options.add_root(command)

    about = "Modules that need each other, and the uses to give up so that they no longer do."
    command = options.command(asked, "cycles", about, _run)
    _add_modules(command)
    command.add_argument("--limit", type=int, default=20, help="at most this many (default: 20)")
    options.add_root(command)

    about = "Uses that break the rules of [architecture] in .satchel/config.toml."
    command = options.command(asked, "rules", about, _run)
    command.add_argument(
        "--rule", action="append", metavar="RULE",
        help="this rule instead, as `a -> b`, `a -> nothing`, `a !> b` or `a > b > c`; repeatable",
    )  # fmt: skip
    options.add_root(command)

    about = "Code that no entry point, test or export reaches, and why it might be alive."
    command = options.command(asked, "dead", about, _run)
    command.add_argument("--path", default="", help="only paths that start with this")
    command.add_argument(
        "--exports", action="store_true", help="count everything public as used from outside"
    )
    command.add_argument("--limit", type=int, default=50, help="at most this many (default: 50)")
    options.add_root(command)

    about = "The symbols that the rest of the code turns on, by PageRank."
    command = options.command(asked, "central", about, _run)
    command.add_argument("--path", default="", help="only paths that start with this")
    command.add_argument("--limit", type=int, default=20, help="at most this many (default: 20)")
    options.add_root(command)

    about = "Files that use each other more than others, wherever they lie."
    command = options.command(asked, "neighbourhoods", about, _run)
    _add_modules(command)
    options.add_root(command)

    about = "The graph as GraphML, GEXF, node-link JSON, Graphviz DOT or Mermaid."
    command = options.command(asked, "export", about, _run)
    formats = ["graphml", "gexf", "json", "dot", "mermaid"]
    command.add_argument("--format", choices=formats, default="graphml", help="default: graphml")
    command.add_argument(
        "--of", choices=["symbols", "modules"], default="symbols",
        help="what the nodes are (default: symbols)",
    )  # fmt: skip
    _add_modules(command)
    options.add_root(command)


def _add_modules(command: ArgumentParser) -> None:
    command.add_argument("--path", default="", help="only paths that start with this")
    command.add_argument(
        "--depth", type=int, default=0, metavar="N",
        help="modules are folders so deep; -1: the folder of each file (default: 0, files)",
    )  # fmt: skip
    command.add_argument("--tests", action="store_true", help="test code as well")


def _run(args: Namespace, environment: Mapping[str, str]) -> None:
    from satchel.cli.output import graphs

    project = options.project_of(args, environment)
    with options.linked(project, args) as snapshot:
        answer = graphs.QUESTIONS[args.question](project, snapshot, args)
    if answer.result is not None and args.json:
        terminal.out_json(answer.result)
    else:
        for line in answer.lines:
            terminal.out(line)
    if answer.n_findings:
        raise Broken("", "")
