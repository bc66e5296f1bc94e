"""`remember`, `revise`, `recall` and `knowledge` as commands: their arguments."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING

from satchel.assembler.budget import MAX_BUDGET, MIN_BUDGET
from satchel.cli import options
from satchel.cli.argument_parser import whole

if TYPE_CHECKING:
    from satchel.cli.options import Commands


def add(commands: Commands) -> None:
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


def _add_remember(commands: Commands) -> None:
    command = options.command(commands, "remember", _run)
    command.add_argument(
        "kind", nargs="?", help="decision, warning, …; names that other systems use are translated"
    )
    command.add_argument("summary", nargs="?", help="1 to 200 characters")
    command.add_argument("--detail", help="the whole text")
    command.add_argument("--rationale", help="why; a decision needs it")
    command.add_argument("--scope", help="a path, symbol:Name or project (default: project)")
    command.add_argument("--tag", action="append", help="a tag; repeatable")
    command.add_argument("--confidence", help="0.0 to 1.0, or high, medium, low")
    command.add_argument("--importance", type=float, help="0.0 to 1.0")
    command.add_argument(
        "--link", action="append", metavar="REL=TO",
        help="affects=src/a.py, depends_on=ID, answers=ID, commit=abc1234, …; repeatable",
    )  # fmt: skip
    command.add_argument("--supersedes", metavar="ID", help="the item that it replaces")
    command.add_argument("--domain", help="what a decision is about; two of one domain conflict")
    command.add_argument(
        "--privacy",
        choices=["public", "team", "private"],
        help="who sees it (default: knowledge.privacy)",
    )
    command.add_argument(
        "--provisional", action="store_true", help="mark it as provisional, until `revise promote`"
    )
    command.add_argument("--add-duplicate", action="store_true", help="keep it even if it is known")
    command.add_argument("--batch", metavar="FILE", help="JSON lines of items (- for stdin)")
    _add_common(command)


def _add_revise(commands: Commands) -> None:
    command = options.command(commands, "revise", _run)
    command.add_argument("action", help=", ".join(_ACTIONS))
    command.add_argument("id", nargs="+", help="ids, or their first 6 characters or more")
    command.add_argument("--reason", help="why")
    command.add_argument("--by", metavar="ID", help="what replaces or answers them")
    command.add_argument(
        "--set", action="append", metavar="FIELD=VALUE",
        help="summary, detail, rationale, scope, importance, confidence, privacy, verification",
    )  # fmt: skip
    command.add_argument("--tag", action="append", help="its tags from now on; repeatable")
    command.add_argument("--link", action="append", metavar="REL=TO", help="a link to add")
    _add_common(command)


def _add_recall(commands: Commands) -> None:
    command = options.command(commands, "recall", _run)
    command.add_argument(
        "query", nargs="?", help="the question; without one, the most important items"
    )
    command.add_argument("--scope", help="a path, symbol:Name or project")
    command.add_argument("--kind", action="append", help="only items of this kind; repeatable")
    command.add_argument(
        "--tag", action="append", help="only items with any of these tags; repeatable"
    )
    command.add_argument("--project", help="only items of this project")
    command.add_argument("--min-confidence", type=float, help="0.0 to 1.0")
    command.add_argument("--status", action="append", help="open, all or a status; default: open")
    command.add_argument("--limit", type=int, help="1 to 50")
    bounds = f"tokens, {MIN_BUDGET} to {MAX_BUDGET} (default: 4096)"
    command.add_argument("--budget", type=int, help=bounds)
    command.add_argument("--preset", help="balanced, pack, hint or task (default: balanced)")
    command.add_argument("--recency-weight", type=float, help="0.0 to 1.0")
    command.add_argument(
        "--format", choices=["markdown", "json", "sections"], help="how to print it"
    )
    command.add_argument(
        "--id", action="append", help="show this item in full, with its history; repeatable"
    )
    command.add_argument(
        "--follow",
        action="append",
        help="items linked to --id by this relation, or by all; repeatable",
    )
    command.add_argument("--depth", type=int, help="with --follow, steps: 1 to 5 (default: 1)")
    command.add_argument("--since", help="only items created since: 7d, 2026-03-01, …")
    command.add_argument(
        "--order",
        choices=["score", "time", "confidence", "importance"],
        help="sort by this (default: score)",
    )
    command.add_argument("--explain", action="store_true", help="show each signal's share")
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


# The actions are named here as well as where they are run, so that `--help` imports none of what
# runs them.
_WHOLE = ("export", "import", "prune", "drift", "check", "stats", "push", "pull")
_ACTIONS = (
    "promote", "reconsider", "supersede", "override", "resolve", "verify", "edit", "add_evidence",
    "set_confidence", "archive", "restore", "delete",
)  # fmt: skip


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
