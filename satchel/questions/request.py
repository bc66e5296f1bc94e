"""What every question has: a request with its bounds, an answer over a view, a reply with its text.

A module of this room is a question. Its request is a frozen struct whose fields say what they may
be (`params.said` and the bounds of msgspec); whoever asks, their words become a request by `read`
and a reply by `Question.answer`. A face lays the parts of a reply out and adds nothing to it.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import cache
from typing import Annotated, Any, Generic, TypeVar

import msgspec
from msgspec import Meta, Struct

from satchel.assembler.kinds import Scope
from satchel.questions.arguments import checked
from satchel.questions.params import Param, fields_of, said
from satchel.questions.view import View
from satchel.store.errors import UnknownName, UsageError

MAX_NAME, MAX_PATH, MAX_ROWS, MAX_OFFSET = 1_000, 4_096, 10_000, 1_000_000
"""Characters of the name of a symbol and of a path; rows of a list, and how many are skipped."""

# What the same fields of several requests have in common: mypy wants an alias for each type.
Path = Annotated[str, Meta(max_length=MAX_PATH)]
Name = Annotated[str, Meta(min_length=1, max_length=MAX_NAME)]
Rows = Annotated[
    int, Meta(ge=1, le=MAX_ROWS), said("rows", other_names=("max_results",), listed=False)
]
Offset = Annotated[int, Meta(ge=0, le=MAX_OFFSET), said("rows to skip", listed=False)]
ScopeOf = Annotated[Scope, said("product code, tests, or both", listed=False)]


class About(Struct, frozen=True):
    """What a request says of where its answer lies, for a source that has to choose."""

    text: str = ""
    """Words of the question."""
    names: tuple[str, ...] = ()
    """Names of symbols."""
    path: str = ""
    since: str = ""
    """A revision, an age or a time that something is compared with."""


class Request(Struct, frozen=True, kw_only=True):
    """What is asked; the fields of each question are its own."""

    def check(self) -> None:
        """Hold what one field says against another, before an index is opened.

        Raises:
            UsageError: they do not go together.
        """

    @property
    def about(self) -> About:
        """Where its answer lies."""
        return About()

    @property
    def is_ranked(self) -> bool:
        """Whether vectors are asked for."""
        return False


class Style(Struct, frozen=True):
    """How a face writes: with the numbers of lines of source, and options as `--offset`."""

    numbers: bool = False
    dashes: bool = False

    def option(self, name: str) -> str:
        """A field as the reader has to write it."""
        return f"--{name.replace('_', '-')}" if self.dashes else name


class ReplyText(Struct, frozen=True):
    """A reply as text: what it holds, what to know of it, its rows, what is left out of them."""

    head: str
    notices: tuple[str, ...]
    rows: tuple[str, ...]
    rest: tuple[str, ...] = ()
    quotes: bool = False
    """Whether rows that begin with a space are text of files."""
    whole: str = ""
    """A reply that is counted to the token, which is given as it is and in place of all that."""


R = TypeVar("R", bound=Request)
A = TypeVar("A")


class Question(Struct, Generic[R, A], frozen=True):
    """A question: the type of its request, and what makes a reply and writes it."""

    request: type[R]
    answer: Callable[[View, R], A]
    text: Callable[[A, Style], ReplyText]
    json: Callable[[A], Struct]
    is_found: Callable[[A], bool]
    """Whether the reply has anything that was asked for."""
    n_whole: Callable[[A], int] = lambda _reply: 0
    """Tokens of the files that the reply quotes."""
    is_stale: Callable[[A], bool] = lambda _reply: False
    """Whether files changed while the reply was made, so that a newer index should be asked."""


Open = Callable[[], AbstractContextManager[View]]
"""Opens a view for one attempt at a reply."""


def answered(question: Question[R, A], asked: R, opened: Open, newer: Open | None = None) -> A:
    """The reply to a request, made again from `newer` where it is stale, `opened` without one."""
    for open_view in (opened, newer or opened):
        with open_view() as view:
            try:
                reply = question.answer(view, asked)
            except UnknownName as error:
                raise not_yet(view, error) from None
        # Asked once more and no oftener: files that change all the time would keep the answer from
        # coming.
        if not question.is_stale(reply):
            break
    return reply


def not_yet(view: View, error: UnknownName) -> UnknownName:
    """The error for a name that nothing has, where the index may be behind its files as well."""
    if not view.is_behind:
        return error
    hint = "the index is catching up with the files: ask again in a moment"
    return UnknownName(f"{error.message} yet", hint)


def refuse(asked: Request, cannot: Mapping[str, tuple[str, str]]) -> None:
    """Raise UsageError for a field that a source cannot answer; `cannot` says why, and what to do.

    A field that is as it is without being given asks for nothing.
    """
    refuse_given({name: getattr(asked, name, None) for name in cannot}, cannot)


def refuse_given(given: Mapping[str, object], cannot: Mapping[str, tuple[str, str]]) -> None:
    """As `refuse`, of values that are not read yet."""
    for name, (why, hint) in cannot.items():
        if given.get(name):
            raise UsageError(why, hint)


def params(request: type[Struct]) -> tuple[Param, ...]:
    """The parameters of a request, in the order of its fields."""
    return _PARAMS(request)


_PARAMS: Callable[[type[Struct]], tuple[Param, ...]] = cache(fields_of)


def read(request: type[R], given: Mapping[str, object], settings: object, **own: object) -> R:
    """A request from what somebody wrote, under any of its names; `settings` hold some defaults.

    `own` are fields that nobody writes, for the face itself to say.

    Raises:
        UsageError: a name is unknown, a value is out of bounds, or values do not go together.
    """
    return request_of(request, {**checked(params(request), given, settings).values(), **own})


def request_of(request: type[R], values: Mapping[str, object]) -> R:
    """A request from checked values, of which those that are None say nothing."""
    # A default that depends on the rest of a request is None, and its field says so by its type.
    plain: dict[str, Any] = {name: value for name, value in values.items() if value is not None}
    found = msgspec.convert(plain, request)
    found.check()
    return found


def more(n_found: int, following: int, style: Style) -> tuple[str, ...]:
    """What a page of a list leaves out; `following` is the offset of the next row."""
    if n_found <= following:
        return ()
    return (f"{n_found - following:,} more; {style.option('offset')} {following} shows them",)
