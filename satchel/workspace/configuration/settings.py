"""Settings: facts about the user's environment, as values; `load` reads them.

What each key means is said once, behind it in the root `config.toml`, from which
docs/CONFIGURATION.md is made; here are only types, bounds and values with a meaning of their own.
"""

from typing import Annotated, Literal, get_args, get_origin, get_type_hints

from msgspec import Meta, Struct

from satchel.assembler.budget import MAX_BUDGET, MIN_BUDGET, USUAL

ENVIRONMENT_PREFIX = "SATCHEL_"
MAX_WORKERS = 64
"""Processes that may be asked for, to index or to answer."""
Share = Annotated[float, Meta(ge=0, le=1)]
Seconds = Annotated[float, Meta(ge=0.1, le=600)]


class IndexSettings(Struct, frozen=True):
    """What is indexed, and what that may cost.

    With `workers` 0, one process for each processor, at most 8. `parse_seconds` is for one file,
    `memory_mb` for one parsing process. `nice` is added to the niceness of the process.
    """

    max_file_bytes: Annotated[int, Meta(ge=1, le=100_000_000)] = 1_000_000
    ignore: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    confirmed: tuple[str, ...] = ()
    workers: Annotated[int, Meta(ge=0, le=MAX_WORKERS)] = 0
    parse_seconds: Seconds = 10.0
    memory_mb: Annotated[int, Meta(ge=256, le=65_536)] = 2_048
    nice: Annotated[int, Meta(ge=0, le=19)] = 5
    patience_seconds: Annotated[float, Meta(ge=0, le=3_600)] = 30.0


class ContextSettings(Struct, frozen=True):
    """Defaults of `context`."""

    budget_tokens: Annotated[int, Meta(ge=MIN_BUDGET, le=MAX_BUDGET)] = USUAL.ceiling
    turn_tokens: Annotated[int, Meta(ge=0, le=100_000)] = USUAL.turn
    tokenizer: Literal["cl100k_base", "o200k_base"] = "cl100k_base"


class SearchSettings(Struct, frozen=True):
    """Defaults of `search`."""

    max_results: Annotated[int, Meta(ge=1, le=200)] = 10
    mode: Literal["locate", "full"] = "locate"


class VectorSettings(Struct, frozen=True):
    """Which engine answers for vectors, and what makes them: `batch` texts in a request, which may
    take `seconds`. The prefixes stand before each question and each piece of code, for models that
    were trained with them."""

    engine: Literal["auto", "exact", "chroma", "off"] = "auto"
    encoder: Literal["table", "ollama", "openai", "sentence-transformers"] = "table"
    endpoint: str = ""
    model: str = ""
    key_variable: str = ""
    seconds: Seconds = 30.0
    batch: Annotated[int, Meta(ge=1, le=2_048)] = 32
    query_prefix: Annotated[str, Meta(max_length=1_000)] = ""
    document_prefix: Annotated[str, Meta(max_length=1_000)] = ""


class McpSettings(Struct, frozen=True):
    """What the MCP server lists, and how it runs.

    `tools` "compact" lists the tools of memory once something is kept, "memory" always. With
    `idle_minutes` 0 it never ends by itself, with `workers` 0 it computes answers itself. Two are
    enough that a symbol is looked up while packs are made; one more takes 50 MB.
    """

    tools: Literal["compact", "memory", "full"] = "compact"
    idle_minutes: Annotated[float, Meta(ge=0, le=100_000)] = 0.0
    workers: Annotated[int, Meta(ge=0, le=MAX_WORKERS)] = 2


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
    """Where traces of calls go, "" for nowhere; whether client, pack and stages of each call are
    kept beside the index."""

    endpoint: str = ""
    log_calls: bool = False


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
