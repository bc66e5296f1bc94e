"""Knowledge as tests use it: an open file, a caller, a clock that only tests move."""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from msgspec import structs
from msgspec.structs import replace

from satchel.knowledge import requests
from satchel.knowledge.answer import answer
from satchel.knowledge.model import Caller, Item, Timestamp
from satchel.knowledge.replies import Reply
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.requests import Recall, Remember, Revise
from satchel.knowledge.storage import database
from satchel.knowledge.storage.read import items_by_id
from satchel.knowledge.timestamps import DAY

NOW = Timestamp(1_780_000_000_000)


class Team:
    """Several callers of one file; each step of the clock is explicit."""

    def __init__(self, context: RequestContext) -> None:
        self.context = context

    def by(self, actor: str, **said: Any) -> "Team":
        """The same file, somebody else."""
        caller = structs.replace(self.context.caller, actor=actor, **said)
        return Team(replace(self.context, caller=caller))

    def later(self, days: float) -> "Team":
        """The same caller, days later."""
        now = Timestamp(int(self.context.caller.now + days * DAY))
        return Team(replace(self.context, caller=structs.replace(self.context.caller, now=now)))

    def over(self, snapshot: Any) -> "Team":
        """The same caller with code at hand."""
        return Team(replace(self.context, snapshot=snapshot))

    def keep(self, kind: str, summary: str, **said: Any) -> Any:
        """Remembers one item; a decision gets a rationale if it has none."""
        if kind == "decision":
            said.setdefault("rationale", "because")
        entry = {"kind": kind, "summary": summary, **said}
        value: Any = self.ask(Remember, items=[entry]).value
        return value.items[0]

    def revise(self, action: str, *ids: str, **said: Any) -> Any:
        """Does something to items."""
        return self.ask(Revise, ids=list(ids), action=action, **said).value

    def recall(self, query: str = "", **said: Any) -> Any:
        """What is known."""
        return self.ask(Recall, query=query, **said).value

    def summaries(self, query: str = "", **said: Any) -> list[str]:
        """The summaries of what is known, best first."""
        return [row.summary for row in self.recall(query, **said).items]

    def ask(self, kind: Any, /, **said: Any) -> Reply:
        """Any request."""
        return answer(self.context, requests.read(kind, said))

    def item(self, item_id: str) -> Item:
        """An item as it is kept."""
        [found] = items_by_id(self.context.db, self.context.caller.actor, [item_id])
        return found


@contextmanager
def team(folder: Path, actor: str = "ann", **said: Any) -> Iterator[Team]:
    """Opens the knowledge in a folder."""
    with closing(database.connect(folder)) as connection:
        yield Team(RequestContext(connection, Caller(actor=actor, now=NOW, **said)))


def counts(context: RequestContext) -> Mapping[str, int]:
    """How many rows each table has."""
    tables = ("item", "link", "event", "tag")
    return {name: context.db.execute(f"SELECT count(*) FROM {name}").get for name in tables}
