"""What commands share: the options they all take, the project they mean, and catching up.

A command's module adds its arguments and runs it. What only the run needs is imported there, so
that `satchel --help` and a short command do not pay for the others.
"""

from __future__ import annotations

import os
import re
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from satchel.assembler.quoting import clean
from satchel.cli import served, terminal
from satchel.cli.command_table import COMMAND_TEXTS
from satchel.cli.pager import PAGED
from satchel.store.errors import SatchelError, UsageError
from satchel.store.private import is_there
from satchel.workspace.index_paths import inside

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    from satchel.cli.argument_parser import Parser
    from satchel.indexer.refresh_values import Stage
    from satchel.workspace.project import Project
    from satchel.workspace.serving.build_progress import BuildState

Commands: TypeAlias = "_SubParsersAction[Parser]"
STATE = "SATCHEL_STATE_FOLDER"
MOST_ROWS = 10_000
"""Bound of --limit."""
_FROM_HERE = re.compile(r'(?<![^\s,"])\.\.?/[^\s,:"]*')
_PROBLEM = 200
"""Characters of a problem with a repository's settings that are told with every command."""
_YES = "index even a home folder, a folder of the system, or one that is not yours"
Run = Callable[[Namespace, Mapping[str, str]], None]
"""A command: takes its arguments and the environment, and prints its answer."""


def plain_command(commands: Commands, name: str, about: str | None = None) -> Parser:
    """Add a command without options; what it is about is told by the table, if it is there."""
    text = COMMAND_TEXTS[name] if about is None else about
    return commands.add_parser(name, help=text, description=text)


def command(commands: Commands, name: str, run: Run, about: str | None = None) -> ArgumentParser:
    """Add a command that `run` carries out; returns it for its own arguments."""
    added = plain_command(commands, name, about)
    added.set_defaults(run=run)
    added.add_argument(
        "--json", action="store_true", help="print JSON; `schema` in it is the version of its shape"
    )
    added.add_argument("--quiet", action="store_true", help="print no progress")
    if name in PAGED:
        added.add_argument(
            "--no-pager", action="store_true",
            help="print long answers at once, without a pager (see SATCHEL_PAGER)",
        )  # fmt: skip
    added.add_argument(
        "--color", choices=["auto", "always", "never"], default="auto",
        help="use colours (default: auto, in a terminal unless NO_COLOR is set)",
    )  # fmt: skip
    return added


def add_root(command: ArgumentParser, yes: str = _YES) -> None:
    """Add --root, which `project_of` reads, --state, and --yes, which confirms what `yes` says."""
    command.add_argument(
        "--root", type=Path, help="the folder to work on (default: the checkout around here)"
    )
    add_state(command)
    add_yes(command, yes)


def add_yes(command: ArgumentParser, about: str = _YES) -> None:
    """Add --yes."""
    command.add_argument("--yes", action="store_true", help=about)


def add_state(command: ArgumentParser) -> None:
    """Add --state; `in_force` reads it."""
    command.add_argument(
        "--state", type=Path, metavar="DIR",
        help="keep index and knowledge there (default: your cache and data folders)",
    )  # fmt: skip


def add_hub(command: ArgumentParser) -> None:
    """Add --hub and --repo."""
    command.add_argument(
        "--hub", metavar="URL", default="",
        help="ask a team's hub in PostgreSQL instead of a checkout (see `satchel hub`)",
    )  # fmt: skip
    add_workspace(command)


def add_hub_address(command: ArgumentParser) -> None:
    """Add URL, the address of a hub's database."""
    command.add_argument("url", help="postgresql://… of the database")


def add_workspace(command: ArgumentParser) -> None:
    """Add --workspace and --repo; `project_of` reads them."""
    command.add_argument(
        "--workspace", metavar="PATH",
        help="work on several code bases: a folder of checkouts, or a TOML file with roots",
    )  # fmt: skip
    command.add_argument(
        "--repo", metavar="GLOB",
        help="only repositories with such names, of the hub or the workspace (default:"
        " workspace.roots)",
    )  # fmt: skip


def add_line_numbers(command: ArgumentParser) -> None:
    """Add -n."""
    command.add_argument(
        "-n", "--line-numbers", action="store_true",
        help="number the lines of source",
    )  # fmt: skip


