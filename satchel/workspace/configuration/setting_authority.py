"""Which settings a repository's own configuration file may set, key by key.

It may say what a repository knows about itself. It names no program, no host, no path outside, no
identity, not who may see what is written, and no limit above the default: those are the user's.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from satchel.store.errors import ConfigError


class May(StrEnum):
    """What a repository's own file may say of a key."""

    ANYTHING = "yes"
    UP_TO_DEFAULT = "up to the default"
    NOT_CHROMA = "`exact` and `off`"
    NOTHING = "no"


REPOSITORY: Mapping[str, May] = {
    "index.max_file_bytes": May.UP_TO_DEFAULT,
    "index.ignore": May.ANYTHING,
    "index.tests": May.ANYTHING,
    "index.parse_seconds": May.UP_TO_DEFAULT,
    "index.memory_mb": May.UP_TO_DEFAULT,
    "context.budget_tokens": May.UP_TO_DEFAULT,
    "context.tokenizer": May.ANYTHING,
    "search.max_results": May.UP_TO_DEFAULT,
    "search.mode": May.ANYTHING,
    "vectors.engine": May.NOT_CHROMA,
    "mcp.tools": May.ANYTHING,
    "knowledge.review": May.ANYTHING,
    "assemble.max_tokens": May.UP_TO_DEFAULT,
    "assemble.priority_weights": May.ANYTHING,
    "validation.fail_on": May.ANYTHING,
    "validation.min_parsed": May.ANYTHING,
    "validation.min_resolved": May.ANYTHING,
    "validation.max_drop": May.ANYTHING,
    "validation.min_golden": May.ANYTHING,
    "validation.max_drifted": May.ANYTHING,
    "validation.ignore": May.ANYTHING,
    "architecture.rules": May.ANYTHING,
}
"""Every other key is the user's alone."""


def refuse_user_settings(
    table: str, values: Mapping[str, Any], file: str, defaults: object
) -> None:
    """Refuse what only the user may say in a table of a repository's file.

    Raises:
        ConfigError: a key is the user's alone, or its value is beyond what a repository may set.
    """
    section = getattr(defaults, table)
    for key, value in values.items():
        if not hasattr(section, key):
            continue  # unknown, which is refused in other words
        # A key that the table does not name is the user's, so that a new setting is closed to
        # repositories until somebody opens it.
        may = REPOSITORY.get(f"{table}.{key}", May.NOTHING)
        if not _is_allowed(may, value, getattr(section, key)):
            limit = "" if may == May.NOTHING else f" beyond {may.value}"
            raise ConfigError(
                f"{file}: {table}.{key} may not be set by a repository{limit}",
                "put it into your own configuration file or the environment",
            )


def _is_allowed(may: May, value: object, default: object) -> bool:
    # What is no number passes here, because `settings` refuses it with better words.
    if may == May.UP_TO_DEFAULT and isinstance(value, int | float):
        assert isinstance(default, int | float)
        return value <= default
    return may != May.NOTHING and not (may == May.NOT_CHROMA and value in ("auto", "chroma"))
