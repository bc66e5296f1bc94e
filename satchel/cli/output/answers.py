"""`context` and `search`, one question or a batch of them."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable
from typing import TYPE_CHECKING

from satchel.assembler.budget import check_budget
from satchel.assembler.output.numbering import numbered_pack
from satchel.assembler.query.question import Question
from satchel.assembler.values import ContextPack
from satchel.cli import terminal
from satchel.cli.output import questions, schema
from satchel.cli.output.questions import Asked, Asker, Malformed
from satchel.store.errors import SatchelError, UsageError
from satchel.workspace.project import Project

if TYPE_CHECKING:
    from satchel.workspace.packs import OpenView, PackRequest


Lines = Iterable[Asked | Malformed]


def checked(project: Asker, args: Namespace, lines: Lines) -> Lines:
    """The same lines, each checked as far as that is possible without an index.

    Raises:
        UsageError: something about one of them is out of bounds.
    """
    every = tuple(lines)
    for asked in every:
        if isinstance(asked, Malformed):
            continue
        from satchel.assembler.query import long_input

        request = pack_request(project, args, asked)
        text, _ = long_input.within_bounds(request.query)
        if request.budget is not None:
            check_budget(request.budget)
        if request.diff:
            assert isinstance(project, Project)  # a hub has no working tree to review
            project.check_since(request.diff)
        else:
            Question(text)  # which holds its own bounds
    return every


def context(
    project: Project, args: Namespace, as_it_is: OpenView, newer: OpenView, lines: Lines
) -> bool:
    """Print a pack, or one for each line of the batch; whether there was anything to show.

    In a batch each reply says so itself.
    """
    from satchel.workspace import packs

    for asked in lines:
        if isinstance(asked, Malformed):
            malformed(asked)
            continue
        try:
            # A line that cannot be answered is reported in its place, and the next one is read.
            pack = packs.compose(pack_request(project, args, asked), as_it_is, newer).pack
        except UsageError as error:
            failed(args, asked, error)
            continue
        print_pack(args, asked.id, pack)
        if not (pack.excerpts or args.batch):
            return False
    return True


def malformed(line: Malformed) -> None:
    """Print what stands in the place of a line that is no question."""
    terminal.out_json(schema.Failure(line.id, line.message, line.hint))


def replay(project: Project, args: Namespace) -> None:
    """Print a pack that was made before.

    Raises:
        UsageError: it is not kept, or the index is not what it was made from.
    """
    from satchel.workspace import packs

    print_pack(args, None, packs.replay(project, args.replay))


def print_pack(args: Namespace, number: str | int | None, pack: ContextPack) -> None:
    """Print a pack; `number` is the id of its line in a batch."""
    if args.json or args.batch:
        terminal.out_json(schema.context_result(number, pack))
    else:
        terminal.out(numbered_pack(pack.text) if args.line_numbers else pack.text, end="")
    if args.explain:
        from satchel.assembler.output import explain

        # To standard error: what stands on standard output is the pack and nothing else.
        terminal.note(explain.explanation(pack))


def pack_request(project: Asker, args: Namespace, asked: Asked) -> PackRequest:
    """What a line asks for, with what the flags say of it.

    Raises:
        UsageError: it says what only `search` understands.
    """
    from satchel.workspace.packs import PackRequest

    # A batch line may use the command line's word for the budget or that of the agents' tool.
    budget = asked.budget if asked.budget is not None else asked.budget_tokens
    if asked.mode or asked.ignore_case or asked.offset:
        raise UsageError("mode, ignore_case and offset belong to `search`", "leave them out")
    scope = asked.scope or args.scope
    return PackRequest(
        asked.query,
        budget=args.budget if budget is None else budget,
        scope=questions.scope(scope) if scope else None,
        path=questions.path(project, asked, args),
        diff=args.diff or "",
    )


def failed(args: Namespace, asked: Asked, error: SatchelError) -> None:
    """Print the error in place of a batch line's answer; outside of a batch, raise it."""
    if not args.batch:
        raise error
    terminal.out_json(schema.Failure(asked.id, error.message, error.hint))