def add_dependencies(command: ArgumentParser) -> None:
    """Add --with-dependencies; `with_dependencies` reads it."""
    command.add_argument(
        "--with-dependencies", action="store_true",
        help="search installed dependencies too (see `satchel deps-source`)",
    )  # fmt: skip


def in_force(args: Namespace, environment: Mapping[str, str]) -> Mapping[str, str]:
    """The environment, with what --state says laid over it."""
    state: Path | None = getattr(args, "state", None)
    return environment if state is None else {**environment, STATE: str(state.absolute())}


def add_path(command: ArgumentParser) -> None:
    """Add --path; `from_here` reads each of them."""
    command.add_argument(
        "--path", action="append", metavar="PATH",
        help="only files whose path starts with this, or matches this glob; repeatable",
    )  # fmt: skip
    command.add_argument(
        "--package", action="append", metavar="NAME", default=[],
        help="only this package, by the name in its manifest; repeatable",
    )  # fmt: skip


def add_tools(command: ArgumentParser) -> None:
    """Add --tools."""
    command.add_argument(
        "--tools", choices=["compact", "memory", "full"],
        help="memory lists remember and recall before anything is kept, full every tool and name",
    )  # fmt: skip


def project_of(args: Namespace, environment: Mapping[str, str]) -> Project:
    """The project that --root means, or the workspace that --workspace or --repo means."""
    found = workspace_of(args, environment)
    return found or project_at(args.root, args, environment)


def _tell_left_out(project: Project) -> None:
    """Say what of a repository's own settings is not in force."""
    if project.left_out:
        from satchel.workspace.configuration.load import notes

        for sentence in notes(project.left_out):
            first = clean(project.left_out[0].problem)
            terminal.note(f"note: {sentence} ({first[:_PROBLEM]})")


def workspace_of(args: Namespace, environment: Mapping[str, str]) -> Project | None:
    """The workspace that --workspace or --repo means; None where neither is there."""
    named, pattern = getattr(args, "workspace", None), getattr(args, "repo", None)
    if named is None and pattern is None:
        return None
    if getattr(args, "root", None):
        raise UsageError(
            "--root cannot be combined with --workspace or --repo", "leave out one of them"
        )
    from satchel.workspace.multi_root.workspace import Workspace

    # A pattern alone means the roots of the user's setting.
    found = Workspace.of(named or "", environment).limited(pattern or "")
    if getattr(args, "yes", False):
        found.confirm_root()
    for member in found.members:
        _tell_left_out(member.project)
    return found


def each(project: Project, args: Namespace) -> Iterator[Project]:
    """The project, or each of a workspace with its name printed before, unless JSON is asked for.

    Then there is one document a line.
    """
    if not project.members:
        yield project
    for member in project.members:
        # A document names its root itself, and has to be the only thing on its line.
        if not args.json:
            terminal.out(f"{member.name}:")
        yield member.project


def project_at(named: Path | None, args: Namespace, environment: Mapping[str, str]) -> Project:
    """The project whose folder was named, else the one around here.

    What may be this code base's and is not taken over unasked is told on the way.
    """
    from satchel.workspace.project import Project

    running = served.context().served
    # A server keeps what it has read of its project for the next command.
    project = running.project if running else Project.at(root_of(named, environment), environment)
    served.note_root(project.root)
    _tell_left_out(project)
    if getattr(args, "yes", False):  # the person's word that it may be indexed
        project.confirm_root()
    from satchel.workspace.state import adopt, checkouts

    found = adopt.older(project.folders)
    # Nothing on disk tells what the user wrote from what an archive shipped, so the user is told
    # and asked.
    if found and not found.refusal:
        terminal.note(
            f"note: {found.path} was written by an earlier version and is not read;"
            " if you trust it, `satchel state adopt` takes over what it holds"
        )
    # The likeliest is named alone, because this note stands in front of any command; `satchel
    # state` lists them all.
    for each in checkouts.elsewhere(project.folders)[:1]:
        terminal.note(
            f"note: no knowledge is stored for this checkout, but some for one that lay at"
            f" {each.root} and is gone; if it is the same, `satchel state move {each.name}`"
            " moves it"
        )
    return project


