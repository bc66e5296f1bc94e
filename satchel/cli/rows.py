"""Rows of output as a person reads them: broken to the terminal's width, with places that open.

A place is `path:12`, `path:12-40` or `folder/path` of a file that is there. It is shown as it is
reached from where the person stands, coloured and linked where their terminal can do that. Text of
files is no row and stays as it is.
"""

import os
import re
from pathlib import Path

from satchel.cli.screen import Screen

_PLACE = re.compile(r"(?<![^\s(])([^\s:(),;]+)(:\d+(?:-\d+)?)?(?![^\s,);:])")
_HANG = 4
_RESET, _PATH, _LINES = "\x1b[0m", "\x1b[35m", "\x1b[32m"
_LEAST_COLUMNS = 20


def lay_out(row: str, root: Path | None, here: Path, screen: Screen) -> str:
    """A row with its places as seen from `here`, in as many lines as it takes."""
    found: dict[str, Path] = {}
    if root is not None:
        row = _PLACE.sub(lambda match: _linked_place(match, root, here, found), row)
    # Broken before it is coloured, since codes of colours have no width.
    lines = broken(row, screen.columns).split("\n")
    if screen.colours and found:
        lines = [_PLACE.sub(lambda match: _styled(match, found, screen), line) for line in lines]
    return "\n".join(lines)


def broken(row: str, columns: int) -> str:
    """A row in lines of at most so many columns, where its words allow it; 0 leaves it whole."""
    if columns < _LEAST_COLUMNS or len(row) <= columns:
        return row
    import textwrap

    # The next lines are indented further than the row, so that rows stay apart.
    indent = " " * (len(row) - len(row.lstrip(" ")) + _HANG)
    return textwrap.fill(
        row, columns, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False,
        expand_tabs=False, replace_whitespace=False,
    )  # fmt: skip


def _linked_place(match: re.Match[str], root: Path, here: Path, found: dict[str, Path]) -> str:
    path, lines = match[1], match[2] or ""
    # A word alone is taken for a path where it has a folder or a line with it, or is the whole row.
    if not lines and "/" not in path and match[0] != match.string.strip():
        return match[0]
    file = root / path
    try:
        if not file.is_file():
            return match[0]
    except (OSError, ValueError):  # no name of a file
        return match[0]
    # Whoever stands in a folder below the root can open what is printed as it is.
    seen = path if here == root else os.path.relpath(file, here).replace(os.sep, "/")
    found[seen] = file
    return seen + lines


def _styled(match: re.Match[str], found: dict[str, Path], screen: Screen) -> str:
    file = found.get(match[1])
    if file is None:
        return match[0]
    path = f"{_PATH}{match[1]}{_RESET}"
    if screen.links:
        path = f"\x1b]8;;{file.as_uri()}\x1b\\{path}\x1b]8;;\x1b\\"
    lines = match[2] or ""
    return f"{path}:{_LINES}{lines[1:]}{_RESET}" if lines else path
