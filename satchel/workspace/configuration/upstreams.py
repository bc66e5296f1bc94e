"""Upstream MCP servers, named by the user alone: a repository's own file must not run commands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from msgspec import Struct

from satchel.indexer.scan.open_below import content
from satchel.store.errors import ConfigError
from satchel.store.platform import toml_text

TABLE = "upstream"
_NAME = re.compile(r"[A-Za-z0-9-]{1,40}|[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*")
_MOST = 20
_MAX_BYTES = 1 << 20
_HINT = 'write [[upstream]] with name = "git", command = "…", args = ["…"]'


class Upstream(Struct, frozen=True):
    """A server to be run and mounted under its name; `env` are variables beside the usual few.

    `cwd` is where it runs, "" for the user's own folder: a checkout may hold settings and modules
    that programs take from where they are started.
    """

    name: str
    command: str
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    cwd: str = ""


def upstreams(user_file: Path) -> tuple[Upstream, ...]:
    """The servers that the user's own configuration names, in its order.

    Raises:
        ConfigError: an entry cannot be used.
    """
    if not user_file.is_file():
        return ()
    entries = toml_text.table(content(user_file, _MAX_BYTES).decode("utf-8")).get(TABLE, [])
    if not isinstance(entries, list) or len(entries) > _MOST:
        raise ConfigError(f"{user_file}: upstream is no list of at most {_MOST} tables", _HINT)
    found = tuple(_upstream(entry, user_file) for entry in entries)
    if len({upstream.name for upstream in found}) < len(found):
        raise ConfigError(f"{user_file}: two upstreams have the same name", _HINT)
    return found


def _upstream(entry: Any, path: Path) -> Upstream:  # noqa: ANN401
    known = {"name", "command", "args", "env", "cwd"}
    if not isinstance(entry, dict) or set(entry) - known:
        raise ConfigError(f"{path}: an upstream has other keys than {sorted(known)}", _HINT)
    name, command = entry.get("name"), entry.get("command")
    args, env, cwd = entry.get("args", []), entry.get("env", {}), entry.get("cwd", "")
    sane = isinstance(name, str) and _NAME.fullmatch(name) and "__" not in name
    # The 0 is no text, so that arguments or variables of another type fail the check below.
    texts = (
        [command, *args, *env.values()] if isinstance(args, list) and isinstance(env, dict) else [0]
    )
    is_folder = isinstance(cwd, str) and (not cwd or Path(cwd).is_absolute())
    if not (sane and command and is_folder and all(isinstance(text, str) for text in texts)):
        raise ConfigError(f"{path}: upstream {name!r} cannot be used", _HINT)
    return Upstream(str(name), str(command), tuple(args), tuple(sorted(env.items())), cwd)
