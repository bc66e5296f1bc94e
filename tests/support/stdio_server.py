"""`satchel serve` with its pipes in hand, for those who send what no client library would."""

import json
import os
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from queue import Queue
from typing import Any

from tests.support.satchel import TIMEOUT_S, warm_command

_ID = "the only id that is a text"
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class StdioServer:
    """A running server. `heard` is everything it has said."""

    def __init__(
        self, root: Path, *, revision: str = "2025-11-25", command: Sequence[str | Path] = ()
    ) -> None:
        """`command` starts one in place of `warm_command()`, where its own time is measured."""
        self.heard = ""
        self._revision = revision
        self._replies: Queue[Any] = Queue()
        self.process = subprocess.Popen(
            [*(command or (warm_command(),)), "serve", "--root", root],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "SATCHEL_INDEX_WORKERS": "1"},
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> "StdioServer":
        if self._revision < "2026":
            about = {"name": "test", "version": "1"}
            said = {"protocolVersion": self._revision, "capabilities": {}, "clientInfo": about}
            self.ask("initialize", said)
            self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        return self

    def __exit__(self, *_exc: object) -> None:
        self.process.terminate()
        self.process.wait(TIMEOUT_S)
        self._reader.join()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe
            pipe.close()

    def send(self, frame: bytes) -> None:
        """Sends a line, whatever is in it."""
        assert self.process.stdin
        self.process.stdin.write(frame + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """The result of a request, after everything that was sent before."""
        if self._revision >= "2026":
            params = {**params, "_meta": META}
        frame = {"jsonrpc": "2.0", "id": _ID, "method": method, "params": params}
        self.send(json.dumps(frame).encode())
        return self._replies.get(timeout=TIMEOUT_S)

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.heard += line.decode("utf-8", "replace")[:2_000]
            self.heard = self.heard[-1_000_000:]
            message = json.loads(line)
            if message.get("id") == _ID:
                self._replies.put(message.get("result", message.get("error")))
