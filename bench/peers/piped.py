"""A peer that runs in an environment of its own: JSON lines over pipes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from bench.peers.systems import SystemFailed


class Piped:
    """A script beside this one, under another interpreter; it ends with its standard input."""

    def __init__(self, python: str, script: str) -> None:
        self._python = python
        self._script = Path(__file__).with_name(script)
        self._process: subprocess.Popen[str] | None = None

    def start(self, message: dict[str, object]) -> Any:  # noqa: ANN401 - JSON
        """Start it anew and say something; its answer."""
        self.close()
        self._process = subprocess.Popen(
            [self._python, "-P", str(self._script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        return self.ask(message)

    def ask(self, message: dict[str, object]) -> Any:  # noqa: ANN401 - JSON
        """What it answers.

        Raises:
            SystemFailed: it ended instead.
        """
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise SystemFailed(f"{self._script.name} was not started")
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            raise SystemFailed(f"{self._script.name} ended; has {self._python} what it needs?")
        return json.loads(line)

    def close(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.communicate()
            self._process = None
