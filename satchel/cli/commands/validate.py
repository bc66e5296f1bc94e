"""`validate` and `repair` as commands: check an index, and repair it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from satchel.cli import options, terminal
from satchel.store.errors import UsageError

if TYPE_CHECKING:
    from satchel.workspace.project import Project
    from satchel.workspace.repair import RepairReport

_LEVELS = ("quick", "standard", "deep")
_LISTED = 20
_FORMATS = ("text", "json", "sarif", "junit", "github", "markdown")


class RepairResult(Struct, frozen=True):
    """What `repair` found and did, as JSON; `schema` names the version of its shape."""

    repair: RepairReport
    schema: int = 1


def add(commands: options.Commands) -> None:
    """Add the commands."""
    command = options.command(commands, "validate", _validate)
    command.add_argument(
        "--level", choices=_LEVELS, default="quick",
        help="quick (default), standard (everything short of parsing again), deep (a fresh index)",
    )  # fmt: skip
    command.add_argument("--format", choices=_FORMATS, default="text", help="default: text")
    command.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="write the report there, one line to the terminal",
    )
    command.add_argument(
        "--also", action="append", default=[], metavar="FORMAT=FILE",
        help="write the same report in another format as well; may be repeated",
    )  # fmt: skip
    command.add_argument(
        "--baseline", type=Path, metavar="FILE",
        help="known findings and shares that must not drop (default: .satchel/baseline.json)",
    )  # fmt: skip
    command.add_argument(
        "--update-baseline", action="store_true", help="write what is found to the baseline"
    )
    command.add_argument(
        "--fail-fast", action="store_true", help="stop at the first check that fails"
    )
    command.add_argument(
        "--reindex", action="store_true", help="first bring the index up to date, or make it"
    )
    options.add_root(command)
    options.add_workspace(command)

    command = options.command(commands, "repair", _repair)
    command.add_argument(
        "--dry-run", action="store_true", help="say what would be done, do nothing"
    )
    options.add_root(command)


def _validate(args: Namespace, environment: Mapping[str, str]) -> None:
    project = options.project_of(args, environment)
    if project.members and (args.output or args.also or args.baseline):
        raise UsageError(
            "--output, --also and --baseline work with one code base only",
            "validate each by itself, or leave them out",
        )
    if args.reindex:
        for one in options.each(project, args):
            _reindexed(one, args)
    # All are looked at before the worst of them decides, so that one damaged index hides no other.
    codes = [_validate_project(one, args) for one in options.each(project, args)]
    if any(codes):
        raise options.Reported(exit_code=max(codes))


def _reindexed(project: Project, args: Namespace) -> None:
    """Index all that changed, edges and vectors too: what is still being made is no finding."""
    from satchel.cli.commands.reindex import bring_up_to_date
    from satchel.indexer.refresh_values import RefreshReport

    with terminal.ProgressBar(quiet=args.quiet) as bar:
        if isinstance(bring_up_to_date(project, bar, quiet=args.quiet), RefreshReport):
            project.build_vectors(partial(bar.count, "vectors"), partial(bar.count, "chroma"))


def _validate_project(project: Project, args: Namespace) -> int:
    """Validate one code base; returns the exit code."""
    from satchel.validation import baseline as baselines
    from satchel.validation.formats.text import Format, format_report, verdict
    from satchel.validation.model import Level, Severity
    from satchel.validation.validate import validate

    # Every argument is checked before validation begins, because that may take long.
    also = [_also(argument) for argument in args.also]
    path: Path = args.baseline or project.folders.team / baselines.NAME
    fresh = args.update_baseline
    # A baseline from a run that stopped early would let through whatever was not looked at.
    if fresh and args.fail_fast:
        raise UsageError("a baseline needs all findings", "leave out --fail-fast")
    known = (
        baselines.Baseline()
        if fresh
        else baselines.read(
            path, required=bool(args.baseline), below=None if args.baseline else project.root
        )
    )
    if known.is_outdated:
        terminal.note(
            f"the shares in {path} are of another version of Satchel and are not compared;"
            " --update-baseline measures them again"
        )
    with terminal.ProgressBar(quiet=args.quiet) as bar:
        report = validate(
            project, Level[args.level.upper()], known, bar.step, fail_fast=args.fail_fast
        )
    # Files first: that one cannot be written is not to be overlooked below a long report.
    for name, file in also:
        terminal.write_document(file, format_report(report, Format(name)))
    document = format_report(report, Format.JSON if args.json else Format(args.format))
    if args.output:
        terminal.write_document(args.output, document)
        terminal.note(verdict(report))
    else:
        terminal.out_document(document)
    # The findings have just been accepted as known, so they are no reason to fail.
    if fresh:
        baselines.write(path, report)
        terminal.note(f"baseline written: {path}")
        return 0
    return report.exit_code(Severity(project.settings.validation.fail_on))


def _also(argument: str) -> tuple[str, Path]:
    name, _, file = argument.partition("=")
    if name not in _FORMATS or not file:
        raise UsageError(
            f"--also {argument!r} is not FORMAT=FILE", f"formats: {', '.join(_FORMATS)}"
        )
    return name, Path(file)


def _repair(args: Namespace, environment: Mapping[str, str]) -> None:
    from satchel.workspace.repair import repair

    project = options.project_of(args, environment)
    with terminal.ProgressBar(quiet=args.quiet) as bar:
        report = repair(project, bar.update, dry_run=args.dry_run)
    if args.json:
        terminal.out_json(RepairResult(report))
        return
    for line in _repair_lines(report):
        terminal.out(line)


def _repair_lines(report: RepairReport) -> list[str]:
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
