"""Settings: facts about the user's environment, read from files and variables as values.

Precedence, weakest first: built-in defaults (the root `config.toml`, held equal by a test), the
user's file, `.satchel/config.toml` of the indexed repository, environment, flags. Unknown keys
and variables are errors. What a repository's own file may say is in
`workspace.configuration.setting_authority`.

What each key means is said once, behind it in the root `config.toml`, from which
docs/CONFIGURATION.md is made; here are only types, bounds and values with a meaning of their own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from satchel.assembler.budget import MAX_BUDGET, MIN_BUDGET
from satchel.indexer.scan.open_below import content
from satchel.store.errors import ConfigError, reason
from satchel.store.platform import toml_text
from satchel.workspace.configuration.setting_authority import refuse_user_settings
from satchel.workspace.configuration.upstreams import TABLE

ENVIRONMENT_PREFIX = "SATCHEL_"
_MAX_BYTES = 1 << 20
"""Bytes of a configuration file; a larger one is an error."""
_FOLDERS = (("index", "confirmed"), ("workspace", "roots"))
"""Settings that list folders."""
MAX_WORKERS = 64
"""Processes that may be asked for, to index or to answer."""
_T = TypeVar("_T", bound=Struct)
Share = Annotated[float, Meta(ge=0, le=1)]
Seconds = Annotated[float, Meta(ge=0.1, le=600)]


class IndexSettings(Struct, frozen=True):
    """What is indexed, and what that may cost.

    With `workers` 0, one process for each processor, at most 8. `parse_seconds` is for one file,
    `memory_mb` for one parsing process. `nice` is added to the niceness of the process.
    """

    max_file_bytes: Annotated[int, Meta(ge=1, le=100_000_000)] = 1_000_000
    ignore: tuple[str, ...] = ()
    confirmed: tuple[str, ...] = ()
    workers: Annotated[int, Meta(ge=0, le=MAX_WORKERS)] = 0
    parse_seconds: Seconds = 10.0
    memory_mb: Annotated[int, Meta(ge=256, le=65_536)] = 2_048
    nice: Annotated[int, Meta(ge=0, le=19)] = 5
    patience_seconds: Annotated[float, Meta(ge=0, le=3_600)] = 30.0


class ContextSettings(Struct, frozen=True):
    """Defaults of `context`."""

    budget_tokens: Annotated[int, Meta(ge=MIN_BUDGET, le=MAX_BUDGET)] = 4096
    tokenizer: Literal["cl100k_base", "o200k_base"] = "cl100k_base"


class SearchSettings(Struct, frozen=True):
    """Defaults of `search`."""

    max_results: Annotated[int, Meta(ge=1, le=200)] = 10
    mode: Literal["locate", "full"] = "locate"


class VectorSettings(Struct, frozen=True):
    """Which engine answers for vectors, and what makes them: `batch` texts in a request, which may
    take `seconds`."""

    engine: Literal["auto", "exact", "chroma", "off"] = "auto"
    encoder: Literal["table", "ollama", "openai", "sentence-transformers"] = "table"
    endpoint: str = ""
    model: str = ""
    key_variable: str = ""
    seconds: Seconds = 30.0
    batch: Annotated[int, Meta(ge=1, le=2_048)] = 32


class McpSettings(Struct, frozen=True):
    """What the MCP server lists, and how it runs.

    With `idle_minutes` 0 it never ends by itself, with `workers` 0 it computes answers itself.
    """

    tools: Literal["compact", "full"] = "compact"
    idle_minutes: Annotated[float, Meta(ge=0, le=100_000)] = 0.0
    workers: Annotated[int, Meta(ge=0, le=MAX_WORKERS)] = 0


class KnowledgeSettings(Struct, frozen=True):
    """Who writes down what is known, and who may see it; `actor` "" is the name of the account."""

    actor: str = ""
    privacy: Literal["public", "team", "private"] = "private"
    review: bool = False


class AssembleSettings(Struct, frozen=True):
    """`twining_assemble`: its size, and its weights under Twining's names, `recency=0.2` each.

    No weights are Twining's own.
    """

    max_tokens: Annotated[int, Meta(ge=1, le=MAX_BUDGET)] = 4_000
    priority_weights: tuple[str, ...] = ()


class ValidationSettings(Struct, frozen=True):
    """What `validate` asks for; shares are 0 to 1. `ignore` holds codes, or "CODE path-prefix".

    With `max_drifted` -1 only knowledge of code that is gone fails a run, however much drifted.
    """

    fail_on: Literal["warning", "error"] = "warning"
    min_parsed: Share = 0.0
    min_resolved: Share = 0.0
    max_drop: Share = 0.02
    min_golden: Share = 1.0
    max_drifted: Annotated[int, Meta(ge=-1, le=1_000_000)] = -1
    ignore: tuple[str, ...] = ()


class ArchitectureSettings(Struct, frozen=True):
    """What may use what, a rule a line; see `assembler.graph.layers`."""

    rules: tuple[str, ...] = ()


class ShareSettings(Struct, frozen=True):
    """Where `satchel pull` finds an index that others made: a folder or an https address.

    The user's alone to say: a repository's own file may not name it.
    """

    source: str = ""


class StateSettings(Struct, frozen=True):
    """Where indexes and what is known lie, "" for the user's cache and data folders.

    The user's alone to say: a repository's own file may not name it.
    """

    folder: str = ""


class WorkspaceSettings(Struct, frozen=True):
    """Folders of code that are asked together with `--workspace`; "*" stands for checkouts.

    The user's alone to say: a repository's own file may not name any.
    """

    roots: tuple[str, ...] = ()


class TelemetrySettings(Struct, frozen=True):
    """Where traces of calls go, "" for nowhere."""

    endpoint: str = ""


class Settings(Struct, frozen=True):
    """All settings, one field a table of `config.toml`."""

    index: IndexSettings = IndexSettings()
    context: ContextSettings = ContextSettings()
    search: SearchSettings = SearchSettings()
    vectors: VectorSettings = VectorSettings()
    mcp: McpSettings = McpSettings()
    knowledge: KnowledgeSettings = KnowledgeSettings()
    assemble: AssembleSettings = AssembleSettings()
    validation: ValidationSettings = ValidationSettings()
    architecture: ArchitectureSettings = ArchitectureSettings()
    share: ShareSettings = ShareSettings()
    state: StateSettings = StateSettings()
    workspace: WorkspaceSettings = WorkspaceSettings()
    telemetry: TelemetrySettings = TelemetrySettings()


class Limits(Struct, frozen=True):
    """What a setting may be: one of `choices` where there are some, else a number in bounds."""

    choices: tuple[str, ...] = ()
    lowest: float | None = None
    highest: float | None = None

    def __str__(self) -> str:
        if self.choices:
            return f"use one of: {', '.join(self.choices)}"
        return "" if self.lowest is None else f"it must be {self.lowest:g} to {self.highest:g}"


def limits(table: str, key: str) -> Limits:
    """What `table.key` may be, as its type says it. No limits for free text, lists and flags."""
    from msgspec import inspect

    hint = get_type_hints(type(getattr(Settings(), table)), include_extras=True)[key]
    if get_origin(hint) is Literal:
        return Limits(choices=get_args(hint))
    kind = inspect.type_info(hint)
    if isinstance(kind, inspect.IntType | inspect.FloatType):
        return Limits(lowest=kind.ge, highest=kind.le)
    return Limits()


def load(files: tuple[Path, ...], environment: Mapping[str, str]) -> Settings:
    """Defaults overlaid with each file that exists, in order, then with the environment.

    Raises:
        ConfigError: a file does not parse, or says something unknown or out of bounds.
    """
    settings = Settings()
    known = set(Settings.__struct_fields__)
    for tables, origin in _sources(files, environment):
        for table, values in tables.items():
            if table not in known or not isinstance(values, dict):
                raise ConfigError(
                    f"{origin}: unknown section [{table}]", f"known: {', '.join(sorted(known))}"
                )
            section = _overlay_section(getattr(settings, table), table, values, origin)
            settings = replace(settings, **{table: section})
    return settings


class Origin(Struct, frozen=True):
    """A setting, its value, and what said so last: a file, "environment" or "default"."""

    key: str
    value: object
    origin: str


def origins(files: tuple[Path, ...], environment: Mapping[str, str]) -> list[Origin]:
    """Every setting with where its value came from, in the order of `config.toml`.

    Raises:
        ConfigError: as `load` does.
    """
    settings = load(files, environment)
    last_origin = {
        f"{table}.{key}": origin
        for tables, origin in _sources(files, environment)
        for table, values in tables.items()
        for key in values
    }
    return [
        Origin(name, getattr(section, key), last_origin.get(name, "default"))
        for table in Settings.__struct_fields__
        for section in (getattr(settings, table),)
        for key in section.__struct_fields__
        for name in (f"{table}.{key}",)
    ]


def _sources(
    files: tuple[Path, ...], environment: Mapping[str, str]
) -> Iterator[tuple[dict[str, Any], str]]:
    """What each source says and what it is called, the weakest first.

    The first file is the user's own; others are a repository's, in a folder below its root.
    """
    for path in files:
        is_users = path is files[0]
        if (tables := _parse(path, None if is_users else path.parent.parent)) is not None:
            if not is_users and TABLE in tables:
                raise ConfigError(
                    f"{path} names upstream servers", "only your own configuration may run commands"
                )
            if not is_users:
                refuse_user_settings(tables, path, Settings())
            yield {name: table for name, table in tables.items() if name != TABLE}, str(path)
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
    yield found, "environment"


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
