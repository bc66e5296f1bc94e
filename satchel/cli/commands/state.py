"""`state`: which checkouts have an index or knowledge, where, and what to do with it."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from satchel.assembler.quoting import clean
from satchel.cli import options, terminal
from satchel.questions.rows import VERSION
from satchel.store.counted import counted
from satchel.store.errors import UsageError

if TYPE_CHECKING:
    from satchel.workspace.project import Project
    from satchel.workspace.state.checkouts import StoredState

_ACTIONS = ("list", "adopt", "move", "delete")


class StateRow(Struct, frozen=True):
    """State of one checkout; `root` is where that lay or lies, `used` a moment in UTC.

    `of_another_version` says of an index that another version of Satchel made it.
    """

    name: str
    root: str
    gone: bool
    of_another_version: bool
    bytes: int
    used: str
    folder: str


class StateResult(Struct, frozen=True):
    """The answer to `state list`, and what `move` and `delete` were about."""

    states: list[StateRow]
    index: str
    knowledge: str
    schema: int = VERSION


class AdoptedResult(Struct, frozen=True):
    """The answer to `state adopt`: from which file, and what became of its items."""

    file: str
    added: int
    updated: int
    unchanged: int
    left: list[str]
    schema: int = VERSION


def add(commands: options.Commands) -> None:
    """Add the command."""
    command = options.command(commands, "state", _state)
    command.add_argument(
        "action", nargs="?", choices=_ACTIONS, default="list",
        help="list (default); adopt: take over .satchel/knowledge.db of an earlier version; move:"
        " make the knowledge of a checkout that is gone this one's; delete: named state, or the"
        " indexes of checkouts that are gone and of other versions of Satchel",
    )  # fmt: skip
    command.add_argument(
        "name", nargs="*", help="as `satchel state` lists it; move takes a path too"
    )
    options.add_root(command, yes="delete without asking; move from a checkout that is not gone")


def _state(args: Namespace, environment: Mapping[str, str]) -> None:
    from satchel.workspace.project import Project

    # Not `project_of`: what that would say is what this command is about.
    project = Project.at(options.root_of(args.root, environment), environment)
    _WHAT[args.action](project, args)


def _list(project: Project, args: Namespace) -> None:
    from satchel.workspace.state.checkouts import StateKind, all_state, elsewhere

    found = all_state(project.folders.bases)
    if args.json:
        terminal.out_json(_result(project, found))
        return
    for each in found:
        terminal.row(_line(each))
    folders = project.folders
    n_packages = sum(each.kind == StateKind.DEPENDENCY for each in found)
    packages = f"; {n_packages} of installed packages" if n_packages else ""
    where = f"{folders.bases.indexes} and {folders.bases.knowledge}"
    terminal.row(f"{len(found) - n_packages} in {where}{packages}")
    terminal.row(f"here: index/{folders.index.name}, knowledge/{folders.knowledge.name}")
    for each in elsewhere(folders):
        terminal.note(f"{each.name} may be this checkout's: `satchel state move {each.name}`")


def _adopt(project: Project, args: Namespace) -> None:
    from satchel.workspace.state import adopt

    done = adopt.adopt(project)
    left = [str(path) for path in (done.path, *adopt.leftovers(project.folders))]
    merged = done.merged
    if args.json:
        terminal.out_json(
            AdoptedResult(
                str(done.path),
                merged.added,
                merged.updated,
                merged.unchanged,
                left,
            )
        )
        return
    terminal.row(
        f"{counted(merged.added, 'item')} taken over from {done.path},"
        f" {merged.updated} newer than here,"
        f" {merged.unchanged} known"
    )
    terminal.note(f"nothing uses these files any more: {', '.join(left)}")


def _move(project: Project, args: Namespace) -> None:
    from satchel.workspace.state.checkouts import move

    if len(args.name) != 1:
        raise UsageError("move takes the name of one state", "`satchel state` lists the names")
    done = move(project, args.name[0], even_if_there=args.yes)
    if args.json:
        terminal.out_json(_result(project, [done]))
        return
    terminal.row(f"what was known of {clean(done.root)} is known of {project.root} now")


def _delete(project: Project, args: Namespace) -> None:
    from satchel.workspace.state.checkouts import chosen, delete

    found = chosen(project.folders.bases, args.name)
    if not args.json:
        for each in found:
            terminal.row(_line(each))
    # Even a list that a person named is asked about, because knowledge cannot be made again.
    if found and not args.yes and not _confirmed(found):
        raise UsageError("nothing was deleted", "--yes deletes what is listed")
    delete(found)
    if args.json:
        terminal.out_json(_result(project, found))
    else:
        terminal.row(f"{len(found)} deleted")


def _confirmed(found: Sequence[StoredState]) -> bool:
    """Ask the person, where there is one."""
    # Without a person nothing is deleted: an answer from a pipe is nobody's consent.
    if not sys.stdin.isatty():
        return False
    from satchel.workspace.state.checkouts import StateKind

    # An index is made again from the tree, so only knowledge is a loss and is named by itself.
    known = sum(each.kind == StateKind.KNOWLEDGE for each in found)
    warning = f", {known} of them knowledge that cannot be made again" if known else ""
    terminal.note(f"delete these {len(found)}{warning}? [y/N]")
    return sys.stdin.readline().strip().casefold() in ("y", "yes")


def _line(each: StoredState) -> str:
    gone = ", gone" if each.is_gone else ""
    gone += ", of another version of Satchel" if each.is_of_another else ""
    where = clean(each.root) if each.root else "of unknown origin"
    return f"{each.name}  {where}{gone}, {each.n_bytes / 1e6:.1f} MB, used {each.used_at}"


def _result(project: Project, found: Sequence[StoredState]) -> StateResult:
    rows = [
        StateRow(
            each.name, each.root, each.is_gone, each.is_of_another, each.n_bytes,
            each.used_at,
            str(each.folder),
        )
        for each in found
    ]  # fmt: skip
    folders = project.folders
    index, knowledge = str(folders.index), str(folders.knowledge)
    return StateResult(rows, index, knowledge)


_WHAT: dict[str, Callable[[Project, Namespace], None]] = {
    "list": _list,
    "adopt": _adopt,
    "move": _move,
    "delete": _delete,
}
