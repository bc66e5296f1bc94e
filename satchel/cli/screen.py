"""Abilities of the terminal that runs a command: width, colours, links. Imports little.

A server answers for a terminal it does not have: who asks tells it what theirs can show.
"""

import os
from collections.abc import Mapping

_COLUMNS = 80
_VTE_LINKS = 5000
"""The version of VTE, which GNOME's terminal and others are made of, that shows links."""


class Screen:
    """`columns` is 0 for a stream that is no terminal: nothing is broken to its width.

    `columns` and `colours` are of standard output, `note_columns` of standard error.
    """

    # No NamedTuple: `typing` takes longer to load than a server to answer.
    __slots__ = ("colours", "columns", "links", "note_columns")

    def __init__(
        self, columns: int = 0, note_columns: int = 0, *, colours: bool = False, links: bool = False
    ) -> None:
        self.columns, self.note_columns = columns, note_columns
        self.colours, self.links = colours, links


def of_process(environment: Mapping[str, str]) -> Screen:
    """That of this process. NO_COLOR and FORCE_COLOR are those of no-color.org and
    force-color.org."""
    out, err = _columns_of(1, environment), _columns_of(2, environment)
    # A terminal that does not say what it is would print the codes of colours as text.
    dumb = environment.get("TERM", "") in ("", "dumb")
    colours = bool(out) and not dumb
    if environment.get("FORCE_COLOR"):
        colours = True
    if environment.get("NO_COLOR"):
        colours = False
    links = colours and bool(out) and _shows_links(environment)
    return Screen(out, err, colours=colours, links=links)


def help_columns(environment: Mapping[str, str]) -> int:
    """How wide help is: as the terminal, or COLUMNS, else 80."""
    return _columns_set(environment) or _columns_of(1, environment) or _COLUMNS


def _columns_of(stream: int, environment: Mapping[str, str]) -> int:
    """The width of a stream that is a terminal, 0 for another."""
    try:
        width = os.get_terminal_size(stream).columns
    except OSError:
        return 0
    # A serial line is a terminal without a width.
    return _columns_set(environment) or width or _COLUMNS


def _columns_set(environment: Mapping[str, str]) -> int:
    columns = environment.get("COLUMNS", "")
    return int(columns) if columns.isascii() and columns.isdigit() and len(columns) < 6 else 0


def _shows_links(environment: Mapping[str, str]) -> bool:
    """Whether a terminal is known to show links (OSC 8); others might print them."""
    vte = environment.get("VTE_VERSION", "")
    return (
        (vte.isascii() and vte.isdigit() and int(vte) >= _VTE_LINKS)
        or environment.get("TERM_PROGRAM") in ("iTerm.app", "WezTerm", "vscode", "ghostty")
        or environment.get("TERM") in ("xterm-kitty", "xterm-ghostty", "foot", "alacritty")
        or any(environment.get(name) for name in ("KONSOLE_VERSION", "WT_SESSION", "DOMTERM"))
    )
