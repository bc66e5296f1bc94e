"""The hooks of Claude Code that run `satchel hook`, in the text of its settings. Pure."""

import shlex
from collections.abc import Sequence
from typing import Any

from satchel.cli.clients import jsonc

FILE = ".claude/settings.json"
_KEY = "hooks"
_EVENTS = {
    "SessionStart": ("session-start", ""),
    "PreToolUse": ("before-search", "Grep"),
    "Stop": ("before-stop", ""),
}
"""By Claude Code's name of an event: ours, and which tool it is about."""
NAMES = tuple(name for name, _ in _EVENTS.values())
USUAL = NAMES[:2]
"""Those that are entered where none is named."""
_TIMEOUT_SECONDS = 5


def with_hooks(text: str, command: str, wanted: Sequence[str] = USUAL) -> str:
    """The settings with the hooks that are wanted, each once, behind those that are there.

    Raises:
        ConfigError: the text cannot be read.
    """
    for event, (name, matcher) in _EVENTS.items():
        if name not in wanted:
            continue
        run = {"type": "command", "command": f"{shlex.quote(command)} hook {name}",
               "timeout": _TIMEOUT_SECONDS}  # fmt: skip
        entry: dict[str, Any] = {**({"matcher": matcher} if matcher else {}), "hooks": [run]}
        present = _entries(text, event)
        if entry not in present:
            others = [each for each in present if not _is_ours(each)]
            text = jsonc.set_member(text, (_KEY, event), [*others, entry])
    return text


def without_hooks(text: str) -> str:
    """The settings without our hooks; "" where there was nothing else.

    Raises:
        ConfigError: the text cannot be read.
    """
    for event in _EVENTS:
        present = _entries(text, event)
        others = [each for each in present if not _is_ours(each)]
        if others and others != present:
            text = jsonc.set_member(text, (_KEY, event), others)
        elif present and not others:
            text = jsonc.remove_member(text, (_KEY, event))
    if text.strip() and jsonc.get_member(text, (_KEY,)) == {}:
        text = jsonc.remove_member(text, (_KEY,))
    return "" if "".join(text.split()) == "{}" else text


def _entries(text: str, event: str) -> list[Any]:
    found = jsonc.get_member(text, (_KEY, event)) if text.strip() else None
    return found if isinstance(found, list) else []


def _is_ours(entry: Any) -> bool:  # noqa: ANN401  whatever a person wrote there
    runs = entry.get("hooks") if isinstance(entry, dict) else None
    commands = [run.get("command") for run in runs or () if isinstance(run, dict)]
    return any(f"satchel{end} hook " in str(command) for command in commands for end in ("", "'"))
