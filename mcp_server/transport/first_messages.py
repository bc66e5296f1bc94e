"""The first messages of a client on standard input, answered before the SDK is loaded.

Loading the protocol's SDK takes longer than all else between the start of a server and its first
answer. So the handshake of the revisions before 2026-07-28, the list of tools and calls that only
read are answered here, as the SDK would answer them. Whatever else comes, and everything once the
client pauses, is the SDK's: it reads the handshake again and goes on from there.

Not here: progress, cancelling, mounted servers, folders that a client has open, and traces. Where
one of these is in use, or the index is not there yet, the SDK is used from the start.
"""

import json
import os
import re
import select
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from satchel.mcp_server import surface
from satchel.mcp_server.serving import Serving, Stop
from satchel.mcp_server.tool import STDIO, client_name, reply_text, run_counted
from satchel.store.errors import SatchelError
from satchel.store.version import installed_version

IDLE_SECONDS = 1.0
"""After so long a pause the SDK is loaded."""
REVISIONS = ("2025-06-18", "2025-11-25")
"""Revisions of the protocol whose answers tests compare with the SDK's."""
_CAPABILITIES = {
    "completions": {},
    "prompts": {"listChanged": False},
    "resources": {"listChanged": False, "subscribe": True},
    "tools": {"listChanged": True},
}
_MAX_LINE = 1 << 20
_READ_BYTES = 1 << 16
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
"""An escape that may be half of a surrogate pair: the SDK refuses these."""
_RESERVED = "io.modelcontextprotocol/"
"""How the names of the protocol's own entries of `_meta` begin."""


@dataclass(frozen=True, slots=True)
class Handover:
    """What the SDK has to go on from.

    `lines` are to be read before anything else: the handshake as far as it was answered, then what
    was read and not answered. `answered` is the id of the `initialize` among them whose answer the
    client has, None for none. `is_over` says that there is nothing left to do: input has ended.
    """

    lines: bytes = b""
    answered: int | str | None = None
    is_over: bool = False


def answer_first(serving: Serving, source: int, sink: int) -> Handover:
    """Answer what comes from descriptor `source` at `sink`, until something is the SDK's."""
    # Who has to be asked which folders are open is asked before the tools are listed.
    if serving.gateway or serving.project_of or serving.project.settings.telemetry.endpoint:
        return Handover()
    lines, first = _Lines(source), _FirstMessages(serving)
    while (line := lines.next()) is not None:
        reply = first.reply(line)
        if reply is None:
            return Handover(first.handshake + line + lines.rest, first.answered)
        _write(sink, reply)
    is_over = lines.has_ended and not lines.rest
    return Handover(first.handshake + lines.rest, first.answered, is_over)


class _Lines:
    """The lines of a descriptor, as long as the next one comes soon."""

    def __init__(self, source: int) -> None:
        self._source = source
        self.rest = b""
        """What was read and is not part of a line that was given."""
        self.has_ended = False

    def next(self) -> bytes | None:
        """The next line with its end; None when none comes soon, it is long, or input has ended."""
        while b"\n" not in self.rest:
            if len(self.rest) > _MAX_LINE:
                return None
            ready = self._poll()
            read = os.read(self._source, _READ_BYTES) if ready else b""
            if not read:
                self.has_ended = bool(ready)
                return None
            self.rest += read
        line, end, self.rest = self.rest.partition(b"\n")
        return line + end

    def _poll(self) -> bool:
        """Whether something comes soon, be it the end."""
        if sys.platform == "win32":  # there the SDK reads from the start
            raise NotImplementedError
        # `select.select` takes no descriptor from 1024 on, and epoll no file.
        ready = select.poll()
        ready.register(self._source, select.POLLIN)
        return bool(ready.poll(IDLE_SECONDS * 1000))


