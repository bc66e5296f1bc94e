"""`context`, `search`, `symbols` and `deps` asked of a hub: the same answers, from PostgreSQL."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec import MsgspecError, json, structs

from satchel.assembler import assemble
from satchel.assembler.assemble import Question
from satchel.assembler.render import clean
from satchel.assembler.survey.packages import resolved
from satchel.assembler.values import Scope
from satchel.cli import questions, terminal
from satchel.cli.output import answers, definitions, lookups
from satchel.cli.questions import Asked
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.requests import Request
from satchel.store import private
from satchel.store.errors import ConfigError, UsageError
from satchel.store.vectors.table_encoder import TableEncoder
from satchel.workspace.configuration.settings import Settings

if TYPE_CHECKING:
    from satchel.hub.asking import HubView
    from satchel.hub.database import Hub
    from satchel.hub.knowledge.exchange import Exchanged
    from satchel.workspace.project import Project

_SMALL_PACK = 512
_EXCHANGED = "hub.json"
"""Beside the knowledge of a checkout: what it was when it was last equal to the hub's."""
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class _Everywhere:
    """Where a question to a hub is asked: no checkout, and nobody's settings."""

    root: Path = Path("/")
    settings: Settings = field(default_factory=Settings)


@contextmanager
def connected(url: str) -> Iterator[Hub]:
    """A connection to a hub.

    Raises:
        ConfigError: what it takes is not installed.
        HubUnavailable: PostgreSQL cannot be reached.
        UsageError: there is no hub, or one of another version.
    """
    need_team()
    from satchel.hub import database

    with database.connected(url) as hub:
        yield hub


def need_team() -> None:
    """Raise ConfigError unless what a hub takes is installed."""
    if not (find_spec("psycopg") and find_spec("distributed")):
        raise ConfigError("a hub takes psycopg and Dask", "pip install 'satchel[team]'")


def ranked(args: Namespace) -> None:
    """`context` and `search`.

    Raises:
        UsageError: the question is out of bounds, or asks for what only a checkout has.
    """
    if getattr(args, "replay", None) or getattr(args, "diff", None):
        raise UsageError("--replay and --diff need a checkout", "leave out --hub")
    with connected(args.hub) as hub:
        for asked in questions.asked(args):
            if isinstance(asked, questions.Malformed):
                answers.malformed(asked)
                continue
            try:
                _answer(hub, args, asked)
            except UsageError as error:
                answers.failed(args, asked, error)


def _answer(hub: Hub, args: Namespace, asked: Asked) -> None:
    from satchel.hub import asking

    place = _Everywhere()
    is_exact = args.command == "search" and questions.mode(place, args, asked) in questions.EXACT
    encoder = None if is_exact else TableEncoder()
    with asking.view(hub, args.repo or "*", asked.query, encoder) as view:
        if not is_exact:
            asked = structs.replace(asked, query=view.question)
        if args.command == "search":
            answers.search_one(
                place, view.snapshot, args, view.vectors, view.notices, asked, view.likely
            )
        else:
            _context(place, view, args, asked)


def _context(place: _Everywhere, view: HubView, args: Namespace, asked: Asked) -> None:
    request = answers.pack_request(place, args, asked)
    budget = place.settings.context.budget_tokens if request.budget is None else request.budget
    pack = assemble.context(
        view.snapshot,
        Question(
            request.query,
            request.scope or Scope.IMPL,
            resolved(view.snapshot, request.path),
            likely=view.likely,
        ),
        budget,
        encoding=place.settings.context.tokenizer,
        notices=view.notices,
        vectors=view.vectors,
    )
    answers.print_pack(args, asked.id, pack)


def lookup(args: Namespace) -> None:
    """`symbols` and `deps`."""
    from satchel.hub import asking

    is_symbols = args.command == "symbols"
    name = args.name if is_symbols else args.symbol
    with connected(args.hub) as hub, asking.view_of_name(hub, args.repo or "*", name) as view:
        for notice in view.notices:
            terminal.note(f"note: {notice}")
        if is_symbols:
            definitions.symbols_command(view.snapshot, name, args)
        else:
            lookups.deps_command(view.snapshot, name, args)
            if args.across:
                from satchel.hub import across

                for line in across.lines(across.uses(hub, view.snapshot, name, args.limit)):
                    terminal.out(line)


def known(args: Namespace, request: Request) -> None:
    """`recall`: what the team knows, but for what is private."""
    from satchel.cli.output.known import Answered

    with connected(args.hub) as hub:
        from satchel.hub.knowledge.ask import Asking, ask

        # Who reads the tables themselves is nobody of the team, and has no private items.
        reply = ask(hub, Asking("", args.repo or "*", args.session), request)
    if args.json:
        terminal.out_json(Answered(reply.value, reply.text))
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
        state = project.places.knowledge / _EXCHANGED
        key = blake2b(f"{args.hub}\0{name}".encode(), digest_size=8).hexdigest()
        bases = _bases(state, dict[str, dict[str, Base]])
        done = made_equal(hub, context, name, Way(args.what), bases.get(key, {}))
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
    for number, here, there in done.conflicts:
        terminal.out(clean(f"conflict {number}: here {here!r}, there {there!r}"))
    if done.conflicts:
        terminal.note("nothing of these was written; revise one side to what the other says")


def one_pack(hub: Hub, query: str) -> str:
    """The first line of a small pack for a question: enough to see that answers come."""
    from satchel.hub import asking

    with asking.view(hub, "*", query, TableEncoder()) as view:
        pack = assemble.context(view.snapshot, Question(query), _SMALL_PACK, vectors=view.vectors)
        return pack.text.partition("\n")[0]
