"""The `satchel` command: asks the server that keeps the index here, or runs the command itself.

Only what asking a server needs is imported first; `satchel.cli.command_line` has the commands.
"""

import gc
import os
import sys
from contextlib import suppress

from satchel.cli import INTERRUPTED, server_client

_FLAGS = frozenset({"--json", "--no-pager", "--quiet", "--yes"})
_VALUED = frozenset({"--color", "--hub", "--repo", "--root", "--state", "--workspace"})
"""Options that many commands share, without a value and with one: they may stand before the
command, as those of git do."""


def main() -> None:
    """Run the command line and exit with its code."""
    _stand_in_for_closed()
    words = _command_first(sys.argv[1:])
    # A short life of many small values: 4 % of a full index otherwise, and a tenth of loading.
    gc.set_threshold(50_000)
    if words[:1] == ["hook"]:
        from satchel.cli.clients import hooks

        _end(hooks.run(words[1:], os.environ))
    try:
        code = server_client.ask(words, os.environ)
        # Not before: the commands and argparse take longer to load than a server to answer.
        if code is None:
            from satchel.cli import command_line

            code = command_line.run_here(words, os.environ)
    except OSError as error:
        if error.filename is not None:  # about a file, and no failure that is expected
            raise
        code = _told(error)
    except KeyboardInterrupt:
        code = INTERRUPTED
    # What these commands opened is closed, and taking NumPy and the modules apart one by one would
    # take a twentieth of a search.
    is_plain = words[:1] == ["reindex"] or server_client.may_be_served(words)
    if is_plain and "chromadb" not in sys.modules:
        _end(code)
    gc.freeze()  # the interpreter would look through all that is loaded for garbage, twice
    sys.exit(code)


def _stand_in_for_closed() -> None:
    """Open what the caller has closed: the index would get its number, and be written to.

    Nothing can be read from it, messages are lost, and data that cannot be written is told.
    """
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_RDONLY))
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


def _told(error: OSError) -> int:
    """The exit code of an error that is about no file, once it is told."""
    if isinstance(error, FileNotFoundError):  # no write fails so: it is the folder we run in
        sys.stderr.write("satchel: the folder you are in is gone\nhint: cd to another one\n")
        return 2
    # Output cannot be written, and would be tried again at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if isinstance(error, BrokenPipeError):  # the reader of the pipe has closed it
        return 0
    sys.stderr.write(f"satchel: the output cannot be written: {error.strerror}\n")
    return 1


def _command_first(words: list[str]) -> list[str]:
    """The words with the command before the options that it shares with others."""
    place = 0
    while place < len(words) and words[place].startswith("--"):
        name, has_value, _ = words[place].partition("=")
        if name in _FLAGS or (name in _VALUED and has_value):
            place += 1
        elif name in _VALUED:
            place += 2  # its value is a word of its own
        else:
            return words  # `--help`, or a slip that argparse tells of
    return [*words[place : place + 1], *words[:place], *words[place + 1 :]]


def _end(code: int) -> None:
    """End the process with what was printed, and without tidying up."""
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)
