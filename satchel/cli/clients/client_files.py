"""Where each client keeps its MCP servers, and what an entry for ours looks like there.

Files below the project are shared with it; the others are the user's own. The file of instructions
that a client's agent reads lies in the project and is written only where that is asked for.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

import tomlkit
from msgspec import Struct
from tomlkit.exceptions import TOMLKitError

from satchel.cli.clients import jsonc, yaml_section
from satchel.store.errors import ConfigError
from satchel.store.platform.user import home_of

NAME = "satchel"
_INNER = "servers"
_START_SECONDS = 30


class Home(StrEnum):
    """The folder that the path of a client's file begins in."""

    PROJECT = "project"
    USER = "user"
    CONFIG = "config"


class Shape(StrEnum):
    """How a client words an entry."""

    PLAIN = "plain"
    TYPED = "typed"
    LOCAL = "local"
    ONE_LIST = "one list"
    TIMEOUT = "timeout"
    CUSTOM = "custom"
    TOML = "toml"
    YAML = "yaml"


class Client(Struct, frozen=True):
    """A program that starts MCP servers. `root` is how it names the open project, "" where our
    working directory already is that. `instructions` is the file that its agent reads. `moved` is
    a variable that names the folder of the file instead, or the file, where it ends in `_PATH`.
    `successor` is the client that reads another file today, "" where this one is read."""

    name: str
    home: Home
    file: str
    key: str
    shape: Shape
    root: str = ""
    instructions: str = "AGENTS.md"
    moved: str = ""
    successor: str = ""

    def path(self, project: Path, environment: Mapping[str, str]) -> Path:
        """The configuration file of the client."""
        # The environment that was handed in is asked before the process's own, so a caller decides
        # where home is.
        home = home_of(environment)
        if place := environment.get(self.moved):
            return (
                Path(place) if self.moved.endswith("_PATH") else Path(place, Path(self.file).name)
            )
        config = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
        return {Home.PROJECT: project, Home.USER: home, Home.CONFIG: config}[self.home] / self.file

    def entry(self, command: str, options: Sequence[str] = ()) -> dict[str, Any]:
        """What it should know of us; `options` are further arguments of `serve`."""
        arguments = ["serve", *(["--root", self.root] if self.root else []), *options]
        plain: dict[str, Any] = {"command": command, "args": arguments}
        return {
            Shape.PLAIN: plain,
            Shape.TYPED: {"type": "stdio", **plain},
            Shape.LOCAL: {"type": "local", **plain, "tools": ["*"]},
            Shape.ONE_LIST: {"type": "local", "command": [command, *arguments]},
            Shape.TIMEOUT: {**plain, "timeout": _START_SECONDS * 1000},
            Shape.CUSTOM: {"source": "custom", **plain},
            Shape.TOML: {**plain, "startup_timeout_sec": _START_SECONDS},
            Shape.YAML: {
                "name": NAME,
                "type": "stdio",
                "cmd": command,
                "args": arguments,
                "enabled": True,
                "timeout": 10 * _START_SECONDS,
            },
        }[self.shape]

    def with_entry(self, text: str, command: str, options: Sequence[str] = ()) -> str:
        """The file's text with our entry in it; the same text where it is there already.

        Raises:
            ConfigError: the text cannot be read.
        """
        entry = self.entry(command, options)
        # An entry that is right already leaves every byte of the file as it was, so a second
        # `setup` says that nothing changes.
        if self.found(text) == entry:
            return text
        if self.shape is Shape.YAML:
            return yaml_section.with_entry(text, self.key, NAME, entry)
        if self.shape is not Shape.TOML:
            return jsonc.set_member(text, self._place(text), entry)
        document = _toml(text)
        # A super table is not written as a heading of its own, only as the beginning of ours.
        servers = document.setdefault(self.key, tomlkit.table(is_super_table=True))
        servers[NAME] = entry
        return tomlkit.dumps(document)

    def without_entry(self, text: str) -> str:
        """The file's text without our entry.

        Raises:
            ConfigError: the text cannot be read.
        """
        if self.found(text) is None:
            return text
        if self.shape is Shape.YAML:
            return yaml_section.without_entry(text, self.key, NAME)
        if self.shape is not Shape.TOML:
            return jsonc.remove_member(text, self._place(text))
        document = _toml(text)
        servers: Any = document[self.key]
        # tomlkit keeps comments and order of what stays, which a plain parser would lose.
        del servers[NAME]
        # An empty table would stay behind as a trace of us.
        if not servers:
            del document[self.key]
        return tomlkit.dumps(document)

    def is_empty(self, text: str) -> bool:
        """Whether a file says nothing but that there are no servers."""
        return "".join(text.split()) in ("", "{}", f'{{"{self.key}":{{}}}}')

    def found(self, text: str) -> Any:  # noqa: ANN401
        """Our entry as the file has it, None where it has none.

        Raises:
            ConfigError: the text cannot be read.
        """
        if self.shape is Shape.YAML:
            return yaml_section.entry_of(text, self.key, NAME)
        if self.shape is not Shape.TOML:
            return jsonc.get_member(text, self._place(text))
        servers = _toml(text).unwrap().get(self.key, {})
        return servers.get(NAME) if isinstance(servers, dict) else None

    def _place(self, text: str) -> tuple[str, ...]:
        """The keys that lead to our entry. opencode 2 has its servers one level further down, where
        opencode 1 would have a server of that name."""
        inner = jsonc.get_member(text, (self.key, _INNER)) if text.strip() else None
        if self.shape is Shape.ONE_LIST and isinstance(inner, dict) and "type" not in inner:
            return (self.key, _INNER, NAME)
        return (self.key, NAME)

    def command(self, text: str) -> tuple[str, ...]:
        """What the file's entry starts; () where there is none, or it says it in no way we know.

        Raises:
            ConfigError: the text cannot be read.
        """
        entry = self.found(text)
        if not isinstance(entry, dict):
            return ()
        command, more = entry.get("command", entry.get("cmd")), entry.get("args", [])
        # Some clients keep program and arguments in one list, others in two fields.
        words = command if isinstance(command, list) else [command, *more]
        return tuple(words) if all(isinstance(word, str) for word in words) else ()


