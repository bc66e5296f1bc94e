"""Calls the public API for the page's requests, one thread at a time, and returns JSON.

The JSON is the API's own values, field by field.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from http import HTTPStatus
from typing import Protocol, TypeVar

import msgspec
from anyio import CapacityLimiter, to_thread
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from satchel.api import CodeBase
from satchel.assembler import quoting
from satchel.questions.answers import Answers
from satchel.store.errors import SatchelError, UsageError

_T = TypeVar("_T")
_S = TypeVar("_S")


class Malformed(UsageError):
    """A request that Satchel's pages do not make."""


class Nothing(Struct, frozen=True):
    """The body of a request that says nothing."""


class SharedCodeBase:
    """A code base that requests ask in turn."""

    def __init__(self, code: CodeBase) -> None:
        self.code = code
        # A code base may be used by one thread at a time.
        self._turn = CapacityLimiter(1)

    async def ask(self, question: Callable[[CodeBase], _T]) -> _T:
        """The API's answer. A client that disconnects leaves the queue; a call that has begun
        finishes."""
        return await to_thread.run_sync(partial(question, self.code), limiter=self._turn)


class Reader(Protocol):
    """Answers the questions of a request from what its sender may read."""

    def read(self, request: Request, question: Callable[[Answers], _T]) -> Awaitable[_T]:
        """The answer to a question."""


class OwnCode(Struct, frozen=True):
    """Answers from the code base of this folder, once there is an index of all of it."""

    _shared: SharedCodeBase
    _ready: Callable[[], Awaitable[None]]

    async def read(self, _request: Request, question: Callable[[CodeBase], _T]) -> _T:
        """The API's answer, when there is an index of all of the code."""
        await self._ready()
        return await self._shared.ask(question)


async def answer(request: Request, question: Callable[[Answers], _T]) -> _T:
    """The API's answer about what the sender of a request may read."""
    reader: Reader = request.app.state.reader
    return await reader.read(request, question)


async def own_answer(request: Request, question: Callable[[CodeBase], _T]) -> _T:
    """The API's answer about the code base of this folder; a hub has no such requests."""
    own: OwnCode = request.app.state.reader
    return await own.read(request, question)


async def request_body(request: Request, shape: type[_S]) -> _S:
    """The body of a request.

    Raises:
        Malformed: it is not of this shape.
    """
    try:
        return msgspec.json.decode(await request.body() or b"{}", type=shape)
    except msgspec.MsgspecError as error:
        raise Malformed(f"the request makes no sense: {error}", "reload the page") from error


def reply(value: object, status: int = 200) -> Response:
    """A value of the API as JSON."""
    return Response(encoded(value), status, media_type="application/json")


def encoded(value: object) -> bytes:
    """JSON of a value; a page reads hidden characters as they are, a terminal shows them."""
    return quoting.json_of(value).encode()


Answer = Callable[[Request], Awaitable[Response]]


def asking(shape: type[_S], question: Callable[[Answers, _S], object]) -> Answer:
    """A route that asks about what the sender may read, with a body of some shape."""

    async def route(request: Request) -> Response:
        asked = await request_body(request, shape)
        return reply(await answer(request, lambda code: question(code, asked)))

    return route


def asking_own(shape: type[_S], question: Callable[[CodeBase, _S], object]) -> Answer:
    """A route that asks the code base of this folder, with a body of some shape."""

    async def route(request: Request) -> Response:
        asked = await request_body(request, shape)
        return reply(await own_answer(request, lambda code: question(code, asked)))

    return route


def answered(answer: Answer) -> Answer:
    """A route that says what went wrong as the page shows it."""

    async def route(request: Request) -> Response:
        try:
            return await answer(request)
        except SatchelError as error:
            failure = {"error": error.message, "hint": error.hint, "kind": type(error).__name__}
            # That the API refuses a question is an answer; a browser reports any other status in
            # its console, as if the page were broken.
            is_ours = not isinstance(error, Malformed)
            return reply(failure, HTTPStatus.OK if is_ours else HTTPStatus.BAD_REQUEST)

    return route
