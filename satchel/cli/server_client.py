"""Asks the server that keeps the index here to answer a command line. Loads little else.

Starting Python, its modules and the vectors of an index takes most of a short command's time; a
server has all of that. Where there is none, or it would not answer the same, None says so, and the
command runs in this process.
"""

import os
from collections.abc import Mapping, Sequence

from satchel.cli import pager, screen

COMMANDS = ("context", "search", "symbols", "show", "deps", "changes")
_OWN = (
    *("--root", "--state", "--hub", "--repo", "--workspace", "--batch", "--yes", "--help"),
    *("--replay", "--with-dependencies"),
)
"""Options about another place or another input than a server has."""
_VARIABLES = ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")
_PREFIX = "SATCHEL_"
_PATIENCE_SECONDS = 60.0


def ask(words: Sequence[str], environment: Mapping[str, str]) -> int | None:
    """Print what a server answers; its exit code, None where this process is to run the command.

    Raises: BrokenPipeError: nobody reads the output.
    """
    answer = answer_of(words, environment)
    if answer is None:
        return None
    code, parts = answer
    # Everything is here before the first byte is printed: half an answer cannot be taken back.
    if pager.is_wanted(words, environment):
        pager.show(parts, environment)
        return code
    for stream, data in parts:
        pager.write(stream, data)
    return code


def answer_of(
    words: Sequence[str], environment: Mapping[str, str]
) -> tuple[int, list[tuple[int, bytes]]] | None:
    """The exit code and what a server prints, (1 or 2 for its stream, bytes); None: no answer."""
    if not may_be_served(words):
        return None
    here = os.path.realpath(os.getcwd())
    from satchel.workspace.state.index_place import place_around

    place = place_around(here, environment)
    if place is None or not os.path.exists(place.socket):
        return None
    try:
        return _answer(place.socket, words, here, place.root, environment)
    except (OSError, ValueError, LookupError, TypeError):
        return None


def is_indexed(environment: Mapping[str, str]) -> bool:
    """Whether the code base around the working folder has an index, as far as is known unread."""
    from satchel.workspace.state.index_place import INDEX_NAME, place_around

    place = place_around(os.path.realpath(os.getcwd()), environment)
    return place is not None and os.path.exists(os.path.join(place.folder, INDEX_NAME))


def may_be_served(words: Sequence[str]) -> bool:
    """Whether a server may run this command line in place of this process."""
    if not words or words[0] not in COMMANDS:
        return False
    # argparse takes the beginning of an option for it, so the beginnings count too.
    options = [word.partition("=")[0] for word in words[1:] if word.startswith("-")]
    return not any(
        option in ("-", "-h") or (option.startswith("--") and own.startswith(option))
        for option in options
        for own in _OWN
    )


def relevant(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that an answer may depend on."""
    return {
        name: value
        for name, value in environment.items()
        if name in _VARIABLES or name.startswith(_PREFIX)
    }


def _answer(
    path: str, words: Sequence[str], here: str, root: str, environment: Mapping[str, str]
) -> tuple[int, list[tuple[int, bytes]]] | None:
    """The exit code and what is to be printed. Raises: OSError and others: no answer."""
    import json

    from satchel.store.version import installed_version
    from satchel.workspace.serving import local_socket

    own = screen.of_process(environment)
    asked = {
        "words": list(words), "here": here, "root": root,
        "screen": [own.columns, own.note_columns, own.colours, own.links],
        "version": installed_version(), "environment": relevant(environment),
    }  # fmt: skip
    with local_socket.connect(path) as connection:
        connection.settimeout(_PATIENCE_SECONDS)
        connection.sendall(json.dumps({"command": asked}).encode("ascii") + b"\n")
        with connection.makefile("rb") as stream:
            head = json.loads(stream.readline())
            if "code" not in head:
                return None
            parts = [(int(number), stream.read(size)) for number, size in head["parts"]]
    if any(len(data) != size for (_, data), (_, size) in zip(parts, head["parts"], strict=True)):
        return None  # it ended meanwhile
    return int(head["code"]), parts
