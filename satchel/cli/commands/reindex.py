"""`reindex` and `deps-source`: update indexes and show the progress."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from satchel.assembler import quoting
from satchel.assembler.quoting import clean
from satchel.cli import options, terminal
from satchel.indexer.refresh_values import RefreshReport
from satchel.store.counted import counted
from satchel.store.errors import Locked, UsageError
from satchel.store.model import Generation, SkipReason
from satchel.workspace.project import Project, VectorReport
from satchel.workspace.serving.catch_up import refresh_after

if TYPE_CHECKING:
    from satchel.workspace.serving.work_queue import Outcome


class ReindexResult(Struct, frozen=True):
    """What `reindex` did, as JSON; `schema` names the version of its shape.

    Where a server keeps the index, it was asked: then `by_owner` is true, and nothing is counted.
    """

    index: RefreshReport
    vectors: VectorReport
    by_owner: bool = False
    schema: int = 1


def add(commands: options.Commands) -> None:
    """Add the command."""
    command = options.command(commands, "reindex", _reindex)
    command.add_argument("path", nargs="?", type=Path, help="the folder to index (default: here)")
    options.add_root(command)
    command.add_argument(
        "--full", action="store_true", help="rebuild the index from nothing; knowledge stays"
    )
    options.add_workspace(command)

    command = options.command(commands, "deps-source", _deps_source)
    command.add_argument(
        "name", nargs="*", help="these packages as well, from now on; globs are allowed"
    )
    command.add_argument("--all", action="store_true", help="index everything that is installed")
    command.add_argument("--list", action="store_true", help="list them, index nothing")
    options.add_root(command)


def _reindex(args: Namespace, environment: Mapping[str, str]) -> None:
    if args.path and (args.workspace or args.repo):
        raise UsageError(
            "PATH cannot be combined with --workspace or --repo", "leave out one of them"
        )
    if args.path and args.root:
        raise UsageError("PATH and --root name the same thing", "leave out one of them")
    args.root = args.root or args.path
    for one in options.each(options.project_of(args, environment), args):
        _reindex_project(one, args)


def _reindex_project(project: Project, args: Namespace) -> None:
    with terminal.ProgressBar(quiet=args.quiet) as bar:
        report = bring_up_to_date(project, bar, full=args.full, quiet=args.quiet)
        if not isinstance(report, RefreshReport):
            _tell_of_owner(project, report, args)
            return
        if not args.json:
            terminal.out(
                f"generation {report.generation}: {report.added} added, {report.changed} changed,"
                f" {report.removed} removed, {report.unchanged} unchanged,"
                f" {report.skipped} skipped"
            )
        if report.rules_cut:
            _note_cut_rules(project)
        # The summary is out before vectors are built, because text and graph answer from here on.
        vectors = project.build_vectors(partial(bar.count, "vectors"), partial(bar.count, "chroma"))
    # Those of the shipped table are made where files are analysed.
    vectors = structs.replace(vectors, encoded=vectors.encoded + report.encoded)
    if args.json:
        terminal.out_json(ReindexResult(report, vectors))
    elif vectors.encoded or vectors.mirror:
        terminal.out(_vector_summary(vectors))
    if vectors.problem:
        terminal.note(vectors.problem)


def bring_up_to_date(
    project: Project, bar: terminal.ProgressBar, *, full: bool = False, quiet: bool
) -> RefreshReport | Outcome:
    """Index all that changed, edges too, once whoever writes the index has ended.

    Returns what was done, or what the server says that keeps the index and did it.
    """
    try:
        return project.refresh(bar.update, full=full)
    except Locked as error:
        outcome = _by_owner(project, full=full)
        if outcome is not None:
            return outcome
        if not quiet:
            terminal.note(f"{error.message}: waiting until it is done")
    return refresh_after(project, bar.update, full=full)


def _deps_source(args: Namespace, environment: Mapping[str, str]) -> None:
    from satchel.cli.output import dependencies as printed
    from satchel.workspace.dependencies import joined_project

    project = options.project_at(args.root, args, environment)
    # What is imported is told by the index.
    for notice in options.catch_up(project, args):
        terminal.note(f"note: {notice}")
    found = joined_project.find(project, environment, args.name, every=args.all)
    for notice in found.notices:
        terminal.note(clean(f"note: {notice}"))
    if args.list:
        done = joined_project.with_known_indexes(project, environment, found.packages)
    else:
        joined_project.forget(project, found.packages)
        with terminal.ProgressBar(quiet=args.quiet) as bar:
            done = joined_project.index(
                project, environment, found.packages, bar.package, bar.update
            )
    printed.dependencies(done, args)
    options.finish(project, args)


def _note_cut_rules(project: Project) -> None:
    """Say which ignore rules are not in force, as files that were meant to be left out are in."""
    with project.snapshot() as snapshot:
        for record in snapshot.files.skipped():
            if record.reason == SkipReason.RULES_CUT:
                terminal.note(f"{quoting.path(record.path)}: {record.detail}")


def _by_owner(project: Project, *, full: bool) -> Outcome | None:
    """What the server did that keeps the index, which may not end for days; None without one.

    Raises:
        Locked: the server could not do it.
    """
    from satchel.workspace.serving import channel  # with NumPy, for Chroma's answers
    from satchel.workspace.serving.work_queue import Request

    request = Request(everything=True, full=full)
    try:
        return channel.ask(project.folders.socket, request, seconds=None)
    except OSError:
        return None  # another command, which will end


def _tell_of_owner(project: Project, outcome: Outcome, args: Namespace) -> None:
    if args.json:
        # The shape of the JSON stays the same although the server tells only its generation.
        done = RefreshReport(Generation(outcome.generation))
        vectors = VectorReport(project.settings.vectors.engine, 0, None)
        terminal.out_json(ReindexResult(done, vectors, by_owner=True))
        return
    terminal.out(f"generation {outcome.generation}: up to date, by the server that keeps the index")
    for notice in outcome.notices:
        terminal.note(notice)


def _vector_summary(report: VectorReport) -> str:
    text = f"vectors: {counted(report.encoded, 'chunk')} encoded"
    if report.mirror is None:
        return text
    mirror = report.mirror
    held = f"Chroma holds {mirror.held:,} ({mirror.added:,} added, {mirror.removed:,} removed)"
    return f"{text}; {held}"
