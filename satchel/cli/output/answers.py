"""`context` and `search`, one question or a batch of them."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from satchel.assembler import assemble
from satchel.assembler.assemble import Question
from satchel.assembler.output import explain, listings
from satchel.assembler.ranking.candidates import VectorSearch
from satchel.assembler.survey import review
from satchel.assembler.values import Absence, ContextPack, Scope
from satchel.cli import terminal
from satchel.cli.output import schema
from satchel.store.errors import SatchelError, UsageError
from satchel.store.reading.snapshot import Snapshot
from satchel.workspace import knowledge, pack_log, span_check
from satchel.workspace.index_paths import inside
from satchel.workspace.project import Project

_T = TypeVar("_T")


class Asked(Struct, frozen=True, forbid_unknown_fields=True):
    """One line of a batch; what it leaves out comes from the flags, then from the settings."""

    query: str
    id: str | int | None = None
    scope: str | None = None
    path: str | None = None
    budget: int | None = None
    budget_tokens: int | None = None
    mode: str | None = None
    max_results: int | None = None
    min_score: float | None = None
    explain: bool | None = None


class Request(Struct, frozen=True):
    """A question with everything decided."""

    id: str | int | None
    question: Question
    budget: int
    full: bool
    max_results: int
    min_score: float
    explain: bool


def context(
    project: Project,
    snapshot: Snapshot,
    args: Namespace,
    vectors: VectorSearch | None,
    notices: tuple[str, ...],
) -> None:
    """Print a pack, or one for each line of the batch."""
    changes = _changes(project, snapshot, args.diff) if args.diff else ""
    for asked in _asked(args):
        try:
            request = _request(project, args, asked, changes)
            pack = _packed(project, snapshot, request, notices, vectors)
            if getattr(args, "explain", False):
                terminal.note(explain.explanation(pack))
        except UsageError as error:
            _failed(args, asked, error)
            continue
        if args.json or args.batch:
            terminal.out_json(schema.context_result(request.id, pack))
        else:
            terminal.out(pack.text, end="")


def replay(project: Project, args: Namespace) -> None:
    """Print a pack that was made before.

    Raises:
        UsageError: it is not kept, or the index is not what it was made from.
    """
    asked = pack_log.recall(project.directory, args.replay)
    with project.snapshot() as snapshot:
        if snapshot.generation != asked.generation:
            raise UsageError(
                f"pack {args.replay} was made from generation {asked.generation} of the index,"
                f" which is gone: it is at {snapshot.generation}",
                "ask the question again",
            )
        vectors, _ = project.vector_search(snapshot)
        pack = assemble.context(
            snapshot, asked.question, asked.budget, encoding=asked.encoding, notices=asked.notices,
            vectors=vectors if asked.had_vectors else None, sent=asked.sent,
            known=lambda _paths, _room: asked.known,
        )  # fmt: skip
    if pack_log.digest_of(pack.text) != asked.digest:
        raise UsageError(
            f"pack {args.replay} cannot be made again: vectors or settings have changed since",
            "ask the question again",
        )
    if args.json:
        terminal.out_json(schema.context_result(None, pack))
    else:
        terminal.out(pack.text, end="")
    if args.explain:
        terminal.note(explain.explanation(pack))


def _packed(
    project: Project,
    snapshot: Snapshot,
    request: Request,
    notices: tuple[str, ...],
    vectors: VectorSearch | None,
) -> ContextPack:
    """A pack of files as they are now: if any changed meanwhile, from a newer index."""
    pack = _asked_of(project, snapshot, request, notices, vectors)
    if not any(absent.kind == Absence.STALE for absent in pack.receipt.absent):
        return pack
    said = project.catch_up(lambda _progress: None)
    with project.snapshot() as newer:
        found, more = project.vector_search(newer)
        return _asked_of(project, newer, request, (*said, *more), found)


def _asked_of(
    project: Project,
    snapshot: Snapshot,
    request: Request,
    notices: tuple[str, ...],
    vectors: VectorSearch | None,
) -> ContextPack:
    """A pack, remembered for `--replay`."""
    encoding = project.settings.context.tokenizer
    pack = assemble.context(
        snapshot, request.question, request.budget, encoding=encoding, notices=notices,
        vectors=vectors, is_current=span_check.checker(project),
        known=knowledge.pack_knowledge(project, snapshot, query=request.question.text),
    )  # fmt: skip
    made = pack_log.Asked(
        request.question, request.budget, encoding, snapshot.generation, notices,
        vectors is not None, pack_log.digest_of(pack.text), known=pack.receipt.known,
    )  # fmt: skip
    pack_log.remember(project.directory, pack, made)
    return pack


def search(
    project: Project,
    snapshot: Snapshot,
    args: Namespace,
    vectors: VectorSearch | None,
    notices: tuple[str, ...],
) -> None:
    """Print results, or a line of them for each line of the batch."""
    for asked in _asked(args):
        try:
            request = _request(project, args, asked)
            reply = assemble.search(
                snapshot,
                request.question,
                request.max_results,
                min_score=request.min_score,
                vectors=vectors,
            )
        except UsageError as error:
            _failed(args, asked, error)
            continue
        if args.json or args.batch:
            result = schema.search_result(
                request.id, reply, snapshot, full=request.full, explain=request.explain
            )
            terminal.out_json(msgspec.structs.replace(result, notices=notices))
            continue
        for notice in notices:
            terminal.note(f"note: {notice}")
        text_of = partial(assemble.text_of, snapshot) if request.full else None
        for line in listings.search_lines(reply, text_of, explain=request.explain):
            terminal.out(line)


def _failed(args: Namespace, asked: Asked, error: SatchelError) -> None:
    """In a batch an unanswerable line is an answer too; alone it is an error."""
    if not args.batch:
        raise error
    terminal.out_json(schema.Failure(asked.id, error.message, error.hint))


def _asked(args: Namespace) -> Iterator[Asked]:
    if not args.batch:
        if args.query is None and not getattr(args, "diff", None):
            raise UsageError("no question", "give one, or --batch FILE")
        yield Asked(args.query or "")
        return
    decoder = msgspec.json.Decoder(Asked)
    for number, line in enumerate(_lines(args.batch), start=1):
        if not line.strip():
            continue
        try:
            yield decoder.decode(line)
        except msgspec.MsgspecError as error:
            raise UsageError(
                f"{args.batch}, line {number}: {error}", 'each line is {"id": …, "query": …}'
            ) from error


def _lines(name: str) -> Iterator[bytes]:
    if name == "-":
        yield from sys.stdin.buffer
        return
    try:
        with Path(name).open("rb") as stream:
            yield from stream
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror}") from error


def _changes(project: Project, snapshot: Snapshot, since: str) -> str:
    """The diff to review. Raises: UsageError when nothing changed or there is no such revision."""
    changes = review.diff(snapshot, project.history(snapshot, since))
    if not changes:
        raise UsageError(f"nothing has changed since {since}", "name an earlier revision")
    return changes


def _request(project: Project, args: Namespace, asked: Asked, changes: str = "") -> Request:
    settings = project.settings
    budget = asked.budget if asked.budget is not None else asked.budget_tokens
    mode = asked.mode or getattr(args, "mode", None) or settings.search.mode
    if mode not in ("locate", "full"):
        raise UsageError(f"mode is {mode!r}", "use locate or full")
    scope = asked.scope or args.scope or (Scope.ALL if changes else Scope.IMPL)
    return Request(
        id=asked.id,
        question=Question(asked.query, _scope(scope), _path(project, asked, args), changes),
        budget=_first(budget, getattr(args, "budget", None), settings.context.budget_tokens),
        full=mode == "full",
        max_results=_first(
            asked.max_results, getattr(args, "max_results", None), settings.search.max_results
        ),
        min_score=_first(asked.min_score, getattr(args, "min_score", None), 0.0),
        explain=_first(asked.explain, getattr(args, "explain", None), False),
    )


def _first(*values: _T | None) -> _T:
    return next(value for value in values if value is not None)


def _scope(text: str) -> Scope:
    try:
        return Scope(text)
    except ValueError as error:
        raise UsageError(f"scope is {text!r}", f"use one of: {', '.join(Scope)}") from error


def _path(project: Project, asked: Asked, args: Namespace) -> str:
    return inside(project.root, asked.path if asked.path is not None else args.path)
