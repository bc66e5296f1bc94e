"""The parser of arguments: argparse's, with "did you mean" for commands, values and options."""

from __future__ import annotations

import re
from argparse import ArgumentParser
from typing import NoReturn

_CHOICE = re.compile(r"invalid choice: '(.*?)' \(choose from (.*)\)", re.DOTALL)
_UNKNOWN = re.compile(r"unrecognized arguments: (--?[\w-]+)")


class Parser(ArgumentParser):
    """An argument parser that suggests what a misspelt word may have meant."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, what may have been meant, and end with 2."""
        # Nobody who spells well waits for this module.
        from difflib import get_close_matches

        choice, unknown = _CHOICE.search(message), _UNKNOWN.search(message)
        close: list[str] = []
        if choice:
            close = get_close_matches(choice[1], re.findall(r"[\w-]+", choice[2]), n=1)
        elif unknown:
            # The options of this parser and of its commands, since argparse tells the top one
            # alone of an option that it does not know.
            found = dict.fromkeys(self._option_string_actions)
            for action in self._actions:
                commands = action.choices if isinstance(action.choices, dict) else {}
                for command in commands.values():
                    if isinstance(command, ArgumentParser):
                        found.update(dict.fromkeys(command._option_string_actions))
            close = get_close_matches(unknown[1], list(found), n=1)
        hint = f"hint: did you mean {close[0]}?\n" if close else ""
        self.exit(2, f"{self.prog}: error: {message}\n{hint}hint: {self.prog} --help\n")