class _FirstMessages:
    """The messages of one client, as far as they can be answered."""

    def __init__(self, serving: Serving) -> None:
        self._serving = serving
        self._tools = {
            tool.name: tool for tool in surface.tools(of_several=bool(serving.project.members))
        }
        self._answers: Mapping[str, Callable[[Mapping[str, Any]], Mapping[str, Any] | None]] = {
            "tools/list": self._list,
            "tools/call": self._call,
        }
        self.handshake = b""
        self.answered: int | str | None = None
        self._client = ""

    def reply(self, line: bytes) -> bytes | None:
        """What is to be written for a line, None where that is for the SDK to say."""
        message = _message(line)
        if message is None:
            return None
        method, params, asks = message.get("method"), message.get("params", {}), "id" in message
        if method == "initialize" and asks and self.answered is None:
            result = self._initialize(params)
            if result is not None:
                self.handshake, self.answered = self.handshake + line, message["id"]
        elif method == "notifications/initialized" and not asks and self.answered is not None:
            self.handshake += line
            return b""
        elif asks and self.answered is not None and isinstance(method, str):
            answer = self._answers.get(method)
            result = answer(params) if answer else None
        else:
            result = None
        if result is None:
            return None
        made = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        return json.dumps(made, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"

    def _initialize(self, params: Mapping[str, Any]) -> Mapping[str, Any] | None:
        if set(params) != {"protocolVersion", "capabilities", "clientInfo"}:
            return None
        if params["protocolVersion"] not in REVISIONS:
            return None
        info = params["clientInfo"]
        self._client = client_name(str(info.get("name", ""))) if isinstance(info, dict) else ""
        return {
            "capabilities": _CAPABILITIES,
            "instructions": surface.instructions(self._serving.project),
            "protocolVersion": params["protocolVersion"],
            "serverInfo": {
                "description": surface.DESCRIPTION,
                "name": surface.NAME,
                "title": surface.TITLE,
                "version": installed_version(),
            },
        }

    def _list(self, params: Mapping[str, Any]) -> Mapping[str, Any] | None:
        if params.keys() - {"_meta"}:
            return None
        project = self._serving.project
        listed = surface.listed_tools(self._tools.values(), project)
        return {"tools": [surface.entry(tool, project.settings) for tool in listed]}

    def _call(self, params: Mapping[str, Any]) -> Mapping[str, Any] | None:
        name, given = params.get("name"), params.get("arguments", {})
        tool = self._tools.get(name) if isinstance(name, str) else None
        if tool is None or not tool.reads or not isinstance(given, dict):
            return None
        # Who waits for a first index hears how far it is, which is not told here.
        if (
            params.keys() - {"name", "arguments", "_meta"}
            or not self._serving.project.has_whole_text
        ):
            return None
        try:
            with self._serving.busy():
                stop = Stop(client=self._client)
                answer = run_counted(tool, given, self._serving, stop, STDIO)
        except SatchelError as error:
            return _result(tool.error_text(error), is_error=True)
        except Exception:  # the SDK is asked the same, and answers for what nobody foresaw
            return None
        return _result(answer.text, is_error=False)


def _message(line: bytes) -> dict[str, Any] | None:
    """A request or notification that is as the protocol wants it, None where that is in doubt."""
    try:
        message = json.loads(line.decode(), parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or _SURROGATE.search(line):
        return None
    number, params = message.get("id", 0), message.get("params", {})
    is_plain = (
        message.get("jsonrpc") == "2.0"
        and not message.keys() - {"jsonrpc", "id", "method", "params"}
        and isinstance(number, int | str)
        and not isinstance(number, bool)
        and isinstance(params, dict)
    )
    return message if is_plain and _is_plain_meta(params.get("_meta", {})) else None


def _is_plain_meta(meta: object) -> bool:
    """Whether it holds nothing of the protocol's own, nor a wish to hear of progress."""
    return isinstance(meta, dict) and not any(
        key.startswith(_RESERVED) or key == "progressToken" for key in meta
    )


def _refuse(constant: str) -> float:
    raise ValueError(constant)  # NaN and infinities are not JSON


def _result(text: str, *, is_error: bool) -> Mapping[str, Any]:
    return {"content": [{"text": reply_text(text), "type": "text"}], "isError": is_error}


def _write(sink: int, data: bytes) -> None:
    while data:
        data = data[os.write(sink, data) :]
