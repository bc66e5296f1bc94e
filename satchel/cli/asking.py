"""A question on the command line: read from arguments or a batch, asked of a source, printed.

What is asked, and what the answer says, is the question's own (`satchel.questions`): names,
choices, bounds and defaults of options are those of its request, so that a command takes what every
other face takes. A field that is not given stays None, and means what it means elsewhere.
"""

from __future__ import annotations

import os
import stat
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, structs

from satchel.assembler.kinds import PROJECT
from satchel.assembler.survey.packages import MARK
from satchel.cli import options, served, terminal
from satchel.questions import request as requests
from satchel.questions.arguments import by_own_name, checked
from satchel.questions.params import Kind, Param, bounds_of
from satchel.questions.request import Question, ReplyText, Request, Style, params
from satchel.questions.rows import VERSION
from satchel.store import path_filter
from satchel.store.errors import Locked, Unwritable, UsageError
from satchel.workspace.configuration.settings import Settings

if TYPE_CHECKING:
    from satchel.workspace.checkout_view import CheckoutView
    from satchel.workspace.project import Project

_HEAD_BYTES, _TAIL_BYTES = 100_000, 400_000
_MOST_BYTES = 1_000_000_000
_MAX_LINE_BYTES = 16 << 20
"""Of a batch; the longest question there is takes 12 MB where every character is escaped."""
_LINE = 'each line is {"id": …, "query": …}'
Id = str | int | None
_NAMES = frozenset({"name", "until"})
"""Fields of requests in which symbols are named."""
_AS_WRITTEN = ("exact", "regex")
_METAVARS = {Kind.WHOLE: "N", Kind.NUMBER: "X"}


class _Listed(tuple[str, ...]):
    """Choices for help and completion: the request checks a value, and words the refusal."""

    __slots__ = ()

    def __contains__(self, _value: object) -> bool:
        return True


class Failure(Struct, frozen=True):
    """The JSON in the place of an answer to a line of a batch that cannot be answered."""

    id: Id
    error: str
    hint: str
    schema: int = VERSION


class Asked(Struct, frozen=True):
    """One line: its id in a batch, and its request or why it is none."""

    id: Id
    request: Request | UsageError


def ask(
    question: Question[Any, Any],
    args: Namespace,
    environment: Mapping[str, str],
    also: Callable[[Any], None] = lambda _reply: None,
) -> None:
    """Answer what the arguments ask, of a checkout, a workspace or a hub; `also` tells more.

    Raises:
        UsageError: a value is out of bounds, or asks for what the source does not have.
        Reported: nothing answers the question, as was printed.
    """
    if getattr(args, "hub", ""):
        _ask_hub(question, args, also)
        return
    from satchel.workspace import checkout_view

    project = options.project_of(args, environment)
    lines = read_questions(question.request, args, project.root, project.settings)
    is_ranked = True
    # Nothing is indexed for a question that cannot be asked. The lines of a batch come one by one,
    # so each is looked at in its turn.
    if not getattr(args, "batch", None):
        one = request_of(next(iter(lines)))
        requests.refuse(one, checkout_view.CANNOT)
        if one.about.since:
            project.check_since(one.about.since)
        lines, is_ranked = iter([Asked(None, one)]), one.is_ranked
    notices = options.catch_up(project, args)
    if hasattr(args, "with_dependencies"):
        project = options.with_dependencies(project, args, environment)
    late = is_ranked and encode_if_few(project, args)

    def reply_to(request: Request) -> object:
        opened = partial(checkout_view.view, project, notices, ranked=request.is_ranked)
        return requests.answered(question, request, opened, partial(newer, project))

    is_found = _answer_each(question, args, lines, reply_to, also)
    # The mirror is filled after the answer has been printed. A server that owns the index fills its
    # own.
    if late and project.settings.vectors.engine == "chroma":
        encode(project, args)
    options.finish(project, args)
    if not is_found:
        raise options.Reported


