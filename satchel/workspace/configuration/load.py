"""Settings as the user's environment says them: files and variables in, one value out.

Precedence, weakest first: built-in defaults (the root `config.toml`, held equal by a test), the
user's file, `.satchel/config.toml` of the indexed repository, environment, flags. Unknown keys
and variables are errors in what the user wrote. A repository's own file stops nobody: what of it
cannot be used is left out, and said. What it may say is in
`workspace.configuration.setting_authority`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from satchel.indexer.scan.open_below import content
from satchel.store.counted import counted
from satchel.store.errors import ConfigError, reason
from satchel.store.platform import toml_text
from satchel.workspace.configuration.setting_authority import refuse_user_settings
from satchel.workspace.configuration.settings import ENVIRONMENT_PREFIX, Settings, limits
from satchel.workspace.configuration.upstreams import TABLE

_MAX_BYTES = 1 << 20
"""Bytes of a configuration file; a larger one is an error."""
_MOST_LEFT_OUT = 20
"""After so many problems no more of a repository's file is read."""
_FOLDERS = (("index", "confirmed"), ("workspace", "roots"))
"""Settings that list folders."""
_ONLY_YOURS = "only your own configuration may run commands"
_T = TypeVar("_T", bound=Struct)


class LeftOut(Struct, frozen=True):
    """What of a repository's own file cannot be used and is not in force, and how to mend it.

    `problem` quotes the file.
    """

    problem: str
    hint: str


class Loaded(Struct, frozen=True):
    """The settings in force, and what said each last; a key is "table.key"."""

    settings: Settings
    origins: Mapping[str, str]
    left_out: tuple[LeftOut, ...]


def load(files: tuple[Path, ...], environment: Mapping[str, str]) -> Settings:
    """The settings that `read` finds, for who has no use for the rest.

    Raises:
        ConfigError: as `read` does.
    """
    return read(files, environment).settings


def read(files: tuple[Path, ...], environment: Mapping[str, str]) -> Loaded:
    """Defaults overlaid with each file that exists, in order, then with the environment.

    The first file is the user's own; others are a repository's, in a folder below its root. What of
    those cannot be used, or is the user's alone to say, is left out.

    Raises:
        ConfigError: the user's file or a variable says something unknown or out of bounds.
    """
    settings, left_out = Settings(), list[LeftOut]()
    origins: dict[str, str] = {}
    for source in _sources(files, environment, left_out):
        for table, values in source.assignments():
            if source.is_repository and len(left_out) >= _MOST_LEFT_OUT:
                break
            try:
                settings = _with_table(settings, table, values, source)
                origins |= dict.fromkeys((f"{table}.{key}" for key in values), source.name)
            except ConfigError as error:
                if not source.is_repository:
                    raise
                left_out.append(LeftOut(error.message, error.hint))
    return Loaded(settings, origins, tuple(left_out))


def _with_table(settings: Settings, table: str, values: Any, source: _Source) -> Settings:  # noqa: ANN401 - what a file says
    known = Settings.__struct_fields__
    if table not in known or not isinstance(values, dict):
        raise ConfigError(
            f"{source.name}: unknown section [{table}]", f"known: {', '.join(sorted(known))}"
        )
    if source.is_repository:
        refuse_user_settings(table, values, source.name, Settings())
    section = _overlay_section(getattr(settings, table), table, values, source.name)
    return replace(settings, **{table: section})


def need_all(left_out: Sequence[LeftOut]) -> None:
    """Refuse what would come out otherwise if all of a repository's file were in force.

    Raises:
        ConfigError: something of it was left out.
    """
    if left_out:
        raise ConfigError(left_out[0].problem, left_out[0].hint)


def notes(left_out: Sequence[LeftOut]) -> tuple[str, ...]:
    """One sentence on what was left out of a repository's file, without a word of that file."""
    if not left_out:
        return ()
    more = " or more" if len(left_out) >= _MOST_LEFT_OUT else ""
    return (
        f"{counted(len(left_out), 'problem')}{more} with .satchel/config.toml:"
        " what cannot be used is not in force, and `satchel config` names it",
    )


class Origin(Struct, frozen=True):
    """A setting, its value, and what said so last: a file, "environment" or "default"."""

    key: str
    value: object
    origin: str


