"""Requests to the process that owns an index, over a local socket: the server's and client's ends.

Each request is a line of JSON, and so is each answer; the output of a command follows its line as
bytes. Only processes of the same user are answered.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct, convert
from msgspec.structs import asdict

from satchel.store.errors import Locked, SatchelError
from satchel.workspace.serving.local_socket import Listener, connect, hang_up
from satchel.workspace.serving.work_queue import Outcome, Request

if TYPE_CHECKING:
    from satchel.workspace.vectors.mirror_answers import MirrorOwner, NearestQuery, NearestReply

_MAX_LINE_BYTES = 16 << 20
_BACKLOG = 64
_NEAR_SECONDS = 10.0
"""An owner that takes longer to ask Chroma is not waited for: the exact scan answers."""

Answer = Callable[[Request], Outcome]
AnswerNear: TypeAlias = "Callable[[NearestQuery], NearestReply]"


class Command(Struct, frozen=True):
    """A command line that another process asks this one to run, with what its output depends on.

    `words` are its arguments, `here` the folder it was called in, `root` the root of the project,
    `environment` the variables that an answer may depend on, `version` that of the Satchel that
    asks.
    """

    words: tuple[str, ...]
    here: str
    root: str
    screen: tuple[int, int, bool, bool]
    """Columns of both streams, 0 for no terminal; whether it has colours, and links."""
    version: str
    environment: Mapping[str, str]


class Printed(Struct, frozen=True):
    """What a command printed, in order: (1 or 2 for the stream, bytes); and its exit code."""

    code: int
    parts: tuple[tuple[int, bytes], ...]


Run = Callable[[Command], Printed | None]
"""Runs a command line; None if the process that asks has to run it itself."""


def run_nothing(_command: Command) -> None:
    """Runs no command: each caller runs its own."""


class Channel:
    """The owner's end. `answer`, `near` and `run` are called on a thread for each connection."""

    def __init__(
        self, path: Path, answer: Answer, near: AnswerNear, run: Run = run_nothing
    ) -> None:
        self._answer, self._near, self._run = answer, near, run
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._closed = False
        self._listener = Listener(path, _BACKLOG)
        threading.Thread(target=self._accept, name="owner", daemon=True).start()

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            self._closed = True
            connections = tuple(self._open)
        self._listener.close()
        for connection in connections:
            hang_up(connection)

    def _accept(self) -> None:
        while True:
            try:
                connection = self._listener.accept()
            except OSError:
                return
            if connection is None:
                continue
            with self._lock:
                # Asked under the lock, since `close` may have made its list already and would miss
                # this one.
                if self._closed:
                    connection.close()
                    continue
                self._open.add(connection)
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        try:
            with connection, connection.makefile("rb") as lines:
                while line := lines.readline(_MAX_LINE_BYTES):
                    connection.sendall(self._reply(line))
        except (OSError, ValueError, LookupError, TypeError):
            pass  # it hung up, or talks of something else
        finally:
            with self._lock:
                self._open.discard(connection)

    def _reply(self, line: bytes) -> bytes:
        fields = json.loads(line)
        if "command" in fields:
            return _encode_printed(self._run(convert(fields["command"], Command)))
        if "near" in fields:
            from satchel.workspace.vectors.mirror_answers import NearestQuery

            return _line(asdict(self._near(convert(fields["near"], NearestQuery))))
        request = Request(bool(fields["everything"]), bool(fields["full"]))
        try:
            outcome = self._answer(request)
        except SatchelError as error:
            return _line({"error": error.message, "hint": error.hint})
        return _line({"generation": outcome.generation, "notices": outcome.notices})


def _encode_printed(printed: Printed | None) -> bytes:
    """The exit code and the sizes of all parts as a line, then the parts; `{}` for None."""
    if printed is None:
        return _line({})
    sizes = [[stream, len(data)] for stream, data in printed.parts]
    head = _line({"code": printed.code, "parts": sizes})
    return head + b"".join(data for _, data in printed.parts)


def ask(path: Path, request: Request, seconds: float | None) -> Outcome:
    """Let the owner bring the index up to date, and wait up to `seconds`; None for no limit.

    Raises:
        OSError: nobody listens, or the owner died meanwhile (TimeoutError: it takes longer).
        Locked: the owner says that it cannot.
    """
    asked = {"everything": request.everything, "full": request.full}
    reply = _reply_to(path, asked, seconds)
    if "error" in reply:
        raise Locked(reply["error"], reply["hint"])
    return Outcome(int(reply["generation"]), tuple(reply["notices"]))


class OtherProcess(Struct, frozen=True):
    """The Chroma mirror of the process that owns the index; `otherwise` if none listens."""

    path: Path
    otherwise: MirrorOwner | None = None

    def nearest(self, query: NearestQuery) -> NearestReply:
        """The owner's answer."""
        from satchel.workspace.vectors.mirror_answers import NearestReply

        try:
            reply = _reply_to(self.path, {"near": asdict(query)}, _NEAR_SECONDS)
        except OSError:  # nobody listens who knows of mirrors, or the owner died meanwhile
            if self.otherwise is not None:
                return self.otherwise.nearest(query)
            return NearestReply(why="no process keeps the Chroma mirror just now")
        return convert(reply, NearestReply)


def _reply_to(path: Path, asked: dict[str, Any], seconds: float | None) -> dict[str, Any]:
    """Raises: OSError."""
    with connect(path) as connection:
        connection.settimeout(seconds)
        connection.sendall(_line(asked))
        with connection.makefile("rb") as lines:
            line = lines.readline(_MAX_LINE_BYTES)
    # A line without its end is an answer that was cut off when the owner died.
    if not line.endswith(b"\n"):
        raise ConnectionResetError("the process that owns the index closed the connection")
    reply: dict[str, Any] = json.loads(line)
    return reply


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value).encode("ascii") + b"\n"
