"""The parser of arguments: argparse's, with "did you mean" for commands, values and options."""

import os
import re
from argparse import (
    ArgumentParser,
    ArgumentTypeError,
    Namespace,
    RawDescriptionHelpFormatter,
    _SubParsersAction,
)
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from satchel.cli import rows, screen, served
from satchel.cli.command_table import GROUPS

_CHOICE = re.compile(r"invalid choice: '(.*?)' \(choose from (.*)\)", re.DOTALL)
_COMMAND = re.compile(r"argument (?:COMMAND|ACTION):")
_UNKNOWN = re.compile(r"unrecognized arguments: (--?[\w-]+)")
_CLOSE = 0.7
"""How alike a word is, without hyphens, to the one that may be meant by it."""


class HelpFormatter(RawDescriptionHelpFormatter):
    """Help as wide as the terminal; descriptions and examples keep their line ends."""

    def __init__(self, prog: str) -> None:
        # Unless it is told a width argparse asks `shutil`, which loads every format of archives.
        super().__init__(prog, width=screen.help_columns(os.environ) - 2)

    def _split_lines(self, text: str, width: int) -> list[str]:
        """Help of an argument: no option is broken at its hyphens."""
        import textwrap

        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Lines that are too long are broken, each by itself."""
        import textwrap

        lines = (
            textwrap.wrap(
                line, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
            )
            if len(line) > width
            else [indent + line]
            for line in text.splitlines()
        )
        return "\n".join(piece for pieces in lines for piece in pieces)


class Parser(ArgumentParser):
    """An argument parser that suggests what a misspelt word may have meant."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - argparse's own
        super().__init__(**{"formatter_class": HelpFormatter, **options})
        self.register("type", int, _whole_number)

    def _print_message(self, message: str, file: Any = None) -> None:  # noqa: ANN401
        served.expect_own()  # argparse would print to the streams of the server
        super()._print_message(message, file)

    def parse_args(  # type: ignore[override]  # argparse has three signatures, which are one here
        self, args: Sequence[str] | None = None, namespace: Namespace | None = None
    ) -> Namespace:
        """As argparse does it; what a command does not know, the command itself complains of."""
        found, unknown = self.parse_known_args(args, namespace)
        if unknown:
            self._of_command(found).error(f"unrecognized arguments: {' '.join(unknown)}")
        return found

    def _of_command(self, found: Namespace) -> ArgumentParser:
        """The parser of the command that was named, and of its action where it has some."""
        # A command as `hub` has actions, whose parsers are nested in that of the command.
        owner: ArgumentParser = self
        named = True
        while named:
            named = False
            for action in owner._actions:
                commands = action.choices if isinstance(action.choices, dict) else {}
                chosen = commands.get(str(getattr(found, action.dest, "")))
                if isinstance(chosen, ArgumentParser):
                    owner, named = chosen, True
                    break
        return owner

    def error(self, message: str) -> NoReturn:
        """Print what is wrong and the nearest valid word, and exit with 2."""
        # It loads slowly, and most words are spelled right.
        from difflib import get_close_matches

        from satchel.assembler.quoting import clean

        choice, unknown = _CHOICE.search(message), _UNKNOWN.search(message)
        close: list[str] = []
        if choice:
            known = re.findall(r"[\w-]+", choice[2])
            close = get_close_matches(choice[1], known, 1, cutoff=_CLOSE)
            close = close or [word for word in known if choice[1] and word.startswith(choice[1])]
        elif unknown:
            # Without the hyphens, which all options have in common.
            known = [option.strip("-") for option in self._option_string_actions]
            close = get_close_matches(unknown[1].strip("-"), known, 1, cutoff=_CLOSE)
            close = [f"--{option}" for option in close]
        hint = f"hint: did you mean {close[0]}?\n" if close else ""
        if choice and _COMMAND.match(message):
            # A list of all commands would hide what is wrong; --help explains them.
            message = f"no command is called {choice[1]!r}"
            hint = hint or "hint: write the command first, then its options\n"
        width = screen.of_process(os.environ).note_columns
        text = rows.broken(clean(f"{self.prog}: error: {message}"), width)
        self.exit(2, f"{text}\n{hint}hint: {self.prog} --help\n")


class CommandsParser(Parser):
    """The parser of all commands: its help groups them by what people do with them."""

    def format_help(self) -> str:
        """Usage, the groups of commands, the options, an example."""
        shown = self._get_formatter()
        shown.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        shown.add_text(self.description)
        [commands] = [each for each in self._actions if isinstance(each, _SubParsersAction)]
        by_name = {row.dest: row for row in commands._get_subactions()}
        for title, names in GROUPS.items():
            shown.start_section(title)
            shown.add_arguments([by_name[name] for name in names])
            shown.end_section()
        shown.start_section("options")
        shown.add_arguments([action for action in self._actions if action is not commands])
        shown.end_section()
        shown.add_text(self.epilog)
        return shown.format_help()


def whole(low: int, high: int) -> Callable[[str], int]:
    """What reads a whole number from `low` to `high`, and refuses any other by these bounds."""

    def bounded(text: str) -> int:
        number = _whole_number(text)
        if not low <= number <= high:
            raise ArgumentTypeError(f"{number} is out of bounds, must be {low} to {high}")
        return number

    return bounded


def _whole_number(text: str) -> int:
    """The number that `text` writes; argparse's own message calls it an "int value"."""
    try:
        return int(text)
    except ValueError:
        raise ArgumentTypeError(f"a whole number is needed, not {text!r}") from None
