"""A pack reads what is known of its own files, and says what reading everything would say."""

import pytest

from satchel.hub.database import Hub, reading, rows
from satchel.hub.knowledge import ask as asks
from satchel.hub.knowledge.ask import Asking, ask, pack_knowledge
from satchel.hub.knowledge.items_in_memory import load_items
from satchel.knowledge.model import Timestamp
from satchel.knowledge.operations.pack_section import pack_lines
from satchel.knowledge.requests import Entry, Fields, LinkTo, Remember, Revise
from satchel.store.errors import UsageError
from satchel.store.model import RepoPath
from tests.hub.conftest import Team


def test_a_pack_reads_what_is_about_its_files_and_folders(team: Team, hub: Hub) -> None:
    scopes = ("open/own.py", "open", "closed/own.py", "project", "symbol:open/own.py#only_in_open")
    entries = tuple(
        Entry(kind="note", summary=f"{n} of {scope}", scope=scope, privacy="team")
        for scope in scopes for n in range(3)
    )  # fmt: skip
    linked = Entry(kind="warning", summary="linked", links=(LinkTo("about", "open/own.py"),))
    ask(hub, Asking("bob"), Remember((*entries, linked)))
    moved = rows(hub, "SELECT id FROM knowledge WHERE line LIKE '%%2 of project%%'")[0][0]
    ask(hub, Asking("bob"), Revise(ids=(moved,), action="edit", fields=Fields(scope="open/own.py")))
    paths = [RepoPath("open/own.py")]
    with reading(hub):
        part = pack_knowledge(hub, Asking("bob"), "only_in_open")(paths, 2_000)
        with asks._open_items(hub, Asking("bob")) as (_, context):
            whole = pack_lines(context, paths, 2_000, "only_in_open")
        places = ["open/own.py", "open", "path:open/own.py"]
        with load_items(hub, "bob", "*", Timestamp(1), places) as found:
            n_read = len(found.repositories)
    assert part == whole
    assert any("linked" in line for line in part)
    assert any("2 of project" in line for line in part)
    assert len(part) <= n_read < len(entries)
    stays = rows(hub, "SELECT id FROM knowledge WHERE line LIKE '%%2 of closed%%'")[0][0]
    with pytest.raises(UsageError, match="cannot move to another repository"):
        edit = Revise(ids=(stays,), action="edit", fields=Fields(scope="open/own.py"))
        ask(hub, Asking("bob"), edit)
