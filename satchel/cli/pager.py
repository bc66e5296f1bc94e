"""Sends output that is longer than the terminal through a pager, as git does. Imports little.

Which program that is, only the user's environment says: `SATCHEL_PAGER`, else `PAGER`, else `less`
or `more`. Git's own setting is not read, since a checkout can have one in its `.git/config`. The
pager runs in the root folder and is looked for in absolute folders of PATH, so that nothing of a
checkout is started. "" or `cat` means none.
"""

import os
from collections.abc import Mapping, Sequence

OUT = 1
PAGED = frozenset(
    "context search symbols deps show status changes overview impact graph recall state config"
    " deps-source".split()
)
"""Commands that print as much as there is to say."""
_PLAIN = ("--json", "--batch", "--no-pager", "--help", "-h")
"""Options with which nobody reads along, or argparse prints by itself."""
_LESS = "FRX"
"""What git gives `less`: end on short output, show colours, leave the text on the screen."""

Parts = Sequence[tuple[int, bytes]]
"""(stream, bytes) in the order in which they were printed."""


def is_wanted(words: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Whether what a command line prints is to be held for a pager."""
    if not words or words[0] not in PAGED or not os.isatty(OUT):
        return False
    plain = any(word.partition("=")[0] in _PLAIN for word in words)
    dumb = environment.get("TERM", "") in ("", "dumb")
    return not plain and not dumb and bool(_program(environment))


def show(parts: Parts, environment: Mapping[str, str]) -> None:
    """Print what was held: through the pager where it is longer than the terminal.

    Raises: BrokenPipeError: nobody reads the output.
    """
    program = _program(environment)
    if not program or _fits(parts) or not _paged(program, parts, environment):
        for stream, data in parts:
            write(stream, data)


def write(stream: int, data: bytes) -> None:
    """Write all bytes to a stream of this process, past any buffer of Python's."""
    while data:
        data = data[os.write(stream, data) :]


def _fits(parts: Parts) -> bool:
    try:
        columns, lines = os.get_terminal_size(OUT)
    except OSError:
        return True
    # Bytes stand for columns: a text of other letters is paged a little early, and none too late.
    text = b"".join(data for _, data in parts)
    n_lines = sum(1 + len(line) // max(1, columns) for line in text.splitlines())
    return n_lines < max(2, lines)  # the prompt takes a line


def _paged(program: Sequence[str], parts: Parts, environment: Mapping[str, str]) -> bool:
    """Whether the pager could be started; what was said beside the data is shown in its place."""
    import subprocess

    setting = {"LESS": environment.get("LESS", _LESS), "LV": environment.get("LV", "-c")}
    try:
        started = subprocess.Popen(
            program, stdin=subprocess.PIPE, cwd=os.path.abspath(os.sep),
            env={**environment, **setting},
        )  # fmt: skip
    except OSError:
        return False
    assert started.stdin is not None
    try:
        started.stdin.write(b"".join(data for _, data in parts))
        started.stdin.close()
    except OSError:
        pass  # whoever reads has seen enough
    # Ctrl-C reaches both processes, and is meant for the one on the screen.
    while True:
        try:
            started.wait()
            break
        except KeyboardInterrupt:
            continue
    return True


def _program(environment: Mapping[str, str]) -> list[str]:
    """The pager and its arguments; none where none is wanted, or found."""
    said = environment.get("SATCHEL_PAGER", environment.get("PAGER"))
    # Loaded here, since most commands have no terminal, and a server answers in less.
    import shlex

    try:
        candidates = [["less"], ["more"]] if said is None else [shlex.split(said)]
    except ValueError:  # a quote without its other half
        return []
    for words in candidates:
        if words and words[0] != "cat" and (found := _find_program(words[0], environment)):
            return [found, *words[1:]]
    return []


def _find_program(name: str, environment: Mapping[str, str]) -> str:
    """Where a program lies, "" for none; relative folders may be a checkout's and do not count."""
    if os.path.isabs(name):
        return name if os.access(name, os.X_OK) else ""
    if os.path.dirname(name):
        return ""
    endings = environment.get("PATHEXT", ".EXE").split(os.pathsep) if os.name == "nt" else [""]
    for folder in environment.get("PATH", "").split(os.pathsep):
        for ending in endings if os.path.isabs(folder) else []:
            path = os.path.join(folder, name + ending)
            if os.path.isfile(path) and os.access(path, os.X_OK):
                return path
    return ""
