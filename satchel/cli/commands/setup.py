"""`setup`: tell a client how to start our server, or take that back."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from satchel.cli import options, terminal
from satchel.indexer.scan.open_below import content
from satchel.store.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from satchel.cli.options import Commands

# The names are written out again so that `--help` need not import what edits TOML.
_NAMES = (
    "claude-code", "cursor", "vscode", "codex", "zed", "gemini", "opencode", "windsurf",
    "jetbrains",
)  # fmt: skip


_MAX_BYTES = 16 << 20
"""Of a client's file; some keep their history in it."""


def add(commands: Commands) -> None:
    """Add the command."""
    about = "Enter this server in a client's configuration; nothing else in the file changes."
    command: ArgumentParser = commands.add_parser("setup", help=about, description=about)
    command.set_defaults(run=_setup)
    command.add_argument("client", choices=_NAMES)
    what = command.add_mutually_exclusive_group()
    what.add_argument("--print", action="store_true", help="show the file as it would be")
    what.add_argument("--remove", action="store_true", help="take the entry out again")
    command.add_argument("--command", help="what the client starts (default: this satchel)")
    options.add_root(command)


def _setup(args: Namespace, environment: Mapping[str, str]) -> None:
    from satchel.cli.clients.client_files import CLIENTS, Home

    client = next(each for each in CLIENTS if each.name == args.client)
    root = options.project_of(args, environment).root
    path = client.path(root, environment)
    # A repository's links are not followed; in their own home people link what they like.
    below = root if client.home == Home.PROJECT else None
    before = read(path, below)
    try:
        if args.remove:
            after = client.without_entry(before)
        else:
            after = client.with_entry(before, args.command or executable())
    except ConfigError as error:
        raise ConfigError(f"{path}: {error.message}", error.hint) from error
    if args.print:
        terminal.out(after, end="")
        terminal.note(f"this would be {path}")
    elif after == before:
        terminal.out(f"{path}: nothing to change")
    else:
        _write(path, after, below)
        terminal.out(f"{path}: {'entry removed' if args.remove else 'entry written'}")
        if not args.remove:
            terminal.note("start the client anew; `satchel doctor` checks what it will start")


def executable() -> str:
    """The satchel that is running, by its whole path: clients start with a short PATH."""
    beside = Path(sys.executable).with_name("satchel")
    found = str(beside) if beside.exists() else shutil.which("satchel")
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
        raise ConfigError(f"{path} cannot be read: {error}", "correct or remove it") from error


def _write(path: Path, text: str, below: Path | None) -> None:
    """All or nothing, with the mode that the file had; a link of the user's own stays one."""
    # The file behind a link is replaced and not the link, so that people's dotfiles stay where they
    # keep them.
    target = Path(os.path.realpath(path))
    if below is not None and target != path:
        raise ConfigError(f"{path} leads to {target}", "remove the link first")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        # The new file lies in the same folder, since only a rename within one file system is all or
        # nothing.
        descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(text.encode("utf-8"))
            if target.exists():
                shutil.copymode(target, name)
            else:
                Path(name).chmod(0o644)
            Path(name).replace(target)
        # An interruption must not leave half a file beside the real one, so this catches Ctrl-C as
        # well.
        except BaseException:
            with suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}") from error