def _ask_hub(question: Question[Any, Any], args: Namespace, also: Callable[[Any], None]) -> None:
    """Print what a hub answers: each line is asked of the repositories that it is about."""
    from satchel.cli.output.hub_answers import connected
    from satchel.hub import asking

    with connected(args.hub) as hub:

        def reply_to(request: Request) -> object:
            with asking.opened(hub, args.repo or "*", request, named=False) as view:
                return question.answer(view, request)

        # A hub has no folder: every path begins with the name of its repository.
        lines = read_questions(question.request, args, None, Settings())
        _answer_each(question, args, lines, reply_to, also)


def _answer_each(
    question: Question[Any, Any],
    args: Namespace,
    lines: Iterable[Asked],
    reply_to: Callable[[Request], Any],
    also: Callable[[Any], None],
) -> bool:
    """Print an answer for each line; whether there was anything to show.

    In a batch each answer says so itself, and so does a line that cannot be answered.
    """
    is_found = bool(getattr(args, "batch", None))
    for line in lines:
        try:
            reply = reply_to(request_of(line))
        except UsageError as error:
            if not getattr(args, "batch", None):
                raise
            terminal.out_json(Failure(line.id, error.message, error.hint))
            continue
        show(question, reply, args, line.id)
        also(reply)
        is_found |= question.is_found(reply)
    return is_found


def request_of(line: Asked) -> Any:  # noqa: ANN401 - of the question that it was read for
    """The request of a line. Raises: UsageError: it is none."""
    if isinstance(line.request, UsageError):
        raise line.request
    return line.request


def show(question: Question[Any, Any], reply: object, args: Namespace, number: Id = None) -> None:
    """Print a reply, as JSON where that is asked for; `number` is the id of its line in a batch."""
    batch = getattr(args, "batch", None)
    if args.json or batch or getattr(args, "format", "") == "json":
        result = question.json(reply)
        terminal.out_json(structs.replace(result, id=number) if batch else result)
        return
    style = Style(numbers=getattr(args, "line_numbers", False), dashes=True)
    print_reply(question.text(reply, style))


def print_reply(reply: ReplyText) -> None:
    """Print a reply: its rows to standard output, what is said of them to standard error."""
    if reply.whole:
        terminal.out(reply.whole, end="")
        return
    for notice in reply.notices:
        terminal.note(f"note: {notice}")
    for row in reply.rows:
        # Text of a file is shown as it is, and not broken like a row.
        (terminal.out if reply.quotes and row.startswith(" ") else terminal.row)(row)
    for line in (reply.head, *reply.rest):
        terminal.note(line)


def encode_if_few(project: Project, args: Namespace) -> bool:
    """Build the vectors that are missing where that takes a moment; whether they are too many."""
    from satchel.workspace.serving.catch_up import CHUNKS_AT_ONCE

    # Text and graph answer at once; vectors come first only where that takes a moment.
    n_missing = project.chunks_without_vectors()
    is_mirrored = project.settings.vectors.engine == "chroma" or _has_many(project)
    late = n_missing > CHUNKS_AT_ONCE
    if not late and (n_missing or is_mirrored):
        encode(project, args)
    return late


def _has_many(project: Project) -> bool:
    """Whether there are so many chunks that Chroma answers for them unasked."""
    from satchel.store.vectors.chroma import is_installed

    # Counting opens the index, which every question would otherwise pay for.
    if project.settings.vectors.engine != "auto" or not is_installed():
        return False
    with project.snapshot() as snapshot:
        return project.uses_chroma(snapshot.terms.n_chunks())


def encode(project: Project, args: Namespace) -> None:
    """Build vectors, unless another process does so or none may write."""
    with suppress(Locked, Unwritable), terminal.ProgressBar(quiet=args.quiet) as bar:
        project.build_vectors(partial(bar.count, "vectors"), partial(bar.count, "chroma"))


def newer(project: Project) -> AbstractContextManager[CheckoutView]:
    """The index for a pack that found files changed: brought up to date once more."""
    from satchel.workspace import checkout_view
    from satchel.workspace.project import ignore_progress
    from satchel.workspace.serving.catch_up import catch_up

    return checkout_view.view(project, catch_up(project, ignore_progress))


