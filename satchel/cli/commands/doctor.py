"""`doctor`: starts the servers that clients are configured to start, and reports failures.

A repository's own files may name any command. Nothing that they name is run: an entry that says
`satchel serve` for this code base is checked by starting this very executable with arguments of our
own; of any other it is said what it would run.
"""

from __future__ import annotations

import os
import platform
import shutil
import time
from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from satchel.cli import options, terminal
from satchel.cli.commands.setup import executable, read
from satchel.store.counted import counted
from satchel.store.errors import SatchelError
from satchel.store.platform import isolation
from satchel.workspace.project import Project

if TYPE_CHECKING:
    from satchel.cli.clients.client_files import Client


_MAIN = "satchel.cli.main"
_GIVEN = ("--root", "--state", "--tools")
"""What `setup` tells `serve`; no word of it is used for the check."""


class Configured(Struct, frozen=True):
    """An entry of a client's configuration, and what came of starting it."""

    client: str
    file: str
    command: list[str]
    ok: bool
    message: str


class DoctorResult(Struct, frozen=True):
    """What `doctor` found; `owner` is a process id, "" while nobody keeps the index.

    `workers` parse a whole tree, each of them with `memory_mb` of address space, stood back by
    `nice`.
    """

    satchel: str
    python: str
    sqlite: str
    mcp: str
    root: str
    generation: int
    complete: bool
    index_age_seconds: float
    owner: str
    workers: int
    memory_mb: int
    nice: int
    clients: list[Configured]
    index: str = ""
    knowledge: str = ""
    state: list[str] = []
    """What lies elsewhere and is not used, a sentence each."""
    schema: int = 1


def add(commands: options.Commands) -> None:
    """Add the command."""
    command = options.command(commands, "doctor", _doctor)
    options.add_root(command)


def _doctor(args: Namespace, environment: Mapping[str, str]) -> None:
    project = options.project_of(args, environment)
    result = _examined(project)  # before a server that is started takes the index
    result = replace(result, clients=list(_configured(project, environment)))
    if args.json:
        terminal.out_json(result)
    else:
        _print(result)
    # The failure is raised after everything was printed, so one bad entry hides no other.
    failed = [each.client for each in result.clients if not each.ok]
    if failed:
        raise options.Reported(
            f"{', '.join(failed)}: see above", "`satchel setup` writes a working entry"
        )


def _configured(project: Project, environment: Mapping[str, str]) -> Iterator[Configured]:
    """Every entry found, started; when there is none, what `setup` would enter."""
    from satchel.cli.clients.client_files import CLIENTS, Home

    found = False
    for client in CLIENTS:
        path = client.path(project.root, environment)
        try:
            # Links inside a repository are its own and are not followed; in their home people link
            # what they like.
            below = project.root if client.home == Home.PROJECT else None
            command = client.command(read(path, below))
        except SatchelError as error:
            yield Configured(client.name, str(path), [], False, error.message)
            continue
        if command:
            found = True
            yield _started(client, path, command, project, environment)
    # Where nothing is set up there is still something to check: whether this very executable
    # answers.
    if not found:
        ok, message = _probed(project, environment)
        yield Configured(
            "no client is set up here; this satchel", "", [executable(), "serve"], ok, message
        )


def _started(
    client: Client,
    path: Path,
    command: tuple[str, ...],
    project: Project,
    environment: Mapping[str, str],
) -> Configured:
    # The client fills in this placeholder when it starts us, and nobody does that here.
    words = [word.replace("${workspaceFolder}", str(project.root)) for word in command]
    refusal = _refusal(words, project, environment)
    if refusal:
        return Configured(client.name, str(path), words, False, f"not started: {refusal}")
    ok, message = _probed(project, environment)
    if client.successor:
        message += f"; {client.successor} has taken its place and reads another file"
    return Configured(client.name, str(path), words, ok, message)


