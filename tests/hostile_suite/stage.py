"""Where a scene is played: an author's repository, the user's clone of it, the user's own home."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import anyio
from mcp.client.client import Client

from satchel.mcp_server.app import create_server
from satchel.mcp_server.serving import Serving
from satchel.workspace.project import Project
from tests.support.satchel import COMMAND

SECONDS = 600
"""No scene may hang: far more than any needs on a machine that forty others are busy on."""
CANARY = "canary-51d2f0"
"""Stands in files of the user that nothing may show."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What is tried, and the play that fails an assertion where it succeeds.

    `quick` scenes run with the tests. `after_state` ones show that what a checkout ships in
    `.satchel` is ignored, which takes an index that lies outside of it: see `stage.STATE_MOVED`.
    """

    name: str
    play: Callable[[Stage], None]
    quick: bool = False
    after_state: bool = False


STATE_MOVED = True
"""Whether index and knowledge lie outside of the working tree: then every scene is played."""


class Stage:
    """One scene's folders, all below `folder`; the user runs `program` as `satchel`."""

    def __init__(self, folder: Path, program: Path = COMMAND) -> None:
        self.folder, self._program = folder, program
        self.author, self.root = folder / "author", folder / "clone"
        self.home = folder / "home" / "victim"
        self.sprung = folder / "sprung"
        self.home.mkdir(parents=True)
        (self.home / "private.txt").write_text(CANARY, encoding="utf-8")
        self.author.mkdir()

    @property
    def environment(self) -> dict[str, str]:
        """What the user's processes see."""
        return {
            "PATH": f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.home), "XDG_CONFIG_HOME": str(self.home / ".config"),
            "GIT_CONFIG_NOSYSTEM": "1", "SATCHEL_INDEX_WORKERS": "1", "LANG": "C.UTF-8",
            **({"PYTHONPATH": p} if (p := os.environ.get("SATCHEL_TEST_SOURCE")) else {}),
        }  # fmt: skip

    def trap(self, kind: str = "python") -> str:
        """The text of a program that leaves a trace when it runs."""
        if kind == "sh":
            return f"#!/bin/sh\ntouch '{self.sprung}'\n"
        return f"open({str(self.sprung)!r}, 'w').close()\n"

    def clone(
        self, files: Mapping[str, str | bytes], links: Mapping[str, str] | None = None
    ) -> Path:
        """The user's clone of a repository that holds these files and links."""
        self._write(files, links)
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
        for words in (["init", "-q"], ["add", "-Af"], ["commit", "-qm", "hello"]):
            self._plain([*git, *words], self.author)
        self._plain(["git", "clone", "-q", str(self.author), str(self.root)], self.folder)
        return self.root

    def unpack(
        self, files: Mapping[str, str | bytes], links: Mapping[str, str] | None = None
    ) -> Path:
        """The same from an archive that the user unpacks."""
        self._write(files, links)
        packed = self.folder / "author.tar"
        with tarfile.open(packed, "w") as archive:
            archive.add(self.author, "clone")
        self._plain(["tar", "-xf", str(packed)], self.folder)
        return self.root

    def _write(self, files: Mapping[str, str | bytes], links: Mapping[str, str] | None) -> None:
        for name, body in files.items():
            path = self.author / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body if isinstance(body, bytes) else body.encode("utf-8"))
            path.chmod(0o755)
        for name, target in (links or {}).items():
            path = self.author / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(target)

    def _plain(self, words: list[str], cwd: Path) -> None:
        subprocess.run(words, cwd=cwd, env=self.environment, check=True, capture_output=True)

    def output(self, words: list[str]) -> bytes:
        """What a command of the author prints in the author's folder."""
        return subprocess.run(
            words, cwd=self.author, env=self.environment, check=True, capture_output=True
        ).stdout

    def user_config(self, text: str) -> None:
        """The user's own configuration."""
        path = self.home / ".config/satchel/config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def satchel(
        self, *words: str | Path, cwd: Path | None = None, stdin: bytes = b"", **more: str
    ) -> subprocess.CompletedProcess[bytes]:
        """Runs the command in the clone as the user does; a hang is a failure."""
        return subprocess.run(
            [self._program, *words], cwd=cwd or self.root, env={**self.environment, **more},
            input=stdin, capture_output=True, timeout=SECONDS, check=False,
        )  # fmt: skip

    def shown(self, *words: str | Path, **more: str) -> str:
        """Everything that a command says, on both streams."""
        done = self.satchel(*words, **more)
        assert b"Traceback" not in done.stderr, done.stderr.decode()[-2_000:]
        return (done.stdout + done.stderr).decode("utf-8", "replace")

    def asked(self, tool: str, *, is_indexed: bool = False, **arguments: object) -> str:
        """What a tool answers an agent, over the protocol."""

        async def session() -> str:
            with anyio.fail_after(SECONDS):
                async with Client(create_server(serving)) as client:
                    result = await client.call_tool(tool, arguments)
                    return "".join(getattr(part, "text", "") for part in result.content)

        if not is_indexed:
            self.satchel("reindex")  # a busy machine may not manage within a call's patience
        serving = Serving(Project.at(self.root, self.environment))
        serving.start()
        try:
            return anyio.run(session)
        finally:
            serving.close()

    def safe(self) -> None:
        """Nothing ran, and nothing of the user's was touched."""
        assert not self.sprung.exists(), "code of the repository ran"
        assert (self.home / "private.txt").read_text("utf-8") == CANARY


@cache
def shared(files: tuple[tuple[str, str | bytes], ...]) -> Stage:
    """A clone of these files that is indexed, one for all scenes of a process that only ask."""
    folder = Path(mkdtemp(prefix="hostile-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    stage = Stage(folder)
    stage.clone(dict(files))
    assert stage.satchel("reindex").returncode == 0
    return stage


def entry(*command: str) -> str:
    """A project's MCP configuration that names a command."""
    server = {"command": command[0], "args": list(command[1:])}
    return json.dumps({"mcpServers": {"satchel": server}, "servers": {"satchel": server}})