def read_questions(
    request: type[Request], args: Namespace, root: Path | None, settings: Settings
) -> Iterator[Asked]:
    """The one question of the arguments, or those of a batch, about what lies below `root`.

    Raises:
        UsageError: there is none, or more than one where one is meant.
    """
    # Refused as early as a slip of the pen can be: before there is an index, and in a batch before
    # the next line is read.
    said = given_fields(args, request)
    said.pop("query", None)  # words, which are one question or what stands beside a pipe
    if hasattr(args, "package"):
        said["path"] = path_of(root, args)
    if root:
        said |= _from_here(root, said, path=not hasattr(args, "package"))
    if not getattr(args, "batch", None):
        if "query" in request.__struct_fields__:
            said |= _query(args)
        yield Asked(None, requests.read(request, said, settings))
        return
    if args.query or any(getattr(args, mode, None) is not None for mode in _AS_WRITTEN):
        raise UsageError("more than one question", "give one, or --batch FILE")
    for number, line in enumerate(lines_of(args.batch), start=1):
        if line.strip():
            yield _of_line(request, said, settings, line, f"{args.batch}, line {number}")


def _of_line(
    request: type[Request], said: Mapping[str, object], settings: Settings, line: bytes, where: str
) -> Asked:
    """One line of a batch; what it leaves out comes from the flags, then from the settings."""
    number: Id = None
    try:
        found = msgspec.json.decode(line, type=dict[str, Any])
        number = msgspec.convert(found.pop("id", None), Id)
        own = by_own_name(requests.params(request), found)
        return Asked(number, requests.read(request, {**said, **own}, settings))
    except msgspec.MsgspecError as error:
        return Asked(number, UsageError(f"{where}: {error}", _LINE))
    except UsageError as error:
        return Asked(number, UsageError(f"{where}: {error.message}", error.hint))


def _query(args: Namespace) -> dict[str, object]:
    """The question in words, as --exact or as --regex. Raises: UsageError: none, or several."""
    exact = [(m, t) for m in _AS_WRITTEN if (t := getattr(args, m, None)) is not None]
    if len(exact) + bool(args.query) > 1:
        raise UsageError("more than one question", "give a query, --exact TEXT or --regex RE")
    if exact:
        mode, text = exact[0]
        return {"query": text, "mode": mode}
    if getattr(args, "diff", None):
        return {"query": " ".join(args.query)} if args.query else {}
    words = [word for word in args.query if word != "-"]
    pasted = (
        _standard_input()
        if len(words) < len(args.query) or (not words and _stdin_is_redirected())
        else ""
    )
    text = "\n\n".join(filter(None, (" ".join(words), pasted)))
    if not (words or pasted):
        raise UsageError("no question", "give one, pipe something into this, or --batch FILE")
    return {"query": text}


def _stdin_is_redirected() -> bool:
    """Whether standard input is a pipe or a file, which somebody means to be read."""
    served.expect_own()
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError):  # there is none
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)


def _standard_input() -> str:
    """Standard input as text without colours; of a huge one its beginning and its end.

    Raises:
        UsageError: it is a gigabyte or more, as a stream without an end is.
    """
    from satchel.assembler.query.traces import TERMINAL_CODE

    served.expect_own()
    head = sys.stdin.buffer.read(_HEAD_BYTES)
    tail, n_bytes = b"", len(head)
    while piece := sys.stdin.buffer.read(_TAIL_BYTES):
        tail = (tail + piece)[-_TAIL_BYTES:]
        n_bytes += len(piece)
        if n_bytes > _MOST_BYTES:  # a stream without an end would be read for ever
            hint = f"pipe a part of it, as in `… | tail -c {_TAIL_BYTES}`"
            raise UsageError(f"standard input has more than {_MOST_BYTES:,} bytes", hint)
    if n_bytes > len(head) + len(tail):
        terminal.note(
            f"note: standard input has {n_bytes:,} bytes; read were the first {_HEAD_BYTES:,} and"
            f" the last {_TAIL_BYTES:,}"
        )
    return TERMINAL_CODE.sub("", (head + tail).decode("utf-8", "replace")).strip()


