"""Members of JSON files set and removed in place, every other byte as it was.

People's configuration files have comments and trailing commas (JSONC), an order and an indentation
of their own; a parser that writes back what it read would lose them. So a scanner finds where
things are, and text is cut and put in there. Positions are indices into the text.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from satchel.store.errors import ConfigError

# A byte order mark counts as white space, because editors on Windows begin files with one.
_TRIVIA = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
# A comment behind a member on its line is about that member, so what comes next is put in after it.
_REST_OF_LINE = re.compile(r"[ \t]*(?://[^\n]*|/\*[^\n]*?\*/[ \t]*)?(?=\r?\n|\Z)")
_MAX_DEPTH = 200


class _Member(Struct, frozen=True):
    """`"name": value`; `comma` is where the comma after it stands, -1 where there is none."""

    name: str
    start: int
    value: int
    end: int
    comma: int


class _Object(Struct, frozen=True):
    """`{ … }`: `start` is the brace that opens it, `end` comes after the one that closes it."""

    start: int
    end: int
    members: tuple[_Member, ...]

    def member(self, name: str) -> _Member | None:
        """The last of that name: it is the one that readers take."""
        return next((each for each in reversed(self.members) if each.name == name), None)


def get_member(text: str, keys: Sequence[str]) -> object:
    """The value at `keys`, None where there is none.

    Raises:
        ConfigError: the text is no JSON, or something on the way is not an object.
    """
    found = _find(text, keys)
    return None if found is None else _decoded(_plain(text[found.value : found.end]))


def _decoded(text: str) -> Any:  # noqa: ANN401
    """What JSON says. Raises: ConfigError: it is too deep, or a number is beyond all bounds."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"it is no JSON that can be read: {error}", "correct it first") from error


def set_member(text: str, keys: Sequence[str], value: object) -> str:
    """`text` with `value` at `keys`; objects on the way are made where they are missing.

    Raises:
        ConfigError: as `get_member`.
    """
    # The file's own line ends are used for what is put in, or one file would have both.
    newline = "\r\n" if "\r\n" in text else "\n"
    if not _plain(text).strip():
        # The text may hold comments although it holds no object, and these stay.
        return text + _indented_json(_nested(keys, value), "", newline) + newline
    if (found := _find(text, keys)) is not None:
        # Values are compared as values, so a difference in spaces or comments alone is no reason to
        # write.
        if _decoded(_plain(text[found.value : found.end])) == value:
            return text
        indent = _indent(text, found.start)
        return text[: found.value] + _indented_json(value, indent, newline) + text[found.end :]
    # The loop ends at the last key at the latest, because the value at all of them was not found
    # above.
    parent, depth = _Scanner(text).root(), 0
    while (member := parent.member(keys[depth])) is not None:
        parent, depth = _object_at(text, member), depth + 1
    return _inserted(text, parent, keys[depth], _nested(keys[depth + 1 :], value), newline)


def remove_member(text: str, keys: Sequence[str]) -> str:
    """`text` without what is at `keys`, on lines of its own where it stood on such.

    Raises:
        ConfigError: as `get_member`.
    """
    if not _plain(text).strip() or (found := _find(text, keys)) is None:
        return text
    parent = _Scanner(text).root()
    for key in keys[:-1]:
        member = parent.member(key)
        # `_find` has been this way before, so every object on it is there.
        assert member is not None
        parent = _object_at(text, member)
    index = parent.members.index(found)
    start, end = _span(text, parent, index)
    if found.comma < 0 and index:  # it was the last: the comma before it goes as well
        comma = parent.members[index - 1].comma
        return text[:comma] + text[comma + 1 : start] + text[end:]
    return text[:start] + text[end:]


def _span(text: str, parent: _Object, index: int) -> tuple[int, int]:
    """What a member takes up: its lines, or what lies between its neighbours."""
    member = parent.members[index]
    end = member.comma + 1 if member.comma >= 0 else member.end
    before = text[: member.start].rstrip(" \t")
    # A member on lines of its own takes them along, its comment included; one within a line takes
    # only its part.
    if before.endswith("\n") and (rest := _REST_OF_LINE.match(text, end)):
        # The line end before the member goes and the one after it stays, so that no empty line is
        # left.
        start = len(before) - (2 if before.endswith("\r\n") else 1)
        # What is left of an object that had only this member is `{}` on one line.
        if len(parent.members) == 1 and not text[parent.start + 1 : start].strip():
            return parent.start + 1, parent.end - 1
        return start, rest.end()
    if index:
        return parent.members[index - 1].comma + 1, end
    following = parent.members[1].start if len(parent.members) > 1 else end
    return member.start, following


def _find(text: str, keys: Sequence[str]) -> _Member | None:
    if not _plain(text).strip():
        return None
    parent = _Scanner(text).root()
    for key in keys[:-1]:
        member = parent.member(key)
        if member is None:
            return None
        parent = _object_at(text, member)
    return parent.member(keys[-1])


def _object_at(text: str, member: _Member) -> _Object:
    if text[member.value] != "{":
        raise ConfigError(f"{member.name} is not an object", "correct it, then try again")
    return _Scanner(text).object(member.value, 0)


