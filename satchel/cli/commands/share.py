"""`publish` and `pull` as commands: an index made in one place, used in another."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from satchel.cli import options, terminal
from satchel.questions.rows import VERSION, shaped
from satchel.store.counted import counted
from satchel.store.errors import UsageError
from satchel.store.platform import user

if TYPE_CHECKING:
    from satchel.workspace.project import Project


class ShareResult(Struct, frozen=True):
    """What was published or pulled."""

    name: str
    tree: str
    head: str
    files: int
    packed_bytes: int
    schema: int = VERSION


class HubPull(Struct, frozen=True):
    """What `pull --hub` made: files of the index, and those that the hub did not know."""

    head: str
    files: int
    parsed: int
    schema: int = VERSION


def add(commands: options.Commands) -> None:
    """Add the commands."""
    command = options.command(commands, "publish", _publish)
    command.add_argument("folder", type=Path, help="where to write it")
    options.add_root(command)
    command = options.command(commands, "pull", _pull)
    command.add_argument(
        "source", nargs="?", help="a folder or https address (default: share.source)"
    )
    command.add_argument(
        "--hub", metavar="URL", default="",
        help="take from a team's hub what files of this tree say, and index the others here",
    )  # fmt: skip
    options.add_root(command)


def _publish(args: Namespace, environment: Mapping[str, str]) -> None:
    from satchel.workspace.share import publish

    done = publish(options.project_of(args, environment), args.folder)
    if args.json:
        terminal.out_json(shaped(done, ShareResult))
        return
    size = done.packed_bytes / 1e6
    terminal.out(f"{args.folder / done.name}: {counted(done.files, 'file')}, {size:.1f} MB")


def _pull(args: Namespace, environment: Mapping[str, str]) -> None:
    project = options.project_of(args, environment)
    if args.hub:
        _pull_from_hub(args, project)
        return
    from satchel.validation.pull import pull

    source = args.source or project.settings.share.source
    if not source:
        raise UsageError("no source to pull from", "name one, or set share.source in your own file")
    if "://" not in source:
        source = str(user.expanded(source, environment))
    # An index from elsewhere proves true of this tree before it is used, and the bar shows the
    # steps of that.
    with terminal.ProgressBar(quiet=args.quiet) as bar:
        done = pull(project, source, bar.update, bar.step)
    manifest = done.manifest
    if args.json:
        terminal.out_json(shaped(manifest, ShareResult))
        return
    terminal.out(f"{counted(manifest.files, 'file')} pulled, {done.refreshed.parsed:,} parsed here")


def _pull_from_hub(args: Namespace, project: Project) -> None:
    """Take over by content, so that nothing depends on which commit the hub has built."""
    from satchel.cli.output import hub_answers

    if args.source:
        raise UsageError("a source and --hub exclude each other", "name one of them")
    project.ask_first()
    project.prepare()
    with hub_answers.connected(args.hub) as hub:
        from satchel.hub.building.known_files import bring_up_to_date

        done = bring_up_to_date(hub, project)
    with project.snapshot() as snapshot:
        n_files, head = snapshot.files.count(), snapshot.head
    if args.json:
        terminal.out_json(HubPull(head, n_files, done.parsed))
        return
    terminal.out(f"{counted(n_files, 'file')}, {done.parsed:,} parsed here")
