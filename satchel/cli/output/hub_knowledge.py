"""`recall` of a hub, and `knowledge push` and `pull`: what a team knows, and what is kept here."""

from __future__ import annotations

from argparse import Namespace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec import MsgspecError, json

from satchel.assembler.quoting import clean
from satchel.cli import terminal
from satchel.cli.output import known
from satchel.cli.output.hub_answers import connected
from satchel.knowledge.request_context import RequestContext
from satchel.store import private
from satchel.store.counted import counted
from satchel.store.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from satchel.hub.knowledge.exchange import Exchanged
    from satchel.workspace.project import Project

_EXCHANGED = "hub.json"
"""Beside the knowledge of a checkout: what it was when it was last equal to the hub's."""
_T = TypeVar("_T")


def recall(args: Namespace) -> None:
    """`recall`: what the team knows, but for what is private."""
    with connected(args.hub) as hub:
        from satchel.hub.knowledge.ask import Asking, ask

        # Who reads the tables themselves is nobody of the team, and has no private items.
        reply = ask(hub, Asking("", args.repo or "*", args.session), known.recall_of(args))
    if args.json:
        terminal.out_json(known.Answered(reply.value, reply.text))
    else:
        terminal.out(reply.text, end="")


def exchange(project: Project, context: RequestContext, args: Namespace) -> None:
    """`knowledge push` and `pull`: what is known here and what the team knows, made equal."""
    if not args.hub:
        raise UsageError("--hub is missing", "name the database of the team's hub")
    with connected(args.hub) as hub:
        from satchel.hub.knowledge.exchange import Base, Way
        from satchel.hub.knowledge.exchange import exchange as made_equal
        from satchel.hub.repositories import repositories

        name = args.name or project.root.name
        if name not in {each.name for each in repositories(hub)}:
            hint = "name it with --name; `satchel hub status` lists them"
            raise UsageError(f"the hub has no repository {name!r}", hint)
        state = project.folders.knowledge / _EXCHANGED
        key = blake2b(f"{args.hub}\0{name}".encode(), digest_size=8).hexdigest()
        # Several hubs may know this repository: each has its own state of what was equal.
        bases = _bases(state, dict[str, dict[str, Base]])
        done = made_equal(hub, context, name, Way(args.what), bases.get(key, {}))
    # Written last: where this fails, the next exchange compares more and changes nothing more.
    private.write(state, json.encode({**bases, key: done.base}))
    _print_exchange(done)


def _bases(state: Path, shape: type[_T]) -> _T:
    try:
        return json.decode(state.read_bytes(), type=shape)
    except FileNotFoundError:
        return shape()
    except MsgspecError as error:
        raise ConfigError(
            f"{state} is damaged", "delete it: everything is compared anew"
        ) from error


def _print_exchange(done: Exchanged) -> None:
    counts = (
        (done.sent, "sent"), (done.taken, "taken"), (done.same, "the same"),
        (done.waiting, "newer on the other side"), (done.conflicts, "in conflict"),
    )  # fmt: skip
    terminal.out(", ".join(f"{len(items)} {what}" for items, what in counts))
    # Private is what is kept unless somebody says otherwise, so nothing may have gone.
    if done.n_private:
        terminal.note(
            f"{counted(done.n_private, 'private item')} kept here:"
            " `satchel remember --privacy team`, or"
            " knowledge.privacy, shares what is kept from now on"
        )
    for number, here, there in done.conflicts:
        terminal.out(clean(f"conflict {number}: here {here!r}, there {there!r}"))
    if done.conflicts:
        terminal.note("none of these was written; change the item on one side so that both agree")
