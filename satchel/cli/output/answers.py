"""`context` and `search`, one question or a batch of them."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from satchel.assembler.budget import MAX_QUERY, check_budget, check_search
from satchel.assembler.kinds import Scope, TextMode
from satchel.assembler.output import listings
from satchel.assembler.query.question import Question
from satchel.assembler.survey.packages import resolved
from satchel.assembler.values import ContextPack, SearchReply
from satchel.cli import questions, terminal
from satchel.cli.output import schema
from satchel.cli.output.numbering import numbered, numbered_pack
from satchel.cli.questions import Asked, Asker, Malformed
from satchel.store.errors import SatchelError, UsageError
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import ChunkRecord
from satchel.workspace.project import Project

if TYPE_CHECKING:
    from satchel.assembler.exact.search import LinesReply, Wanted
    from satchel.assembler.ranking.candidates import VectorSearch
    from satchel.workspace.packs import OpenView, PackRequest


class Request(Struct, frozen=True):
    """A question to `search` with everything decided."""

    id: str | int | None
    question: Question
    full: bool
    max_results: int
    min_score: float
    explain: bool
    notices: tuple[str, ...]
    """What a reader should know of the question: that it was too long, and what was read of it."""


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
        if args.command == "context":
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
        elif questions.mode(project, args, asked) in questions.EXACT:
            from satchel.assembler.exact import search as exact

            exact.checked(*_pattern_and_page(project, args, asked))
        else:
            wanted = _request(project, args, asked)
            check_search(wanted.max_results, wanted.min_score)
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


def search(
    project: Asker,
    snapshot: Snapshot,
    args: Namespace,
    vectors: VectorSearch | None,
    notices: tuple[str, ...],
    lines: Lines,
) -> bool:
    """Print results, or a line of them for each line of the batch; whether there are any.

    In a batch each reply says so itself.
    """
    is_found = bool(args.batch)
    for asked in lines:
        if isinstance(asked, Malformed):
            malformed(asked)
            continue
        try:
            is_found |= search_one(project, snapshot, args, vectors, notices, asked)
        except UsageError as error:
            failed(args, asked, error)
    return is_found


def search_one(
    project: Asker,
    snapshot: Snapshot,
    args: Namespace,
    vectors: VectorSearch | None,
    notices: tuple[str, ...],
    asked: Asked,
    likely: tuple[tuple[str, float], ...] = (),
) -> bool:
    """Print the results of one question; whether there are any.

    `likely` says of folders how likely they are meant, where several repositories are asked.

    Raises:
        UsageError: something about the question is out of bounds.
    """
    if questions.mode(project, args, asked) in questions.EXACT:
        from satchel.assembler.exact import search as exact

        wanted, n_rows, offset = _pattern_and_page(project, args, asked)
        wanted = replace(wanted, path=resolved(snapshot, wanted.path))
        found = exact.find(snapshot, wanted, n_rows, offset)
        if isinstance(project, Project):
            from satchel.workspace import span_check

            found = span_check.current_lines(project, snapshot, wanted, found)
        _print_lines(args, asked.id, found, (*notices, *found.notices))
        return bool(found.rows)
    from satchel.assembler import search as ranked  # exact text is found without it

    request = _request(project, args, asked)
    question = request.question
    notices = (*notices, *request.notices)
    reply = ranked.search(
        snapshot,
        replace(question, path=resolved(snapshot, question.path), likely=likely),
        request.max_results,
        min_score=request.min_score,
        vectors=vectors,
    )
    # What is quoted is compared with the disk, where there is one: a hub has none.
    if request.full and isinstance(project, Project):
        from satchel.workspace import span_check

        reply = span_check.current_results(project, reply)
        notices = (*notices, *reply.notices)
    if args.json or args.batch:
        result = schema.search_result(
            request.id, reply, snapshot, full=request.full, explain=request.explain
        )
        terminal.out_json(msgspec.structs.replace(result, notices=notices))
        return bool(reply.results)
    for notice in notices:
        terminal.note(f"note: {notice}")
    _print_places(snapshot, args, request, reply)
    return bool(reply.results)


def _print_places(
    snapshot: Snapshot, args: Namespace, request: Request, reply: SearchReply
) -> None:
    from satchel.assembler import search as ranked

    def text_of(chunk: ChunkRecord) -> str:
        text = ranked.text_of(snapshot, chunk)
        return numbered(text.rstrip("\n"), chunk.span.start_line) if args.line_numbers else text

    for line in listings.search_lines(
        reply, text_of if request.full else None, explain=request.explain
    ):
        terminal.row(line)


def _pattern_and_page(project: Asker, args: Namespace, asked: Asked) -> tuple[Wanted, int, int]:
    """What is looked for, how many lines of it, and after how many others.

    Raises:
        UsageError: it says what only ranked answers understand.
    """
    from satchel.assembler.exact.search import Wanted

    min_score = questions.first(asked.min_score, args.min_score, 0.0)
    if min_score or questions.first(asked.explain, args.explain):
        # Lines of text have no score, and a flag that does nothing would mislead.
        hint = "leave out --explain and --min-score"
        raise UsageError("exact text and expressions are not ranked", hint)
    wanted = Wanted(
        asked.query, TextMode(questions.mode(project, args, asked)),
        questions.first(asked.ignore_case, args.ignore_case),
        questions.scope(asked.scope or args.scope or Scope.ALL),
        questions.path(project, asked, args),
    )  # fmt: skip
    default = project.settings.search.max_results
    n_rows = questions.first(asked.max_results, args.max_results, default)
    return wanted, n_rows, questions.first(asked.offset, args.offset, 0)


def _print_lines(
    args: Namespace, number: str | int | None, reply: LinesReply, notices: tuple[str, ...]
) -> None:
    if args.json or args.batch:
        terminal.out_json(schema.lines_result(number, reply, notices))
        return
    for notice in notices:
        terminal.note(f"note: {notice}")
    for line in listings.exact_lines(reply):
        # Below each path stand lines of its file, which are shown as they are.
        (terminal.out if line.startswith(" ") else terminal.row)(line)
    # Counts go to standard error, so that a pipe gets lines alone.
    if reply.n_lines:
        terminal.note(listings.exact_head(reply))
    for line in listings.exact_tail(reply, option="--offset"):
        terminal.note(line)


def failed(args: Namespace, asked: Asked, error: SatchelError) -> None:
    """Print the error in place of a batch line's answer; outside of a batch, raise it."""
    if not args.batch:
        raise error
    terminal.out_json(schema.Failure(asked.id, error.message, error.hint))


def _request(project: Asker, args: Namespace, asked: Asked) -> Request:
    settings = project.settings.search
    ignores_case = questions.first(asked.ignore_case, args.ignore_case)
    if ignores_case or questions.first(asked.offset, args.offset, 0):
        raise UsageError("--offset and --ignore-case belong to exact text", "add --exact TEXT")
    scope = questions.scope(asked.scope or args.scope or Scope.IMPL)
    text = asked.query
    notices: tuple[str, ...] = ()
    if len(text) > MAX_QUERY:  # only then is what cuts it loaded
        from satchel.assembler.query import long_input

        text, notices = long_input.within_bounds(text)
    return Request(
        id=asked.id,
        question=Question(text, scope, questions.path(project, asked, args)),
        full=questions.mode(project, args, asked) == "full",
        max_results=questions.first(asked.max_results, args.max_results, settings.max_results),
        min_score=questions.first(asked.min_score, args.min_score, 0.0),
        explain=questions.first(asked.explain, args.explain),
        notices=notices,
    )