def _refusal(words: list[str], project: Project, environment: Mapping[str, str]) -> str:
    """Why an entry is not checked by starting a server, "" for one that names ours."""
    if not _is_ours(words[0], environment):
        return "this is not the satchel that asks"
    if words[1:2] != ["serve"]:
        return "it does not run `satchel serve`"
    given = dict(zip(words[2::2], words[3::2], strict=False))
    # Any other argument could make the server do something else than the one that is started for
    # the check.
    if len(words) != 2 + 2 * len(given) or given.keys() - set(_GIVEN):
        return f"it gives `serve` other arguments than {', '.join(_GIVEN)}"
    folder = given.get("--root", str(project.root))
    if not Path(folder).is_absolute():
        return "its --root is no absolute path"
    return "" if os.path.realpath(folder) == str(project.root) else "it serves another folder"


def _is_ours(word: str, environment: Mapping[str, str]) -> bool:
    # Relative folders of PATH are left out, because they would find a program of the checkout.
    search = os.pathsep.join(
        folder for folder in environment.get("PATH", "").split(os.pathsep) if folder[:1] == os.sep
    )
    found = word if Path(word).is_absolute() else shutil.which(word, path=search)
    return found is not None and os.path.realpath(found) == os.path.realpath(executable())


def _probed(project: Project, environment: Mapping[str, str]) -> tuple[bool, str]:
    # The protocol's client is imported here alone, so that no other command waits for it.
    from satchel.mcp_server.transport.probe import probe

    # This runs our own module with arguments of our own, never the words that a file contains.
    command = isolation.command(_MAIN, "serve", "--root", str(project.root))
    found = probe(command, Path(isolation.NEUTRAL), isolation.environment(environment))
    if isinstance(found, str):
        return False, found
    return True, (
        f"{found.name} {found.version} speaks {found.protocol}: {counted(found.n_tools, 'tool')},"
        f" {found.tools_tokens:,} tokens, after {found.seconds:.2f} s"
    )


def _examined(project: Project) -> DoctorResult:
    from importlib.metadata import version

    from satchel.store.sqlite.database import file_in, library_version
    from satchel.store.version import installed_version
    from satchel.workspace.state import adopt

    generation, complete, age = 0, False, 0.0
    if project.is_indexed:
        with project.snapshot() as snapshot:
            generation, complete = snapshot.generation, snapshot.complete
        age = time.time() - file_in(project.directory).stat().st_mtime
    limits = project.options().limits
    # State that might be meant and is not used.
    found, left = adopt.older(project.folders), adopt.leftovers(project.folders)
    messages = []
    if found:
        what = f"not taken over: {found.refusal}" if found.refusal else "`satchel state adopt`"
        messages.append(f"{found.path}: knowledge of an earlier version, {what}")
    if left:
        names = ", ".join(path.name for path in left)
        messages.append(f"{left[0].parent}: {names} of an earlier version can be deleted")
    return DoctorResult(
        installed_version(), platform.python_version(), library_version(), version("mcp"),
        str(project.root), generation, complete, round(age, 1), _owner(project),
        limits.processes, limits.memory_bytes >> 20, limits.nice, [],
        str(project.folders.index), str(project.folders.knowledge), messages,
    )  # fmt: skip


def _owner(project: Project) -> str:
    """The process that keeps the index, "" when none does."""
    from satchel.workspace.lock import WriterLock

    if not project.is_indexed:
        return ""
    # Taking the lock is the sure test: a process id in a file may be that of a process long gone.
    lock = WriterLock(project.directory)
    with suppress(OSError):  # we may not write there, and others may
        if lock.acquire():
            lock.release()
            return ""
    return lock.holder()


def _print(result: DoctorResult) -> None:
    terminal.row(
        f"satchel {result.satchel}, Python {result.python}, SQLite {result.sqlite},"
        f" mcp {result.mcp}"
    )
    state = "complete" if result.complete else "not complete"
    terminal.row(
        f"{result.root}: generation {result.generation}, {state}, written"
        f" {result.index_age_seconds:,.0f} s ago; kept by {result.owner or 'nobody'}"
    )
    terminal.row(
        f"parsing: {result.workers} at once, each in {result.memory_mb:,} MB, nice {result.nice}"
    )
    terminal.row(f"index in {result.index}")
    terminal.row(f"knowledge in {result.knowledge}")
    for message in result.state:
        terminal.row(f"unused  {message}")
    for each in result.clients:
        where = f" ({each.file})" if each.file else ""
        terminal.row(f"{'ok' if each.ok else 'FAILED'}  {each.client}{where}: {each.message}")
