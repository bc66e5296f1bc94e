"""Upstream MCP servers, named by the user alone: a repository's own file must not run commands."""

from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from satchel.indexer.scan.open_below import content
from satchel.store.errors import ConfigError
from satchel.store.platform import toml_text

TABLE = "upstream"
_NAME = r"\A[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*\Z"
"""Two underscores end a server's name in the names of its tools, so that it holds none itself."""
_MOST = 20
_MAX_BYTES = 1 << 20
_HINT = (
    'write [[upstream]] with name = "git" (letters, digits, - and single _), command = "…",'
    ' args = ["…"]'
)


class Upstream(Struct, frozen=True, forbid_unknown_fields=True):
    """A server to be run and mounted under its name; `env` are variables beside the usual few.

    `cwd` is where it runs, "" for the user's own folder: a checkout may hold settings and modules
    that programs take from where they are started.
    """

    name: Annotated[str, Meta(pattern=_NAME)]
    command: Annotated[str, Meta(min_length=1)]
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
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


def _upstream(entry: object, path: Path) -> Upstream:
    try:
        given = msgspec.convert(entry, Upstream)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{path}: an upstream cannot be used: {error}", _HINT) from error
    if given.cwd and not Path(given.cwd).is_absolute():
        raise ConfigError(f"{path}: cwd of upstream {given.name!r} is not absolute", _HINT)
    return given
