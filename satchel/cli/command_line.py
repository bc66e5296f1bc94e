"""The commands in this process: arguments, exit codes, and what an interruption means.

Exit codes: 0 ok · 1 failed · 2 usage · 3 stale · 4 corrupt · 5 locked · 130 interrupted.
"""

import importlib
from argparse import SUPPRESS, Action, ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from contextlib import suppress

from satchel.cli import INTERRUPTED, options, pager, served, terminal
from satchel.cli.argument_parser import CommandsParser, Parser
from satchel.cli.command_table import COMMAND_TEXTS, COMMANDS, OTHER_NAMES, help_end, instead
from satchel.store.errors import SatchelError, UsageError


def run_here(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run one command, and nothing else in this process; returns the exit code."""
    if not pager.is_wanted(arguments, environment):
        return run(arguments, environment)
    # The pager decides by how much there is, so all of it is awaited.
    held: served.Parts = []
    try:
        with served.command(parts=held):
            return run(arguments, environment)
    finally:
        pager.show(held, environment)


def run(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run one command; returns the exit code."""
    if arguments[:1] == ["__complete"]:  # a shell asks, not a person
        from satchel.cli.completion import candidates

        for word in candidates(arguments[1:], environment, parser):
            terminal.out(word)
        return 0
    # The first word that is no option is the command; only its module is loaded.
    arguments = [OTHER_NAMES.get(arguments[0], arguments[0]), *arguments[1:]] if arguments else []
    named = next((word for word in arguments if not word.startswith("-")), "")
    if named == "help" or not arguments:
        arguments = [*arguments[1:2], "--help"]
        named = arguments[0] if len(arguments) > 1 else ""
    elif named not in COMMAND_TEXTS and arguments[0] == named:
        terminal.error(f"no command is called {named!r}", instead(arguments))
        return UsageError.exit_code
    # argparse ends the process with 2 by itself, which is the exit code for wrong usage.
    args = parser(named, alone=[*arguments[:1]] == [named]).parse_args(arguments)
    try:
        args.environment = options.in_force(args, environment)
        served.note_colour(getattr(args, "color", "auto"))
        args.run(args, args.environment)
    except SatchelError as error:
        terminal.error(error.message, error.hint)
        return error.exit_code
    except KeyboardInterrupt:
        terminal.error(*_interrupted(args))
        return INTERRUPTED
    return 0


def _interrupted(args: Namespace) -> tuple[str, str]:
    """What an interruption leaves, and what to do: a first index goes on where it was."""
    from satchel.store.counted import counted
    from satchel.workspace.project import Project

    # What the index holds decides what is said, since an interruption may come before its first
    # batch.
    root = served.context().root
    with suppress(SatchelError, OSError):
        if root is not None:
            with Project.at(root, args.environment).snapshot() as snapshot:
                n_files = snapshot.files.count()
                if snapshot.complete:
                    return "interrupted; the index is kept", ""
            if n_files:
                said = f"interrupted; the index holds {counted(n_files, 'file')} so far"
                return said, "run the command again to continue"
    return "interrupted; nothing is indexed yet", "run the command again"


def parser(named: str | None = None, *, alone: bool = False) -> Parser:
    """The command line: whole, or with the arguments of the command `named` alone.

    The other commands are there by their names, for `--help` and for suggestions; with `alone` they
    are not where there is a command of that name.
    """
    top = CommandsParser(
        prog="satchel",
        description="Packs the right code into the tokens you have.",
        epilog='example: satchel context "how are retries scheduled" --budget 4096',
    )
    top.add_argument("--version", action=_Version, help="show the version and end")
    # Without `prog` argparse would format a help text to make it from, which nobody sees.
    commands = top.add_subparsers(
        required=True, metavar="COMMAND", dest="command", prog="satchel", parser_class=Parser
    )
    found = [module for module, about in COMMANDS.items() if named in about] if alone else []
    for module in found or COMMANDS:
        about = COMMANDS[module]
        if named is None or named in about:
            importlib.import_module(f"satchel.cli.commands.{module}").add(commands)
            # Here and not where each is added, so that no command can be without.
            for name in about:
                commands.choices[name].epilog = help_end(name)
        else:
            for name, description in about.items():
                commands.add_parser(name, help=description)
    return top


class _Version(Action):
    """`--version`: packages are asked for ours only when somebody wants to know."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, SUPPRESS, nargs=0, default=SUPPRESS, help=help)

    def __call__(
        self,
        parser: ArgumentParser,
        namespace: Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        """Print the version and end."""
        from satchel.store.version import description

        terminal.out(description())
        parser.exit()