def origins(found: Loaded) -> list[Origin]:
    """Every setting with where its value came from, in the order of `config.toml`."""
    return [
        Origin(name, getattr(section, key), found.origins.get(name, "default"))
        for table in Settings.__struct_fields__
        for section in (getattr(found.settings, table),)
        for key in section.__struct_fields__
        for name in (f"{table}.{key}",)
    ]


class _Source(Struct, frozen=True):
    """What a file or the environment says; `name` is what it is called in messages."""

    name: str
    tables: Mapping[str, Any]
    is_repository: bool = False

    def assignments(self) -> Iterator[tuple[str, Any]]:
        """Tables and what they set: of a repository each key by itself.

        So a key that cannot be used takes no other with it.
        """
        for table, values in self.tables.items():
            if self.is_repository and isinstance(values, dict) and values:
                yield from ((table, {key: value}) for key, value in values.items())
            else:
                yield table, values


def _sources(
    files: tuple[Path, ...], environment: Mapping[str, str], left_out: list[LeftOut]
) -> Iterator[_Source]:
    """What each source says, the weakest first; to `left_out` is added what no table holds."""
    for path in files:
        is_users = path is files[0]
        try:
            tables = _parse(path, None if is_users else path.parent.parent) or {}
        except ConfigError as error:
            if is_users:
                raise
            left_out.append(LeftOut(error.message, error.hint))
            continue
        if not is_users and TABLE in tables:
            left_out.append(LeftOut(f"{path} names upstream servers", _ONLY_YOURS))
        rest = {name: table for name, table in tables.items() if name != TABLE}
        yield _Source(str(path), rest, is_repository=not is_users)
    found: dict[str, Any] = {}
    for table in Settings.__struct_fields__:
        prefix = f"{ENVIRONMENT_PREFIX}{table}_".upper()
        keys = getattr(Settings(), table).__struct_fields__
        known = {f"{prefix}{key.upper()}": key for key in keys}
        # In an order, so that of several misspelled ones the same is named.
        for name in sorted(name for name in environment if name.startswith(prefix)):
            if name not in known:
                raise ConfigError(f"unknown variable {name}", f"known: {', '.join(sorted(known))}")
            found.setdefault(table, {})[known[name]] = environment[name]
    yield _Source("environment", found)


def _parse(path: Path, root: Path | None) -> dict[str, Any] | None:
    """What a file says, None where there is none; with `root`, no link below it is followed."""
    try:
        text = content(path, _MAX_BYTES, below=root).decode("utf-8")
        return toml_text.table(text)
    except (FileNotFoundError, NotADirectoryError):
        return None
    # Arrays within arrays exhaust the stack long before the file is too large.
    except RecursionError as error:
        raise ConfigError(f"{path} cannot be read: too deep", "correct or remove it") from error
    except (OSError, ValueError) as error:  # no text, no TOML, a number beyond all bounds
        raise ConfigError(
            f"{path} cannot be read: {reason(error)}", "correct or remove it"
        ) from error


def _type_in_words(hint: Any) -> str:  # noqa: ANN401 - a type, or one with bounds
    bare = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    names = {int: "a whole number", float: "a number", bool: "true or false"}
    return "a list of texts" if get_origin(bare) is tuple else names.get(bare, "a text")


def _overlay_section(section: _T, table: str, values: dict[str, Any], origin: str) -> _T:
    hints = get_type_hints(type(section), include_extras=True)
    for key, value in values.items():
        if key not in hints:
            raise ConfigError(
                f"{origin}: unknown key {table}.{key}", f"known: {', '.join(sorted(hints))}"
            )
        # A variable is text whatever it means; in a file, '1' is not meant as a number.
        is_text = origin == "environment"
        if is_text and hints[key] == tuple[str, ...]:
            # A list of folders is written as the system writes PATH; "C:\\code" has a colon in it.
            is_folders = (table, key) in _FOLDERS
            value = [part for part in value.split(os.pathsep if is_folders else ":") if part]
        try:
            checked = msgspec.convert(value, hints[key], strict=not is_text)
        except msgspec.ValidationError as error:
            wanted = _type_in_words(hints[key])
            # Of a wrong type only msgspec says "got"; else the value lies out of bounds.
            unlike = f", not {wanted}" if "got `" in str(error) else ""
            raise ConfigError(
                f"{origin}: {table}.{key} is {value!r}{unlike}",
                str(limits(table, key)) or f"give {wanted}",
            ) from error
        section = replace(section, **{key: checked})
    return section
