"""Files and lines that a question writes, and whether it asks for nothing else. Pure.

Lines are written `path:10-40`, `path:10`, "path line 10" or "line 10 of path"; other notations are
made into these (`plain`).
"""

from __future__ import annotations

import re

from msgspec import Struct

from satchel.assembler import quoting

# A name without a folder counts as a path by its short suffix. `Mail.send` looks like one as well,
# and is a member then (`read_query`).
_PATHS = re.compile(r"(?:[\w.@+-]+/)+[\w.@+-]+|\b[\w-]+\.(?:[a-z]{1,4}|[ch]pp|json|yaml|toml)\b")
# Folders of routes are called `[user]`, `(main)` or `$id`. Bounds here keep a question of brackets
# or quotes from taking the square of its length.
_FOLDER = r"(?:[\w@+.$-]|\[{1,2}[\w.-]+\]{1,2}|\([\w.-]+\)){1,99}+/"
_PATH = rf"(?<![\w/.@+$-])((?:{_FOLDER})*[\w@+.$-]*[\w+])"
_QUOTED = re.compile(r'("(?:[^"\\\n]|\\.){1,400}+"):(\d{1,9})(?:-(\d{1,9}))?(?![\w-])')
"""A path as replies write one that is not plain, with a space for instance."""
_RANGE = re.compile(_PATH + r":(\d{1,9})-(\d{1,9})(?![\w-])")
_LINE = re.compile(_PATH + r"(?::|,? (?:(?:at|in|on) )?line )(\d{1,9})(?![\w:-])")
_LINE_OF = re.compile(r"\bline (\d{1,9}) (?:in|of) " + _PATH)
_PAGE = re.compile(r"https?://[\w.:-]+/\S{1,200}?/(?:-/)?(?:blob|blame|raw)/[^/\s]+/(?=\S)")
"""The address of a repository's file in a browser, up to its path: GitHub, GitLab."""
_FIRST, _END = r"(?<=[\w+\x22])#L(\d{1,9})(?:C\d+)?", r"(?=[\s,;)\]`'\"]|$)"
_PLAIN = (
    (_PAGE, ""),
    (re.compile(_FIRST + r"[-:]L?(\d{1,9})(?:C\d+)?"), r":\1-\2"),
    (re.compile(_FIRST), r":\1"),
)
_CLOSED = (
    # To the last line: no file that is indexed has as many.
    (re.compile(r"(?<=[\w+\x22]:)(\d{1,9})-" + _END), r"\1-999999999"),
    (re.compile(r"(?<=[\w+\x22]:)-(\d{1,9})" + _END), r"1-\1"),
)
_FILE = re.compile(r"(?:[\w@+.-]+/)+[\w@+-]+(?:\.[\w+-]+)+")
"""A path that can be no "and/or"."""
_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:[.-][\w$]+)*")
_OF_TESTS = re.compile(
    r"(?<![a-z])test|Test|TEST|(?<![a-z])spec(?![a-z])|Spec(?![a-z])|[mM]ock|[fF]ixture"
)
_SAID_OF_TESTS = frozenset(
    "test tests Test Tests testing spec specs mock mocks fixture fixtures".split()
)
"""Words that say of what kind something is, and name nothing."""


class WrittenLines(Struct, frozen=True):
    """Lines `first` to `last` of a path as it is written, of which the end may be enough."""

    path: str
    first: int
    last: int


class WrittenPlaces(Struct, frozen=True):
    """The places that a question writes, in its order.

    `ranges` are written with both ends, `lines` are single ones. `is_all` says that the question is
    nothing but these.
    """

    ranges: tuple[WrittenLines, ...]
    lines: tuple[WrittenLines, ...]
    is_all: bool

    @property
    def every(self) -> tuple[WrittenLines, ...]:
        """Ranges and single lines."""
        return (*self.ranges, *self.lines)


def plain(text: str) -> str:
    """A text with `path:10-40` for `path#L10-L40`, and without a forge's address before a path."""
    for pattern, written in _PLAIN:
        text = pattern.sub(written, text)
    return text


def closed(text: str) -> str:
    """A plain text with both ends of `path:10-` and `path:-40`."""
    for pattern, written in _CLOSED:
        text = pattern.sub(written, text)
    return text


def read(text: str) -> WrittenPlaces:
    """The lines that a plain text writes, each once."""
    text, quoted = _unquoted(closed(text))
    ranges = dict.fromkeys([*quoted, *_RANGE.findall(text)])
    single = [*_LINE.findall(text), *((path, line) for line, path in _LINE_OF.findall(text))]
    return WrittenPlaces(
        tuple(WrittenLines(path, int(first), int(last)) for path, first, last in ranges),
        tuple(WrittenLines(path, int(line), int(line)) for path, line in dict.fromkeys(single)),
        bool(ranges or single) and _is_all(text),
    )


def _unquoted(text: str) -> tuple[str, list[tuple[str, str, str]]]:
    """A text without the lines of quoted paths, and these; other text in quotes names no file."""
    found: list[tuple[str, str, str]] = []

    def take(match: re.Match[str]) -> str:
        path = quoting.unquoted(match[1])
        if quoting.path(path) != match[1]:
            return match[0]
        found.append((path, match[2], match[3] or match[2]))
        return ""

    return _QUOTED.sub(take, text), found


def _is_all(text: str) -> bool:
    for pattern in (_RANGE, _LINE_OF, _LINE):
        text = pattern.sub("", text)
    return not any(letter.isalnum() for letter in text)


def paths_in(text: str) -> tuple[str, ...]:
    """What a text writes as paths, each once, in its order."""
    return tuple(dict.fromkeys(_PATHS.findall(text)))


def files_in(text: str) -> tuple[str, ...]:
    """What a text of one line writes as a file in a folder, each once, in its order."""
    return () if "\n" in text.strip() else tuple(filter(_FILE.fullmatch, paths_in(text)))


def names_of_tests(text: str) -> tuple[str, ...]:
    """What a question of one line may name that only tests have, sorted: the whole of it, and names
    with "test" or "spec" in them."""
    text = text.strip()
    if "\n" in text:
        return ()
    words = {word for word in _NAME.findall(text) if word == text or _OF_TESTS.search(word)}
    return tuple(sorted(words - _SAID_OF_TESTS))