def _inserted(text: str, parent: _Object, name: str, value: object, newline: str) -> str:
    outer = _indent(text, parent.start)
    if not parent.members:
        # The first line that is indented shows one step of the file's indentation; two spaces are
        # used where none is.
        step = re.search(r"\n([ \t]+)\S", text)
        indent = outer + (step[1] if step else "  ")
        inside = text[parent.start + 1 : parent.end - 1].rstrip()
        added = f"{newline}{indent}{json.dumps(name)}: {_indented_json(value, indent, newline)}"
        rest = text[parent.end - 1 :]
        return f"{text[: parent.start + 1]}{inside}{added}{newline}{outer}{rest}"
    last = parent.members[-1]
    own_line = not text[: last.start].rstrip(" \t") or text[: last.start].rstrip(" \t")[-1] == "\n"
    indent = _indent(text, last.start) if own_line else ""
    lead = f"{newline}{indent}" if own_line else " "
    added = f"{lead}{json.dumps(name)}: {_indented_json(value, indent, newline)}"
    if last.comma >= 0:
        # A trailing comma is the file's own style, so the new member gets one too.
        at = _end_of_line(text, last.comma + 1)
        return f"{text[:at]}{added},{text[at:]}"
    # The comma belongs to the member before, and a comment behind that member must not swallow it.
    at = _end_of_line(text, last.end)
    return f"{text[: last.end]},{text[last.end : at]}{added}{text[at:]}"


def _end_of_line(text: str, start: int) -> int:
    """Where the line ends, past a comment about what stands before `start`."""
    rest = _REST_OF_LINE.match(text, start)
    return rest.end() if rest else start


def _nested(keys: Sequence[str], value: object) -> object:
    for key in reversed(keys):
        value = {key: value}
    return value


def _indented_json(value: object, indent: str, newline: str) -> str:
    # A tab in the indentation around it tells that the file is indented with tabs.
    step = 2 if "\t" not in indent else "\t"
    text = json.dumps(value, indent=step, ensure_ascii=False)
    return text.replace("\n", newline + indent)


def _indent(text: str, position: int) -> str:
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _plain(text: str) -> str:
    """The text as JSON: without comments and trailing commas."""
    # Splitting at strings keeps them as every second piece, so what looks like a comment in one is
    # left alone.
    pieces = re.split(r'("(?:[^"\\\n]|\\.)*")', text)
    for index in range(0, len(pieces), 2):
        pieces[index] = re.sub(r"//[^\n]*|/\*.*?\*/|\ufeff", "", pieces[index], flags=re.DOTALL)
    joined = "".join(pieces)
    # Commas come in a second pass, because a comment may stand between a comma and the brace after
    # it.
    pieces = re.split(r'("(?:[^"\\\n]|\\.)*")', joined)
    for index in range(0, len(pieces), 2):
        pieces[index] = re.sub(r",(\s*[}\]])", r"\1", pieces[index])
    return "".join(pieces)


class _Scanner:
    """Finds where the parts of a JSONC text are."""

    def __init__(self, text: str) -> None:
        self._text = text

    def root(self) -> _Object:
        """The object that the text is.

        Raises:
            ConfigError: it is none, or something follows it.
        """
        start = self._skip(0)
        if self._text[start : start + 1] != "{":
            raise self._error(start, "an object")
        found = self.object(start, 0)
        if self._skip(found.end) != len(self._text):
            raise self._error(self._skip(found.end), "the end")
        return found

    def object(self, start: int, depth: int) -> _Object:
        """The object whose brace is at `start`."""
        members: list[_Member] = []
        at = self._skip(start + 1)
        while self._text[at : at + 1] != "}":
            # Only the last member may lack a comma, and whatever follows it must then be the brace.
            if members and members[-1].comma < 0:
                raise self._error(at, "a comma or }")
            name = _STRING.match(self._text, at)
            colon = self._skip(name.end()) if name else at
            if name is None or self._text[colon : colon + 1] != ":":
                raise self._error(colon, "a name and a colon")
            value = self._skip(colon + 1)
            end = self._value(value, depth + 1)
            after = self._skip(end)
            comma = after if self._text[after : after + 1] == "," else -1
            # A name may be written with escapes, so it is decoded before it is compared with a key.
            members.append(_Member(_decoded(name[0]), at, value, end, comma))
            at = self._skip(comma + 1) if comma >= 0 else after
        return _Object(start, at + 1, tuple(members))

    def _value(self, start: int, depth: int) -> int:
        """Where the value that begins at `start` ends."""
        # The scanner calls itself for each level, and a hostile file could otherwise exhaust
        # Python's stack.
        if depth > _MAX_DEPTH:
            raise self._error(start, "less nesting")
        first = self._text[start : start + 1]
        if first == "{":
            return self.object(start, depth).end
        if first == "[":
            at = self._skip(start + 1)
            while self._text[at : at + 1] != "]":
                at = self._skip(self._value(at, depth + 1))
                if self._text[at : at + 1] == ",":
                    at = self._skip(at + 1)
                elif self._text[at : at + 1] != "]":
                    raise self._error(at, "a comma or ]")
            return at + 1
        found = (_STRING if first == '"' else _SCALAR).match(self._text, start)
        if found is None:
            raise self._error(start, "a value")
        return found.end()

    def _skip(self, at: int) -> int:
        found = _TRIVIA.match(self._text, at)
        return found.end() if found else at

    def _error(self, at: int, wanted: str) -> ConfigError:
        line = self._text.count("\n", 0, at) + 1
        return ConfigError(f"line {line} is no JSON: {wanted} was expected", "correct it first")
