"""The `satchel` command: arguments, exit codes, and what an interruption means.

Exit codes: 0 ok · 1 failed · 2 usage · 3 stale · 4 corrupt · 5 locked · 130 interrupted.
"""

from __future__ import annotations

import gc
import os
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Mapping, Sequence

from satchel.cli import options, terminal
from satchel.cli.commands import (
    ask,
    config,
    doctor,
    hub,
    knowledge,
    look,
    reindex,
    repair,
    serve,
    setup,
    share,
    state,
    survey,
    ui,
    validate,
)
from satchel.store.errors import SatchelError
from satchel.store.version import installed_version

_INTERRUPTED = 130
_COMMANDS = (
    reindex.add,
    ask.add,
    look.add,
    survey.add,
    knowledge.add,
    validate.add,
    config.add,
    share.add,
    hub.add,
    state.add,
    serve.add,
    ui.add,
    repair.add,
    setup.add,
    doctor.add,
)
"""What adds commands to the command line, in the order `--help` shows them."""


def main() -> None:
    """Run the command line and exit with its code."""
    gc.set_threshold(50_000)  # a short life of many small values: 4 % of a full index otherwise
    try:
        code = run(sys.argv[1:], os.environ)
    except BrokenPipeError:
        # Whoever read our output has seen enough; a second error at exit would help nobody.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code)


def run(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run one command; returns the exit code."""
    # argparse ends the process with 2 by itself, which is the exit code for wrong usage.
    args = parser().parse_args(arguments)
    try:
        args.environment = options.in_force(args, environment)
        args.run(args, args.environment)
    except SatchelError as error:
        terminal.error(error.message, error.hint)
        return error.exit_code
    except KeyboardInterrupt:
        terminal.error("interrupted; what was indexed is kept", "run the command again to continue")
        return _INTERRUPTED
    return 0


def parser() -> ArgumentParser:
    """The whole command line."""
    top = ArgumentParser(
        prog="satchel",
        description="Packs the right code into the tokens you have.",
        epilog='example: satchel context "how are retries scheduled" --budget 4096',
        formatter_class=RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"satchel {installed_version()}")
    commands = top.add_subparsers(required=True, metavar="COMMAND", dest="command")
    for add in _COMMANDS:
        add(commands)
    return top
