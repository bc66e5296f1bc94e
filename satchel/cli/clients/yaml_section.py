"""Entries of one section of a YAML file set and removed in place, every other byte as it was.

What is understood is what programs write that keep their settings in YAML: a section of the top
level with an entry a block, and in ours a value a line or a list. Anything else is refused: a
parser that writes back what it read would lose the comments of people.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from satchel.store.errors import ConfigError

_LINE = re.compile(r"([ ]*)(?:(['\"]?)([\w.-]+)\2:(?:[ ]+(?!\#)(.*?))?|-[ ]+(.*?))[ ]*(?:[ ]\#.*)?")
_EMPTY = ("{}", "null", "~")
_SKIPPED = re.compile(r"\s*(?:#.*)?")


def entry_of(text: str, section: str, name: str) -> Mapping[str, object] | None:
    """The entry of a name; None where there is none.

    Raises:
        ConfigError: it is written in a way that is not understood.
    """
    lines = text.splitlines()
    start, end = _entry(lines, section, name)
    found: dict[str, object] = {}
    last: list[object] = []
    for line in lines[start + 1 : end]:
        if _SKIPPED.fullmatch(line):
            continue
        _, key, value, item = _parts(line)
        if item is not None:
            last.append(_value(item))
        elif value:
            found[key] = _value(value)
        else:
            found[key] = last = []
    return found if start < end else None


def with_entry(text: str, section: str, name: str, entry: Mapping[str, object]) -> str:
    """The text with this entry. Raises: ConfigError: as `entry_of` does."""
    lines = text.splitlines(keepends=True)
    del lines[slice(*_entry(lines, section, name))]
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    first, end = _block(lines, section, 0, 0, len(lines))
    if first == end:
        lines.append(f"{section}:\n")
        first, end = len(lines) - 1, len(lines)
    elif _parts(lines[first].rstrip())[2]:
        lines[first] = f"{section}:\n"
    siblings = (line for line in lines[first + 1 : end] if not _SKIPPED.fullmatch(line.rstrip()))
    indent = len(_parts(next(siblings, "  x:").rstrip())[0])
    written = [f"{' ' * indent}{name}:\n"]
    # What JSON writes is YAML as well.
    written += [f"{' ' * 2 * indent}{key}: {json.dumps(each)}\n" for key, each in entry.items()]
    lines[first + 1 : first + 1] = written
    return "".join(lines)


def without_entry(text: str, section: str, name: str) -> str:
    """The text without the entry, and without a section that holds nothing else.

    Raises:
        ConfigError: as `entry_of` does.
    """
    lines = text.splitlines(keepends=True)
    start, after = _entry(lines, section, name)
    del lines[start:after]
    first, end = _block(lines, section, 0, 0, len(lines))
    if start < after and not "".join(lines[first + 1 : end]).strip():
        del lines[first:end]
    return "".join(lines)


def _entry(lines: Sequence[str], section: str, name: str) -> tuple[int, int]:
    first, end = _block(lines, section, 0, 0, len(lines))
    return _block(lines, name, 1, first + 1, end)


def _block(lines: Sequence[str], key: str, depth: int, start: int, end: int) -> tuple[int, int]:
    """Where a key at the least depth begins and ends among these lines; the same twice for none."""
    inside = [n for n in range(start, end) if not _SKIPPED.fullmatch(lines[n].rstrip())]
    depths = {n: len(lines[n]) - len(lines[n].lstrip(" ")) for n in inside}
    least = min(depths.values(), default=0)
    if inside and bool(least) != bool(depth):
        raise ConfigError("its YAML is written in a way that is not understood", "correct it first")
    at = [n for n in inside if depths[n] == least]
    named = next((n for n in at if re.match(rf"[ ]*(['\"]?){re.escape(key)}\1:", lines[n])), None)
    if named is None:
        return end, end
    follows = next((lines[n].lstrip()[:1] for n in inside if n > named), "")
    if _parts(lines[named].rstrip())[2] not in ("", *_EMPTY) or follows == "-":
        raise ConfigError(f"its {key} is not a block", f"write {key} with a line for each entry")
    after = next((n for n in at if n > named), end)
    # Comments in front of what comes next are about that.
    while after > named + 1 and _SKIPPED.fullmatch(lines[after - 1].rstrip()):
        after -= 1
    return named, after


def _parts(line: str) -> tuple[str, str, str, str | None]:
    """The indentation of a line, its key and value, or its item of a list."""
    found = _LINE.fullmatch(line)
    if found is None:
        raise ConfigError(f"its line {line.strip()!r} is not understood", "correct it first")
    return found[1], found[3] or "", found[4] or "", found[5]


def _value(word: str) -> object:
    """What a word means: JSON is YAML too, and a list or a text need no quotes there."""
    try:
        return json.loads(word)
    except ValueError:
        if word[:1] == "[" and word[-1:] == "]":
            return [_value(each.strip()) for each in word[1:-1].split(",") if each.strip()]
        return word[1:-1].replace("''", "'") if word[:1] == word[-1:] == "'" else word
