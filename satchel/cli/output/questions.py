"""Reads questions from the arguments of a command or the lines of a batch."""

from __future__ import annotations

import os
import stat
import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec
from msgspec import Struct

from satchel.assembler.kinds import Scope, TextMode
from satchel.assembler.survey.packages import MARK
from satchel.cli import options, served, terminal
from satchel.store import path_filter
from satchel.store.errors import UsageError
from satchel.workspace.configuration.settings import Settings
from satchel.workspace.index_paths import inside

_T = TypeVar("_T")


class Asker(Protocol):
    """What a question needs to know of where it is asked: a project, or a hub."""

    @property
    def root(self) -> Path:
        """The folder that absolute paths have to lie below."""

    @property
    def settings(self) -> Settings:
        """Defaults for what a question leaves out."""


_HEAD_BYTES, _TAIL_BYTES = 100_000, 400_000
RANKED, EXACT = ("locate", "full"), tuple(TextMode)
"""Values of `mode`: those that rank, and those that find every line."""


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
    ignore_case: bool | None = None
    offset: int | None = None


class Malformed(Struct, frozen=True):
    """A line of a batch that is no question, and why; with its id, if it names one."""

    message: str
    hint: str
    id: str | int | None = None


class _Named(Struct, frozen=True):
    """The id of a line that is no question, so that its error can be told from others."""

    id: str | int | None = None


def asked(args: Namespace) -> Iterator[Asked | Malformed]:
    """The one question of the arguments, or those of a batch.

    Raises:
        UsageError: there is none, or more than one where one is meant.
    """
    if not args.batch:
        yield Asked(_query(args))
        return
    # One decoder serves the whole batch, and it refuses unknown fields: a misspelt one would
    # otherwise go unnoticed.
    decoder = msgspec.json.Decoder(Asked, strict=False)  # a number may be written as text
    for number, line in enumerate(_lines_of(args.batch), start=1):
        if not line.strip():
            continue
        try:
            yield decoder.decode(line)
        except msgspec.MsgspecError as error:
            yield Malformed(
                f"{args.batch}, line {number}: {error}",
                'each line is {"id": …, "query": …}',
                _id_of(line),
            )


def _id_of(line: bytes) -> str | int | None:
    try:
        return msgspec.json.decode(line, type=_Named).id
    except msgspec.MsgspecError:
        return None


def _query(args: Namespace) -> str:
    """The question in words, as --exact or as --regex. Raises: UsageError: none, or several."""
    exact = [text for text in (getattr(args, "exact", None), getattr(args, "regex", None)) if text]
    if len(exact) + bool(args.query) > 1:
        raise UsageError("more than one question", "give a query, --exact TEXT or --regex RE")
    if exact or getattr(args, "diff", None):
        return exact[0] if exact else " ".join(args.query)
    words = [word for word in args.query if word != "-"]
    pasted = (
        _standard_input()
        if len(words) < len(args.query) or (not words and _stdin_is_redirected())
        else ""
    )
    text = "\n\n".join(filter(None, (" ".join(words), pasted)))
    if not (words or pasted):
        raise UsageError("no question", "give one, pipe something into this, or --batch FILE")
    return text


def _stdin_is_redirected() -> bool:
    """Whether standard input is a pipe or a file, which somebody means to be read."""
    served.expect_own()
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError):  # there is none
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)


def _standard_input() -> str:
    """Standard input as text without colours; of a huge one its beginning and its end."""
    from satchel.assembler.pasted.traces import TERMINAL_CODE

    served.expect_own()
    head = sys.stdin.buffer.read(_HEAD_BYTES)
    tail, n_bytes = b"", len(head)
    while piece := sys.stdin.buffer.read(_TAIL_BYTES):
        tail = (tail + piece)[-_TAIL_BYTES:]
        n_bytes += len(piece)
    if n_bytes > len(head) + len(tail):
        terminal.note(
            f"note: standard input has {n_bytes:,} bytes; read were the first {_HEAD_BYTES:,} and"
            f" the last {_TAIL_BYTES:,}"
        )
    return TERMINAL_CODE.sub("", (head + tail).decode("utf-8", "replace")).strip()


def _lines_of(name: str) -> Iterator[bytes]:
    served.expect_own()
    if name == "-":
        # Lines are answered as they come, so another program can ask one question after the other.
        yield from sys.stdin.buffer
        return
    try:
        with Path(name).open("rb") as stream:
            yield from stream
    except OSError as error:
        raise UsageError(
            f"{name} cannot be read: {error.strerror}", "name a file of JSON lines, or - for a pipe"
        ) from error


def is_exact(args: Namespace) -> bool:
    """Whether one exact text or expression is looked for: nothing is ranked then."""
    names_exact_text = args.exact is not None or args.regex is not None
    return not args.batch and (names_exact_text or args.mode in EXACT)


def mode(project: Asker, args: Namespace, asked: Asked) -> str:
    """How a line is to be answered: as it says, else as the flags say, else as is usual."""
    # `--exact` and `--regex` name the mode themselves, so they come before `--mode` and the
    # settings.
    flags: list[str] = [how for how in EXACT if getattr(args, how, None) is not None]
    flags += [getattr(args, "mode", None) or project.settings.search.mode]
    found = asked.mode or flags[0]
    if found not in RANKED + EXACT:
        raise UsageError(f"mode is {found!r}", f"use one of: {', '.join(RANKED + EXACT)}")
    return found


def first(*values: _T | None) -> _T:
    """The first value that is not None."""
    return next(value for value in values if value is not None)


def scope(text: str) -> Scope:
    """A scope by its name. Raises: UsageError when there is none of that name."""
    try:
        return Scope(text)
    except ValueError as error:
        raise UsageError(f"scope is {text!r}", f"use one of: {', '.join(Scope)}") from error


def path(project: Asker, asked: Asked, args: Namespace) -> str:
    """The path that a question is limited to, from the root on."""
    # An empty path in a line means the whole tree, so only one that was left out falls back to the
    # flag.
    return inside(project.root, asked.path) if asked.path is not None else paths(project, args)


def paths(project: Asker, args: Namespace) -> str:
    """What --path limits a question to, from the root on."""
    globs = [options.from_here(project.root, path) for path in args.path or []]
    globs += [f"{MARK}{name}" for name in args.package]
    return path_filter.any_of(globs or [""])
