"""The `satchel` command: asks the server that keeps the index here, or runs the command itself.

Only what asking a server needs is imported first; `satchel.cli.command_line` has the commands.
"""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress

from satchel.cli import server_client

_INTERRUPTED = 130


def main() -> None:
    """Run the command line and exit with its code."""
    try:
        code = server_client.ask(sys.argv[1:], os.environ)
        # Not before: the commands and argparse take longer to load than a server to answer.
        if code is None:
            from satchel.cli import command_line

            code = command_line.run_here(sys.argv[1:], os.environ)
    except OSError as error:
        if error.filename is not None:  # about a file, and no failure that is expected
            raise
        # Output cannot be written, and would be tried again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = 0
        # The reader of the pipe has closed it.
        if not isinstance(error, BrokenPipeError):
            code = 1
            sys.stderr.write(f"satchel: the output cannot be written: {error.strerror}\n")
    except KeyboardInterrupt:
        code = _INTERRUPTED
    # What these commands opened is closed, and taking NumPy and the modules apart one by one would
    # take a twentieth of a search.
    if server_client.may_be_served(sys.argv[1:]) and "chromadb" not in sys.modules:
        _end(code)
    gc.freeze()  # the interpreter would look through all that is loaded for garbage, twice
    sys.exit(code)


def _end(code: int) -> None:
    """End the process with what was printed, and without tidying up."""
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)
