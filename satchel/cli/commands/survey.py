"""`changes` and `overview` as commands: their arguments, their text and their JSON."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING

from satchel.cli import options, terminal

if TYPE_CHECKING:
    from satchel.cli.options import Commands

_SINCE = "an age (24h, 7d), an ISO date or time, or a git revision (default: HEAD)"


def add(commands: Commands) -> None:
    """Add the commands."""
    about = (
        "Symbols added, modified, moved and removed since a time or a revision, and their users."
    )
    command = options.command(commands, "changes", about, _changes)
    command.add_argument("since", nargs="?", default="HEAD", help=_SINCE)
    options.add_path(command)
    command.add_argument("--limit", type=int, default=100, help="at most this many (default: 100)")
    options.add_scope(command)
    options.add_root(command)

    about = "A code base at a glance: size, languages, entry points, most used symbols."
    command = options.command(commands, "overview", about, _overview)
    command.add_argument("scope", nargs="?", default="project", help="a path (default: project)")
    options.add_root(command)

    about = (
        "What a change touches, as Markdown for a pull request: symbols, callers, tests, decisions."
    )
    command = options.command(commands, "impact", about, _impact)
    command.add_argument(
        "--diff", metavar="BASE", default="HEAD",
        help="the revision that the change will be merged into (default: HEAD)",
    )  # fmt: skip
    options.add_root(command)


def _changes(args: Namespace, environment: Mapping[str, str]) -> None:
    from satchel.assembler.output.reports import changes_lines
    from satchel.assembler.survey.changes import changes
    from satchel.assembler.values import Scope
    from satchel.cli.output.survey_schema import changes_result
    from satchel.cli.questions import paths
    from satchel.workspace.knowledge import surveyed

    project = options.project_of(args, environment)
    with options.linked(project, args) as snapshot:
        history = project.history(snapshot, args.since)
        path = paths(project, args)
        found = changes(snapshot, history, Scope(args.scope), path, args.limit)
        known = surveyed(project, snapshot, path or "project", args.since)
    if args.json:
        terminal.out_json(changes_result(found, known.value))
        return
    for line in (*changes_lines(found), *known.lines):
        terminal.out(line)


def _overview(args: Namespace, environment: Mapping[str, str]) -> None:
    from satchel.assembler.output.reports import overview_lines
    from satchel.assembler.survey.overview import overview
    from satchel.cli.output.survey_schema import overview_result
    from satchel.workspace.index_paths import inside
    from satchel.workspace.knowledge import surveyed

    project = options.project_of(args, environment)
    with options.linked(project, args) as snapshot:
        scope = inside(project.root, args.scope) or "project"
        found = overview(snapshot, scope)
        known = surveyed(project, snapshot, scope)
    if args.json:
        terminal.out_json(overview_result(found, known.value))
        return
    for line in (*overview_lines(found), *known.lines):
        terminal.out(line)


def _impact(args: Namespace, environment: Mapping[str, str]) -> None:
    from satchel.assembler.output.reports import impact_markdown
    from satchel.assembler.survey.changes import changes
    from satchel.assembler.survey.impact import tests_to_run
    from satchel.assembler.values import Scope
    from satchel.cli.output.survey_schema import impact_result
    from satchel.workspace.knowledge import touched_by

    project = options.project_of(args, environment)
    with options.linked(project, args) as snapshot:
        # Three dots compare with the merge base, so what others merged meanwhile does not count as
        # this change.
        history = project.history(snapshot, f"{args.diff}...")
        found = changes(snapshot, history, Scope.ALL, "", _MOST)
        tests = tests_to_run(snapshot, found)
        known = touched_by(project, snapshot, found)
    if args.json:
        terminal.out_json(impact_result(found, tests, known))
        return
    terminal.out(impact_markdown(found, tests, known), end="")


_MOST = 2_000
"""Changes and users that `impact` looks at; a comment lists fewer."""
