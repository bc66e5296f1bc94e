"""`config` as a command: every setting, and where it was set."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, json

from satchel.assembler.quoting import decodable
from satchel.cli import options, terminal
from satchel.questions.rows import VERSION
from satchel.store.errors import UsageError

if TYPE_CHECKING:
    from satchel.workspace.configuration.load import Origin

_ALL = "show"


class SettingsResult(Struct, frozen=True):
    """The answer to `config show`."""

    settings: Sequence[Origin]
    schema: int = VERSION


def add(commands: options.Commands) -> None:
    """Add the command."""
    command = options.command(commands, "config", _show)
    command.add_argument(
        "setting", nargs="?", default=_ALL,
        help="a setting as `context.budget_tokens`, or a table of them as `context`; `show`, or"
        " nothing, for all",
    )  # fmt: skip
    command.add_argument("--origin", action="store_true", help="say where each value came from")
    options.add_root(command)


def _show(args: Namespace, environment: Mapping[str, str]) -> None:
    from satchel.workspace.configuration.load import origins, read
    from satchel.workspace.state.find_root import settings_files

    root = options.root_of(args.root, environment)
    # The settings are read without opening the project, so the command works where no index can be
    # made.
    loaded = read(settings_files(root.resolve(), environment), environment)
    found = origins(loaded)
    if args.setting != _ALL:
        found = _settings_named(found, args.setting)
    _print(args, found)
    for problem in loaded.left_out:
        terminal.error(problem.problem, problem.hint)
    if loaded.left_out:
        raise options.Reported(exit_code=2)


def _print(args: Namespace, found: Sequence[Origin]) -> None:
    if args.json:
        terminal.out_json(SettingsResult(found))
        return
    for each in found:
        # Values are printed as JSON, so a text can be told from a number or a flag.
        value = json.encode(each.value).decode()
        origin = f"  # {decodable(each.origin)}" if args.origin else ""
        terminal.out(f"{each.key} = {value}{origin}")


def _settings_named(every: list[Origin], name: str) -> list[Origin]:
    """The setting of a name, or those of a table. Raises: UsageError: there is none."""
    found = [each for each in every if each.key == name or each.key.startswith(f"{name}.")]
    if not found:
        # It loads slowly, and most names are spelled right.
        from difflib import get_close_matches

        close = get_close_matches(name, [each.key for each in every], 1)
        hint = f"did you mean {close[0]}?" if close else "`satchel config` lists all"
        raise UsageError(f"no setting is called {name!r}", hint)
    return found