class Reported(SatchelError):
    """The output says already what was found, or that nothing was; the exit code is left to set."""

    def __init__(self, message: str = "", hint: str = "", *, exit_code: int = 1) -> None:
        super().__init__(message, hint)
        self.exit_code = exit_code


def from_here(root: Path, written: str) -> str:
    """A path or glob as a person writes it, from the root on.

    It is meant from the folder they stand in; one that is not there, and is below the root, is
    meant from the root.

    Raises:
        UsageError: it lies outside of the project.
    """
    here = served.here()
    if "\\" in written and not is_there(here / written):
        written = written.replace("\\", "/")  # as Windows writes a path
    if not written or Path(written).is_absolute() or not here.is_relative_to(root):
        return inside(root, written)
    below = here.relative_to(root)
    plain = re.split(r"[*?\[]", written, maxsplit=1)[0].rpartition("/")[0] or written
    if not is_there(here / plain) and is_there(root / plain):
        return inside(root, written)
    found = os.path.normpath(below / written)
    if found == ".." or found.startswith("../"):
        return inside(root, written)  # which refuses it
    return "" if found == "." else found + ("/" if written.endswith("/") else "")


def names_from_here(root: Path, written: str) -> str:
    """Names of symbols as a person writes them: files in front of them from the root on, where they
    begin with `./` or `../`, as rows show them below it."""
    return _FROM_HERE.sub(lambda found: from_here(root, found[0]), written)


def root_of(named: Path | None, environment: Mapping[str, str]) -> Path:
    """The folder that was named, else the code base around here."""
    from satchel.workspace.state.find_root import find_root

    return named if named else find_root(served.here(), environment)


def catch_up(project: Project, args: Namespace) -> tuple[str, ...]:
    """Bring the index up to date, with a progress bar; returns notices for whoever reads on."""
    from satchel.indexer.refresh_values import Stage
    from satchel.workspace.serving.catch_up import catch_up as refreshed

    def go_on(stale: Project, state: BuildState | None) -> None:
        _hand_over(stale, args, state, Stage.SCAN)

    with terminal.ProgressBar(quiet=args.quiet) as bar:
        # A first indexing takes far longer than catching up, so whoever waits is told what for.
        project.ask_first()
        if not project.is_indexed and not args.quiet:
            leave = " (Ctrl-C leaves; what is done stays)" if bar.is_shown else ""
            terminal.note(f"indexing {project.root} for the first time{leave}")
        # A person sees how far it is, and may leave; an agent is told when to come back.
        return refreshed(project, bar.update, go_on, inf if bar.is_shown else None)


def finish(project: Project, args: Namespace) -> None:
    """Leave edges and vectors that are behind the text to a process in the background."""
    from satchel.indexer.refresh_values import Stage
    from satchel.workspace.serving.catch_up import has_background_work

    for member in project.members:
        finish(member.project, args)
    if project.members:
        return
    with project.snapshot() as snapshot:
        is_left, is_linked = has_background_work(project, snapshot), snapshot.linked
    if is_left:
        _hand_over(project, args, None, Stage.VECTORS if is_linked else Stage.DERIVE)


def _hand_over(project: Project, args: Namespace, state: BuildState | None, stage: Stage) -> None:
    """Have a process in the background go on, which `status` knows from now on."""
    from satchel.cli import background
    from satchel.workspace.serving import build_progress

    process = background.start(project, args)
    if process is not None:
        directory = project.directory
        build_progress.note_successor(directory, process, background.WORK, state, stage)


def with_dependencies(project: Project, args: Namespace, environment: Mapping[str, str]) -> Project:
    """The project, with the code of its dependencies where --with-dependencies asks for it.

    Raises:
        UsageError: it is a workspace.
        Incomplete: not all of them are indexed within the patience of the settings.
    """
    if not args.with_dependencies:
        return project
    if project.members:
        raise UsageError(
            "--with-dependencies works with one code base only", "leave --workspace out"
        )
    from satchel.workspace.dependencies import joined_project

    with terminal.ProgressBar(quiet=args.quiet) as bar:
        done, notices = joined_project.index_imported(project, environment, bar.package, bar.update)
    for notice in notices:
        terminal.note(clean(f"note: {notice}"))
    return joined_project.join(project, environment, done)
