"""`bench history` and `tune` as commands: what packs show of this repository's own fixes."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from satchel.cli import options, terminal
from satchel.store.errors import UsageError

if TYPE_CHECKING:
    from satchel.evaluation.history import OnStep, Options
    from satchel.indexer.refresh_values import OnProgress

_MOST_FIXES = 1000


def add(commands: options.Commands) -> None:
    """Add the commands."""
    # More questions may follow, so the question is a word of its own, as with `graph`.
    top = options.plain_command(commands, "bench")
    asked = top.add_subparsers(required=True, metavar="WHAT", dest="bench")
    about = (
        "Asks for fixes of your own history by their messages, of the code as it was before them,"
        " and counts the changed lines that packs show. Ctrl-C prints what there is by then."
    )
    command = options.command(asked, "history", _history, about)
    _add_history(command)
    command.add_argument(
        "--fixes", type=int, default=60, metavar="N", help="ask for at most this many (default: 60)"
    )
    options.add_root(command)

    command = options.command(commands, "tune", _tune)
    # Without either it says what is in force.
    what = command.add_mutually_exclusive_group()
    what.add_argument(
        "--history", action="store_true",
        help="choose numbers on earlier fixes, keep them if they show more of later ones",
    )  # fmt: skip
    what.add_argument("--undo", action="store_true", help="go back to the shipped numbers")
    _add_history(command)
    command.add_argument(
        "--fixes", type=int, default=120, metavar="N",
        help="ask for at most this many (default: 120)",
    )  # fmt: skip
    options.add_root(command)


def _add_history(command: ArgumentParser) -> None:
    command.add_argument(
        "--since", default="1y", metavar="WHEN",
        help="fixes since then: an age (1y, 90d), a date or a revision (default: 1y); at most"
        " 1,500 commits, and half of the history",
    )  # fmt: skip
    command.add_argument(
        "--budget", type=int, default=4000, metavar="N", help="tokens of a pack (default: 4000)"
    )


def _history(args: Namespace, environment: Mapping[str, str]) -> None:
    from satchel.cli.output import evaluation
    from satchel.evaluation import history

    # Numbers are checked before anything is read for them.
    asked = _options(args)
    project = options.project_of(args, environment)
    with _progress(args) as (on_step, on_progress):
        report = history.measure(project, environment, asked, on_step, on_progress)
    evaluation.print_report(report, as_json=args.json)


def _tune(args: Namespace, environment: Mapping[str, str]) -> None:
    from satchel.cli.output import evaluation
    from satchel.workspace.configuration import tuned

    project = options.project_of(args, environment)
    if args.undo:
        evaluation.print_undone(was_tuned=tuned.remove(project.directory), as_json=args.json)
    elif not args.history:
        evaluation.print_tuned(tuned.read(project.directory), as_json=args.json)
    else:
        from satchel.evaluation import tune

        with _progress(args) as (on_step, on_progress):
            outcome = tune.tune(project, environment, _options(args), on_step, on_progress)
        evaluation.print_outcome(outcome, as_json=args.json)


def _options(args: Namespace) -> Options:
    """What was asked for. Raises: UsageError: a number is out of bounds."""
    from satchel.assembler.budget import check_budget
    from satchel.evaluation.history import LEAST, Options

    check_budget(args.budget)
    if not LEAST <= args.fixes <= _MOST_FIXES:
        raise UsageError(
            f"--fixes is {args.fixes}, must be {LEAST} to {_MOST_FIXES:,}", "60 take a minute"
        )
    return Options(args.since, args.fixes, args.budget)


@contextmanager
def _progress(args: Namespace) -> Iterator[tuple[OnStep, OnProgress]]:
    """Progress on a terminal, of the steps and of the indexing in between."""
    with terminal.ProgressBar(quiet=args.quiet) as bar:
        on_step: Callable[[str, int, int], None] = bar.stage
        yield on_step, bar.update
