"""Runs command lines in a server for other processes, with the output they would print themselves.

The answer is theirs to the byte: the same modules run over the same index, and whatever could make
a difference (another version, other settings or variables, a command that reads standard input)
leaves the command to who asked.
"""

import threading
from collections.abc import Mapping
from pathlib import Path

from satchel.cli import command_line, served, server_client
from satchel.cli.screen import Screen
from satchel.cli.served import NotServed, Served
from satchel.store.version import installed_version
from satchel.workspace.configuration.load import read
from satchel.workspace.project import Project
from satchel.workspace.serving.channel import Command, Printed, Run
from satchel.workspace.state.find_root import settings_files

_AT_ONCE = 2
"""Commands that run at a time: they share an interpreter with the questions of agents."""
_TURN_SECONDS = 1.0
"""How long a command waits for its turn: it would take about as long in a process of its own."""


def runner(project: Project, environment: Mapping[str, str], at_once: int = _AT_ONCE) -> Run:
    """Runs commands for a project that is served in this environment, `at_once` at a time."""
    turns = threading.BoundedSemaphore(at_once)
    version = installed_version()

    def run(command: Command) -> Printed | None:
        if command.version != version or not _means_the_same(project, command, environment):
            return None
        # A server that is busy leaves the command to who asks, as any that it cannot answer.
        if not turns.acquire(timeout=_TURN_SECONDS):
            return None
        try:
            return _run(project, command, environment)
        finally:
            turns.release()

    return run


def _means_the_same(project: Project, command: Command, environment: Mapping[str, str]) -> bool:
    """Whether a process of its own would read the same index with the same settings."""
    if command.root != str(project.root) or not server_client.may_be_served(command.words):
        return False
    if dict(command.environment) != server_client.relevant(environment):
        return False
    # The files of settings may have been edited since this process read them.
    now = read(settings_files(project.root, environment), environment)
    if (now.settings, now.left_out) != (project.settings, project.left_out):
        return False
    # A first index is waited for where its progress can be seen.
    return project.has_whole_text


def _run(project: Project, command: Command, environment: Mapping[str, str]) -> Printed | None:
    columns, note_columns, colours, links = command.screen
    screen = Screen(columns, note_columns, colours=colours, links=links)
    parts: served.Parts = []
    try:
        with served.command(Served(project, Path(command.here), screen), parts):
            code = command_line.run(command.words, environment)
    # What it has printed so far is forgotten: who asked runs it and prints it again.
    except (NotServed, SystemExit):
        return None
    return Printed(code, tuple(parts))
