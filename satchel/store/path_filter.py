"""Which paths a question is limited to: prefixes and globs, one a line. Pure.

A line without wildcards is a prefix, as "src/" or "src/app/ma". One with wildcards is a glob of the
whole path: `*` and `?` stay within a folder, `**` does not, and what lies below a folder that
matches is meant as well. A glob without "/" may match in any folder. What begins with a line as it
stands is meant too, as in a folder called "[user]". "" admits everything.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from satchel.store.errors import UsageError

if TYPE_CHECKING:
    from satchel.store.reading.snapshot import FilesReader

_T = TypeVar("_T")
_WILD = re.compile(r"[*?\[]")
# Tokens of a glob. The first three are not yet regular expressions; a literal never looks like one
# of them, since "*" is escaped as "\*".
_STAR = "*"
_ANYTHING = "**"
_FOLDERS = "**/"
_TOKEN = re.compile(r"(?:(?<=/)|^)\*\*/|\*+|\?|\[[!^]?\]?[^\]/]*\]|.", re.DOTALL)
_RANGE = re.compile(r"(.)(?:-(.))?", re.DOTALL)


def any_of(filters: list[str]) -> str:
    """One filter that admits what any of some filters admits."""
    return "" if "" in filters else "\n".join(dict.fromkeys(filters))


def is_prefix(wanted: str) -> bool:
    """Whether a filter is a single prefix, which an index can look up."""
    return "\n" not in wanted and not _WILD.search(wanted)


def is_folder(files: FilesReader, path: str) -> bool:
    """Whether an index has files below a path, which is written without a slash at its end."""
    return bool(files.starting_with(f"{path}/", 1))


def admits(wanted: str, path: str) -> bool:
    """Whether a path is one of those that a filter means.

    Raises:
        UsageError: a glob has a set that is none, as `[z-a]`.
    """
    if is_prefix(wanted):
        return path.startswith(wanted)
    return any(_admits_line(line, path) for line in wanted.split("\n"))


def _admits_line(line: str, path: str) -> bool:
    # Folders of routes have brackets in their names, as `pages/[user]`: a path that begins with
    # the line as it stands is meant whatever else the line may match as a glob.
    if path.startswith(line):
        return True
    return bool(_WILD.search(line) and _expression(line).fullmatch(path))


def words(wanted: str) -> str:
    """A filter as a reader is told of it, on one line."""
    return ", ".join(wanted.split("\n"))


@lru_cache(maxsize=256)
def _expression(glob: str) -> re.Pattern[str]:
    """A glob as a regular expression whose cost cannot grow with its number of wildcards.

    Whoever asks gives the glob and a repository gives the paths, so that neither may choose a pair
    that takes for ever. What lies between two wildcards is taken at its first place, in an atomic
    group: any later place would leave the rest of the glob less of the path.
    """
    try:
        tokens = [_translated(token) for token in _TOKEN.findall(glob.rstrip("/"))]
        if "/" not in glob.rstrip("/"):
            tokens.insert(0, _FOLDERS)
        *runs, last = split(tokens, (_ANYTHING, _FOLDERS))
        jumps = ["", *(token for token in tokens if token in (_ANYTHING, _FOLDERS))]
        found = [f"(?>{_JUMPS[jump]}{_run(run)})" for jump, run in zip(jumps, runs, strict=False)]
        return re.compile("".join(found) + _JUMPS[jumps[-1]] + _run(last) + "(?:/.*)?", re.DOTALL)
    except re.error as error:
        raise UsageError(f"path {glob!r} is no pattern: {error}", "write [ as [[]") from error


_JUMPS = {"": "", _ANYTHING: ".*?", _FOLDERS: "(?:[^/]*/)*?"}


def _translated(token: str) -> str:
    """A token as a regular expression, unless it is one of the three that span some text."""
    if token in (_FOLDERS, _STAR):
        return token
    if token[0] == "*":
        return _ANYTHING
    if token == "?":
        return "[^/]"
    if token[0] == "[" and len(token) > 2:
        is_negated = token[1] in "!^"
        members = "".join(
            re.escape(first) + (f"-{re.escape(last)}" if last else "")
            for first, last in _RANGE.findall(token[2 if is_negated else 1 : -1])
        )
        return f"(?!/)[{'^' if is_negated else ''}{members}]"
    return re.escape(token)


def _run(tokens: list[str]) -> str:
    """What lies between two wildcards that span folders."""
    return "/".join(_component(part) for part in split(tokens, ("/",)))


def _component(tokens: list[str]) -> str:
    """What lies between two slashes: all but the text behind the last star has one place."""
    first, *others = ["".join(run) for run in split(tokens, (_STAR,))]
    if not others:
        return first
    between = "".join(f"(?>[^/]*?{part})" for part in others[:-1])
    return f"{first}{between}[^/]*?{others[-1]}"


def split(tokens: Iterable[_T], separators: Collection[_T]) -> Iterator[list[_T]]:
    """What lies between separators, one run more than there are of these."""
    run: list[_T] = []
    for token in tokens:
        if token in separators:
            yield run
            run = []
        else:
            run.append(token)
    yield run
