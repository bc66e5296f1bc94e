"""Settings: facts about the user's environment, said in files and variables, meant as values.

Precedence, weakest first: built-in defaults (the root `config.toml`, held equal by a test), the
user's file, `.satchel/config.toml` of the indexed repository, environment, flags. Unknown keys
are errors. What a repository's own file may say is in `workspace.setting_authority`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from satchel.assembler.budget import MAX_BUDGET, MIN_BUDGET
from satchel.indexer.scan.open_below import content
from satchel.store.errors import ConfigError
from satchel.workspace.setting_authority import hold_to_its_own
from satchel.workspace.upstreams import TABLE

ENVIRONMENT_PREFIX = "SATCHEL_"
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """What is indexed, and what that may cost."""

    max_file_bytes: int = 1_000_000
    ignore: tuple[str, ...] = ()
    confirmed: tuple[str, ...] = ()
    workers: int = 0
    parse_seconds: float = 10.0
    memory_mb: int = 2_048
    nice: int = 5


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """Defaults of `context`."""

    budget_tokens: int = 4096
    tokenizer: str = "cl100k_base"


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Defaults of `search`."""

    max_results: int = 10
    mode: str = "locate"


@dataclass(frozen=True, slots=True)
class VectorSettings:
    """Which engine answers for vectors, and what makes them."""

    engine: str = "exact"
    encoder: str = "table"
    endpoint: str = ""
    model: str = ""
    key_variable: str = ""
    seconds: float = 30.0
    batch: int = 32


@dataclass(frozen=True, slots=True)
class McpSettings:
    """What the MCP server lists."""

    tools: str = "compact"
    idle_minutes: float = 0.0


@dataclass(frozen=True, slots=True)
class KnowledgeSettings:
    """Who writes down what is known, and who may see it."""

    actor: str = ""
    privacy: str = "private"
    review: bool = False


@dataclass(frozen=True, slots=True)
class ValidationSettings:
    """What `validate` asks for; shares are 0 to 1. `ignore` holds codes, or "CODE path-prefix"."""

    fail_on: str = "warning"
    min_parsed: float = 0.0
    min_resolved: float = 0.0
    max_drop: float = 0.02
    min_golden: float = 1.0
    max_drifted: int = -1
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ShareSettings:
    """Where `satchel pull` finds an index that others made: a folder or an https address.

    The user's alone to say: a repository's own file may not name it.
    """

    source: str = ""


@dataclass(frozen=True, slots=True)
class StateSettings:
    """Where indexes and what is known lie, "" for the user's cache and data folders.

    The user's alone to say: a repository's own file may not name it.
    """

    folder: str = ""


