"""`setup` and `completion`: enter Satchel in the files of clients and shells, or take it out."""

import os
import shutil
import stat
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from pathlib import Path

from satchel.cli import options, terminal
from satchel.cli.clients import hook_entries
from satchel.cli.completion import SCRIPTS
from satchel.indexer.scan.open_below import content
from satchel.store.errors import ConfigError, UsageError, reason
from satchel.store.platform.replace_file import replace_file

# The names are written out again so that `--help` need not import what edits TOML.
_NAMES = (
    "claude-code", "cursor", "vscode", "copilot", "codex", "zed", "gemini", "antigravity",
    "opencode", "devin", "windsurf", "jetbrains", "kiro", "cline", "amp", "goose", "warp",
)  # fmt: skip


_MAX_BYTES = 16 << 20
"""The largest file of a client that is edited; some keep their history in it."""


def add(commands: options.Commands) -> None:
    """Add the command."""
    command: ArgumentParser = options.plain_command(commands, "setup")
    command.set_defaults(run=_setup)
    command.add_argument("client", choices=_NAMES, metavar="CLIENT", help=", ".join(_NAMES))
    what = command.add_mutually_exclusive_group()
    what.add_argument(
        "--print", action="store_true", help="print the file as it would be, write nothing"
    )
    what.add_argument("--remove", action="store_true", help="take the entry out again")
    command.add_argument("--command", help="what the client starts (default: this satchel)")
    options.add_tools(command)
    command.add_argument(
        "--instructions", action="store_true",
        help="write a section for agents as well: when to ask Satchel, and how",
    )  # fmt: skip
    command.add_argument(
        "--skill", action="store_true",
        help="write a skill as well, and for claude-code a subagent that finds code",
    )  # fmt: skip
    command.add_argument(
        "--hooks", nargs="*", metavar="EVENT", choices=hook_entries.NAMES,
        help="claude-code: tell what the index knows when a session starts and before a grep; named"
        " before-stop, what was changed without a look at its users and tests",
    )  # fmt: skip
    options.add_root(command)

    shells: ArgumentParser = options.plain_command(commands, "completion")
    shells.set_defaults(run=lambda args, _environment: terminal.out(SCRIPTS[args.shell], end=""))
    shells.add_argument("shell", choices=list(SCRIPTS), help="whose script to print")


def _setup(args: Namespace, environment: Mapping[str, str]) -> None:
    from satchel.cli.clients.client_files import CLIENTS, Home

    client = next(each for each in CLIENTS if each.name == args.client)
    root = options.project_of(args, environment).root
    command = args.command or executable()

    path = client.path(root, environment)

    def entry(text: str) -> str:
        if args.remove:
            rest = client.without_entry(text)
            # A file that says nothing else is one that we made; a link is its owner's.
            is_ours = rest != text and client.is_empty(rest) and not path.is_symlink()
            return "" if is_ours else rest
        return client.with_entry(text, command, _options(args, environment))

    # A repository's links are not followed; in their own home people link what they like.
    below = root if client.home == Home.PROJECT else None
    changed = _change(path, below, entry, "entry", args)
    _instruct(client.instructions, root, args)
    _write_extras(client.name, command, root, args)
    if client.successor and not args.remove:
        terminal.note(f"{client.name} has become {client.successor}, which reads another file:"
                      f" `satchel setup {client.successor}`")  # fmt: skip
    if changed and not args.remove:
        terminal.note("start the client anew; `satchel doctor` checks what it will start")
        if args.tools is None:
            terminal.note("--tools full lists the tools of other systems as well, by their names")


def _options(args: Namespace, environment: Mapping[str, str]) -> list[str]:
    """What `serve` is told beside the root: the client starts it without this environment."""
    tools = ["--tools", args.tools] if args.tools else []
    state = environment.get(options.STATE)
    return [*tools, *(["--state", str(Path(state).absolute())] if state else [])]


