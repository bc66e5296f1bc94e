"""A connection to a hub, for the commands that take one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeVar

from satchel.assembler.quoting import clean
from satchel.cli import terminal
from satchel.store.errors import ConfigError
from satchel.store.version import install_command

if TYPE_CHECKING:
    from satchel.hub.database import Hub

_SMALL_PACK = 512
_T = TypeVar("_T")


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


def patiently(url: str, work: Callable[[Hub], _T]) -> _T:
    """What some work on a hub gives, done again where its PostgreSQL is being started again.

    Raises: as `connected`.
    """
    need_team()
    from satchel.hub import database

    def told(why: str) -> None:
        terminal.note(clean(f"note: {why}; trying again for {database.PATIENCE_S:.0f} s"))

    return database.patiently(url, work, told)


def need_team() -> None:
    """Raise ConfigError unless what a hub takes is installed."""
    if not (find_spec("psycopg") and find_spec("distributed")):
        raise ConfigError("a hub needs psycopg and Dask", install_command("team"))


def one_pack(hub: Hub, query: str) -> str:
    """The first line of a small pack for a question: enough to see that answers come."""
    from satchel.assembler import assemble
    from satchel.assembler.query.question import Question
    from satchel.hub import asking
    from satchel.questions.request import About
    from satchel.store.vectors.table_encoder import TableEncoder

    with asking.view(hub, "*", About(query), TableEncoder()) as view:
        pack = assemble.context(
            view.snapshot, Question(query), _SMALL_PACK, assemble.PackOptions(vectors=view.vectors)
        )
        return pack.text.partition("\n")[0]