@dataclass(frozen=True, slots=True)
class TelemetrySettings:
    """Where traces of calls go, "" for nowhere."""

    endpoint: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, one field a table of `config.toml`."""

    index: IndexSettings = IndexSettings()
    context: ContextSettings = ContextSettings()
    search: SearchSettings = SearchSettings()
    vectors: VectorSettings = VectorSettings()
    mcp: McpSettings = McpSettings()
    knowledge: KnowledgeSettings = KnowledgeSettings()
    validation: ValidationSettings = ValidationSettings()
    share: ShareSettings = ShareSettings()
    state: StateSettings = StateSettings()
    telemetry: TelemetrySettings = TelemetrySettings()


_CHOICES: dict[tuple[str, str], tuple[str, ...]] = {
    ("context", "tokenizer"): ("cl100k_base", "o200k_base"),
    ("search", "mode"): ("locate", "full"),
    ("vectors", "engine"): ("exact", "chroma", "off"),
    ("vectors", "encoder"): ("table", "ollama", "openai", "sentence-transformers"),
    ("validation", "fail_on"): ("warning", "error"),
    ("mcp", "tools"): ("compact", "full"),
    ("knowledge", "privacy"): ("public", "team", "private"),
}
_MAX_BYTES = 1 << 20
"""Of a configuration file."""
_SHARE = (0.0, 1.0)
_SHARES = ("min_parsed", "min_resolved", "max_drop", "min_golden")
_BOUNDS: dict[tuple[str, str], tuple[float, float]] = {
    ("index", "max_file_bytes"): (1, 100_000_000),
    ("index", "workers"): (0, 64),
    ("index", "parse_seconds"): (0.1, 600),
    ("index", "memory_mb"): (256, 65_536),
    ("index", "nice"): (0, 19),
    ("mcp", "idle_minutes"): (0, 100_000),
    ("context", "budget_tokens"): (MIN_BUDGET, MAX_BUDGET),
    ("search", "max_results"): (1, 200),
    ("vectors", "seconds"): (0.1, 600),
    ("vectors", "batch"): (1, 2_048),
    **{("validation", key): _SHARE for key in _SHARES},
    ("validation", "max_drifted"): (-1, 1_000_000),
}


def load(files: tuple[Path, ...], environment: Mapping[str, str]) -> Settings:
    """Defaults overlaid with each file that exists, in order, then with the environment.

    Raises:
        ConfigError: a file does not parse, or says something unknown or out of bounds.
    """
    settings = Settings()
    known = {table.name for table in fields(Settings)}
    for said, origin in _sources(files, environment):
        for table, values in said.items():
            if table not in known or not isinstance(values, dict):
                raise ConfigError(f"{origin}: unknown section [{table}]", f"known: {sorted(known)}")
            section = _overlay_section(getattr(settings, table), table, values, origin)
            settings = replace(settings, **{table: section})
    return settings


@dataclass(frozen=True, slots=True)
class Origin:
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
    said_by = {
        f"{table}.{key}": origin
        for said, origin in _sources(files, environment)
        for table, values in said.items()
        for key in values
    }
    return [
        Origin(name, getattr(section, key.name), said_by.get(name, "default"))
        for table in fields(Settings)
        for section in (getattr(settings, table.name),)
        for key in fields(section)
        for name in (f"{table.name}.{key.name}",)
    ]


def _sources(
    files: tuple[Path, ...], environment: Mapping[str, str]
) -> Iterator[tuple[dict[str, Any], str]]:
    """What each source says and what it is called, the weakest first.

    The first file is the user's own; others are a repository's, in a folder below its root.
    """
    for path in files:
        is_users = path is files[0]
        if (said := _parse(path, None if is_users else path.parent.parent)) is not None:
            if not is_users and TABLE in said:
                raise ConfigError(
                    f"{path} names upstream servers", "only your own configuration may run commands"
                )
            if not is_users:
                hold_to_its_own(said, path, Settings())
            yield {name: table for name, table in said.items() if name != TABLE}, str(path)
    yield _from_environment(environment), "environment"


def _parse(path: Path, root: Path | None) -> dict[str, Any] | None:
    """What a file says, None where there is none; with `root`, no link below it is followed."""
    try:
        said = content(path, _MAX_BYTES, below=root).decode("utf-8")
        return tomllib.loads(said)
    except (FileNotFoundError, NotADirectoryError):
        return None
    # Arrays within arrays exhaust the stack of `tomllib` long before the file is too large.
    except RecursionError as error:
        raise ConfigError(f"{path} cannot be read: too deep", "correct or remove it") from error
    except (OSError, ValueError) as error:  # no text, no TOML, a number beyond all bounds
        raise ConfigError(f"{path} cannot be read: {error}", "correct or remove it") from error


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    said: dict[str, Any] = {}
    for table in fields(Settings):
        section = getattr(Settings(), table.name)
        for key in fields(section):
            value = environment.get(f"{ENVIRONMENT_PREFIX}{table.name}_{key.name}".upper())
            if value is not None:
                default = getattr(section, key.name)
                said.setdefault(table.name, {})[key.name] = _typed(value, default)
    return said


def _typed(value: str, default: object) -> object:
    if isinstance(default, tuple):
        return [part for part in value.split(":") if part]
    # A bool is an int to Python, so it has to be asked about first.
    if isinstance(default, bool):
        return {"true": True, "1": True, "false": False, "0": False}.get(value.casefold(), value)
    try:
        # What is no number stays text: `_checked` then refuses it and names the key.
        return type(default)(value) if isinstance(default, int | float) else value
    except ValueError:
        return value


def _overlay_section(section: _T, table: str, values: dict[str, Any], origin: str) -> _T:
    known = {key.name for key in fields(section)}  # type: ignore[arg-type]
    for key, value in values.items():
        if key not in known:
            raise ConfigError(f"{origin}: unknown key {table}.{key}", f"known: {sorted(known)}")
        checked = _checked(table, key, value, getattr(section, key), origin)
        section = replace(section, **{key: checked})  # type: ignore[type-var]
    return section


def _checked(table: str, key: str, value: object, default: object, origin: str) -> object:
    name = f"{origin}: {table}.{key}"
    if isinstance(default, tuple):
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise ConfigError(f"{name} must be a list of strings")
        return tuple(value)
    # TOML tells 10 from 10.0, but who writes 10 for seconds means the same.
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    # `isinstance` would take true for a number.
    if type(value) is not type(default):
        raise ConfigError(f"{name} must be of type {type(default).__name__}, is {value!r}")
    choices = _CHOICES.get((table, key))
    if choices and value not in choices:
        raise ConfigError(f"{name} is {value!r}", f"use one of: {', '.join(choices)}")
    low, high = _BOUNDS.get((table, key), (float("-inf"), float("inf")))
    if isinstance(value, int | float) and not low <= value <= high:
        raise ConfigError(f"{name} is {value}", f"it must be {low:g} to {high:g}")
    return value