def _instruct(file: str, root: Path, args: Namespace) -> None:
    """Write the section for agents, or take it out, where that is wanted; else say that one can.

    Whoever sits at a terminal is asked.
    """
    from satchel.cli.clients import instructions

    def section(text: str) -> str:
        if args.remove:
            return instructions.without_section(text)
        return instructions.with_section(text, file)

    path = root / file
    is_there = instructions.BEGIN in _text_of(path, root)
    question = f"write a section for agents into {path} as well?"
    is_open = not (args.print or args.remove or is_there)
    if args.instructions or (is_open and terminal.agrees(question)):
        _change(path, root, section, "section", args)
    elif args.remove and is_there:
        terminal.note(f"the section in {file} stays; --remove --instructions takes it out as well")
    elif is_open:
        terminal.note(f"--instructions tells agents in {file} when to ask, and how")


def _write_extras(client: str, command: str, root: Path, args: Namespace) -> None:
    """Write skill, subagent and hooks where they are asked for, or take them out.

    Raises:
        ConfigError: a file of that name is somebody else's.
        UsageError: this client has no such hooks.
    """
    from satchel.cli.clients import instructions

    is_claude = client == "claude-code"
    if args.hooks is not None and not is_claude:
        raise UsageError("--hooks is for claude-code", "leave it out")
    for file, text in instructions.skill_files(for_claude=is_claude).items() if args.skill else ():

        def whole(before: str, text: str = text) -> str:
            if before and instructions.MARK not in before:
                raise ConfigError("it is not Satchel's", "rename it first")
            return "" if args.remove else text

        _change(root / file, root, whole, "file", args)
    if args.hooks is not None:

        def hooks(before: str) -> str:
            if args.remove:
                return hook_entries.without_hooks(before)
            return hook_entries.with_hooks(before, command, args.hooks or hook_entries.USUAL)

        _change(root / hook_entries.FILE, root, hooks, "hooks", args)


def _text_of(path: Path, root: Path) -> str:
    try:
        return read(path, root)
    except ConfigError:  # it is told of once it is written
        return ""


def _change(
    path: Path, below: Path | None, edit: Callable[[str], str], what: str, args: Namespace
) -> bool:
    """Edit a file, or print what it would be; whether it changed. One that is left empty goes.

    Raises:
        ConfigError: it cannot be read or written.
    """
    before = read(path, below)
    try:
        after = edit(before)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error.message}", error.hint) from error
    if args.print:
        terminal.out(after, end="")
        terminal.note(f"this would be {path}")
        return False
    if after == before:
        terminal.out(f"{path}: nothing to change")
        return False
    if not after and args.remove:
        _delete(path, below)
    else:
        _write(path, after, below)
    terminal.out(f"{path}: {what} {'removed' if args.remove else 'written'}")
    return True


def _delete(path: Path, below: Path | None) -> None:
    """Remove a file, and folders of the project that held nothing else."""
    path.unlink()
    for folder in path.parents if below is not None else ():
        if folder == below:
            break
        try:
            folder.rmdir()
        except OSError:  # something else lies in it
            break


def executable() -> str:
    """The satchel that is running, by its whole path: clients start with a short PATH."""
    sibling = Path(sys.executable).with_name("satchel")
    found = str(sibling) if sibling.exists() else shutil.which("satchel")
    if found is None:
        raise UsageError("this satchel has no executable", "name one with --command")
    return found


def read(path: Path, below: Path | None) -> str:
    """The text of a configuration file, "" where there is none, line ends as they are.

    With `below`, no link is followed on the way from that folder.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        return content(path, _MAX_BYTES, below=below).decode("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{path} cannot be read: {reason(error)}", "correct or remove it"
        ) from error


def _write(path: Path, text: str, below: Path | None) -> None:
    """All or nothing, with the mode that the file had; a link of the user's own stays one."""
    # The file behind a link is replaced and not the link, so that people's dotfiles stay where they
    # keep them.
    target = Path(os.path.realpath(path))
    if below is not None and target != path:
        raise ConfigError(f"{path} leads to {target}", "remove the link first")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o644
        replace_file(target, text.encode("utf-8"), mode=mode)
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written: {error.strerror}",
            "check the permissions of the file and of its folder",
        ) from error
