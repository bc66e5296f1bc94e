"""`remember`, `revise`, `recall` and `knowledge` as commands: their arguments."""

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping

from satchel.cli import asking, options
from satchel.cli.argument_parser import whole
from satchel.knowledge import requests
from satchel.knowledge.lifecycle import Action


def add(commands: options.Commands) -> None:
    """Add the commands."""
    _add_remember(commands)
    _add_revise(commands)
    _add_recall(commands)
    command = options.command(commands, "knowledge", _run_whole)
    command.add_argument("what", choices=_WHOLE, help="what to do")
    command.add_argument("file", nargs="*", help="import: files, folders or -; export: a file")
    # An export is a file that others may get, so private items are left out unless asked for.
    command.add_argument("--private", action="store_true", help="export: private items as well")
    command.add_argument(
        "--dry-run", action="store_true", help="prune, import: say what would be done, do nothing"
    )
    command.add_argument("--repair", action="store_true", help="check: repair what can be repaired")
    command.add_argument(
        "--days", type=whole(0, 36_500), default=90,
        help="prune: items not shown for so long (default: 90)",
    )  # fmt: skip
    command.add_argument("--hub", metavar="URL", default="", help="push, pull: the team's hub")
    command.add_argument(
        "--name", default="", help="push, pull: the name of this repository in the hub"
    )
    options.add_root(command)


def _add_remember(commands: options.Commands) -> None:
    command = options.command(commands, "remember", _run)
    command.add_argument(
        "kind", nargs="?", help="decision, warning, …; names that other systems use are translated"
    )
    command.add_argument("summary", nargs="?", help="1 to 200 characters")
    asking.add_fields(
        command, requests.Entry, {"tags": ("--tag",)},
        without=("kind", "summary", "links", "project", "on_duplicate"),
    )  # fmt: skip
    command.add_argument("--importance", type=float, help="0.0 to 1.0")
    command.add_argument(
        "--link", action="append", metavar="REL=TO",
        help="affects=src/a.py, depends_on=ID, answers=ID, commit=abc1234, …; repeatable",
    )  # fmt: skip
    command.add_argument(
        "--provisional", action="store_true", help="mark it as provisional, until `revise promote`"
    )
    command.add_argument("--add-duplicate", action="store_true", help="keep it even if it is known")
    command.add_argument("--batch", metavar="FILE", help="JSON lines of items (- for stdin)")
    _add_common(command)


def _add_revise(commands: options.Commands) -> None:
    command = options.command(commands, "revise", _run)
    command.add_argument("action", help=", ".join(Action))
    command.add_argument(
        "ids", metavar="id", nargs="+", help="ids, or their first 6 characters or more"
    )
    asking.add_fields(command, requests.Revise, only=("reason", "by"))
    command.add_argument(
        "--set", action="append", metavar="FIELD=VALUE",
        help="summary, detail, rationale, scope, importance, confidence, privacy, verification",
    )  # fmt: skip
    command.add_argument("--tag", action="append", help="its tags from now on; repeatable")
    command.add_argument("--link", action="append", metavar="REL=TO", help="a link to add")
    _add_common(command)


def _add_recall(commands: options.Commands) -> None:
    command = options.command(commands, "recall", _run)
    command.add_argument(
        "query", nargs="?", help="the question; without one, the most important items"
    )
    asking.add_fields(
        command, requests.Recall,
        {"kinds": ("--kind",), "tags": ("--tag",), "budget_tokens": ("--budget",),
         "ids": ("--id",)},
        without=("query",),
    )  # fmt: skip
    _add_common(command, is_hubs=True)


def _add_common(command: ArgumentParser, *, is_hubs: bool = False) -> None:
    command.add_argument(
        "--session",
        default="",
        help="the session whose focus counts (`set_context` of the MCP server)",
    )
    options.add_root(command)
    if is_hubs:
        options.add_hub(command)
    else:
        options.add_workspace(command)


_WHOLE = ("export", "import", "prune", "drift", "check", "stats", "push", "pull")


def _run(args: Namespace, environment: Mapping[str, str]) -> None:
    if getattr(args, "hub", ""):
        from satchel.cli.output import hub_knowledge

        hub_knowledge.recall(args)
        return
    from satchel.cli.output import known

    known.run(args, environment)


def _run_whole(args: Namespace, environment: Mapping[str, str]) -> None:
    from satchel.cli.output import knowledge_files

    knowledge_files.run(args, environment)
