"""Entries of one section of a YAML file set and removed in place, every other byte as it was.

ruamel.yaml reads the file and says where an entry stands. The lines are changed by hand, since what
it writes after a removal lacks the comments behind the entry.
"""

import json
from collections.abc import Mapping
from itertools import accumulate

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import YAMLError

from satchel.store.errors import ConfigError

_MAX_CHARACTERS, _MAX_DEPTH = 30_000, 100
"""Of a text, and of brackets in it: ruamel.yaml takes 20 µs a character, and for brackets within
brackets a time that grows with the square of their number. Settings have some thousand characters.
"""
_DEEPER = {"[": 1, "{": 1, "]": -1, "}": -1}


def entry_of(text: str, section: str, name: str) -> object | None:
    """The entry of a name; None where there is none.

    Raises:
        ConfigError: the text cannot be read, or its section is not a block of entries.
    """
    found: object = _entries(_document(text), section).get(name)
    return found


def with_entry(text: str, section: str, name: str, entry: Mapping[str, object]) -> str:
    """The text with this entry. Raises: ConfigError: as `entry_of` does."""
    text = _without_lines(text, section, name)
    document = _document(text)
    entries = _entries(document, section)
    lines = text.splitlines(keepends=True)
    # Of a section there are its heading, or one that says that it is empty.
    heading = document.lc.key(section)[0] if section in document else len(lines)
    if not entries:
        lines[heading : heading + 1] = [f"{section}:\n"]
    # The line before may be the last of a file, without an end of its own.
    for last in range(max(0, heading - 1), min(heading + 1, len(lines))):
        lines[last] = lines[last].rstrip("\n") + "\n"
    indent = entries.lc.key(next(iter(entries)))[1] if entries else 2
    # What JSON writes is YAML as well.
    lines[heading + 1 : heading + 1] = [
        f"{' ' * indent}{name}:\n",
        *(f"{' ' * 2 * indent}{key}: {json.dumps(each)}\n" for key, each in entry.items()),
    ]
    return "".join(lines)


def without_entry(text: str, section: str, name: str) -> str:
    """The text without the entry, and without a section that holds nothing else.

    Raises:
        ConfigError: as `entry_of` does.
    """
    left = _without_lines(text, section, name)
    document = _document(left)
    if left == text or _entries(document, section):
        return left
    lines = left.splitlines(keepends=True)
    del lines[document.lc.key(section)[0]]
    return "".join(lines)


def _document(text: str) -> CommentedMap:
    depth = max(accumulate(_DEEPER.get(each, 0) for each in text), default=0)
    if len(text) > _MAX_CHARACTERS or depth > _MAX_DEPTH:
        raise ConfigError("its YAML is too long or too deep", "enter it by hand: setup --print")
    try:
        document = YAML().load(text)
    except (YAMLError, TypeError, ValueError, RecursionError) as error:  # a list as a key
        raise ConfigError(f"it is no YAML: {error}", "correct it first") from error
    if document is None:
        return CommentedMap()
    # Entries in braces may share a line, so that none of them can be taken out by lines.
    if not isinstance(document, CommentedMap) or document.fa.flow_style() or document.lc.col:
        raise ConfigError("its YAML has no sections", "correct it first")
    return document


def _entries(document: CommentedMap, section: str) -> CommentedMap:
    found = document.get(section)
    if found is None or found == {}:
        return CommentedMap()
    if not isinstance(found, CommentedMap) or found.fa.flow_style():
        raise ConfigError(f"its {section} is not a block", f"write {section} with a line an entry")
    return found


def _without_lines(text: str, section: str, name: str) -> str:
    """The text without the lines of an entry; comments in front of what comes next stay."""
    document = _document(text)
    entries = _entries(document, section)
    if name not in entries:
        return text
    lines = text.splitlines(keepends=True)
    start = entries.lc.key(name)[0]
    below = [each.lc.key(key)[0] for each in (document, entries) for key in each]
    end = min((line for line in below if line > start), default=len(lines))
    while end > start + 1 and not lines[end - 1].partition("#")[0].strip():
        end -= 1
    del lines[start:end]
    return "".join(lines)
