"""`symbols`, `deps` and `status` as commands: their arguments."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING

from satchel.cli import asking, options, terminal
from satchel.questions.dependencies import DEPENDENCIES, DependenciesOf
from satchel.questions.symbols import SYMBOLS, Symbols

if TYPE_CHECKING:
    from satchel.workspace.project import Project


def add(commands: options.Commands) -> None:
    """Add the commands."""
    command = options.command(commands, "symbols", _symbols)
    command.add_argument(
        "name", nargs="+", help="exact, Class.method, prefix*, path:name or path:line; or several"
    )
    asking.add_fields(command, Symbols, {"budget_tokens": ("--budget",)}, without=("name",))
    command.add_argument("--format", choices=["text", "json"], default="text", help="default: text")
    options.add_line_numbers(command)
    options.add_root(command)
    options.add_hub(command)
    options.add_dependencies(command)

    _add_deps(commands)

    command = options.command(commands, "show", _show)
    command.add_argument(
        "what", metavar="SYMBOL|PATH:A-B", nargs="+",
        help="definitions, as `symbols` takes them, or lines",
    )  # fmt: skip
    options.add_line_numbers(command)
    command.add_argument(
        "--scope", choices=["impl", "test", "all"], default="all",
        help="product code, test code or both (default: all)",
    )  # fmt: skip
    options.add_root(command)
    options.add_workspace(command)
    options.add_dependencies(command)

    command = options.command(commands, "status", _status)
    command.add_argument("--skipped", action="store_true", help="list every skipped path")
    command.add_argument("--slow", action="store_true", help="list the calls that took longest")
    options.add_root(command)
    options.add_workspace(command)


def _add_deps(commands: options.Commands) -> None:
    command = options.command(commands, "deps", _deps)
    command.add_argument(
        "name", metavar="symbol", help="a name, Class.method, path:name or path:line"
    )
    command.add_argument(
        "--format", choices=["text", "json", "dot", "mermaid"], help="how edges are written"
    )
    asking.add_fields(command, DependenciesOf, without=("name", "format"))
    options.add_root(command)
    options.add_hub(command)


def _deps(args: Namespace, environment: Mapping[str, str]) -> None:
    if args.format == "json":
        args.format, args.json = None, True
    asking.ask(DEPENDENCIES, args, environment)


def _symbols(args: Namespace, environment: Mapping[str, str]) -> None:
    args.name = " ".join(args.name)
    asking.ask(SYMBOLS, args, environment)


def _show(args: Namespace, environment: Mapping[str, str]) -> None:
    from satchel.cli.output import show
    from satchel.workspace.checkout_view import CheckoutView

    project = options.project_of(args, environment)
    notices = options.catch_up(project, args)
    for notice in notices:
        terminal.note(f"note: {notice}")
    project = options.with_dependencies(project, args, environment)
    with project.snapshot() as snapshot:
        view = CheckoutView(project=project, snapshot=snapshot, is_behind=bool(notices))
        show.show(view, " ".join(args.what), args)
    options.finish(project, args)


def _status(args: Namespace, environment: Mapping[str, str]) -> None:
    for project in options.each(options.project_of(args, environment), args):
        _print_status(project, args)


def _print_status(project: Project, args: Namespace) -> None:
    from satchel.cli.output import lookups

    # A first index has no file for a moment, and nothing in it until its first batch is written.
    if not args.json and not project.has_whole_text and lookups.print_building(project):
        return
    with project.snapshot() as snapshot:
        lookups.status_command(project, snapshot, args)
