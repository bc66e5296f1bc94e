"""`repair`: make a damaged index sound, derived parts first; `--dry-run` says what that takes."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from satchel.cli import options, terminal

if TYPE_CHECKING:
    from satchel.cli.options import Commands
    from satchel.workspace.repair import RepairReport

_LISTED = 20


class RepairResult(Struct, frozen=True):
    """What `repair` found and did, as JSON; `schema` names the version of its shape."""

    repair: RepairReport
    schema: int = 1


def add(commands: Commands) -> None:
    """Add the command."""
    about = "Make a damaged index sound: derived parts first, then files, then everything."
    command = options.command(commands, "repair", about, _repair)
    command.add_argument(
        "--dry-run", action="store_true", help="say what would be done, do nothing"
    )
    options.add_root(command)


def _repair(args: Namespace, environment: Mapping[str, str]) -> None:
    from satchel.workspace.repair import repair

    project = options.project_of(args, environment)
    with terminal.ProgressBar(quiet=args.quiet) as bar:
        report = repair(project, bar.update, dry_run=args.dry_run)
    if args.json:
        terminal.out_json(RepairResult(report))
        return
    for line in _lines(report):
        terminal.out(line)


def _lines(report: RepairReport) -> list[str]:
    would = "would be " if report.dry_run else ""
    mirror = f"the Chroma mirror {would or 'was '}thrown away; `satchel reindex` writes it again"
    # The mirror is derived and may be thrown away although the index itself is sound.
    if report.is_sound:
        return ["the index is sound: nothing to repair", *([mirror] if report.mirror else [])]
    lines = [f"{would}repaired: {mended.count:,} {mended.what}" for mended in report.mended]
    for mended in report.mended:
        lines += [f"  {path}" for path in mended.paths[:_LISTED]]
        # The list is cut for people; the JSON of the command holds every path.
        if len(mended.paths) > _LISTED:
            lines.append(f"  and {len(mended.paths) - _LISTED:,} more")
    if report.rebuilt:
        lines.append(f"the index {would or 'was '}made anew: {report.rebuilt}")
    return [*lines, mirror] if report.mirror else lines
