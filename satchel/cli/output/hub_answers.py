"""`context`, `search`, `symbols` and `deps` asked of a hub: the same answers, from PostgreSQL."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from satchel.assembler import assemble
from satchel.assembler.kinds import Scope
from satchel.assembler.query.question import Question
from satchel.assembler.survey.packages import resolved
from satchel.cli import terminal
from satchel.cli.output import answers, lookups, questions
from satchel.cli.output.questions import Asked
from satchel.store.errors import ConfigError, UsageError
from satchel.store.vectors.table_encoder import TableEncoder
from satchel.store.version import install_command
from satchel.workspace.configuration.settings import Settings

if TYPE_CHECKING:
    from satchel.hub.asking import HubView
    from satchel.hub.database import Hub

_SMALL_PACK = 512


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
    # What a hub takes is installed only where somebody asks for it, so it is loaded here.
    from satchel.hub import database

    with database.connected(url) as hub:
        yield hub


def need_team() -> None:
    """Raise ConfigError unless what a hub takes is installed."""
    if not (find_spec("psycopg") and find_spec("distributed")):
        raise ConfigError("a hub needs psycopg and Dask", install_command("team"))


def ranked(args: Namespace) -> None:
    """`context`.

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

    with asking.view(hub, args.repo or "*", asked.query, TableEncoder()) as view:
        _context(_Everywhere(), view, args, structs.replace(asked, query=view.question))


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
    """`deps`."""
    from satchel.hub import across, asking

    name = args.symbol
    with connected(args.hub) as hub, asking.view_of_name(hub, args.repo or "*", name) as view:
        for notice in view.notices:
            terminal.note(f"note: {notice}")
        lookups.deps_command(view.snapshot, name, args)
        if args.across:
            for line in across.lines(across.uses(hub, view.snapshot, name, args.limit)):
                terminal.out(line)


def one_pack(hub: Hub, query: str) -> str:
    """The first line of a small pack for a question: enough to see that answers come."""
    from satchel.hub import asking

    with asking.view(hub, "*", query, TableEncoder()) as view:
        pack = assemble.context(view.snapshot, Question(query), _SMALL_PACK, vectors=view.vectors)
        return pack.text.partition("\n")[0]
