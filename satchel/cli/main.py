"""The `satchel` command: asks the server that keeps the index here, or runs the command itself.

Only what asking takes is loaded before it: `satchel.cli.command_line` has the commands.
"""

from __future__ import annotations

import gc
import os
import sys

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
    except BrokenPipeError:
        # Whoever read our output has seen enough; a second error at exit would help nobody.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = 0
    except KeyboardInterrupt:
        code = _INTERRUPTED
    gc.freeze()  # the interpreter would look through all that is loaded for garbage, twice
    sys.exit(code)