def lines_of(name: str) -> Iterator[bytes]:
    """The lines of a batch as they come: of a file, or with "-" of standard input.

    Raises:
        UsageError: it cannot be read, or a line has no end.
    """
    served.expect_own()
    try:
        # Lines are answered as they come, so another program can ask one question after the other.
        with nullcontext(sys.stdin.buffer) if name == "-" else Path(name).open("rb") as stream:
            while line := stream.readline(_MAX_LINE_BYTES):
                if len(line) == _MAX_LINE_BYTES:
                    raise UsageError(
                        f"{name} has a line of {len(line):,} bytes or more",
                        "give JSON, a line each",
                    )
                yield line
    except OSError as error:
        raise UsageError(
            f"{name} cannot be read: {error.strerror}", "name a file of JSON lines, or - for a pipe"
        ) from error


def path_of(root: Path | None, args: Namespace) -> str:
    """What --path and --package limit a question to, from the root on."""
    written = args.path or []
    globs = [_path_from_here(root, path) for path in written] if root else [*written]
    globs += [f"{MARK}{name}" for name in args.package]
    return path_filter.any_of(globs or [""])


def _from_here(root: Path, said: Mapping[str, object], *, path: bool) -> dict[str, object]:
    """Fields that name symbols, and with `path` a folder, from the root on."""
    found: dict[str, object] = {
        field: options.names_from_here(root, str(said[field])) for field in _NAMES & said.keys()
    }
    if path and said.get("path", PROJECT) != PROJECT:
        found["path"] = _path_from_here(root, str(said["path"]))
    return found


def _path_from_here(root: Path, written: str) -> str:
    """A path from the root on; the name of a package is none."""
    return written if written.startswith(MARK) else options.from_here(root, written)


def add_fields(
    command: ArgumentParser,
    request: type[Struct],
    flags: Mapping[str, tuple[str, ...]] = {},
    *,
    without: Collection[str] = (),
    only: Collection[str] = (),
    defaults: Mapping[str, object] = {},
) -> None:
    """Add an option for each field of a request; `flags` are the names of those that have others.

    Fields in `without` are arguments of another kind, which the command adds itself; a command that
    asks a part of the question takes `only` some. `defaults` are the command's own.
    """
    for param in params(request):
        if param.name in defaults:
            param = replace(param, default=defaults[param.name])
        if param.name not in without and (not only or param.name in only):
            usual = (f"--{param.name.replace('_', '-')}",)
            _add(command, param, flags.get(param.name, usual))
    command.set_defaults(**defaults)


def _add(command: ArgumentParser, param: Param, flags: tuple[str, ...]) -> None:
    about = _about(param)
    if param.kind == Kind.FLAG:
        command.add_argument(*flags, dest=param.name, action="store_true", default=None, help=about)
        return
    listed = _Listed(param.choices) or None
    metavar = None if listed else _METAVARS.get(param.kind, param.name.upper())
    command.add_argument(
        *flags, dest=param.name, choices=listed, metavar=metavar, help=about,
        action="append" if param.kind == Kind.TEXTS else "store",
    )  # fmt: skip


def _about(param: Param) -> str:
    """What a field is, its bounds, and what it is without being given."""
    bounds = bounds_of(param) if param.kind in _METAVARS else ""
    default = "" if param.default in (None, "", False) else str(param.default)
    default = f"{param.setting} of the settings" if param.setting else default
    usual = f" (default: {default})" if default else ""
    return f"{param.about}{f',{bounds}' if bounds else ''}{usual}".replace("%", "%%")


def given_values(args: Namespace, request: type[Struct]) -> dict[str, object]:
    """What the arguments say of the fields of a request, checked. Raises: UsageError."""
    return checked(params(request), given_fields(args, request), None).given()


def given_fields(args: Namespace, request: type[Struct]) -> dict[str, object]:
    """What the arguments say of the fields of a request."""
    found = {param.name: getattr(args, param.name, None) for param in params(request)}
    return {name: value for name, value in found.items() if value is not None}