def _toml(text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except (TOMLKitError, ValueError, RecursionError) as error:  # a number beyond all bounds
        raise ConfigError(f"it is no TOML: {error}", "correct it first") from error


CLIENTS = (
    Client("claude-code", Home.PROJECT, ".mcp.json", "mcpServers", Shape.TYPED,
           instructions="CLAUDE.md"),
    Client("cursor", Home.PROJECT, ".cursor/mcp.json", "mcpServers", Shape.PLAIN,
           "${workspaceFolder}", ".cursor/rules/satchel.mdc"),
    Client("vscode", Home.PROJECT, ".vscode/mcp.json", "servers", Shape.TYPED,
           "${workspaceFolder}", ".github/copilot-instructions.md"),
    Client("copilot", Home.USER, ".copilot/mcp-config.json", "mcpServers", Shape.LOCAL,
           instructions=".github/copilot-instructions.md", moved="COPILOT_HOME"),
    Client("codex", Home.USER, ".codex/config.toml", "mcp_servers", Shape.TOML,
           moved="CODEX_HOME"),
    Client("zed", Home.CONFIG, "zed/settings.json", "context_servers", Shape.CUSTOM),
    Client("gemini", Home.PROJECT, ".gemini/settings.json", "mcpServers", Shape.TIMEOUT,
           instructions="GEMINI.md"),
    Client("antigravity", Home.PROJECT, ".agents/mcp_config.json", "mcpServers", Shape.PLAIN),
    Client("opencode", Home.PROJECT, "opencode.json", "mcp", Shape.ONE_LIST),
    Client("devin", Home.PROJECT, ".devin/config.json", "mcpServers", Shape.PLAIN),
    Client("windsurf", Home.USER, ".codeium/windsurf/mcp_config.json", "mcpServers", Shape.PLAIN,
           successor="devin"),
    Client("jetbrains", Home.PROJECT, ".junie/mcp/mcp.json", "mcpServers", Shape.PLAIN),
    Client("kiro", Home.PROJECT, ".kiro/settings/mcp.json", "mcpServers", Shape.PLAIN),
    Client("cline", Home.USER, ".cline/data/settings/cline_mcp_settings.json", "mcpServers",
           Shape.PLAIN, moved="CLINE_MCP_SETTINGS_PATH"),
    Client("amp", Home.PROJECT, ".amp/settings.json", "amp.mcpServers", Shape.PLAIN),
    Client("goose", Home.CONFIG, "goose/config.yaml", "extensions", Shape.YAML),
    Client("warp", Home.PROJECT, ".warp/.mcp.json", "mcpServers", Shape.PLAIN),
)  # fmt: skip
