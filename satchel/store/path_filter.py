"""Which paths a question is limited to: prefixes and globs, one a line. Pure.

A line without wildcards is a prefix, as "src/" or "src/app/ma". One with wildcards is a glob of the
whole path: `*` and `?` stay within a folder, `**` does not, and what lies below a folder that
matches is meant as well. A glob without "/" may match in any folder. "" admits everything.
"""

from __future__ import annotations

import re
from functools import lru_cache

from satchel.store.errors import UsageError

_WILD = re.compile(r"[*?\[]")
_PART = re.compile(r"\*\*/|\*+|\?|\[!?\]?[^\]/]*\]|.", re.DOTALL)
_MAX_WILDCARDS = 10
"""Each doubles what a path that nearly matches may cost."""


def joined(paths: list[str]) -> str:
    """The filter that admits what any of some filters does."""
    return "" if "" in paths else "\n".join(dict.fromkeys(paths))


def is_prefix(wanted: str) -> bool:
    """Whether a filter is a single prefix, which an index can look up."""
    return "\n" not in wanted and not _WILD.search(wanted)


def admits(wanted: str, path: str) -> bool:
    """Whether a path is one of those that a filter means.

    Raises:
        UsageError: a glob has too many wildcards.
    """
    if is_prefix(wanted):
        return path.startswith(wanted)
    return any(
        bool(_expression(line).fullmatch(path)) if _WILD.search(line) else path.startswith(line)
        for line in wanted.split("\n")
    )


def words(wanted: str) -> str:
    """A filter as a reader is told of it, on one line."""
    return ", ".join(wanted.split("\n"))


@lru_cache(maxsize=256)
def _expression(glob: str) -> re.Pattern[str]:
    if len(_WILD.findall(glob)) > _MAX_WILDCARDS:
        raise UsageError(
            f"path has more than {_MAX_WILDCARDS} wildcards", "use ** for folders in between"
        )
    parts = ["" if "/" in glob.rstrip("/") else "(?:.*/)?"]
    for part in _PART.findall(glob.rstrip("/")):
        if part == "**/":
            parts.append("(?:.*/)?")
        elif part[0] == "*":
            parts.append(".*" if len(part) > 1 else "[^/]*")
        elif part == "?":
            parts.append("[^/]")
        elif part[0] == "[" and len(part) > 2:
            negated = part[1] == "!"
            inner = part[2 if negated else 1 : -1].replace("\\", r"\\").replace("[", r"\[")
            parts.append(f"[{'^/' if negated else ''}{inner}]")
        else:
            parts.append(re.escape(part))
    try:
        return re.compile("".join(parts) + "(?:/.*)?", re.DOTALL)
    except re.error as error:
        raise UsageError(f"path {glob!r} is no pattern: {error}", "write [ as [[]") from error
